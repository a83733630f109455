import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// A reading of unknown time has no time in the database that imports it either.
@Suite struct ImportedTimeTests {
    private let folder = TestFolder()

    /// From the memory of a cuff without a clock; and one that was sent when it was measured, by a cuff whose clock was not set.
    private func fill(_ path: String) throws -> [Reading] {
        let readings = [(Reading.Origin.memory, 128), (.push, 131)].map { origin, systolic -> Reading in
            var reading = Reading(
                .bloodPressure(.mmHg(systolic, 82)), driver: "microlife-bpa100", clock: .unset, origin: origin,
                raw: RawBytes([UInt8(systolic)]))
            var ledger = ReadingLedger(device: "SN1", driver: "microlife-bpa100")
            _ = ledger.admit(&reading, received: Timestamp(seconds: 1_778_000_000))
            ClockCorrection(zone: .utc).apply(to: &reading)
            return reading
        }
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(
            ReadingBatch(source: 1, driver: "microlife-bpa100", device: "SN1", entries: BatchEntries(readings.map { .reading($0) })))
        try sink.close()
        return readings
    }

    private func check(_ path: String, _ message: String) throws {
        let run = try HealthRuns.average(
            try Store(path, access: .read), ReadingSelection(zone: .utc), AverageRequest(.everything))
        let average = try #require(run.averages.each.first?.average)
        #expect(average.all.systolic == Fraction(131) && average.leftOut == [.excluded(.timeUnknown): 1], "\(message)")
        #expect(average.span?.lowerBound == Timestamp(seconds: 1_778_000_000), "\(message)")
    }

    @Test(arguments: ["jsonl", "csv", "db"]) func unknownTimes_StayUnknown(_ form: String) throws {
        let original = folder.file("original.db")
        let readings = try fill(original)
        try check(original, "the original")
        var text = TextBuffer()
        switch form {
        case "jsonl": for reading in readings { ReadingLine().append(reading, device: "SN1", to: &text) }
        case "csv":
            var writer = try Exporter.named("csv").writer(ExportChoices(), HealthRuns.exportContext(.utc, version: "1"))
            writer.begin(to: &text)
            for reading in readings {
                try writer.append(reading, from: Provenance(driver: "microlife-bpa100", device: "SN1"), parts: .values, to: &text)
            }
            writer.end(to: &text)
        default: break
        }
        let file = form == "db" ? original : folder.write("bp.\(form)", text.array)
        var run = ImportRun(ImportRequest(zone: .utc), database: folder.file("bp.db"))
        #expect(try run.perform(file).new == 2)
        try check(folder.file("bp.db"), form)
    }

    /// Imported by an earlier version, which wrote no `measured`.
    @Test func anEarlierImport_HasNoTimeEither() throws {
        let path = folder.file("bp.db")
        _ = try fill(path)
        try alter(path, "UPDATE reading SET origin = 'import', checksum = NULL WHERE systolic_mmHg = 128")
        let store = try Store(path, access: .read)
        var times: [Int64?] = []
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            times.append(reading.bloodPressure?.systolic.digits.mantissa == 128 ? reading.bestTime(in: .utc)?.seconds : -1)
            return true
        }
        #expect(times.compactMap { $0 } == [-1])
    }
}
