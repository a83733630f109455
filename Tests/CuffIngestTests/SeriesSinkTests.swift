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
}
