import CLinux
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
    /// The same pipe, opened once more: others share `descriptor`, and they may not expect it to be non-blocking. -1: no pipe, or
    /// closed. Locked because a run that failed is closed while a source may still be writing.
    private let unblocked: Locked<Int32>
    // Used by one delivery at a time; the pipeline's lock lies between two.
    nonisolated(unsafe) private var text = TextBuffer(capacity: StandardOutputSink.piece + 4096)
    /// Bytes of one write: the capacity of a pipe.
    private static let piece = 1 << 16
    /// Lines are printed in stretches: a line has some 230 bytes.
    private static let linesAtOnce = 64
    private static let linesIfReady = 16

    init(line: ReadingLine, descriptor: Int32 = STDOUT_FILENO) {
        self.line = line
        self.descriptor = descriptor
        unblocked = Locked(Self.isPipe(descriptor) ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1)
    }

    deinit { close() }

    func close() {
        unblocked.withLock {
            if $0 >= 0 { Glibc.close($0) }
            $0 = -1
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// A pipe takes up to 4,096 bytes (PIPE_BUF) as a whole or not at all: pipe(7).
    func writeIfReady(_ batch: Batch) -> Bool {
        unblocked.withLock { pipe in
            guard pipe >= 0, batch.entries.count <= Self.linesIfReady else { return false }
            defer { text.removeAll() }
            line.append(batch.entries, 0..<batch.entries.count, device: batch.device, to: &text)
            return text.count <= Int(PIPE_BUF) && text.withBytes { clinux_write(pipe, $0.baseAddress, $0.count) == $0.count }
        }
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
