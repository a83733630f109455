import CuffCore

package enum SinkRuns {
    package struct Retried: Sendable, Equatable {
        package var sent = 0
        package var refused = 0
        package var left = 0
    }

    /// Sends the queued lines until done or nothing more is accepted. `refused`: also those refused earlier.
    package static func retry(
        database: String?, sink: String? = nil, refused: Bool = false, consents: [String: SinkConsent] = [:],
        told: @escaping @Sendable (IngestError) -> Void = { _ in }
    ) throws(IngestError) -> Retried {
        var result = Retried()
        let name = try sink.map { (text) throws(IngestError) in try named(text, database) }
        for path in try SinkOverview.databases(database) {
            for state in try Store(path, access: .read).outboxes() where name == nil || name == state.spec {
                let again = refused && state.refused > 0 ? try Store(path, access: .write).requeueRefused(state.spec) : 0
                guard state.waiting + again > 0 else { continue }
                var context = SinkContext()
                context.outbox = path
                context.onFault = { told($1) }
                var spec = try SinkSpec(state.spec)
                spec.consent = consents[spec.place] ?? SinkConsent()
                var waiting = state.waiting + again
                if !spec.consent.isUnlimited {
                    let outbox = try Outbox(try Store(path, access: .write), spec: spec.name)
                    try outbox.limit(to: spec.consent)
                    waiting = outbox.waiting
                }
                let opened = try spec.open(context)
                try opened.close()
                let after = opened.backlog ?? SinkBacklog(waiting: 0)
                result.sent += max(0, waiting - after.waiting - after.refused)
                result.refused += after.refused
                result.left += after.waiting
            }
        }
        return result
    }

    /// The name of a sink that has a queue.
    private static func named(_ text: String, _ database: String?) throws(IngestError) -> String {
        let name = try SinkSpec(text).name
        for path in try SinkOverview.databases(database) {
            if try Store(path, access: .read).outboxes().contains(where: { $0.spec == name }) { return name }
        }
        throw IngestError(SinkFault.noQueue(name))
    }

    package static func drop(database: String?, sink: String, confirmation: String) throws(IngestError) -> Int {
        let name = try named(sink, database)
        guard confirmation == "drop" else {
            throw IngestError(SinkFault.dropNotConfirmed(name))
        }
        var count = 0
        for path in try SinkOverview.databases(database) { count += try Store(path, access: .write).dropOutbox(name) }
        return count
    }
}
