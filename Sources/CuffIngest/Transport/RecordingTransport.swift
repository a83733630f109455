import CuffCore
import Dispatch

/// Writes every byte that passes, both ways, with its time, to a capture.
final class RecordingTransport: Transport {
    private let inner: any Transport
    private let writer: CaptureWriter
    /// The disk may be slow.
    private let disk = DispatchQueue(label: "cuff.recording")

    /// Records what passes through `inner`, in both directions.
    init(_ inner: any Transport, to writer: CaptureWriter) {
        self.inner = inner
        self.writer = writer
    }

    /// The address of the inner transport.
    var address: String { inner.address }
    /// As the inner transport does.
    var checksBytes: Bool { inner.checksBytes }

    /// Opens the inner transport.
    func open() throws(IngestError) { try inner.open() }

    /// Delivers events on the loop, `opened` first and `closed` last.
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
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
                if fault as? TransportFault == .unplugged { record(.event(.unplugged)) }
                // The end is reported when the recording is whole.
                let closed = LoopBound(deliver)
                return disk.async { @Sendable in loop.async { closed.value(event) } }
            }
            deliver(event)
        }
    }

    /// Writes the bytes in order; `sent` follows when the kernel has all of them.
    func write(_ bytes: [UInt8]) { inner.write(bytes) }
    /// Writes one feature report through the inner transport.
    func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    /// Reads nothing more until `resume`.
    func pause() { inner.pause() }
    /// Reads again.
    func resume() { inner.resume() }
    /// Closes the device; `closed` follows. A second call does nothing.
    func close() { inner.close() }
}
