import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// `store.statistics`: numbers worked out by hand.
@Suite(.timeLimit(.minutes(1))) struct StoreStatisticsTests {
    private let folder = TestFolder()
    /// 2026-05-05T06:00:00Z
    private let morning = Timestamp(seconds: 1_777_960_800)

    private func save(
        _ content: Reading.Content, hour: Int64, user: Int32? = nil, flags: MeasurementFlags = [], device: String = "dev", in store: Store
    ) async throws {
        var reading = Reading(content, driver: "and-std", user: user, flags: flags, origin: .push, raw: RawBytes([UInt8(hour)]))
        reading.measured = Timestamp(seconds: morning.seconds + hour * 3600)
        reading.id = Reading.ID(wallSeconds: morning.seconds + hour * 3600, hash: UInt64(hour) + UInt64(user ?? 0) << 32)
        try await store.save(reading, device: device)
    }

    private func filled() async throws -> Store {
        let store = try await Store.open(folder.file("bp.db"))
        try await save(.bloodPressure(.mmHg(120, 80, pulse: 60)), hour: 0, in: store)
        try await save(.bloodPressure(.mmHg(140, 90, pulse: 70)), hour: 1, in: store)
        try await save(.bloodPressure(.mmHg(150, 95)), hour: 2, flags: .irregularPulse, in: store)
        try await save(.pulseRate(PulseRate(80)), hour: 3, in: store)
        try await save(.bloodPressure(.mmHg(190, 99)), hour: 4, flags: .testData, in: store)
        try await save(.bloodPressure(.mmHg(130, 85)), hour: 24, in: store)
        return store
    }

    @Test func systolic_ByDay() async throws {
        let days = try await filled().statistics(.systolic, by: .day, zone: .utc)
        #expect(days.map(\.label) == ["2026-05-05", "2026-05-06"])
        // (120 + 140 + 150) / 3; the test's 190 is no person's.
        #expect(days.map(\.statistics.count) == [3, 1])
        #expect(abs(try #require(days.first?.result) - 410 / 3.0) < 1e-9)
        #expect(days.map(\.statistics.maximum?.value) == [150, 130])
        #expect(days[0].statistics.mostRecent?.time == Timestamp(seconds: morning.seconds + 7200))
        #expect(days[0].interval?.lowerBound == Timestamp(seconds: 1_777_939_200), "2026-05-05T00:00:00Z")
    }

    @Test func conditions_ChooseReadings() async throws {
        let store = try await filled()
        func maxima(_ condition: ReadingCondition) async throws -> [Double?] {
            try await store.statistics(.systolic, by: .day, where: condition, zone: .utc).map(\.statistics.minimum?.value)
        }
        #expect(try await maxima(.systolic >= 135) == [140])
        #expect(try await maxima(.systolic >= 135 && !.flag(.irregularPulse)) == [140])
        #expect(try await maxima(.systolic > 140) == [150])
        #expect(try await maxima(.pulse < 65 || .diastolic == 85) == [120, 130])
        // 140 - 90 = 50
        #expect(try await maxima(.pulsePressure <= 45) == [120, 130])
        #expect(try await maxima(.value > 0).isEmpty)
    }

    /// Beside a pressure, or alone: 60 at 0 h, 70 at 1 h, and 80 at 3 h.
    @Test func heartRates_CountWhereverTheyStand() async throws {
        let days = try await filled().statistics(.heartRate, by: .day, zone: .utc)
        #expect(days.map(\.statistics.count) == [3])
        #expect(days.first?.statistics.maximum?.value == 80)
        // Weighted by time: 65 for one hour and 75 for two.
        #expect(abs(try #require(days.first?.result) - (65 + 75 * 2) / 3.0) < 1e-9)
    }

    @Test func severalPersons_AreNotAddedUp() async throws {
        let store = try await Store.open(folder.file("bp.db"))
        try await save(.bloodPressure(.mmHg(120, 80)), hour: 0, user: 1, in: store)
        try await save(.bloodPressure(.mmHg(150, 90)), hour: 1, user: 2, in: store)
        try await save(.bloodPressure(.mmHg(140, 90)), hour: 2, in: store)
        let error = await #expect(throws: IngestError.self) { _ = try await store.statistics(.systolic, zone: .utc) }
        #expect(error?.status == .usage)
        func value(_ owner: ReadingOwner) async throws -> [Double?] {
            try await store.statistics(.systolic, of: owner, zone: .utc).map(\.result)
        }
        #expect(try await value(.user(1)) == [120])
        #expect(try await value(.user(2)) == [150])
        #expect(try await value(.noUser) == [140])
    }

    @Test func pressuresInTheCuff_AreOfTheChosenReadings() async throws {
        let store = try await filled()
        for (hour, peak) in [(Int64(0), 170), (1, 190)] {
            let start = Timestamp(seconds: morning.seconds + hour * 3600)
            var builder = try QuantitySeriesBuilder(.cuffPressure, start: start, source: HealthSource(name: "test"))
            try builder.insert(HealthQuantity(peak, .mmHg), at: .zero)
            _ = try await builder.finish(
                in: store, reading: Reading.ID(wallSeconds: start.seconds, hash: UInt64(hour)))
        }
        func peaks(_ condition: ReadingCondition?) async throws -> [Double?] {
            try await store.statistics(.cuffPressure, where: condition, zone: .utc).map(\.statistics.maximum?.value)
        }
        #expect(try await peaks(nil) == [190])
        #expect(try await peaks(.systolic < 130) == [170])
        #expect(try await peaks(.systolic > 170) == [])
    }

    @Test func aRange_IsWidenedToWholeDays() async throws {
        let store = try await filled()
        let days = try await store.statistics(
            .systolic, since: Timestamp(seconds: morning.seconds + 3600), until: Timestamp(seconds: morning.seconds + 7200), zone: .utc)
        #expect(days.map(\.statistics.count) == [3])
    }
}
