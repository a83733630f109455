import CuffCore
import Glibc

/// How far each sink is: what `cuff sinks` prints. It looks at what is on disk, so it tells the same while a watch runs
/// and after it was killed.
public struct SinkOverview: Sendable {
    /// The state of one sink.
    public struct Row: Sendable, Equatable {
        /// The sink as the user wrote it.
        public var sink: String
        /// Id of the last reading that is there for good; of a sink that does not answer, the last that was handed over.
        public var acknowledged: String?
        /// When that reading was acknowledged; `nil` where it is not known.
        public var acknowledgedAt: Timestamp?
        /// Lines that are queued.
        public var pending = 0
        /// It keeps what it takes, or answers for it.
        public var isDurable = true
        /// How long the oldest of them has waited, in seconds.
        public var oldest: Int64?
        /// Why the last attempt failed; `nil` where it did not.
        public var error: String?
        /// When the next attempt is made; `nil` where none is due.
        public var nextTry: Timestamp?
        /// Readings that the other side will never take, and why: the newest twenty.
        public var refused = 0
        /// The newest of them, at most twenty.
        public var refusals: [Refusal] = []
        /// Readings that were handed over to a sink that does not answer, and nobody knows whether they arrived.
        public var lost = 0

        /// Why something is not delivered: the last error, else what was said of the newest reading that was refused.
        var why: String? {
            error ?? refusals.first.map { "refused: " + ($0.reason.isEmpty ? "no reason was given" : $0.reason) }
        }
    }

    /// A reading that a helper refused.
    public struct Refusal: Sendable, Equatable {
        /// The printed id of the reading.
        public var id: String
        /// The revision that was refused.
        public var revision: Int
        /// The helper's own text.
        public var reason: String
    }

    /// One row for each sink.
    public var rows: [Row]

    /// The database in which lines wait for the sinks of a run: the run's own where it has one, else `outbox.db` in the
    /// folder of the program's state. `nil` when no sink needs one, or no place is known.
    static func outbox(of sinks: [SinkSpec], memory: DriverMemory?) -> String? {
        guard sinks.contains(where: { $0.kind.traits.contains(.outbox) }) else { return nil }
        if let own = sinks.first(where: { $0.kind.traits.contains(.database) }) { return own.path }
        guard let memory = memory ?? .standard else { return nil }
        let path = memory.file("outbox.db")
        StateFile.makeFolders(above: path)
        return path
    }

    /// Databases that may hold an outbox: the named one, else the standard one and the one in the state folder, as far as
    /// they are there.
    static func databases(_ named: String?) throws(IngestError) -> [String] {
        if let named { return [named] }
        let places = [Store.standardPath, DriverMemory.standard?.file("outbox.db")].compactMap { $0 }
        let usual = places.filter { (path: String) in access(path, F_OK) == 0 }
        guard !usual.isEmpty else {
            throw IngestError(SinkFault.noDatabase(places: places))
        }
        return usual
    }

    /// `sinks` are looked at too: the newest reading in the files among them.
    public init(database: String?, sinks: [SinkSpec] = []) throws(IngestError) {
        var rows: [Row] = []
        let now = HostClock.now()
        for path in try Self.databases(database) {
            let store = try Store(path, access: .read)
            rows.append(Row(sink: "sqlite:\(path)", acknowledged: try store.lastID()))
            for state in try store.outboxes() {
                rows.append(
                    Row(
                        sink: state.spec, acknowledged: state.acknowledged, acknowledgedAt: state.acknowledgedAt, pending: state.waiting,
                        isDurable: (try? SinkSpec(state.spec))?.isDurable ?? false,
                        oldest: state.oldest.map { max(0, now.milliseconds - $0.milliseconds) / 1000 }, error: state.error,
                        nextTry: state.waiting > 0 ? state.nextTry : nil, refused: state.refused,
                        refusals: state.refusals.map { Refusal(id: $0.id, revision: $0.revision, reason: $0.reason) }, lost: state.lost))
            }
        }
        for spec in sinks where !rows.contains(where: { $0.sink == spec.name }) {
            guard let latest = spec.kind.latest else { continue }
            rows.append(Row(sink: spec.name, acknowledged: try latest(spec.path)))
        }
        self.rows = rows
    }

    // MARK: As text

    /// Columns for a terminal of this width; `nil` fits to none.
    public func table(width: Int? = nil) -> String {
        let head = ["SINK", "ACKNOWLEDGED", "AT", "PENDING", "OLDEST", "NEXT TRY", "LAST ERROR", "REFUSED", "LOST"]
        let cells = rows.map { self.cells($0, plain: false) }
        // What is wrong stays: the last error, what was refused and what was lost.
        return TextTable(head, cells, wrapping: 6, optional: [2, 5, 1, 4]).text(width: width) + refusals
    }

    /// One line for each reading that was set aside.
    private var refusals: String {
        rows.flatMap { row in
            row.refusals.map {
                let reason = $0.reason.isEmpty ? "no reason" : $0.reason
                return StandardErrorLog.harmless("\(row.sink) refused \($0.id) \($0.revision): \(reason)") + "\n"
            }
        }.joined()
    }

    /// Tab-separated lines for a pipe.
    public var plain: String { rows.map { cells($0, plain: true).joined(separator: "\t") + "\n" }.joined() }

    private func cells(_ row: Row, plain: Bool) -> [String] {
        let none = plain ? "" : "-"
        return [
            row.sink, row.acknowledged ?? none, row.acknowledgedAt.map(\.utcText) ?? none, "\(row.pending)",
            row.oldest.map { plain ? "\($0)" : Plural.span($0) } ?? none, row.nextTry.map(\.utcText) ?? none, row.why ?? none,
            "\(row.refused)", "\(row.lost)",
        ].map { StandardErrorLog.harmless($0) }
    }

    /// One JSON object for each sink.
    public var jsonLines: String {
        var text = TextBuffer()
        for row in rows {
            text.append("{\"type\":\"sink\",\"schema\":1,\"sink\":")
            text.append(jsonString: row.sink)
            func put(_ key: String, _ value: String?) {
                guard let value else { return }
                text.append(string: ",\"\(key)\":")
                text.append(jsonString: value)
            }
            put("acknowledged", row.acknowledged)
            put("acknowledged_at", row.acknowledgedAt.map(\.utcText))
            text.append(string: ",\"pending\":\(row.pending)")
            if !row.isDurable { text.append(string: ",\"durable\":false") }
            if let oldest = row.oldest { text.append(string: ",\"oldest_pending_s\":\(oldest)") }
            put("last_error", row.error)
            put("next_try", row.nextTry.map(\.utcText))
            if row.refused > 0 { text.append(string: ",\"refused\":\(row.refused)") }
            for (index, refusal) in row.refusals.enumerated() {
                text.append(string: index == 0 ? ",\"refusals\":[{\"id\":" : ",{\"id\":")
                text.append(jsonString: refusal.id)
                text.append(string: ",\"revision\":\(refusal.revision),\"reason\":")
                text.append(jsonString: refusal.reason)
                text.append(string: index == row.refusals.count - 1 ? "}]" : "}")
            }
            if row.lost > 0 { text.append(string: ",\"lost\":\(row.lost)") }
            text.append("}\n")
        }
        return text.string
    }
}

/// What can be done about lines that wait.
public enum SinkRuns {
    /// What became of the lines that were sent once more.
    public struct Retried: Sendable, Equatable {
        /// Lines that the other side has now.
        public var sent = 0
        /// Lines that it refused, and that are set aside.
        public var refused = 0
        /// Lines that are still queued.
        public var left = 0

        /// Sets each property as given.
        public init(sent: Int = 0, refused: Int = 0, left: Int = 0) {
            self.sent = sent
            self.refused = refused
            self.left = left
        }
    }

    /// Sends what waits now, until it is sent or nothing is taken any more. `refused`: also what was refused before.
    public static func retry(
        database: String?, sink: String? = nil, refused: Bool = false, told: @escaping @Sendable (IngestError) -> Void = { _ in }
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
                let opened = try SinkSpec(state.spec).open(context)
                try opened.close()
                let after = opened.backlog ?? SinkBacklog(waiting: 0)
                result.sent += max(0, state.waiting + again - after.waiting - after.refused)
                result.refused += after.refused
                result.left += after.waiting
            }
        }
        return result
    }

    /// Gives up what waits for one sink.
    public static func drop(database: String?, sink: String, confirmation: String) throws(IngestError) -> Int {
        let name = try SinkSpec(sink).name
        guard confirmation == "drop" else {
            throw IngestError(SinkFault.dropNotConfirmed(name))
        }
        var count = 0
        for path in try SinkOverview.databases(database) { count += try Store(path, access: .write).dropOutbox(name) }
        return count
    }
}
