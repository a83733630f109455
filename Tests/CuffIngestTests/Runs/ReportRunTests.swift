import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// Reports and statistics of a database, which is ordered by the cuffs' clocks.
@Suite struct ReportRunTests {
    private let folder = TestFolder()
    private let zone = ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", name: "Europe/Berlin") ?? .utc

    /// A reading whose id has the time of the cuff's clock; `measured`: the corrected time.
    private func reading(
        _ clock: String, _ systolic: Int, _ diastolic: Int, measured: String? = nil, _ flags: MeasurementFlags = [], user: Int32? = nil
    ) throws -> Reading {
        let time = try #require(DeviceTime.parse(clock))
        var reading = Reading(
            .bloodPressure(.mmHg(systolic, diastolic)), driver: "and-std", user: user, flags: flags, clock: .time(time), origin: .memory,
            raw: RawBytes([1]))
        reading.measured = try #require(DeviceTime.parse(measured ?? clock)).instant(in: zone)
        reading.rule = measured == nil ? .synced : .corrected
        reading.id = Reading.ID(wallSeconds: time.wallSeconds, hash: UInt64(systolic))
        return reading
    }

    private func store(_ readings: [Reading]) throws -> Store {
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "A1", entries: BatchEntries(readings.map { .reading($0) })))
        try sink.close()
        return try Store(path, access: .read)
    }

    private func report(_ readings: [Reading]) throws -> Report {
        let reports = try store(readings).reports(ReadingSelection(zone: zone), like: Report(zone: zone))
        return try #require(reports.sorted.first?.1)
    }

    /// 1 May 2026 is day 20,574.
    @Test func aClockThatWasWrong_MovesNoReadingToAnotherDay() throws {
        let report = try report([
            reading("2020-01-01T08:00", 131, 80, measured: "2026-05-03T07:00"),
            reading("2020-01-01T08:01", 132, 80, measured: "2026-05-03T07:01"),
            // Of the evening before, but no day is before the first.
            reading("2026-05-01T00:30", 133, 80), reading("2026-05-01T07:00", 134, 80), reading("2026-05-02T07:00", 135, 80),
            reading("2026-05-03T00:30", 136, 80),
        ])
        #expect(report.sorted.map(\.day) == [20_574, 20_574, 20_575, 20_575, 20_576, 20_576])
        #expect(report.sorted.map(\.point.systolic) == [133, 134, 135, 136, 131, 132])
    }

    @Test func sessionsWhoseIDsAreMixed_AreSessionsByTheirTimes() throws {
        let report = try report([
            reading("2026-04-01T11:58", 131, 80, measured: "2026-05-05T11:58"), reading("2026-04-01T12:00", 132, 80),
            // Its session began in the morning.
            reading("2026-04-01T12:02", 133, 80, measured: "2026-05-05T12:02"),
        ])
        #expect(report.sorted.map(\.window) == [.other, .morning, .morning])
    }

    // MARK: Averages of a cuff

    private func measuredThreeTimes() throws -> [Reading] {
        try [
            reading("2026-05-01T07:00", 170, 100), reading("2026-05-01T07:01", 140, 90), reading("2026-05-01T07:02", 125, 80),
            reading("2026-05-01T07:03", 133, 85, .averaged), reading("2026-05-01T20:00", 120, 70),
        ]
    }

    @Test func inReports_AnAverageOfTheCuffCounts_NotItsInflations() throws {
        let report = try report(measuredThreeTimes())
        #expect(report.count == 2 && report.sorted.map(\.point.systolic) == [133, 120])
        #expect(report.leftOut.map { $0.reason.rawValue } == Array(repeating: "part_of_average", count: 3))
    }

    @Test func inStatistics_AnAverageOfTheCuffCounts_NotItsInflations() throws {
        // Of another person at the same cuff.
        let other = try reading("2026-05-01T07:02:30", 150, 95, user: 2)
        let each = try HealthRuns.statisticsOfEach(
            try store(measuredThreeTimes() + [other]), ReadingSelection(zone: zone), by: CalendarCut(.day, zone: zone))
        let counts: [Int] = each.flatMap { $0.collection.buckets.map(\.merged.count) }
        #expect(each.count == 2 && counts.sorted() == [1, 2])
        let own = try #require(each.map(\.collection).first { $0.buckets.first?.merged.count != 1 })
        #expect(own.excluded.map { "\($0.value) \($0.key.rawValue)" } == ["3 part_of_average"])
        #expect(own.buckets.first?.merged.systolic.maximum?.value == 133 && own.buckets.first?.merged.systolic.minimum?.value == 120)
    }

    // MARK: Arms

    @Test func readingsOfBothArms_AreAveragedTogether_AndThatIsSaid() throws {
        func average(_ arms: [String]) throws -> ProtocolAverage {
            let readings = try arms.enumerated().map { index, arm in
                var reading = try reading("2026-05-0\(index + 1)T07:00", 130 + index, 80)
                reading.remarks = Remarks(stored: { $0 == .arm ? arm : nil })
                return reading
            }
            let path = folder.file("\(arms.joined()).db")
            let sink = try SQLiteSink(path: path)
            _ = try sink.write(
                ReadingBatch(source: 1, driver: "and-std", device: "A1", entries: BatchEntries(readings.map { .reading($0) })))
            try sink.close()
            let run = try HealthRuns.average(
                try Store(path, access: .read), ReadingSelection(zone: zone), AverageRequest(.everything))
            return try #require(run.averages.each.first?.average)
        }
        let both = try average(["left", "right"])
        #expect(both.isOfBothArms && both.all.count == 2)
        #expect(try !average(["left", "left"]).isOfBothArms)
    }
}
