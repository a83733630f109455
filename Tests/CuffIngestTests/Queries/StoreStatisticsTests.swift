import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// `store.statistics`: numbers worked out by hand.
@Suite(.timeLimit(.minutes(5))) struct StoreStatisticsTests {
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
        let average = try #require(days.first?.result)
        #expect(abs(average - 410.0 / 3) < 1e-9)
        #expect(days.map(\.statistics.maximum?.value) == [150, 130])
        #expect(days[0].statistics.mostRecent?.time == Timestamp(seconds: morning.seconds + 7200))
        #expect(days[0].interval?.lowerBound == Timestamp(seconds: 1_777_939_200), "2026-05-05T00:00:00Z")
    }

    @Test func conditions_ChooseReadings() async throws {
        let store = try await filled()
        func minima(_ condition: ReadingCondition) async throws -> [Double?] {
            try await store.statistics(.systolic, by: .day, where: condition, zone: .utc).map(\.statistics.minimum?.value)
        }
        let high: ReadingCondition = .systolic >= 135
        let regular = !ReadingCondition.flag(.irregularPulse)
        let slow: ReadingCondition = .pulse < 65
        let middle: ReadingCondition = .diastolic == 85
        let veryHigh: ReadingCondition = .systolic > 140
        // 140 - 90 = 50
        let narrow: ReadingCondition = .pulsePressure <= 45
        let quantity: ReadingCondition = .value > 0
        let found = [
            try await minima(high), try await minima(high && regular), try await minima(veryHigh), try await minima(slow || middle),
            try await minima(narrow), try await minima(quantity),
        ]
        #expect(found == [[140], [140], [150], [120, 130], [120, 130], []])
    }

    /// Beside a pressure, or alone: 60 at 0 h, 70 at 1 h, and 80 at 3 h.
    @Test func heartRates_CountWhereverTheyStand() async throws {
        let days = try await filled().statistics(.heartRate, by: .day, zone: .utc)
        #expect(days.map(\.statistics.count) == [3])
        #expect(days.first?.statistics.maximum?.value == 80)
        // Weighted by time: 65 for one hour and 75 for two.
        let average = try #require(days.first?.result)
        #expect(abs(average - 215.0 / 3) < 1e-9)
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

    /// Anna is user 1 of one cuff and user 2 of another; user 1 of the other is not.
    @Test func aPerson_IsTheSlotsOfTheConfiguration() async throws {
        let store = try await Store.open(folder.file("bp.db"))
        for (hour, user, device, systolic) in [(Int64(0), Int32(1), "hallway", 120), (1, 2, "kitchen", 140), (2, 1, "kitchen", 180)] {
            try await save(.bloodPressure(.mmHg(systolic, 80)), hour: hour, user: user, device: device, in: store)
        }
        var configuration = CuffConfiguration()
        for (device, slot, port) in [("hallway", 1, "1-1"), ("kitchen", 2, "1-2")] {
            try configuration.read(
                "[device.\(device)]\nmatch = \"port:\(port)\"\ndriver = \"and-std\"\nusers = { \(slot) = \"Anna\" }\n",
                file: "\(device).toml",
                drivers: HotplugSample.drivers)
        }
        func days(_ owner: ReadingOwner) throws(IngestError) -> [StatisticsInterval] {
            try store.intervals(
                .systolic, by: CalendarCut(.day, zone: .utc), of: owner, ReadingSelection(zone: .utc)
            ) { () throws(IngestError) in configuration.household }
        }
        #expect(try days(.person("anna")).map(\.result) == [130])
        #expect(try days(.user(2)).map(\.result) == [140])
        let unknown = #expect(throws: IngestError.self) { try days(.person("Carla")) }
        #expect(unknown?.status == .usage && unknown?.description.contains("Carla") == true)
        let several = #expect(throws: IngestError.self) { try days(.user(1)) }
        #expect(several?.status == .usage && several?.description.contains("Anna and user 1") == true, "\(several as Any)")
        try await save(.bloodPressure(.mmHg(160, 80)), hour: 3, user: 1, device: "attic", in: store)
        var selection = ReadingSelection(zone: .utc)
        selection.household = configuration.household
        selection.household.joinsCuffs = true
        let each = try HealthRuns.statistics(
            store, selection, of: .systolic, by: CalendarCut(.day, zone: .utc), bySource: true)
        let (anna, other) = (Person.named("Anna"), Person.unnamed(slot: 1, cuff: nil))
        #expect(each.map(\.person) == [anna, anna, anna, other, other, other])
        #expect(each.map(\.collection.source?.device) == [nil, "hallway", "kitchen", nil, "kitchen", "attic"])
        #expect(each.flatMap { $0.collection.buckets.map(\.statistics.count) } == [2, 1, 1, 2, 1, 1])
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
        // A program's own series of a cuff's reading is of the person of the reading.
        var persons: [Person] = []
        try store.forEachSeries(SeriesSelection()) { stored in
            persons.append(stored.person)
            return true
        }
        #expect(persons == [.unnamed(slot: nil, cuff: "dev"), .unnamed(slot: nil, cuff: "dev")])
        let low: ReadingCondition = .systolic < 130
        let extreme: ReadingCondition = .systolic > 170
        #expect(try await peaks(low) == [170])
        #expect(try await peaks(extreme) == [])
    }

    /// The beats of Apple's example: 10.9 ms (WWDC 2019, session 218).
    @Test func variability_IsThatOfHeartbeatSeries() async throws {
        let store = try await Store.open(folder.file("bp.db"))
        var beats = HeartbeatSeriesBuilder(start: morning, source: HealthSource(name: "test"))
        for time in [500, 1490, 2490, 3480, 4450] { try beats.add(at: .milliseconds(time)) }
        _ = try await beats.finish(in: store)
        let days = try await store.statistics(.heartRateVariability, zone: .utc)
        #expect(days.map(\.statistics.count) == [1])
        let variability = try #require(days.first?.result)
        #expect(abs(variability - 10.9) < 0.05)
    }

    @Test func extremes_LeadToTheirReadings() async throws {
        let store = try await filled()
        let day = try #require(try await store.statistics(.systolic, zone: .utc).first)
        let highest = try await store.reading(try #require(day.statistics.maximum?.reading))
        #expect(highest?.content == .bloodPressure(.mmHg(150, 95)) && highest?.flags == .irregularPulse)
        let lowest = try await store.reading(try #require(day.statistics.minimum?.reading))
        #expect(lowest?.bloodPressure == .mmHg(120, 80, pulse: 60))
        let diastolic = try #require(try await store.statistics(.diastolic, zone: .utc).first?.statistics)
        #expect([diastolic.maximum, diastolic.minimum].map { $0?.value } == [95, 80])
        #expect([diastolic.maximum, diastolic.minimum].map { $0?.reading } == [highest?.id, lowest?.id])
    }

    @Test func sources_HaveTheirOwn() async throws {
        let store = try await Store.open(folder.file("bp.db"))
        try await save(.pulseRate(PulseRate(60)), hour: 0, device: "a", in: store)
        try await save(.pulseRate(PulseRate(80)), hour: 1, device: "b", in: store)
        var selection = ReadingSelection(zone: .utc)
        selection.household.joinsCuffs = true
        let all = try HealthRuns.statistics(
            store, selection, of: .heartRate, by: CalendarCut(.day, zone: .utc), bySource: true)
        #expect(all.map(\.collection.source?.device) == [nil, "a", "b"])
        #expect(all.map { $0.collection.buckets.first?.statistics.maximum?.value } == [80, 60, 80])
        let lines = HealthRuns.text(all, name: "heart_rate", isTable: false).split(separator: "\n")
        #expect(lines.count == 3 && lines[1].contains(#""device":"a""#) && lines[0].contains(#""last_time":"2026-05-05T07:00:00+00:00""#))
    }

    @Test func followedStatistics_AreGivenAgain_WhenTheyChange() async throws {
        let (store, other) = (try await filled(), try await Store.open(folder.file("bp.db")))
        let stop = StopSignal()
        let texts = Mailbox<String>()
        let run = Task.detached {
            try await onThread {
                try HealthRuns.follow(
                    store, ReadingSelection(zone: .utc), of: .heartRate, by: CalendarCut(.day, zone: .utc), bySource: false,
                    name: "heart_rate", isTable: false, width: nil, stop: stop
                ) { (text) throws(IngestError) in texts.post(text) }
            }
        }
        await texts.wait(count: 1)
        try await save(.pulseRate(PulseRate(90)), hour: 25, in: other)
        await texts.wait(count: 2)
        stop.raise()
        try await run.value
        #expect(texts.values[0].split(separator: "\n").count == 1 && texts.values[0].contains(#""bucket":"2026-05-05""#))
        #expect(texts.values[1].split(separator: "\n").count == 1 && texts.values[1].contains(#""bucket":"2026-05-06""#))
    }

    @Test func series_AreChosenByDurationAndEnd() async throws {
        let store = try await Store.open(folder.file("bp.db"))
        for (hour, length) in [(Int64(0), 30), (1, 90)] {
            let start = Timestamp(seconds: morning.seconds + hour * 3600)
            var builder = try QuantitySeriesBuilder(.cuffPressure, start: start, source: HealthSource(name: "test"))
            for second in [0, length] { try builder.insert(HealthQuantity(100 + second, .mmHg), at: .seconds(second)) }
            _ = try await builder.finish(in: store)
        }
        func count(_ condition: String) throws -> Int {
            var selection = SeriesSelection()
            selection.conditions = [try SeriesCondition(condition)]
            var found = 0
            try store.forEachSeries(selection) { _ in
                found += 1
                return true
            }
            return found
        }
        #expect(try count("duration>60") == 1 && count("duration<60") == 1 && count("duration>100") == 0)
        #expect(try count("end>\(morning.seconds + 60)") == 1 && count("end<=\(morning.seconds + 31)") == 1)
    }

    @Test func aRange_IsWidenedToWholeDays() async throws {
        let store = try await filled()
        let days = try await store.statistics(
            .systolic, since: Timestamp(seconds: morning.seconds + 3600), until: Timestamp(seconds: morning.seconds + 7200), zone: .utc)
        #expect(days.map(\.statistics.count) == [3])
    }
}
