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

    /// Answers whether all of it is done.
    func run(machines: [String]) throws(ConfigurationFault) -> Bool {
        var isDone = true
        let users = control(["list_users", "--no-table-headers"])
        let names = users.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
        if users.status == 0 {
            try addGateway(exists: names.contains(address.user))
            try require(control(["set_policy", "-p", address.vhost] + Self.policy), "the alternate exchange")
            for machine in machines { try addMachine(machine, exists: names.contains(machine)) }
        } else {
            isDone = false
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
        return isDone
    }

    private static let policy = [
        "--apply-to", "exchanges", "cuff-unrouted", "^amq\\.topic$", "{\"alternate-exchange\":\"\(unrouted)\"}",
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

    private func addGateway(exists: Bool) throws(ConfigurationFault) {
        // The password goes by standard input: arguments can be read by everybody on the machine.
        if !exists { try require(control(["add_user", address.user], input: password + "\n"), "the user `\(address.user)`") }
        try require(
            control(["set_permissions", "-p", address.vhost, address.user] + Self.gatewayRights), "the rights of `\(address.user)`")
        if !exists { print("added the user `\(address.user)` for the gateway") }
    }

    private func addMachine(_ machine: String, exists: Bool) throws(ConfigurationFault) {
        if !exists {
            let file = "\(machine).mqtt.password"
            let secret = Self.newSecret()
            try Self.write(secret, to: file)
            try require(control(["add_user", machine], input: secret + "\n"), "the user `\(machine)`")
            print("added the user `\(machine)`; move \(file) to that machine, as ~/.config/cuff/credentials/mqtt.password (mode 0600)")
        }
        try require(control(["set_permissions", "-p", address.vhost, machine] + Self.machineRights), "the rights of `\(machine)`")
        try require(control(["set_topic_permissions", "-p", address.vhost, machine] + Self.topics(machine)), "the topics of `\(machine)`")
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

    private func require(_ result: (status: Int32, output: String), _ what: String) throws(ConfigurationFault) {
        guard result.status == 0 else { throw ConfigurationFault("rabbitmqctl could not set \(what): \(Answer.oneLine(result.output))") }
    }

    private func control(_ words: [String], input: String = "") -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["rabbitmqctl", "-q"] + words
        let (down, up) = (Pipe(), Pipe())
        process.standardInput = down
        process.standardOutput = up
        process.standardError = up
        do { try process.run() } catch { return (-1, "\(error)") }
        try? down.fileHandleForWriting.write(contentsOf: Data(input.utf8))
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
