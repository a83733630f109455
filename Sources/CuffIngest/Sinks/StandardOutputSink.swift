import CLinux
import CuffCore
import Glibc

/// JSON Lines on a descriptor that somebody else opened, standard output as a rule. Whole lines only; a batch is out
/// when `write` returns, so a line leaves the moment it exists.
///
/// It knows no earlier runs: what comes again is printed again.
final class StandardOutputSink: PromptSink {
    let label = "stdout"
    let takesLiveEvents = true
    var outputDescriptor: Int32? { descriptor }
    private let line: ReadingLine
    private let descriptor: Int32
    // Used by one delivery at a time; the pipeline's lock lies between two.
    nonisolated(unsafe) private var text = TextBuffer(capacity: StandardOutputSink.piece + 4096)
    /// A pipe takes up to `PIPE_BUF` bytes whole or not at all (pipe(7)), so that lines never mix with anybody's.
    nonisolated(unsafe) private var isPipe: Bool
    /// Bytes of one write: the capacity of a pipe.
    private static let piece = 1 << 16
    /// Lines are printed in stretches: a line has some 230 bytes.
    private static let linesAtOnce = 64

    init(line: ReadingLine, descriptor: Int32 = STDOUT_FILENO) {
        self.line = line
        self.descriptor = descriptor
        isPipe = Descriptor.kind(descriptor) == .pipe
    }

    func writeNow(_ batch: Batch) throws(IngestError) -> Bool {
        guard isPipe, batch.entries.count <= Self.linesAtOnce else { return false }
        text.removeAll()
        line.append(batch.entries, batch.entries.indices, device: batch.device, to: &text)
        guard text.count <= Int(PIPE_BUF) else { return false }
        let result = text.withBytes { clinux_write_now(descriptor, $0.baseAddress, UInt($0.count)) }
        switch Int32(truncatingIfNeeded: -result) {
        case EAGAIN, EINTR: return false
        case EPIPE: throw .outputClosed
        // Kernels before 5.10, and some sandboxes, do not know the call.
        default: isPipe = result >= 0
        }
        return isPipe
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
