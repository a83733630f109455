import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

@Suite struct ImplausibleTimeTests {
    /// 2026-11-23T12:00:00Z
    private static let now = Timestamp(milliseconds: 1_795_435_200_000)
    private static let frames = [2030, 2026].map { year in
        Reading(
            .bloodPressure(.mmHg(year == 2030 ? 180 : 120, 80)), driver: "and-std",
            clock: .time(DeviceTime(year: year, month: 11, day: 22, hour: 7, minute: 0)), origin: .push, raw: RawBytes([UInt8(year & 0xFF)])
        )
    }

    /// As the link passes them to the sinks.
    private static func stored(_ path: String) throws -> Store {
        var ledger = ReadingLedger(device: "one", driver: "and-std")
        let readings = frames.map { frame in
            var reading = frame
            _ = ledger.admit(&reading, received: now)
            ClockCorrection(zone: .utc).apply(to: &reading)
            return reading
        }
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(
            ReadingBatch(source: 1, driver: "and-std", device: "one", entries: BatchEntries(readings.map { BatchEntry.reading($0) })))
        try sink.close()
        return try Store(path, access: .read)
    }

    @Test func aFrameDated2030_CountsNowhereByTime_AndIsSaid() throws {
        let folder = TestFolder()
        let store = try Self.stored(folder.file("a.db"))
        var everything = ReadingSelection(zone: .utc)
        var words: [String] = []
        try store.forEach(everything) { reading, _ in
            words.append(reading.rule.word?.description ?? "")
            return true
        }
        #expect(words.sorted() == ["device_time", "implausible"])
        for since in [nil, Timestamp(milliseconds: Self.now.milliseconds - 7 * 86_400_000)] {
            everything.since = since
            var (points, homes, reasons) = ([Double](), [Double](), [Exclusion]())
            try store.forEachPoint(everything, rule: InclusionRule(zone: .utc)) { verdict, _, _ in
                switch verdict {
                case .counts(let point): points.append(point.systolic)
                case .excluded(let reason): reasons.append(reason)
                }
            }
            try store.forEachHomeReading(everything, rule: InclusionRule(zone: .utc)) { reading in
                if let reason = reading.exclusion { reasons.append(reason) } else { homes.append(reading.systolic) }
                return true
            }
            #expect(points == [120] && homes == [120] && reasons == [.timeImplausible, .timeImplausible])
            let reports = try store.reports(everything, like: Report(zone: .utc))
            #expect(reports.sorted.count == 1 && reports.sorted[0].value.entries.map(\.point.systolic) == [120])
            #expect(try store.withoutTime(everything).implausible == 1)
        }
        var shown: [Reading] = []
        try store.forEach(everything) { reading, _ in
            shown.append(reading)
            return true
        }
        #expect(shown.count == 1 && shown[0].rule == .deviceTime)
    }

    /// A row with a time in 2030, written by an earlier version.
    @Test func aPlacedRowLaterThanItsReception_CountsNowhereEither() throws {
        let folder = TestFolder()
        var reading = Self.frames[0]
        var ledger = ReadingLedger(device: "one", driver: "and-std")
        _ = ledger.admit(&reading, received: Self.now)
        (reading.measured, reading.rule) = (Timestamp(milliseconds: Self.now.milliseconds + 100 * 86_400_000), .corrected)
        let sink = try SQLiteSink(path: folder.file("a.db"))
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", device: "one", entries: [.reading(reading)]))
        let store = try Store(folder.file("a.db"), access: .read)
        var reasons: [Exclusion?] = []
        try store.forEachHomeReading(ReadingSelection(zone: .utc), rule: InclusionRule(zone: .utc)) { reading in
            reasons.append(reading.exclusion)
            return true
        }
        #expect(reasons == [.timeImplausible])
        #expect(try store.withoutTime(ReadingSelection(zone: .utc)).implausible == 1)
    }

    @Test func aReadingThatIsPlacedLater_ReplacesItsRow() throws {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("a.db"))
        var setup = LinkState.Setup(.ampallBP868F, device: "one")
        setup.zone = .utc
        var link = LinkState(setup)
        func write(_ event: LinkEvent, _ seconds: Int64, isRight: Bool) throws -> [Reading] {
            var effects: [LinkEffect] = []
            let wall = Timestamp(milliseconds: (isRight ? Self.now.milliseconds : 0) + seconds * 1000)
            link.handle(event, at: LinkTime(elapsed: .seconds(seconds), wall: wall), into: &effects)
            link.flush(into: &effects)
            for case .submit(let batch) in effects { _ = try sink.write(batch) }
            var kept: [Reading] = []
            try Store(folder.file("a.db"), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
                kept.append(reading)
                return true
            }
            return kept
        }
        _ = try write(.transport(.opened), 0, isRight: false)
        let first = try write(.transport(.received(Array("^121096082074^".utf8))), 10, isRight: false)
        #expect(first.count == 1 && first[0].measured == nil && first[0].revision == 0)
        let placed = try write(.timePassed, 40, isRight: true)
        #expect(placed.map(\.id) == first.map(\.id) && placed[0].revision == 1 && placed[0].rule == .receiveTime)
        #expect(placed[0].measured == Timestamp(milliseconds: Self.now.milliseconds + 10_000) && placed[0].received == placed[0].measured)
    }
}
