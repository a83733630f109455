import CuffCore
import Glibc

/// What `cuff sinks` prints: what each sink has received, what is queued, and why. From the state on disk, so it works during a
/// watch and after a crash.
package struct SinkOverview: Sendable {
    package struct Row: Sendable, Equatable {
        package var sink: String
        /// Id of the last durable reading; for a sink without answers, of the last delivered one.
        package var acknowledged: String?
        package var acknowledgedAt: Timestamp?
        package var pending = 0
        package var isDurable = true
        /// How long the oldest queued line has waited, in seconds.
        package var oldest: Int64?
        package var error: String?
        package var nextTry: Timestamp?
        package var refused = 0
        /// The newest, at most twenty.
        package var refusals: [Refusal] = []
        /// Readings delivered to a sink without answers, which may not have arrived.
        package var lost = 0
        /// What it may have.
        package var consent = SinkConsent()

        /// Why something is not delivered: the last error, or the newest refusal.
        var why: String? {
            error ?? refusals.first.map { "refused: " + ($0.reason.isEmpty ? "no reason was given" : $0.reason) }
        }
    }

    package struct Refusal: Sendable, Equatable {
        package var id: String
        package var revision: Int
        package var reason: String
    }

    package var rows: [Row]

    /// The database of queued lines: the run's own if there is one, else `outbox.db` in the state folder. `nil` if no sink needs
    /// one, or no folder is known.
    static func outbox(of sinks: [SinkSpec], memory: DriverMemory?) -> String? {
        guard sinks.contains(where: { $0.kind.traits.contains(.outbox) }) else { return nil }
        if let own = sinks.first(where: { $0.kind.traits.contains(.database) && $0.consent.isUnlimited }) { return own.path }
        guard let memory = memory ?? .standard else { return nil }
        let path = memory.file("outbox.db")
        StateFile.makeFolders(above: path)
        return path
    }

    /// The existing databases that may hold an outbox: the named one, else the default one and the one in the state folder.
    static func databases(_ named: String?) throws(IngestError) -> [String] {
        if let named {
            try Store.require(named)
            return [named]
        }
        let places = [Store.standardPath, DriverMemory.standard?.file("outbox.db")].compactMap { $0 }
        let usual = places.filter { (path: String) in access(path, F_OK) == 0 }
        guard !usual.isEmpty else {
            throw IngestError(SinkFault.noDatabase(places: places))
        }
        return usual
    }

    /// `sinks`: also shows the newest reading in these files.
    package init(database: String?, sinks: [SinkSpec] = []) throws(IngestError) {
        var rows: [Row] = []
        let now = HostClock.now()
        for path in try Self.databases(database) {
            let store = try Store(path, access: .read)
            let last = try store.lastID()
            // The queue of runs without a database is not a sink.
            if last != nil || path != DriverMemory.standard?.file("outbox.db") {
                rows.append(Row(sink: "sqlite:\(path)", acknowledged: last))
            }
            for state in try store.outboxes() {
                rows.append(
                    Row(
                        sink: state.spec, acknowledged: state.acknowledged, acknowledgedAt: state.acknowledgedAt, pending: state.waiting,
                        isDurable: (try? SinkSpec(state.spec))?.isDurable ?? false,
                        oldest: state.oldest.map { max(0, now.milliseconds - $0.milliseconds) / 1000 }, error: state.error,
                        nextTry: state.waiting > 0 ? state.nextTry : nil, refused: state.refused, refusals: state.refusals, lost: state.lost
                    ))
            }
        }
        for spec in sinks where !rows.contains(where: { $0.sink == spec.name }) {
            guard let latest = spec.kind.latest else {
                if !spec.consent.isUnlimited { rows.append(Row(sink: spec.name, isDurable: false)) }
                continue
            }
            rows.append(Row(sink: spec.name, acknowledged: try latest(spec.path)))
        }
        let consents = Dictionary(sinks.map { ($0.place, $0.consent) }, uniquingKeysWith: { $1 })
        for index in rows.indices { rows[index].consent = consents[SinkSpec.place(of: rows[index].sink)] ?? SinkConsent() }
        self.rows = rows
    }

    // MARK: As text

    /// Columns for a terminal of this width; `nil`: not wrapped.
    package func table(width: Int? = nil) -> String {
        let head = ["SINK", "ACKNOWLEDGED", "ACKNOWLEDGED AT", "PENDING", "OLDEST", "NEXT TRY", "LAST ERROR", "REFUSED", "LOST"]
        let cells = rows.map { self.cells($0, plain: false) }
        // Never left out: the last error, refusals and losses.
        return TextTable(head, cells, wrapping: 6, optional: [2, 5, 1, 4]).text(width: width) + limits + refusals
    }

    private var limits: String {
        rows.filter { !$0.consent.isUnlimited }.map { StandardErrorLog.harmless("\($0.sink) may have only \($0.consent.text)") + "\n" }
            .joined()
    }

    private var refusals: String {
        rows.flatMap { row in
            row.refusals.map {
                let reason = $0.reason.isEmpty ? "no reason" : $0.reason
                return StandardErrorLog.harmless("\(row.sink) refused \($0.id) \($0.revision): \(reason)") + "\n"
            }
        }.joined()
    }

    package var plain: String { rows.map { cells($0, plain: true).joined(separator: "\t") + "\n" }.joined() }

    private func cells(_ row: Row, plain: Bool) -> [String] {
        let none = plain ? "" : "-"
        return [
            row.sink, row.acknowledged ?? none, row.acknowledgedAt.map(\.utcText) ?? none, "\(row.pending)",
            row.oldest.map { plain ? "\($0)" : Plural.span($0) } ?? none, row.nextTry.map(\.utcText) ?? none, row.why ?? none,
            "\(row.refused)", "\(row.lost)",
        ].map { StandardErrorLog.harmless($0) } + (plain && !row.consent.isUnlimited ? [StandardErrorLog.harmless(row.consent.text)] : [])
    }

    package var jsonLines: String {
        rows.map { row in
            func count(_ value: Int) -> JSONOutput? { value > 0 ? .number(value) : nil }
            let refusals = row.refusals.map { refusal -> JSONOutput in
                .object([("id", .text(refusal.id)), ("revision", .number(refusal.revision)), ("reason", .text(refusal.reason))])
            }
            return JSONOutput.line(
                "sink", ("sink", .text(row.sink)), ("acknowledged", row.acknowledged.map { .text($0) }),
                ("acknowledged_at", row.acknowledgedAt.map { .text($0.utcText) }), ("pending", .number(row.pending)),
                ("durable", row.isDurable ? nil : .bool(false)), ("oldest_pending_s", row.oldest.map { .number(Int($0)) }),
                ("last_error", row.error.map { .text($0) }), ("next_try", row.nextTry.map { .text($0.utcText) }),
                ("refused", count(row.refused)), ("refusals", refusals.isEmpty ? nil : .list(refusals)), ("lost", count(row.lost)),
                ("persons", row.consent.persons.map { .list($0.map { .text($0) }) }),
                ("types", row.consent.types.map { .list($0.map { .text($0) }) }))
        }.joined()
    }
}
