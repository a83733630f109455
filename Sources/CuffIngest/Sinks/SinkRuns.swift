import CuffCore
import Glibc

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
        let name = try sink.map { (text) throws(IngestError) in try SinkSpec(text).name }
        for path in try SinkOverview.databases(database) {
            for state in try Store(path, access: .read).outboxes() where name == nil || name == state.spec {
                let again = refused && state.refused > 0 ? try Store(path, access: .write).requeueRefused(state.spec) : 0
                guard state.waiting + again > 0 else { continue }
                var context = SinkContext()
                context.outbox = path
                context.onFault = { told($1) }
                var spec = try SinkSpec(state.spec)
                spec.consent = consents[spec.name] ?? SinkConsent()
                let opened = try spec.open(context)
                try opened.close()
                let after = opened.backlog ?? SinkBacklog(waiting: 0)
                result.sent += max(0, state.waiting + again - after.waiting - after.refused)
                result.refused += after.refused
                result.left += after.waiting
            }
        }
        return result
    }

    package static func drop(database: String?, sink: String, confirmation: String) throws(IngestError) -> Int {
        let name = try SinkSpec(sink).name
        guard confirmation == "drop" else {
            throw IngestError(SinkFault.dropNotConfirmed(name))
        }
        var count = 0
        for path in try SinkOverview.databases(database) { count += try Store(path, access: .write).dropOutbox(name) }
        return count
    }
}
