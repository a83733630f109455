import CuffClinical
import CuffCore
import Glibc
import Testing

@testable import CuffIngest

@Suite struct SeriesSinkTests {
    /// Each connection is a new source, which a watch of months must not accumulate.
    @Test func onlyWhatIsUnderWay_IsHeld() throws {
        let folder = TestFolder()
        let sink = try SeriesSink(path: folder.file("bp.db"), policy: .ofResults)
        for source in 1...100 { _ = try sink.write(.sample(0..<2, source: source)) }
        #expect(sink.held == 0)
        var entries = BatchEntries()
        entries.append(.live(.started, driver: "byte", elapsed: .zero))
        entries.append(.live(.cuffPressure(.mmHg(100)), driver: "byte", elapsed: .milliseconds(500)))
        _ = try sink.write(ReadingBatch(source: 7, driver: "byte", device: "x", entries: entries, through: 0))
        #expect(sink.held == 1)
        var rest = BatchEntries()
        rest.append(.live(.aborted, driver: "byte", elapsed: .seconds(1)))
        _ = try sink.write(ReadingBatch(source: 7, driver: "byte", device: "x", entries: rest, through: 0))
        #expect(sink.held == 0)
        try sink.close()
    }

    @Test func waveforms_AreKept() throws {
        let folder = TestFolder()
        let sink = try SeriesSink(path: folder.file("bp.db"), policy: .ofResults)
        var entries = BatchEntries()
        let samples = (0..<100).map { Int32($0) }
        for first in [0, 64] {
            let piece = Waveform(
                partition: 2, term: 257, unit: 4274, period: .milliseconds(5), scale: nil, first: first,
                samples: samples[first..<min(100, first + 64)])
            entries.append(.live(.waveform(piece), driver: "phd", elapsed: .zero))
        }
        entries.append(
            .live(
                .waveform(Waveform(partition: 2, term: 257, unit: 4274, period: .milliseconds(5), scale: nil, samples: [-5])),
                driver: "phd",
                elapsed: .zero))
        _ = try sink.write(ReadingBatch(source: 1, driver: "phd", device: "x", entries: entries, through: 0))
        #expect(sink.held == 1)
        try sink.close()
        var stored: [WaveformSeries] = []
        var selection = SeriesSelection()
        selection.kinds = [.waveforms]
        try Store(folder.file("bp.db"), access: .read).forEachSeries(selection) { one in
            if case .waveform(let series) = one.series { stored.append(series) }
            return true
        }
        #expect(stored.map(\.samples) == [samples, [-5]])
        #expect(stored.allSatisfy { $0.period == 5000 && $0.code == "MDC_ECG_ELEC_POTL_I" })
        let report = try Store(folder.file("bp.db"), access: .read).check()
        #expect(report.count == 0)
    }

    private func batch(_ entry: BatchEntry) -> ReadingBatch {
        var entries = BatchEntries()
        entries.append(entry)
        return ReadingBatch(source: 7, driver: "byte", device: "x", entries: entries, through: 0)
    }

    /// Samples after half an hour cost as much as at the start. If all samples were copied for each new one, the last ten
    /// thousand would take more than ten times as long as the first.
    @Test func longMeasurement_IsNotCopiedForEachSample() throws {
        let folder = TestFolder()
        let sink = try SeriesSink(path: folder.file("bp.db"), policy: .ofResults)
        var times: [Duration] = []
        for part in 0..<10 {
            let begin = ContinuousClock.now
            for index in part * 10_000..<(part + 1) * 10_000 {
                _ = try sink.write(
                    batch(.live(.cuffPressure(.mmHg(100 + index % 50)), driver: "byte", elapsed: .milliseconds(Int64(index) * 20))))
            }
            times.append(ContinuousClock.now - begin)
        }
        #expect(sink.held == 1)
        #expect(times[9] < times[0] * 6, "\(times)")
        _ = try sink.write(batch(.live(.aborted, driver: "byte", elapsed: .seconds(2000))))
        #expect(sink.held == 0)
        try sink.close()
    }

    /// A failed batch is repeated, and counts earlier samples once.
    @Test func aBatchThatFails_ComesAgain() throws {
        let folder = TestFolder()
        let path = folder.file("later/bp.db")
        let sink = try SeriesSink(path: path, policy: .ofResults)
        for index in 0..<5 {
            _ = try sink.write(batch(.live(.cuffPressure(.mmHg(100 + index)), driver: "byte", elapsed: .milliseconds(Int64(index) * 500))))
        }
        let reading = Reading(
            .bloodPressure(.mmHg(120, 80, pulse: 60)), driver: "byte", user: 1, origin: .measurement, raw: RawBytes([1]))
        for _ in 0..<2 { #expect(throws: IngestError.self) { _ = try sink.write(batch(.reading(reading))) } }
        #expect(sink.held == 1)
        #expect(mkdir(folder.file("later"), 0o700) == 0)
        _ = try sink.write(batch(.reading(reading)))
        #expect(sink.held == 0)
        try sink.close()
        #expect(try column(path, "SELECT count FROM series") == ["5"])
    }
}
