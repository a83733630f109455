import CuffCore
import Glibc

extension SinkKind {
    static let stdout = SinkKind(
        "stdout", operand: "", help: "JSON Lines on standard output", example: "stdout", durability: .passThrough,
        traits: .standardOutput, parse: nothing
    ) { StandardOutputSink(line: $1.line) }
}

/// JSON Lines on a descriptor that somebody else opened, standard output as a rule. Whole lines only; a batch is out
/// when `write` returns, so a line leaves the moment it exists.
///
/// It knows no earlier runs: what comes again is printed again.
final class StandardOutputSink: Sink {
    let label = "stdout"
    let takesLiveEvents = true
    var outputDescriptor: Int32? { descriptor }
    private let line: ReadingLine
    private let descriptor: Int32
    // Used by one delivery at a time; the pipeline's lock lies between two.
    nonisolated(unsafe) private var text = TextBuffer(capacity: StandardOutputSink.piece + 4096)
    /// Bytes of one write: the capacity of a pipe.
    private static let piece = 1 << 16
    /// Lines are printed in stretches: a line has some 230 bytes.
    private static let linesAtOnce = 64

    init(line: ReadingLine, descriptor: Int32 = STDOUT_FILENO) {
        self.line = line
        self.descriptor = descriptor
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        text.removeAll()
        var next = 0
        while next < batch.entries.count {
            let end = min(next + Self.linesAtOnce, batch.entries.count)
            line.append(batch.entries, next..<end, device: batch.device, to: &text)
            next = end
            if text.count >= Self.piece || next == batch.entries.count { try flush() }
        }
        return 0
    }

    private func flush() throws(IngestError) {
        defer { text.removeAll() }
        do throws(SystemFault) {
            try text.withBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(descriptor, bytes) }
        } catch {
            throw error.number == EPIPE ? .outputClosed : .writing("standard output", error.number)
        }
    }
}
