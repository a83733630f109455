import Glibc
import PostgresStore
import RemoteSink

struct VerbFault: Error {
    let text: String
    let status: Int32

    init(_ text: String, _ status: Int32 = EX_CONFIG) {
        self.text = text
        self.status = status
    }
    init(_ fault: ConfigurationFault) { self.init(fault.description) }
    init(_ fault: BrokerFault) { self.init("the broker: \(fault.text)", fault.isAway ? EX_TEMPFAIL : EX_CONFIG) }
    init(_ fault: ServerFault) { self.init("the database: \(fault.text)", fault.kind == .later ? EX_TEMPFAIL : EX_CONFIG) }
}

/// `cuff-gateway machine add | list | show | rotate | revoke`. Each can be run again after it was interrupted anywhere.
struct MachineVerb {
    let users: BrokerUsers
    let session: Session
    let audit: Audit
    let options: Options

    init(_ session: Session, _ options: Options) throws(VerbFault) {
        (self.session, self.options) = (session, options)
        let management: Management?
        do throws(ConfigurationFault) { management = try Management(options) } catch { throw VerbFault(error) }
        guard let management else {
            let place = Credentials().place(ManagementAddress.credential)
            throw VerbFault(
                "no password for the broker's administrator `\(options.management)`: `cuff-gateway --setup --operator` writes it to \(place)"
            )
        }
        users = BrokerUsers(management: management)
        audit = Audit(session)
    }

    func run(_ action: String, _ names: [String]) throws(VerbFault) {
        switch action {
        case "list": try list()
        case "show": for name in names { try show(name) }
        case "add": for name in names { try recorded("add", name) { (name) throws(VerbFault) in try add(name) } }
        case "rotate":
            let word = options.isFinishing ? "rotate --finish" : "rotate"
            for name in names {
                try recorded(word, name) { (name) throws(VerbFault) in try options.isFinishing ? finish(name) : rotate(name) }
            }
        default: try revoke(names)
        }
    }

    // MARK: One at a time, and recorded

    /// Two commands for one machine run one after the other.
    private func recorded(_ action: String, _ name: String, _ body: (String) throws(VerbFault) -> String) throws(VerbFault) {
        do throws(ServerFault) {
            try session.open()
            try lock(name)
            try audit.note(action, name, "begun")
        } catch { throw VerbFault(error) }
        defer { session.close() }
        do throws(VerbFault) {
            let result = try body(name)
            do throws(ServerFault) { try audit.note(action, name, result) } catch { throw VerbFault(error) }
            print("\(name): \(result)")
        } catch {
            try? audit.note(action, name, "failed: \(Answer.oneLine(error.text))")
            throw error
        }
    }

    private func lock(_ name: String) throws(ServerFault) {
        try session.rows("SELECT pg_advisory_lock(hashtextextended($1, 7))", ["cuff machine \(name)"])
    }

    private func database(_ statement: String, _ parameters: [String?]) throws(VerbFault) {
        do throws(ServerFault) { try session.rows(statement, parameters) } catch { throw VerbFault(error) }
    }

    // MARK: Adding

    private func path(_ name: String) -> String { options.output ?? MachineFile.path(name) }

    private func add(_ name: String) throws(VerbFault) -> String {
        guard try users.hasQueue() else {
            throw VerbFault("the broker has no queue `\(Gateway.queue)` and would drop readings: run cuff-gateway --setup first")
        }
        let known = try users.of(name)
        let result: String
        if known.isEmpty {
            try issue(MachineUser(name))
            result = "added; install \(path(name)) there: sudo cuff setup --system --fleet \(MachineFile.path(name))"
        } else {
            for user in known { try users.permit(user) }
            let isWritten = known.last.map { MachineFile.user(in: path(name)) == $0 } ?? false
            result =
                "already exists; permissions updated"
                + (isWritten
                    ? "; its access is in \(path(name))" : "; if its access is lost, `cuff-gateway machine rotate \(name)` makes another")
        }
        try database(
            """
            INSERT INTO cuff.machine (name, added) VALUES ($1, clock_timestamp())
            ON CONFLICT (name) DO UPDATE SET added = CASE WHEN cuff.machine.revoked IS NULL THEN coalesce(cuff.machine.added, excluded.added)
              ELSE excluded.added END, revoked = NULL, credential = NULL
            """, [name])
        return result
    }

    /// The file first: if only the broker knew the password, the machine would be locked out.
    private func issue(_ user: MachineUser) throws(VerbFault) {
        let password = NewSecret.make()
        do throws(ConfigurationFault) {
            let server = try MachineServer(options.machines)
            let file = MachineFile(user: user, password: password, server: server.server, authority: server.authority)
            try file.write(to: path(user.machine))
        } catch { throw VerbFault(error) }
        try users.put(user, password: password)
        try users.permit(user)
    }

    // MARK: Rotating

    /// A second user beside the present one, which stays valid until `--finish`.
    private func rotate(_ name: String) throws(VerbFault) -> String {
        let known = try users.of(name)
        guard let newest = known.last else {
            throw VerbFault("\(name) is not a machine of this broker: cuff-gateway machine add \(name)", EX_DATAERR)
        }
        let next = "install it there, then: cuff-gateway machine rotate --finish \(name)"
        if known.count > 1, MachineFile.user(in: path(name)) == newest {
            try users.permit(newest)
            return "may use `\(newest.name)` already, whose access is in \(path(name)); \(next)"
        }
        try issue(newest.next)
        return "may now use `\(newest.next.name)` too, whose access is in \(path(name)); \(next)"
    }

    private func finish(_ name: String) throws(VerbFault) -> String {
        let known = try users.of(name)
        guard let newest = known.last else { throw VerbFault("\(name) is not a machine of this broker", EX_DATAERR) }
        guard known.count > 1 else { return "has only `\(newest.name)`; there is nothing to finish" }
        guard try isUsed(newest) || options.isForced else {
            throw VerbFault(
                "\(name) has not connected as `\(newest.name)` yet, and would be locked out: install \(MachineFile.path(name)) there first, or "
                    + "add --force", EX_TEMPFAIL)
        }
        let old = Array(known.dropLast())
        guard try users.remove(old) else {
            throw VerbFault("connections of \(Self.names(old)) are still open; run it again", EX_TEMPFAIL)
        }
        return "\(Self.names(old)) can no longer connect"
    }

    /// It is connected as this user, or said so in its last heartbeat.
    private func isUsed(_ user: MachineUser) throws(VerbFault) -> Bool {
        if try users.connections().contains(where: { $0.user == user.name }) { return true }
        do throws(ServerFault) {
            let rows = try session.rows("SELECT credential FROM cuff.machine WHERE name = $1", [user.machine])
            return rows.first?.first.flatMap { $0 } == user.name
        } catch { throw VerbFault(error) }
    }

    // MARK: Revoking

    /// A failure of one does not keep the others. The first failure is thrown at the end.
    private func revoke(_ names: [String]) throws(VerbFault) {
        var first: VerbFault?
        for name in names {
            do throws(VerbFault) { try revoke(name) } catch {
                if first == nil { first = error } else { say("cuff-gateway: \(error.text)") }
            }
        }
        if let first { throw first }
    }

    /// At the broker first, whatever the state of the database. Then again under the lock: a rotation may have added a user meanwhile.
    private func revoke(_ name: String) throws(VerbFault) {
        var (users, isClosed) = try withdraw(name)
        defer { session.close() }
        do throws(ServerFault) {
            try session.open()
            try lock(name)
        } catch { throw unrecorded(name, users, isClosed, error) }
        let added: [MachineUser]
        (added, isClosed) = try withdraw(name)
        users += added.filter { !users.contains($0) }
        let result = Self.result(users, isClosed)
        do throws(ServerFault) {
            try audit.note("revoke", name, result)
            try session.rows(
                "UPDATE cuff.machine SET revoked = coalesce(revoked, clock_timestamp()), credential = NULL WHERE name = $1", [name])
        } catch { throw unrecorded(name, users, isClosed, error) }
        guard isClosed else { throw VerbFault("\(name): \(result); run it again", EX_TEMPFAIL) }
        print("\(name): \(result)")
    }

    /// Removes the users that the machine has now. Returns also whether their connections are closed.
    private func withdraw(_ name: String) throws(VerbFault) -> ([MachineUser], Bool) {
        do throws(VerbFault) {
            let known = try users.of(name)
            return (known, try users.remove(known))
        } catch { throw VerbFault("\(name): \(error.text)", error.status) }
    }

    private func unrecorded(_ name: String, _ users: [MachineUser], _ isClosed: Bool, _ fault: ServerFault) -> VerbFault {
        VerbFault(
            "\(name): \(Self.result(users, isClosed)); that could not be recorded, so run it again: the database: \(fault.text)",
            EX_TEMPFAIL)
    }

    private static func result(_ users: [MachineUser], _ isClosed: Bool) -> String {
        let what = users.isEmpty ? "had no access" : "\(names(users)) can no longer connect"
        return isClosed ? what : "\(what), but a connection is still open"
    }

    private static func names(_ users: [MachineUser]) -> String { users.map { "`\($0.name)`" }.joined(separator: ", ") }
}
