import CLinux
import CuffCore
import Glibc

extension SinkKind {
    static let stdout = SinkKind(
        "stdout", operand: "", help: "JSON Lines on standard output", example: "stdout", durability: .passThrough,
        traits: .standardOutput, parse: nothing
    ) { StandardOutputSink(line: $1.line, stop: $1.stop) }
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
    private let stop: StopSignal?
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

    /// A pipe that nobody reads is waited for without limit, but no longer than this once `stop` is raised.
    private static let lastWait = Duration.milliseconds(500)

    init(line: ReadingLine, descriptor: Int32 = STDOUT_FILENO, stop: StopSignal? = nil) {
        self.line = line
        self.stop = stop
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
            try text.withBytes { (bytes) throws(SystemFault) in
                if let stop, isPipe { return try write(bytes, until: stop) }
                try Descriptor.writeAll(descriptor, bytes)
            }
        } catch {
            throw error.number == EPIPE ? .outputClosed : .writing("standard output", error.number)
        }
    }

    private var isPipe: Bool { unblocked.withLock { $0 >= 0 } }

    /// Writes through the description that does not block, so that a signal ends a run whose output nobody reads. What is left then is
    /// nowhere: this sink is not durable.
    private func write(_ bytes: UnsafeRawBufferPointer, until stop: StopSignal) throws(SystemFault) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            let count = unblocked.withLock {
                $0 >= 0 ? clinux_write($0, part.baseAddress, part.count) : clinux_write(descriptor, part.baseAddress, part.count)
            }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard waitForReader(stop) else { throw SystemFault("write", EPIPE) }
            } else if errno != EINTR {
                throw SystemFault("write")
            }
        }
    }

    /// Waits until the pipe takes something; `false` where it was told to stop and nobody read in the time that is left then.
    private func waitForReader(_ stop: StopSignal) -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, 2, -1) < 0 && errno == EINTR {}
        if entries[0].revents != 0 { return true }
        return poll(&entries, 1, Int32(Self.lastWait.nanoseconds / 1_000_000)) > 0
    }
}
