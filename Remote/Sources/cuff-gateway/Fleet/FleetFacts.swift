import PostgresStore
import RemoteSink

/// The state of the fleet at one time, from the database.
struct FleetFacts: Sendable {
    var machines: [MachineFacts] = []
    /// Messages set aside: all, and those of the last day by machine.
    var refused = 0
    var refusedToday: [(machine: String, count: Int, reason: String)] = []

    static let statement = """
        SELECT name, revoked IS NOT NULL, extract(epoch FROM clock_timestamp() - added)::bigint,
          extract(epoch FROM clock_timestamp() - seen)::bigint, version, presence, status::text
        FROM cuff.machine ORDER BY name
        """
    private static let refusals = """
        SELECT split_part(routing_key, '.', 2), count(*), (array_agg(reason ORDER BY arrived DESC))[1]
        FROM cuff.refused WHERE arrived > now() - interval '1 day' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1000
        """

    init(machines: [MachineFacts]) { self.machines = machines }

    init(_ session: Session) throws(ServerFault) {
        machines = try session.rows(Self.statement).map { row in
            MachineFacts(
                name: row[0] ?? "", isRevoked: row[1] == "t", added: row[2].flatMap { Int($0) }, seen: row[3].flatMap { Int($0) },
                version: row[4], presence: row[5], status: row[6].flatMap { JSONValue(parsing: Array($0.utf8)) })
        }
        refused = try session.rows("SELECT count(*) FROM cuff.refused").first?.first?.flatMap { Int($0) } ?? 0
        refusedToday = try session.rows(Self.refusals).map {
            (machine: $0[0] ?? "", count: $0[1].flatMap { Int($0) } ?? 0, reason: $0[2] ?? "")
        }
    }

    func troubles(_ rules: FleetRules) -> [(machine: MachineFacts, troubles: [Trouble])] {
        machines.compactMap { machine in
            let found = rules.troubles(machine)
            return found.isEmpty ? nil : (machine, found)
        }
    }
}
