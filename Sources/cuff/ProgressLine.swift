import CuffCore
import CuffIngest
import Glibc

/// At a terminal, how far a long run is: a line of standard error that is written over, and gone at the end. It begins after a fifth
/// of a second, so that nothing flickers where everything is done at once.
final class ProgressLine: Sink {
    let label = "progress"
    private let began = ContinuousClock.now
    // Used on the sink's queue alone.
    nonisolated(unsafe) private var count = 0
    nonisolated(unsafe) private var drawn: ContinuousClock.Instant?

    func write(_ batch: Batch) throws(IngestError) -> Int {
        count += batch.readings
        let now = ContinuousClock.now
        guard now - began > .milliseconds(200), drawn.map({ now - $0 > .milliseconds(100) }) ?? true else { return 0 }
        drawn = now
        Self.show("\r\u{1B}[K\(Plural.text(count, "reading")) …")
        return 0
    }

    func close() throws(IngestError) {
        if drawn != nil { Self.show("\r\u{1B}[K") }
        drawn = nil
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
        if Terminal.errorIsTerminal, !quiet, !isShown { options.moreSinks.append(ProgressLine()) }
    }
}
