import CuffCore

/// A sink that is opened with the first reading: for runs that expect none.
final class DeferredSink: Sink, @unchecked Sendable {
    private let spec: SinkSpec
    private let context: SinkContext
    // From here on: used on the sink's queue only.
    private var sink: (any Sink)?

    init(_ spec: SinkSpec, _ context: SinkContext = SinkContext()) {
        self.spec = spec
        self.context = context
    }

    var label: String { spec.name }
    /// An estimate until it is open.
    var isDurable: Bool { spec.isDurable }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        guard batch.readings > 0 else { return 0 }
        guard let sink else {
            let opened = try spec.open(context)
            sink = opened
            return try opened.write(batch)
        }
        return try sink.write(batch)
    }

    func reopen() throws(IngestError) { try sink?.reopen() }
    func close() throws(IngestError) { try sink?.close() }
}
