import CLinux
import CuffCore
import Glibc

extension SinkKind {
    static let stdout = SinkKind(
        "stdout", operand: "", help: "JSON Lines on standard output", example: "stdout", durability: .passThrough,
        traits: .standardOutput, parse: nothing
    ) { StandardOutputSink(line: $1.line, stop: $1.stop) }
}

/// JSON Lines on a descriptor opened by the caller, usually standard output. Writes whole lines, all of them before `write`
/// returns. It knows no earlier runs: repeated readings are printed again.
final class StandardOutputSink: ReadingSink {
    let label = "stdout"
    let takesLiveEvents = true
    var outputDescriptor: Int32? { descriptor }
    private let line: ReadingLine
    private let descriptor: Int32
    private let stop: StopSignal?
    /// The same pipe opened again, non-blocking, because `descriptor` is shared with other processes. -1: not a pipe, or closed.
    /// Locked because a failed run closes it while a source may still write.
    private let unblocked: Locked<Int32>
    // Used by one delivery at a time, under the pipeline's lock.
    nonisolated(unsafe) private var text = TextBuffer(capacity: StandardOutputSink.piece + 4096)
    /// The size of a write: the capacity of a pipe.
    private static let piece = 1 << 16
    /// Lines formatted at a time: a line has about 230 bytes.
    private static let linesAtOnce = 64
    private static let linesIfReady = 16

    /// A pipe without a reader blocks indefinitely, but no longer than this once `stop` is raised.
    private static let lastWait = Duration.milliseconds(500)

    init(line: ReadingLine, descriptor: Int32 = STDOUT_FILENO, stop: StopSignal? = nil) {
        self.line = line
        self.stop = stop
        self.descriptor = descriptor
        unblocked = Locked(
            Descriptor.kind(descriptor) == .pipe ? open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC) : -1)
    }

    deinit { close() }

    func close() {
        unblocked.withLock {
            if $0 >= 0 { Glibc.close($0) }
            $0 = -1
        }
    }

    /// A pipe accepts up to 4,096 bytes (PIPE_BUF) atomically: pipe(7).
    func writeIfReady(_ batch: ReadingBatch) -> Bool {
        unblocked.withLock { pipe in
            guard pipe >= 0, batch.entries.count <= Self.linesIfReady else { return false }
            defer { text.removeAll() }
            line.append(batch.entries, 0..<batch.entries.count, device: batch.device, to: &text)
            return text.count <= Int(PIPE_BUF) && text.withBytes { clinux_write(pipe, $0.baseAddress, $0.count) == $0.count }
        }
    }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
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

    /// Writes without blocking, so that a signal ends a run whose output is not read. The rest is lost then: this sink is not
    /// durable.
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

    /// Waits until the pipe accepts bytes; `false` if stopped and the remaining time has passed.
    private func waitForReader(_ stop: StopSignal) -> Bool {
        var entries = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0), pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&entries, 2, -1) < 0 && errno == EINTR {}
        if entries[0].revents != 0 { return true }
        return poll(&entries, 1, Int32(Self.lastWait.nanoseconds / 1_000_000)) > 0
    }
}
