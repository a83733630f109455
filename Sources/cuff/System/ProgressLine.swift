import CuffCore
import CuffIngest
import Glibc
import Synchronization

/// At a terminal, how far a long run is: a line of standard error that is written over, and gone at the end. It begins after a fifth
/// of a second, so that nothing flickers where everything is done at once.
final class ProgressLine: Sink {
    let label = "progress"

    private let began = ContinuousClock.now
    /// Records that the cuff announced; 0 where it announced none. Written on the loop.
    private let announced = Atomic<Int>(0)
    // Used on the sink's queue alone.
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var drawn: ContinuousClock.Instant?

    func write(_ batch: Batch) throws(IngestError) -> Int {
        count += batch.readings
        let now = ContinuousClock.now
        guard now - began > .milliseconds(200), drawn.map({ now - $0 > .milliseconds(100) }) ?? true else { return 0 }
        drawn = now
        Self.show("\r\u{1B}[K\(Self.text(count, of: announced.load(ordering: .relaxed)))")
        return 0
    }

    /// So many further records will come. From any thread.
    func announce(_ records: Int) { announced.add(records, ordering: .relaxed) }

    func close() throws(IngestError) {
        if drawn != nil { Self.show("\r\u{1B}[K") }
        drawn = nil
    }

    /// `23 of 250 readings`; the count alone if more came than were announced.
    static func text(_ count: Int, of announced: Int) -> String {
        if announced > 0, announced >= count { return "\(count) of \(Plural.text(announced, "reading")) …" }
        return "\(Plural.text(count, "reading")) …"
    }

    private static func show(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}

extension RunOptions {
    /// Where readings themselves are printed at the terminal, they are the progress.
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
