import CuffCore
import Dispatch

/// Writes every byte that passes, both ways, with its time, to a capture.
public final class RecordingTransport: Transport {
    private let inner: any Transport
    private let writer: CaptureWriter
    /// The disk may be slow.
    private let disk = DispatchQueue(label: "cuff.recording")

    public init(_ inner: any Transport, to writer: CaptureWriter) {
        self.inner = inner
        self.writer = writer
    }

    public var address: String { inner.address }

    public func open() throws(IngestError) { try inner.open() }

    public func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        let (disk, writer) = (disk, writer)
        func record(_ content: CaptureItem.Content) {
            let now = writer.now
            disk.async { @Sendable in writer.write(content, at: now) }
        }
        try inner.start(on: loop) { event in
            switch event {
            case .opened: break
            case .received(let bytes): record(.fromCuff(bytes))
            case .sent(let bytes): record(.toCuff(bytes))
            case .line(let event): record(.event(event))
            case .closed(let fault):
                if fault == .unplugged { record(.event(.unplugged)) }
                // The end is told when the recording is whole.
                let told = LoopBound(deliver)
                return disk.async { @Sendable in loop.async { told.value(event) } }
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
