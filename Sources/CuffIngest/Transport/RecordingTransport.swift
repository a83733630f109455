import CuffCore
import Dispatch
import Glibc

/// Writes every byte that passes, both ways, with its time, to a text capture.
public final class RecordingTransport: Transport, @unchecked Sendable {
    private let inner: any Transport
    private let writer: CaptureWriter

    public init(_ inner: any Transport, to writer: CaptureWriter) {
        self.inner = inner
        self.writer = writer
    }

    public var address: String { inner.address }

    public func start(
        on queue: DispatchQueue, deliver: @escaping @Sendable (TransportEvent) -> Void
    ) throws(IngestError) {
        let writer = writer
        try inner.start(on: queue) { event in
            switch event {
            case .received(let bytes): writer.write(.fromCuff(bytes))
            case .sent(let bytes): writer.write(.toCuff(bytes))
            case .line(let event): writer.write(.event(event))
            case .closed(let fault): if fault == .unplugged { writer.write(.event(.unplugged)) }
            }
            deliver(event)
        }
    }

    public func write(_ bytes: [UInt8]) { inner.write(bytes) }
    public func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    public func pause() { inner.pause() }
    public func resume() { inner.resume() }
    public func close() { inner.close() }
}

/// A capture under construction: a new file (mode 0600), each line written when it happens.
public final class CaptureWriter: @unchecked Sendable {
    private let descriptor: Int32
    private var text = TextBuffer()
    private let start = HostClock.monotonic()
    /// The disk failed: what was written stays, the conversation goes on.
    public private(set) var fault: IngestError?
    private let path: String

    /// Refuses a file that exists.
    public init(_ path: String, driver: CuffDriver, line: LineSettings? = nil) throws(IngestError) {
        self.path = path
        do throws(SystemFault) { descriptor = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL) } catch {
            if error.number == EEXIST {
                throw IngestError(.cannotCreate, "\(path) exists", why: "a capture is never overwritten", cure: "name another file")
            }
            throw .writing(path, error.number)
        }
        var header = CaptureHeader()
        header.fields = [
            ("driver", driver.id.description), ("origin", "recorded"), ("line", (line ?? driver.line).text),
            ("date", Self.date()),
        ]
        CaptureText.appendHeader(header, to: &text)
        flush()
    }

    deinit { close(descriptor) }

    private static func date() -> String {
        var text = TextBuffer(capacity: 32)
        text.append(utc: HostClock.now())
        return text.string
    }

    func write(_ content: CaptureItem.Content) {
        guard fault == nil else { return }
        CaptureText.append(CaptureItem(time: (HostClock.monotonic() - start) / 1000, content), to: &text)
        flush()
    }

    private func flush() {
        do throws(SystemFault) {
            try text.withBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(descriptor, bytes) }
        } catch { fault = .writing(path, error.number) }
        text.removeAll()
    }
}
