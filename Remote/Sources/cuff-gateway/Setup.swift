import Foundation
import RemoteSink

/// Prepares RabbitMQ. Queues and bindings go over AMQP; users and the policy are `rabbitmqctl`'s, on the broker itself. Running it
/// again changes nothing that is right already, and no password.
struct Setup {
    /// MQTT messages arrive at this exchange (`mqtt.exchange` in rabbitmq.conf).
    static let exchange = "amq.topic"
    /// What no queue wants waits here instead of being lost.
    static let unrouted = "unrouted"

    private let address: BrokerAddress
    private let broker: Broker
    private let password: String

    init(_ address: BrokerAddress, _ broker: Broker, password: String) {
        self.address = address
        self.broker = broker
        self.password = password
    }

    /// RabbitMQ 3.10 keeps what it acknowledged, but it knows a new queue after a kill only once it has written the queue's name, which it
    /// does behind its answer. Observed: killed within 0.3 s of the declaration, the queue never worked again and its messages were gone;
    /// after 1.5 s none was lost. No machine gets its rights before.
    private static let pauseAfterDeclaration: UInt32 = 5

    /// Answers whether all of it is done.
    func run(machines: [String]) throws(ConfigurationFault) -> Bool {
        let users = control(["list_users", "--no-table-headers"])
        let names = Set(users.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) })
        let isControlled = users.status == 0
        if isControlled {
            try importGateway(exists: names.contains(address.user))
        } else {
            say("cuff-gateway: rabbitmqctl does not answer here (\(Answer.oneLine(users.output))); run on the broker, as root:")
            for words in commands(machines) { say("    rabbitmqctl " + words.map(Self.quoted).joined(separator: " ")) }
        }
        do throws(BrokerFault) {
            try broker.connect()
            try broker.declareExchange(Self.unrouted, kind: "fanout")
            try broker.declareQuorumQueue(Self.unrouted)
            try broker.bind(Self.unrouted, to: Self.unrouted, "")
            try broker.declareQuorumQueue(Gateway.queue)
            try broker.bind(Gateway.queue, to: Self.exchange, "cuff.#")
        } catch {
            say("cuff-gateway: the broker: \(error.text)")
            return false
        }
        print("declared the quorum queues `\(Gateway.queue)` (\(Self.exchange), cuff.#) and `\(Self.unrouted)`")
        sleep(Self.pauseAfterDeclaration)
        if isControlled { try importMachines(machines, existing: names) }
        return isControlled
    }

    private static let policy = [
        "--apply-to", "exchanges", "cuff-unrouted", Definitions.Policy.pattern, "{\"alternate-exchange\":\"\(unrouted)\"}",
    ]

    /// The gateway declares its queues, binds them and takes from them.
    private static let gatewayRights = ["^(cuff|unrouted)$", "^(cuff|unrouted)$", "^(cuff|unrouted|amq\\.topic)$"]

    /// A machine publishes, below its own name only.
    private static let machineRights = ["^$", "^amq\\.topic$", "^$"]
    private static func topics(_ machine: String) -> [String] { [exchange, "^cuff\\.\(machine)\\.", "^$"] }

    private func commands(_ machines: [String]) -> [[String]] {
        var commands = [
            ["add_user", address.user], ["set_permissions", "-p", address.vhost, address.user] + Self.gatewayRights,
            ["set_policy", "-p", address.vhost] + Self.policy,
        ]
        for machine in machines {
            commands += [
                ["add_user", machine], ["set_permissions", "-p", address.vhost, machine] + Self.machineRights,
                ["set_topic_permissions", "-p", address.vhost, machine] + Self.topics(machine),
            ]
        }
        return commands
    }

    private func importGateway(exists: Bool) throws(ConfigurationFault) {
        try load(
            Definitions(
                users: exists ? [] : [.init(name: address.user, password: password)],
                permissions: [permission(of: address.user, Self.gatewayRights)],
                policies: [.init(vhost: address.vhost)]))
        if !exists { print("added the user `\(address.user)` for the gateway") }
    }

    private func importMachines(_ machines: [String], existing: Set<String>) throws(ConfigurationFault) {
        var definitions = Definitions()
        for machine in machines {
            definitions.permissions.append(permission(of: machine, Self.machineRights))
            let topics = Self.topics(machine)
            definitions.topic_permissions.append(
                .init(user: machine, vhost: address.vhost, exchange: topics[0], write: topics[1], read: topics[2]))
            guard !existing.contains(machine) else { continue }
            let secret = Self.newSecret()
            try Self.write(secret, to: Self.passwordFile(machine))
            definitions.users.append(.init(name: machine, password: secret))
        }
        do {
            try load(definitions)
        } catch {
            // Passwords that nobody has: the next run writes others.
            for user in definitions.users { unlink(Self.passwordFile(user.name)) }
            throw error
        }
        for user in definitions.users {
            print(
                "added the user `\(user.name)`; move \(Self.passwordFile(user.name)) to that machine, as "
                    + "~/.config/cuff/credentials/mqtt.password (mode 0600)")
        }
    }

    private static func passwordFile(_ machine: String) -> String { "\(machine).mqtt.password" }

    private func permission(of user: String, _ rights: [String]) -> Definitions.Permission {
        .init(user: user, vhost: address.vhost, configure: rights[0], write: rights[1], read: rights[2])
    }

    /// One call for any number of users: each call of rabbitmqctl starts an Erlang machine. The passwords go by standard input:
    /// arguments can be read by everybody on the machine.
    private func load(_ definitions: Definitions) throws(ConfigurationFault) {
        let result = (try? JSONEncoder().encode(definitions)).map { control(["import_definitions"], input: $0) }
        guard let result, result.status == 0 else {
            throw ConfigurationFault("rabbitmqctl could not import the users and their rights: \(Answer.oneLine(result?.output ?? ""))")
        }
    }

    /// 160 bits.
    private static func newSecret() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        var random = SystemRandomNumberGenerator()
        return String((0..<32).map { _ in letters[Int(random.next() & 31)] })
    }

    private static func write(_ secret: String, to file: String) throws(ConfigurationFault) {
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ConfigurationFault("cannot create \(file): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let bytes = Array((secret + "\n").utf8)
        guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw ConfigurationFault("cannot write \(file): \(String(cString: strerror(errno)))")
        }
    }

    private func control(_ words: [String], input: Data = Data()) -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["rabbitmqctl", "-q"] + words
        let (down, up) = (Pipe(), Pipe())
        process.standardInput = down
        process.standardOutput = up
        process.standardError = up
        do { try process.run() } catch { return (-1, "\(error)") }
        try? down.fileHandleForWriting.write(contentsOf: input)
        try? down.fileHandleForWriting.close()
        let output = up.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F || $0 == 0x2D || $0 == 0x2F || $0 == 0x2E
        }
        return isPlain && !word.isEmpty ? word : "'\(word)'"
    }
}

/// What `rabbitmqctl import_definitions` reads; the names of the members are its own.
private struct Definitions: Encodable {
    struct User: Encodable {
        let name, password: String
        var tags: [String] = []
    }
    struct Permission: Encodable { let user, vhost, configure, write, read: String }
    struct TopicPermission: Encodable { let user, vhost, exchange, write, read: String }
    struct Policy: Encodable {
        static let pattern = "^amq\\.topic$"
        let vhost: String
        var name = "cuff-unrouted", pattern = Policy.pattern, priority = 0
        var applyTo = "exchanges", definition = ["alternate-exchange": Setup.unrouted]
        enum CodingKeys: String, CodingKey {
            case vhost, name, pattern, priority, applyTo = "apply-to", definition
        }
    }
    var users: [User] = [], permissions: [Permission] = [], topic_permissions: [TopicPermission] = [], policies: [Policy] = []
}
