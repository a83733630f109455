import CuffCore

/// Writes every byte that passes, both ways, with its time, to a capture.
public final class RecordingTransport: Transport, @unchecked Sendable {
    private let inner: any Transport
    private let writer: CaptureWriter

    public init(_ inner: any Transport, to writer: CaptureWriter) {
        self.inner = inner
        self.writer = writer
    }

    public var address: String { inner.address }

    public func start(
        on queue: CuffQueue, deliver: @escaping @Sendable (TransportEvent) -> Void
    ) throws(IngestError) {
        // The disk may be slow.
        queue.neverInPlace()
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
    public func writeFeature(_ bytes: [UInt8]) -> TransportFault? { inner.writeFeature(bytes) }
    public func pause() { inner.pause() }
    public func resume() { inner.resume() }
    public func close() { inner.close() }
}
