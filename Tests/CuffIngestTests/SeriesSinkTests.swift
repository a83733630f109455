import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

@Suite struct SeriesSinkTests {
    /// Every plugging in is a source of its own; a watch of months must not remember them all.
    @Test func onlyWhatIsUnderWay_IsHeld() throws {
        let folder = TestFolder()
        let sink = try SeriesSink(path: folder.file("bp.db"), policy: .ofResults)
        for source in 1...100 { _ = try sink.write(.sample(0..<2, source: source)) }
        #expect(sink.held == 0)
        var entries = Entries()
        entries.append(.live(.started, driver: "byte", elapsed: .zero))
        entries.append(.live(.cuffPressure(.mmHg(100)), driver: "byte", elapsed: .milliseconds(500)))
        _ = try sink.write(Batch(source: 7, driver: "byte", device: "x", entries: entries, through: 0))
        #expect(sink.held == 1)
        var rest = Entries()
        rest.append(.live(.aborted, driver: "byte", elapsed: .seconds(1)))
        _ = try sink.write(Batch(source: 7, driver: "byte", device: "x", entries: rest, through: 0))
        #expect(sink.held == 0)
        try sink.close()
    }

    /// Arrays of samples are kept without a measurement, each once, and come back as they were.
    @Test func waveforms_AreKept() throws {
        let folder = TestFolder()
        let sink = try SeriesSink(path: folder.file("bp.db"), policy: .ofResults)
        var entries = Entries()
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
        _ = try sink.write(Batch(source: 1, driver: "phd", device: "x", entries: entries, through: 0))
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
}
