import Glibc
import HTTPClient
import RemoteSink

/// The users of machines at the broker. Every step can be repeated.
struct BrokerUsers {
    let management: Management
    private var vhost: String { Management.word(management.address.vhost) }

    /// Marks the users of machines; it gives no rights.
    private static let tag = "cuff-machine"
    /// How long connections of a removed user may stay, in seconds.
    private static let closeLimit = 40.0

    @discardableResult
    private func call(_ method: HTTPRequest.Method, _ path: String, _ body: String = "") throws(VerbFault) -> JSONValue? {
        do throws(BrokerFault) { return try management.call(method, path, body) } catch { throw VerbFault(error) }
    }

    /// All users of machines: those with rights for the topics of one.
    func all() throws(VerbFault) -> [MachineUser] {
        let rights = try call(.get, "/topic-permissions")?.array ?? []
        let users = try Set((call(.get, "/users?columns=name")?.array ?? []).compactMap { $0["name"]?.string })
        let found = rights.compactMap { right -> MachineUser? in
            guard right["vhost"]?.string == management.address.vhost, let name = right["user"]?.string, users.contains(name),
                let machine = right["write"]?.string.flatMap(MachineRights.machine(ofTopics:)), let user = MachineUser(name: name),
                user.machine == machine
            else { return nil }
            return user
        }
        return found.sorted()
    }

    /// The users of one machine, oldest first; also one that was added and has no rights yet.
    func of(_ machine: String) throws(VerbFault) -> [MachineUser] {
        var found = try all().filter { $0.machine == machine }
        let next = found.last?.next ?? MachineUser(machine)
        if let user = try call(.get, "/users/\(Management.word(next.name))") {
            guard Self.isMachine(user) else {
                throw VerbFault(BrokerFault(text: "the broker has a user `\(next.name)` that is not a machine's; use another name"))
            }
            found.append(next)
        }
        return found
    }

    /// Tags are a list, or words separated by commas in older versions.
    private static func isMachine(_ user: JSONValue) -> Bool {
        let tags = user["tags"]
        return tags?.array?.contains { $0.string == tag } ?? tags?.string?.split(separator: ",").contains { $0 == tag } ?? false
    }

    func put(_ user: MachineUser, password: String) throws(VerbFault) {
        let body = #"{"password":\#(JSONValue.quoted(password)),"tags":"\#(Self.tag)"}"#
        try call(.put, "/users/\(Management.word(user.name))", body)
    }

    func permit(_ user: MachineUser) throws(VerbFault) {
        let rights = MachineRights(user.machine)
        let quoted = JSONValue.quoted
        let name = Management.word(user.name)
        // Topics first: until it has the others too, the user can publish nothing.
        try call(
            .put, "/topic-permissions/\(vhost)/\(name)",
            #"{"exchange":\#(quoted(Setup.exchange)),"write":\#(quoted(rights.topics)),"read":\#(quoted(rights.topics))}"#)
        try call(
            .put, "/permissions/\(vhost)/\(name)",
            #"{"configure":\#(quoted(rights.configure)),"write":\#(quoted(rights.write)),"read":\#(quoted(rights.read))}"#)
    }

    /// Removes users and closes their connections. Returns whether none is left.
    func remove(_ users: [MachineUser]) throws(VerbFault) -> Bool {
        for user in users { try call(.delete, "/users/\(Management.word(user.name))") }
        let names = Set(users.map(\.name))
        let until = monotonicSeconds() + Self.closeLimit
        while true {
            let open = try connections().filter { names.contains($0.user) }
            if open.isEmpty { return true }
            for connection in open { try call(.delete, "/connections/\(Management.word(connection.name))") }
            guard monotonicSeconds() < until else { return false }
            usleep(500_000)
        }
    }

    func connections() throws(VerbFault) -> [(name: String, user: String)] {
        (try call(.get, "/connections?columns=name,user")?.array ?? []).compactMap {
            guard let name = $0["name"]?.string, let user = $0["user"]?.string else { return nil }
            return (name, user)
        }
    }

    /// Whether the queue of readings is there: without it the broker acknowledges readings and drops them.
    func hasQueue() throws(VerbFault) -> Bool {
        try call(.get, "/queues/\(vhost)/\(Gateway.queue)?columns=name") != nil
    }
}
