import CuffCore

/// A sink that is opened with the first reading: for runs that expect none, and for an optional sink that could not be opened.
/// While it cannot be opened, each attempt to write fails.
final class DeferredSink: ReadingSink {
    private let spec: SinkSpec
    private let context: SinkContext
    private let sink = Locked<(any ReadingSink)?>(nil)

    init(_ spec: SinkSpec, _ context: SinkContext = SinkContext()) {
        self.spec = spec
        self.context = context
    }

    var label: String { spec.name }
    /// An estimate until it is open.
    var isDurable: Bool { spec.isDurable }
    var takesAlerts: Bool { spec.kind.traits.contains(.alerts) }
    var backlog: SinkBacklog? { opened?.backlog }
    var withheld: Int { opened?.withheld ?? 0 }

    private var opened: (any ReadingSink)? { sink.withLock { $0 } }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        if let opened { return try opened.write(batch) }
        guard batch.readings > 0 else { return 0 }
        let opened = try spec.open(context)
        sink.withLock { $0 = opened }
        return try opened.write(batch)
    }

    func reopen() throws(IngestError) { try opened?.reopen() }
    func close() throws(IngestError) { try opened?.close() }
}
