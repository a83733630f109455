import CuffClinical
import CuffCore
import SQLite
import Testing

@testable import CuffIngest

/// `store.save`: values that do not come from a cuff's session.
@Suite(.timeLimit(.minutes(5))) struct SaveTests {
    private let folder = TestFolder()
    private let source = HealthSource(name: "test")
    private let time = Timestamp(seconds: 1_777_959_180)

    private func store() async throws -> Store { try await Store.open(folder.file("bp.db")) }

    private func readings(_ store: Store) throws -> [Reading] {
        var found: [Reading] = []
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            found.append(reading)
            return true
        }
        return found
    }

    private func pressure(_ systolic: HealthQuantity, _ diastolic: HealthQuantity, note: String? = nil) throws -> Correlation {
        var metadata = HealthMetadata()
        if let note { metadata.other["CuffNote"] = note }
        return try Correlation(
            .bloodPressure,
            [
                QuantitySample(.systolic, systolic, start: time, end: time, source: source),
                QuantitySample(.diastolic, diastolic, start: time, end: time, source: source),
            ], start: time, end: time, source: source, metadata: metadata)
    }

    private func sample(_ type: SampleType, _ quantity: HealthQuantity, at start: Timestamp? = nil) throws -> QuantitySample {
        try QuantitySample(type, quantity, start: start ?? time, end: start ?? time, source: source)
    }

    @Test func aReading_IsKeptOnce_AndAHigherRevisionReplacesIt() async throws {
        let store = try await store()
        #expect(try await store.save(.sample(1), device: "dev"))
        #expect(try await store.save(.sample(1), device: "dev") == false)
        _ = try await store.save(.sample(1, systolic: 131, revision: 1), device: "dev")
        let kept = try readings(store)
        #expect(kept.map(\.id) == [Reading.sample(1).id])
        #expect(kept.map(\.content) == [Reading.sample(1, systolic: 131).content])
    }

    @Test func aReadingWithoutAnID_GetsOneFromItsRecord() async throws {
        let store = try await store()
        var reading = Reading.sample(1)
        reading.id = .none
        #expect(try await store.save(ReceivedReading(reading, driver: "and-std", device: "test")))
        #expect(try readings(store).map(\.id) == [Reading.sample(1).id], "the ledger of a link gives the same")
    }

    @Test func aCorrelationAndAHeartRate_BecomeTwoReadings() async throws {
        let store = try await store()
        let correlation = try pressure(HealthQuantity(128, .mmHg), HealthQuantity(82.5, .mmHg), note: "after coffee")
        let pulse = try sample(.heartRate, HealthQuantity(71, .count / .minute))
        let saved = try await store.save(correlation, pulse, user: 2, zone: .utc)
        #expect(
            saved.map(\.content) == [
                .bloodPressure(BloodPressure(systolic: Pressure(Digits(128), .mmHg), diastolic: Pressure(82.5, .mmHg))),
                .pulseRate(PulseRate(71)),
            ])
        #expect(saved.allSatisfy { $0.origin == .entered && $0.user == 2 && $0.measured == time })
        #expect(saved[0].remarks?[.note] == "after coffee")
        #expect(Set(try readings(store).map(\.id)) == Set(saved.map(\.id)))
        let again = try await store.save(correlation, pulse, user: 2, zone: .utc)
        #expect(again.map(\.id) == saved.map(\.id))
        #expect(try readings(store).count == 2)
    }

    @Test func metadata_IsKept_AndComesBack() async throws {
        let store = try await store()
        var metadata = HealthMetadata(externalUUID: "F5A6", other: ["CuffNote": "after coffee", "Room": "3 \"east\"\nwing", "Ward": "B"])
        let pulse = try QuantitySample(
            .heartRate, HealthQuantity(71, .countPerMinute), start: time, end: time, source: source, metadata: metadata)
        let saved = try #require(try await store.save(pulse).first)
        let kept = try #require(try await store.reading(saved.id))
        #expect(kept.metadata == ["HKExternalUUID": "F5A6", "Room": "3 \"east\"\nwing", "Ward": "B"])
        let back = try ReadingSamples(kept, source: source, zone: .utc).metadata
        #expect(back.other.filter { metadata.other[$0.key] != nil } == metadata.other && back.externalUUID == "F5A6", "\(back)")
        // Not what a person said.
        #expect(kept.remarks?.sentence == "“after coffee”")
        #expect(try column(store.path, "SELECT metadata ->> '$.Ward' FROM reading") == ["B"])
        var line = TextBuffer(capacity: 512)
        ReadingLine().append(kept, device: "", to: &line)
        #expect(
            line.string.contains(
                #""note":"after coffee","metadata":{"HKExternalUUID":"F5A6","Room":"3 \"east\"\nwing","Ward":"B"}"#), "\(line.string)")
        metadata.other["Ward"] = "C"
        let moved = try QuantitySample(
            .heartRate, HealthQuantity(71, .countPerMinute), start: time, end: time, source: source, metadata: metadata)
        #expect(try await store.save(moved).map(\.id) == [saved.id])
        let last = try #require(try await store.reading(saved.id))
        #expect(last.metadata["Ward"] == "C" && last.revision == 1 && last.remarks == kept.remarks)
        metadata.other["Ward"] = String(repeating: "B", count: 4000)
        let long = try QuantitySample(
            .heartRate, HealthQuantity(72, .countPerMinute), start: time, end: time, source: source, metadata: metadata)
        let error = await #expect(throws: HealthError.self) { try await store.save(long) }
        #expect(error?.code == .dataSizeExceeded)
    }

    @Test func revisionsOfADevice_AreKept() async throws {
        let store = try await store()
        var device = DeviceIdentity(id: "dev", manufacturer: "Acme", serial: "77")
        (device.hardware, device.software, device.udi) = ("B", "1.4", "(01)00844588003288")
        try await store.save(.sample(1), device: "dev", identity: device)
        // Another conversation in which the cuff says nothing about itself.
        try await store.save(.sample(2), device: "dev")
        var found: [DeviceIdentity] = []
        try store.forEach(ReadingSelection(zone: .utc)) { _, cuff in
            found.append(cuff.identity)
            return true
        }
        #expect(found.count == 2)
        for one in found { #expect(one.hardware == "B" && one.software == "1.4" && one.udi == "(01)00844588003288" && one.serial == "77") }
    }

    /// 18.7 kPa stays 18.7 kPa; 160 lb are 72.5747792 kg (0.45359237 kg each, 1959); 98.6 °F are 37 °C.
    @Test func units_AreThoseOfTheirTypes() async throws {
        let store = try await store()
        let saved = try await store.save(
            try pressure(HealthQuantity(18.7, .kPa), HealthQuantity(10.9, .kPa)), try sample(.bodyMass, HealthQuantity(160, .pound)),
            try sample(.bodyTemperature, HealthQuantity(98.6, .fahrenheit)), try sample(.oxygenSaturation, HealthQuantity(0.97, .percent)))
        guard case .bloodPressure(let kept) = saved[0].content else { throw TestFault(kind: .software, line: "no pressure") }
        #expect(kept.systolic == Pressure(18.7, .kPa))
        let values = saved.dropFirst().map { reading -> Double? in
            if case .quantity(let quantity) = reading.content { quantity.value?.value } else { nil }
        }
        #expect(values == [72.5747792, 37, 97])
        #expect(saved.dropFirst().map { QuantityType.of($0)?.name } == ["body_mass", "body_temperature", "oxygen_saturation"])
    }

    @Test func aSymptom_KeepsItsWord() async throws {
        let store = try await store()
        let severe = try #require(CategoryValue.severity.last)
        let symptom = try CategorySample(.headache, value: severe, start: time, end: time, source: source)
        #expect(try await store.save(symptom).map(\.text) == [severe.word])
        #expect(try readings(store).map { QuantityType.of($0)?.name } == ["headache"])
    }

    @Test func aHearingTest_IsKeptWithItsTime() async throws {
        let store = try await store()
        let audiogram = try Audiogram([
            Audiogram.Point(
                frequency: HealthQuantity(1000, .hertz), left: HealthQuantity(30, .decibelHearingLevel), right: nil),
            Audiogram.Point(
                frequency: HealthQuantity(250, .hertz), left: HealthQuantity(34, .decibelHearingLevel),
                right: HealthQuantity(27.5, .decibelHearingLevel)),
        ])
        let test = try AudiogramSample(audiogram, start: time, end: Timestamp(seconds: time.seconds + 600))
        let saved = try #require(try await store.save(test, user: 1).first)
        #expect(saved.text == "250:34/27.5,1000:30/-")
        #expect(saved.measured == time && saved.duration == .seconds(600))
        #expect(try readings(store).compactMap { Audiogram($0) } == [audiogram])
        for (frequency, unit) in [(HealthQuantity(250, .second), HealthUnit.decibelHearingLevel), (HealthQuantity(250, .hertz), .mmHg)] {
            #expect(throws: HealthError.self) {
                _ = try Audiogram.Point(frequency: frequency, left: HealthQuantity(30, unit), right: nil)
            }
        }
        #expect(throws: HealthError.self) { _ = try Audiogram([]) }
    }

    @Test func aLoudSound_IsACategory() async throws {
        let store = try await store()
        let loud = try CategorySample(
            .audioExposureEvent, value: CategoryValue.audioExposure[0], start: time, end: Timestamp(seconds: time.seconds + 180),
            source: source)
        let saved = try #require(try await store.save(loud).first)
        #expect(saved.text == "momentary_limit" && saved.duration == .seconds(180))
        let samples = try ReadingSamples(saved, source: source, zone: .utc)
        #expect(samples.category?.type == .audioExposureEvent && samples.category?.value?.number == 1)
    }

    @Test func aReading_IsFoundByItsID() async throws {
        let store = try await store()
        try await store.save(.sample(1, systolic: 131), device: "dev")
        #expect(try await store.reading(Reading.sample(1).id)?.content == Reading.sample(1, systolic: 131).content)
        #expect(try await store.reading(Reading.sample(2).id) == nil)
    }

    /// What SQLite says if a file's permissions forbid it.
    @Test func deniedAccess_IsAnErrorOfItsOwn() {
        let error = Store.translated(SQLiteError(code: .auth, message: "not authorized"), "/tmp/bp.db")
        #expect(error.status == .noPermission)
        #expect(error.description == "cannot open /tmp/bp.db: permission denied")
    }

    @Test func ifOneCannotBeKept_NoneIs() async throws {
        let store = try await store()
        let good = try sample(.bodyMass, HealthQuantity(72, .kilogram))
        let future = Timestamp(seconds: HostClock.now().seconds + 3600)
        let refused: [any HealthSample] = [
            try sample(.bodyMass, HealthQuantity(72, .kilogram), at: future), try sample(.bodyMass, HealthQuantity(7200, .kilogram)),
            try sample(.cuffPressure, HealthQuantity(120, .mmHg)),
            try CategorySample(.highHeartRate, start: time, end: time, source: source),
            try CategorySample(.headache, value: CategoryValue.audioExposure[0], start: time, end: time, source: source),
            try pressure(HealthQuantity(80, .mmHg), HealthQuantity(120, .mmHg)),
        ]
        for one in refused {
            let error = await #expect(throws: HealthError.self) { _ = try await store.save(good, one) }
            #expect(error?.code == .invalidArgument, "\(one)")
        }
        #expect(try readings(store).isEmpty)
    }

    @Test func builders_SaveWhatTheyFinish() async throws {
        let store = try await store()
        var pulses = try QuantitySeriesBuilder(.heartRate, start: time, source: source)
        pulses.metadata["Ward"] = "B"
        for second in 0..<5 {
            try pulses.insert(HealthQuantity(60 + second, .countPerMinute), at: .seconds(second))
        }
        let series = try await pulses.finish(in: store)
        var beats = HeartbeatSeriesBuilder(start: time, source: source)
        beats.metadata = ["Ward": "C"]
        try beats.add(at: .milliseconds(500))
        try beats.add(at: .milliseconds(1490))
        let heartbeats = try await beats.finish(in: store)
        var found: [HealthSeries] = []
        try store.forEachSeries(SeriesSelection()) { stored in
            found.append(stored.series)
            return true
        }
        // The database names the cuff's own source, and keeps the values.
        #expect(found.count == 2)
        for one in found {
            switch one {
            case .quantity(let stored):
                #expect(stored.elements == series.elements && stored.start == series.start && stored.metadata == ["Ward": "B"])
            case .heartbeats(let stored):
                #expect(stored.beats == heartbeats.beats && stored.start == heartbeats.start && stored.metadata == ["Ward": "C"])
            case .waveform: Issue.record("no waveform was saved")
            }
        }
        var chosen: [HealthSeries] = []
        try store.forEachSeries(SeriesSelection(ReadingSelection(zone: .utc), kinds: [.heartbeats])) { stored in
            chosen.append(stored.series)
            return true
        }
        #expect(chosen.count == 1)
        await #expect(throws: HealthError.self) { _ = try await beats.finish(in: store) }
    }

    @Test func aMissingDatabase_IsNotCreatedByReading() async throws {
        let path = folder.file("absent.db")
        let missing = await #expect(throws: IngestError.self) { _ = try await Store.open(path, access: .read) }
        #expect(missing?.fault as? StoreFault == .notThere(path, isStandard: false))
        _ = try await Store.open(path)
        _ = try await Store.open(path, access: .read)
    }
}
