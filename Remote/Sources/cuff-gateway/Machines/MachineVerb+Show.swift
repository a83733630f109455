import Glibc
import PostgresStore

extension MachineVerb {
    /// Every machine of the broker or the database, with what is known of it.
    func list() throws(VerbFault) {
        let (all, connected) = try atBroker()
        let rows = try known("SELECT name, \(Self.columns) FROM cuff.machine ORDER BY name", [])
        let names = Set(all.map(\.machine)).union(rows.compactMap { $0[0] }).sorted()
        guard !names.isEmpty else { return print("no machines: cuff-gateway machine add NAME") }
        print(Self.line(["MACHINE", "ACCESS", "CONNECTED", "LAST MESSAGE (UTC)", "VERSION"]))
        for name in names {
            let own = all.filter { $0.machine == name }
            let row = rows.first { $0[0] == name }
            let access = own.isEmpty ? (row?[2] == nil ? "none" : "revoked") : own.map(\.name).joined(separator: ",")
            let isConnected = own.contains { connected.contains($0.name) }
            print(Self.line([name, access, isConnected ? "yes" : "no", row?[3] ?? "never", row?[4] ?? "-"]))
        }
    }

    func show(_ name: String) throws(VerbFault) {
        let (all, connected) = try atBroker()
        let row = try known("SELECT name, \(Self.columns), credential, presence, status::text FROM cuff.machine WHERE name = $1", [name])
            .first
        let own = all.filter { $0.machine == name }
        guard !own.isEmpty || row != nil else { throw VerbFault("\(name) is not a machine of this broker", EX_DATAERR) }
        print("machine      \(name)")
        print(
            "access       "
                + (own.isEmpty
                    ? "none" : own.map { connected.contains($0.name) ? "\($0.name) (connected)" : $0.name }.joined(separator: ", ")))
        let labels = ["added", "revoked", "last message", "version", "connects as", "presence", "status"]
        for (label, value) in zip(labels, row?.dropFirst() ?? []) {
            guard let value else { continue }
            print(label.padded(13) + value)
        }
        let audit = try known(
            "SELECT \(Self.time("at")), actor, action, result FROM cuff.audit WHERE subject = $1 ORDER BY number DESC LIMIT 20", [name])
        if !audit.isEmpty { print("history      (the newest 20, UTC)") }
        for entry in audit { print("  " + entry.map { $0 ?? "" }.joined(separator: "  ")) }
    }

    private static let columns = "\(time("added")), \(time("revoked")), \(time("seen")), version"
    private static func time(_ column: String) -> String { "to_char(\(column), 'YYYY-MM-DD HH24:MI:SS')" }

    private func atBroker() throws(VerbFault) -> ([MachineUser], Set<String>) {
        (try users.all(), Set(try users.connections().map(\.user)))
    }

    private func known(_ statement: String, _ parameters: [String?]) throws(VerbFault) -> [[String?]] {
        do throws(ServerFault) {
            if !session.isOpen { try session.open() }
            return try session.rows(statement, parameters)
        } catch { throw VerbFault(error) }
    }

    private static func line(_ words: [String]) -> String {
        let widths = [24, 24, 11, 21, 0]
        return zip(words, widths).map { $0.padded($1) }.joined()
    }
}

extension String {
    /// With blanks up to a width, at least one.
    fileprivate func padded(_ width: Int) -> String { width == 0 ? self : self + String(repeating: " ", count: max(1, width - utf8.count)) }
}
