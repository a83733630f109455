import CuffCore

/// Passes on only what the sink may have. Never durable: otherwise a cuff would get an acknowledgement for readings that are not stored.
final class LimitedSink: ReadingSink {
    private let sink: any ReadingSink
    private let consent: SinkConsent
    private let count = Locked(0)

    init(_ sink: any ReadingSink, _ consent: SinkConsent) { (self.sink, self.consent) = (sink, consent) }

    var label: String { sink.label }
    var isDurable: Bool { false }
    var takesLiveEvents: Bool { sink.takesLiveEvents }
    var takesAlerts: Bool { sink.takesAlerts }
    var isInternal: Bool { sink.isInternal }
    var backlog: SinkBacklog? { sink.backlog }
    var outputDescriptor: Int32? { sink.outputDescriptor }
    var withheld: Int { count.withLock { $0 } }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        let part = batch.limited(to: consent)
        let known = part.entries.isEmpty ? 0 : try sink.write(part)
        count.withLock { $0 += batch.readings - part.readings }
        return known
    }

    func writeIfReady(_ batch: ReadingBatch) -> Bool {
        let part = batch.limited(to: consent)
        guard part.entries.isEmpty || sink.writeIfReady(part) else { return false }
        count.withLock { $0 += batch.readings - part.readings }
        return true
    }

    func reopen() throws(IngestError) { try sink.reopen() }
    func close() throws(IngestError) { try sink.close() }
}
