import CuffCore

/// A sink that is opened when the first reading comes: for runs that expect none, where a cuff gives one all the same.
final class DeferredSink: Sink, @unchecked Sendable {
    private let spec: SinkSpec
    private let context: SinkContext
    // Used on the sink's queue alone.
    private var sink: (any Sink)?

    init(_ spec: SinkSpec, _ context: SinkContext = SinkContext()) {
        self.spec = spec
        self.context = context
    }

    var label: String { spec.name }
    /// As far as can be told before it is open.
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
