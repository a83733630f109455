import CuffCore
import Dispatch

/// Records all bytes in both directions, with their times, to a capture.
final class RecordingTransport: Transport {
    private let inner: any Transport
    private let writer: CaptureWriter
    private let disk = DispatchQueue(label: "cuff.recording")

    init(_ inner: any Transport, to writer: CaptureWriter) {
        self.inner = inner
        self.writer = writer
    }

    var address: String { inner.address }
    var checksBytes: Bool { inner.checksBytes }

    func open() throws(IngestError) {
        do throws(IngestError) { try inner.open() } catch {
            writer.discardEmpty()
            throw error
        }
    }

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
                if (fault as? TransportFault)?.neverOpened("") != nil { disk.async { @Sendable in writer.discardEmpty() } }
                // The end is reported when the recording is complete.
                let closed = LoopBound(deliver)
                return disk.async { @Sendable in loop.async { closed.value(event) } }
            }
            deliver(event)
        }
    }

    func write(_ bytes: [UInt8]) { inner.write(bytes) }
    func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    func pause() { inner.pause() }
    func resume() { inner.resume() }
    func close() { inner.close() }
}
