import CuffCore
import CuffIngest
import Synchronization

/// The progress of a long run at a terminal: a line on standard error that is overwritten and finally removed. Shown after 0.2 s,
/// so that short runs do not flicker.
final class ProgressLine: ReadingSink {
    let label = "progress"

    private let began = ContinuousClock.now
    /// The announced number of records, or 0. Written on the loop.
    private let announced = Atomic<Int>(0)
    // From here on: used on the sink's queue only.
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var drawn: ContinuousClock.Instant?

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        count += batch.readings
        let now = ContinuousClock.now
        guard now - began > .milliseconds(200), drawn.map({ now - $0 > .milliseconds(100) }) ?? true else { return 0 }
        drawn = now
        Terminal.draw("\r\u{1B}[K\(Self.text(count, of: announced.load(ordering: .relaxed)))")
        return 0
    }

    /// More records were announced. From any thread.
    func announce(_ records: Int) { announced.add(records, ordering: .relaxed) }

    func close() throws(IngestError) {
        if drawn != nil { Terminal.draw("\r\u{1B}[K") }
        drawn = nil
    }

    /// `23 of 250 readings`; only the count if it exceeds the announced number.
    static func text(_ count: Int, of announced: Int) -> String {
        if announced > 0, announced >= count { return "\(count) of \(Plural.text(announced, "reading")) …" }
        return "\(Plural.text(count, "reading")) …"
    }
}

extension RunOptions {
    /// Not shown if the readings are printed at the terminal.
    func showProgress(_ options: inout IngestOptions) {
        let isShown = Terminal.outputIsTerminal && options.sinks.contains(where: \.writesStandardOutput)
        guard Terminal.errorIsTerminal, !quiet, !isShown else { return }
        let line = ProgressLine()
        options.moreSinks.append(line)
        let diagnostics = options.diagnostics
        options.diagnostics = { diagnostic in
            if case .announced(let records) = diagnostic { line.announce(records) }
            diagnostics(diagnostic)
        }
    }
}
