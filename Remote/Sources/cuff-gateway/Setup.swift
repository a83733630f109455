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

    /// In seconds. RabbitMQ 3.10 answers the declaration of a queue before the queue's name is on disk, and acknowledges into it. Observed:
    /// killed 0.1 s after the declaration, the queue has no leader after the restart, and its messages are gone; killed after 1.5 s it
    /// has all of them. So no machine gets its rights before.
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
            let unset = Dictionary(machines.map { ($0, "") }) { first, _ in first }
            for words in gatewayDefinitions("").commands + machineDefinitions(machines, unset).commands {
                say("    rabbitmqctl " + words.map(Self.quoted).joined(separator: " "))
            }
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

    /// The gateway declares its queues, binds them and takes from them. Without a password the user exists.
    private func gatewayDefinitions(_ password: String?) -> Definitions {
        let name = address.user
        return Definitions(
            users: password.map { [.init(name: name, password: $0)] } ?? [],
            permissions: [
                .init(
                    user: name, vhost: address.vhost, configure: "^(cuff|unrouted)$", write: "^(cuff|unrouted)$",
                    read: "^(cuff|unrouted|amq\\.topic)$")
            ],
            policies: [.init(vhost: address.vhost)])
    }

    /// A machine publishes, and reads what the broker retains of it, below its own name only. What it subscribes to goes through a queue
    /// with the name of its connection (`cuff-NAME`, and `cuff-NAME.PID` for a check), which the broker declares for it. `passwords` are those of new machines.
    private func machineDefinitions(_ machines: [String], _ passwords: [String: String]) -> Definitions {
        let vhost = address.vhost
        return Definitions(
            users: passwords.sorted { $0.key < $1.key }.map { .init(name: $0.key, password: $0.value) },
            permissions: machines.map {
                let queue = "mqtt-subscription-cuff-\($0)(\\.[0-9]+)?qos[01]"
                return .init(
                    user: $0, vhost: vhost, configure: "^\(queue)$", write: "^(amq\\.topic|\(queue))$", read: "^(amq\\.topic|\(queue))$")
            },
            topic_permissions: machines.map {
                .init(user: $0, vhost: vhost, exchange: Self.exchange, write: "^cuff\\.\($0)\\.", read: "^cuff\\.\($0)\\.")
            })
    }

    private func importGateway(exists: Bool) throws(ConfigurationFault) {
        try load(gatewayDefinitions(exists ? nil : password))
        if !exists { print("added the user `\(address.user)` for the gateway") }
    }

    private func importMachines(_ machines: [String], existing: Set<String>) throws(ConfigurationFault) {
        var passwords: [String: String] = [:]
        for machine in machines where !existing.contains(machine) && passwords[machine] == nil {
            let secret = Self.newSecret()
            try Self.write(secret, to: Self.passwordFile(machine))
            passwords[machine] = secret
        }
        do {
            try load(machineDefinitions(machines, passwords))
        } catch {
            // Passwords that nobody has: the next run writes others.
            for machine in passwords.keys { unlink(Self.passwordFile(machine)) }
            throw error
        }
        for machine in passwords.keys.sorted() {
            print(
                "added the user `\(machine)`; move \(Self.passwordFile(machine)) to that machine, as "
                    + "~/.config/cuff/credentials/mqtt.password (mode 0600); its sink is "
                    + "mqtts://\(machine)@BROKER/?gateway=\(machine)&state=no")
        }
    }

    private static func passwordFile(_ machine: String) -> String { "\(machine).mqtt.password" }

    /// One call for any number of users: each call of rabbitmqctl starts an Erlang virtual machine. The passwords go by standard input:
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
        let vhost: String
        var name = "cuff-unrouted", pattern = "^amq\\.topic$", priority = 0
        var applyTo = "exchanges", definition = ["alternate-exchange": Setup.unrouted]
        enum CodingKeys: String, CodingKey {
            case vhost, name, pattern, priority, applyTo = "apply-to", definition
        }
    }
    var users: [User] = [], permissions: [Permission] = [], topic_permissions: [TopicPermission] = [], policies: [Policy] = []

    /// The same as arguments of `rabbitmqctl`, for a person; a password is asked for there.
    var commands: [[String]] {
        users.map { ["add_user", $0.name] }
            + permissions.map { ["set_permissions", "-p", $0.vhost, $0.user, $0.configure, $0.write, $0.read] }
            + topic_permissions.map { ["set_topic_permissions", "-p", $0.vhost, $0.user, $0.exchange, $0.write, $0.read] }
            + policies.map {
                let definition = $0.definition.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
                return ["set_policy", "-p", $0.vhost, "--apply-to", $0.applyTo, $0.name, $0.pattern, "{\(definition)}"]
            }
    }
}
