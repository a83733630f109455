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

        /// The newer of two reports, with what only the older one has.
        public mutating func merge(_ newer: Report) {
            presence = newer.presence ?? presence
            guard let status = newer.status else { return }
            (self.status, sent) = (status, newer.sent)
        }
    }

    /// A machine is seen with every message but its last will, which says that it is gone.
    public static let insert = """
        WITH sent AS MATERIALIZED (
          SELECT e->>0 AS machine, e->>1 AS presence, nullif(e->2, 'null'::jsonb) AS status, (e->>3)::timestamptz AS sent
          FROM jsonb_array_elements($1::jsonb) AS e)
        INSERT INTO cuff.machine AS m (name, seen, sent, presence, presence_at, credential, version, status)
        SELECT machine, CASE WHEN status IS NOT NULL OR presence IS DISTINCT FROM 'offline' THEN clock_timestamp() END, sent, presence,
          CASE WHEN presence IS NOT NULL THEN clock_timestamp() END, status->>'user', status->>'version', status
        FROM sent ORDER BY machine
        ON CONFLICT (name) DO UPDATE SET
          seen = coalesce(excluded.seen, m.seen), sent = coalesce(excluded.sent, m.sent),
          presence = coalesce(excluded.presence, m.presence), presence_at = coalesce(excluded.presence_at, m.presence_at),
          credential = coalesce(excluded.credential, m.credential), version = coalesce(excluded.version, m.version),
          status = coalesce(excluded.status, m.status)
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
