import RemoteSink

/// Notes what machines say about themselves. Idempotent.
public enum MachineStatement {
    public struct Report: Sendable, Equatable {
        public let machine: String
        /// `online` or `offline`.
        public var presence: String?
        /// A heartbeat, and the time of the machine's own clock in it.
        public var status: JSONValue?
        public var sent: String?

        public init(_ machine: String, presence: String? = nil, status: JSONValue? = nil) {
            self.machine = machine
            self.presence = presence
            self.status = status
            sent = status?["time"]?.string.flatMap { Instant($0)?.text }
        }

        /// The later of two reports, with what only the earlier one has. A heartbeat that was sent before the present one is left out.
        public mutating func merge(_ newer: Report) {
            presence = newer.presence ?? presence
            guard let status = newer.status else { return }
            if let before = sent.flatMap({ Instant($0) }), let after = newer.sent.flatMap({ Instant($0) }),
                after.milliseconds < before.milliseconds
            {
                return
            }
            (self.status, sent) = (status, newer.sent)
        }
    }

    /// A machine is seen with every message but its last will, which says that it is gone. A heartbeat that was sent before the present one
    /// is left out, e.g. one that was delivered again. Times of a clock that is wrong are not compared: when it is set back, heartbeats would
    /// be left out for as long. A credential in it proves nothing once the machine was revoked, unless it was sent after it was added again: a
    /// heartbeat may have waited in the queue, and a user of the broker may have the name of one that was revoked.
    public static let insert = """
        WITH sent AS MATERIALIZED (
          SELECT e->>0 AS machine, e->>1 AS presence, nullif(e->2, 'null'::jsonb) AS status, (e->>3)::timestamptz AS sent
          FROM jsonb_array_elements($1::jsonb) AS e)
        INSERT INTO cuff.machine AS m (name, seen, sent, presence, presence_at, credential, version, status)
        SELECT machine, CASE WHEN status IS NOT NULL OR presence IS DISTINCT FROM 'offline' THEN clock_timestamp() END, sent, presence,
          CASE WHEN presence IS NOT NULL THEN clock_timestamp() END, status->>'user', status->>'version', status
        FROM sent ORDER BY machine
        ON CONFLICT (name) DO UPDATE SET
          seen = coalesce(excluded.seen, m.seen),
          presence = coalesce(excluded.presence, m.presence), presence_at = coalesce(excluded.presence_at, m.presence_at),
          (sent, credential, version, status) = (
            SELECT CASE WHEN is_old THEN m.sent ELSE coalesce(excluded.sent, m.sent) END,
              CASE WHEN is_old OR is_unproven THEN m.credential ELSE coalesce(excluded.credential, m.credential) END,
              CASE WHEN is_old THEN m.version ELSE coalesce(excluded.version, m.version) END,
              CASE WHEN is_old THEN m.status ELSE coalesce(excluded.status, m.status) END
            FROM (SELECT coalesce(
                excluded.sent < m.sent AND m.sent <= clock_timestamp() + interval '5 minutes'
                AND coalesce(m.status->>'clock', '') <> 'unsynchronised' AND coalesce(excluded.status->>'clock', '') <> 'unsynchronised',
                false) AS is_old,
              m.revoked IS NOT NULL OR m.added IS NOT NULL
                AND (excluded.sent >= m.added AND coalesce(excluded.status->>'clock', '') <> 'unsynchronised') IS NOT TRUE
                AS is_unproven) AS judged)
        """

    /// A JSON array of `[machine, presence, status, sent]`.
    public static func parameter(_ reports: [Report]) -> String {
        let parts = reports.map { report in
            let words = [report.machine, report.presence, nil, report.sent].map { $0.map(JSONValue.quoted) ?? "null" }
            return "[\(words[0]),\(words[1]),\(report.status?.text ?? "null"),\(words[3])]"
        }
        return "[\(parts.joined(separator: ",\n"))]"
    }
}
