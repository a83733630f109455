import CuffCore
import SQLite

/// What this machine says about itself to a helper that asks for it (`ready 1 status`), on a line of its own that has no answer:
///
///     {"type":"status","schema":1,"time":"…","every_s":300,"waiting":2,"oldest_waiting":"…","refused":0,"clock":"synchronised",
///      "disk_free_bytes":…,"disk_bytes":…,"cuffs":[{"driver":"…","device":"…"}]}
///
/// It contains no reading and no person.
enum StatusReport {
    /// How often it is sent to a sink whose address has `heartbeat=SECONDS`; `nil` without.
    static func interval(_ spec: String) -> Duration? {
        guard spec.hasPrefix("mqtt"), let query = spec.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        for item in query.split(separator: "&") where item.hasPrefix("heartbeat=") {
            guard let seconds = Int(item.dropFirst(10)), seconds > 0 else { return nil }
            return .seconds(min(max(seconds, shortest), longest))
        }
        return nil
    }

    private static let shortest = 5
    private static let longest = 86400
    /// Of a household or a ward.
    private static let mostCuffs = 50

    static func line(_ outbox: Outbox, every interval: Duration) throws(IngestError) -> [UInt8] {
        let number = outbox.number
        let facts = try outbox.store.read { db in
            let queue = try db.first(
                """
                SELECT count(*), min(queued), (SELECT count(*) FROM outbox WHERE sink = ?1 AND refused IS NOT NULL)
                FROM outbox WHERE sink = ?1 AND sequence IS NOT NULL
                """, number
            ) { (waiting: $0.int(0) ?? 0, oldest: $0.text(1), refused: $0.int(2) ?? 0) }
            let cuffs = try db.rows("SELECT driver, device FROM source ORDER BY number DESC LIMIT ?", mostCuffs) {
                JSONOutput.object([("driver", .text($0.text(0) ?? "")), ("device", .text($0.text(1) ?? ""))])
            }
            return (queue: queue, cuffs: cuffs)
        }
        let disk = Volume(outbox.store.path)
        return Array(
            JSONOutput.line(
                "status", ("time", .text(HostClock.now().utcText)), ("every_s", .number(Int(interval.components.seconds))),
                ("waiting", .number(facts.queue?.waiting ?? 0)), ("oldest_waiting", facts.queue?.oldest.map { .text($0) }),
                ("refused", .number(facts.queue?.refused ?? 0)),
                ("clock", .text(HostClock.isUnsynchronised() ? "unsynchronised" : "synchronised")),
                ("disk_free_bytes", disk.map { .number(Int(clamping: $0.free)) }),
                ("disk_bytes", disk.map { .number(Int(clamping: $0.size)) }), ("cuffs", .list(facts.cuffs))
            ).utf8)
    }
}
