import CuffCore
import Testing

@testable import CuffClinical

@Suite struct SampleTests {
    private let source = HealthSource(name: "cuff", version: "1")
    private let time = Timestamp(seconds: 1_777_959_180)

    private func sample(_ type: SampleType, _ value: Int, _ unit: HealthUnit, lasting: Int64 = 0) throws -> QuantitySample {
        try QuantitySample(
            type, HealthQuantity(Digits(value), unit), start: time, end: Timestamp(milliseconds: time.milliseconds + lasting * 1000),
            source: source)
    }

    @Test func aQuantity_NeedsAUnitOfItsType() throws {
        let converted = try #require(try sample(.systolic, 16, .kPa).quantity.value(in: .mmHg))
        #expect(abs(converted - 120.01) < 0.01)
        #expect(refusal { _ = try sample(.systolic, 120, .countPerMinute) } == .invalidArgument)
        #expect(refusal { _ = try sample(.heartRate, 70, .mmHg) } == .invalidArgument)
        #expect(refusal { _ = try sample(.bloodPressure, 120, .mmHg) } == .invalidArgument)
        #expect(refusal { _ = try sample(.highHeartRate, 1, .count) } == .invalidArgument)
        #expect(refusal { _ = try sample(.systolic, -1, .mmHg) } == .invalidArgument)
    }

    @Test func durations_HaveLimits() throws {
        #expect(refusal { _ = try sample(.systolic, 120, .mmHg, lasting: -1) } == .invalidArgument)
        #expect(refusal { _ = try sample(.systolic, 120, .mmHg, lasting: 86400) } == .invalidArgument)
        #expect(try sample(.systolic, 120, .mmHg, lasting: 86399).end > time)
    }

    @Test func aBloodPressure_HoldsExactlyItsTwoPressures() throws {
        let (high, low) = (try sample(.systolic, 128, .mmHg), try sample(.diastolic, 82, .mmHg))
        let pulse = try sample(.heartRate, 71, .countPerMinute)
        let whole = try Correlation(.bloodPressure, [high, low], start: time, end: time, source: source)
        #expect(whole.object(.systolic) == high)
        for wrong in [[high], [low], [], [high, high, low], [high, low, pulse]] {
            #expect(refusal { _ = try Correlation(.bloodPressure, wrong, start: time, end: time, source: source) } == .invalidArgument)
        }
        let later = Timestamp(seconds: time.seconds + 60)
        #expect(refusal { _ = try Correlation(.bloodPressure, [high, low], start: later, end: later, source: source) } == .invalidArgument)
        #expect(refusal { _ = try Correlation(.heartRate, [high, low], start: time, end: time, source: source) } == .invalidArgument)
    }

    @Test func metadata_KeepsIdentifierAndVersionTogether() throws {
        var metadata = HealthMetadata(wasUserEntered: false, timeZone: "Europe/Berlin", sync: ("cuff:1", 2))
        #expect(
            metadata.entries.map(\.key) == ["HKWasUserEntered", "HKTimeZone", "HKMetadataKeySyncIdentifier", "HKMetadataKeySyncVersion"])
        #expect(metadata.entries.map(\.value) == ["0", "Europe/Berlin", "cuff:1", "2"])
        metadata.sync = nil
        #expect(metadata.entries.count == 2)
        metadata.sync = ("", 1)
        #expect(
            refusal { _ = try CategorySample(.highHeartRate, start: time, end: time, source: source, metadata: metadata) }
                == .invalidArgument)
    }

    /// HKTimeZone is the person's zone, not that of the export.
    @Test(arguments: [(120, "Europe/Berlin"), (-240, "Etc/GMT+4"), (330, "GMT+0530"), (0, "Etc/GMT")])
    func timeZone_IsTheReadings(_ offset: Int, _ name: String) throws {
        var reading = Reading(.bloodPressure(.mmHg(128, 82, pulse: 71)), driver: "and-std", origin: .memory, raw: RawBytes([1]))
        // 2026-07-01T12:00:00Z
        reading.measured = Timestamp(seconds: 1_782_907_200)
        reading.measuredOffset = Int16(offset)
        let samples = try ReadingSamples(reading, source: source, zone: BucketingTests.berlin)
        #expect(samples.bloodPressure?.metadata.timeZone == name)
        #expect(samples.heartRate?.metadata.timeZone == name)
    }

    @Test func aReading_IsACorrelationAndAHeartRate() throws {
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, mean: 97, pulse: 131)), driver: "and-std", user: 1, flags: [.irregularPulse], origin: .memory,
            trigger: .manual, raw: RawBytes([1]))
        reading.measured = time
        reading.id = Reading.ID(wallSeconds: 1_777_966_270, hash: 1)
        let samples = try ReadingSamples(reading, source: source, device: DeviceIdentity(serial: "77"), zone: BucketingTests.berlin)
        let pressure = try #require(samples.bloodPressure)
        #expect(pressure.object(.systolic)?.quantity == HealthQuantity(Digits(128), .mmHg))
        #expect(pressure.object(.diastolic)?.quantity == HealthQuantity(Digits(82), .mmHg))
        #expect(pressure.metadata.sync?.identifier == "cuff:20260505T073110-0000000000000001")
        #expect(pressure.metadata.sync?.version == 1)
        #expect(
            pressure.metadata.other == [
                "CuffUser": "1", "CuffFlags": "irregular_pulse", "CuffTrigger": "manual", "CuffMeanPressure": "97 mmHg",
            ])
        #expect(samples.heartRate?.quantity == HealthQuantity(Digits(131), .countPerMinute))
        #expect(samples.heartRate?.metadata.sync?.identifier.hasSuffix(":hr") == true)
        #expect(samples.events.map(\.kind) == [.irregularPulse, .highHeartRate])
        #expect(samples.heartEvents.map(\.type) == [.irregularPulse, .highHeartRate])
        #expect(try ReadingSamples(reading, source: source, zone: .utc, highPulse: 132).heartEvents.map(\.type) == [.irregularPulse])
        reading.origin = .entered
        #expect(try ReadingSamples(reading, source: source, zone: .utc).bloodPressure?.metadata.wasUserEntered == true)
    }

    @Test func readingsThatDoNotCount_AreNoSamples() {
        func outcome(_ change: (inout Reading) -> Void) -> HealthError.Code? {
            var reading = Reading(.bloodPressure(.mmHg(128, 82)), driver: "x", origin: .memory, raw: RawBytes([]))
            reading.measured = time
            change(&reading)
            return refusal { _ = try ReadingSamples(reading, source: source, zone: .utc) }
        }
        #expect(outcome { _ in } == nil)
        #expect(outcome { $0.isPending = true } == .noData)
        #expect(outcome { $0.measured = nil } == .noData)
        #expect(outcome { $0.content = .failure(.init(.cuffLoose)) } == .noData)
        #expect(outcome { $0.flags = .testData } == .invalidArgument)
    }

    struct PulseCase: Sendable {
        var pulse: Int
        var flags: MeasurementFlags = []
        var kinds: [HeartEvent.Kind] = []
        var limit: Double?
    }
    static let pulses: [PulseCase] = [
        PulseCase(pulse: 39, kinds: [.lowHeartRate], limit: 40), PulseCase(pulse: 40, kinds: [.lowHeartRate], limit: 40),
        PulseCase(pulse: 41), PulseCase(pulse: 119), PulseCase(pulse: 120, kinds: [.highHeartRate], limit: 120),
        PulseCase(pulse: 70, flags: .pulseOverRange, kinds: [.highHeartRate]),
        PulseCase(pulse: 70, flags: .pulseUnderRange, kinds: [.lowHeartRate]),
        PulseCase(pulse: 130, flags: .pulseOverRange, kinds: [.highHeartRate], limit: 120), PulseCase(pulse: 250, flags: .implausible),
    ]

    @Test(arguments: pulses)
    func heartRates_MeetTheirLimits(_ expected: PulseCase) {
        let pressure = BloodPressure.mmHg(120, 80, pulse: expected.pulse)
        let reading = Reading(.bloodPressure(pressure), driver: "x", flags: expected.flags, origin: .push, raw: RawBytes([]))
        let events = HeartEvent.events(of: reading, at: time, limits: .usual)
        #expect(events.map(\.kind) == expected.kinds)
        #expect(events.first?.limit == expected.limit)
    }

    @Test func limits_CanBeSet_ButNotCrossed() throws {
        let strict = try #require(HeartRateLimits(low: 50, high: 100))
        let reading = Reading(.pulseRate(PulseRate(101)), driver: "x", origin: .push, raw: RawBytes([]))
        let event = try #require(HeartEvent.events(of: reading, at: time, limits: strict).first)
        #expect(event.limit == 100)
        #expect(HeartRateLimits(low: 100, high: 50) == nil)
        var text = TextBuffer()
        event.append(to: &text, driver: "x", device: "", zone: BucketingTests.berlin)
        #expect(
            text.string
                == #"{"type":"event","schema":1,"event":"high_heart_rate","reading":"00000000T000000-0000000000000000","driver":"x","time":"2026-05-05T07:33:00+02:00","pulse_per_min":101,"limit_per_min":100}"#
                + "\n")
    }
}
