import Glibc
import RemoteSink

/// Prepares RabbitMQ. Queues and bindings are declared over AMQP, users and the policy by `rabbitmqctl` on the broker. Running it
/// again keeps passwords and everything already set up.
struct Setup {
    /// MQTT messages arrive at this exchange (`mqtt.exchange` in rabbitmq.conf).
    static let exchange = "amq.topic"
    /// Receives messages that no queue accepts.
    static let unrouted = "unrouted"
    /// How long they stay there: they may be readings of a person who was erased since.
    static let unroutedDays = 30

    let address: BrokerAddress
    let broker: Broker
    let password: String

    /// In seconds. RabbitMQ 3.10 confirms the declaration of a queue before its name is on disk, and acknowledges messages for
    /// it. Observed: killed 0.1 s after the declaration, the queue has no leader after the restart, and its messages are lost;
    /// killed after 1.5 s it has all of them. So machines get their permissions after this pause.
    private static let pauseAfterDeclaration: UInt32 = 5

    func run(machines: [String], isForOperator: Bool = false) throws(ConfigurationFault) -> Bool {
        let users = control(["list_users", "--no-table-headers"])
        let names = Set(users.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) })
        let isControlled = users.status == 0
        if isControlled {
            try importGateway(exists: names.contains(address.user))
            if isForOperator { try importOperator(exists: names.contains(try ManagementAddress(ManagementAddress.usual).user)) }
        } else {
            say(
                "cuff-gateway: rabbitmqctl does not answer here (\(Answer.oneLine(users.output))); run these commands on the broker, as root:"
            )
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

    /// The gateway may declare, bind and read its queues. `password` is `nil` if the user exists.
    private func gatewayDefinitions(_ password: String?) -> Definitions {
        let name = address.user
        return Definitions(
            users: password.map { [.init(name: name, password: $0)] } ?? [],
            permissions: [
                .init(
                    user: name, vhost: address.vhost, configure: "^(cuff|unrouted)$", write: "^(cuff|unrouted)$",
                    read: "^(cuff|unrouted|amq\\.topic)$")
            ],
            unroutedPolicies: [address.vhost])
    }

    /// `passwords` are those of new machines.
    private func machineDefinitions(_ machines: [String], _ passwords: [String: String]) -> Definitions {
        let vhost = address.vhost
        let rights = machines.map { (name: $0, rights: MachineRights($0)) }
        return Definitions(
            users: passwords.sorted { $0.key < $1.key }.map { .init(name: $0.key, password: $0.value) },
            permissions: rights.map {
                .init(user: $0.name, vhost: vhost, configure: $0.rights.configure, write: $0.rights.write, read: $0.rights.read)
            },
            topicPermissions: rights.map {
                .init(user: $0.name, vhost: vhost, exchange: Self.exchange, write: $0.rights.topics, read: $0.rights.topics)
            })
    }

    /// The administrator for `cuff-gateway machine`. Its password is written first, and kept if it is there.
    private func importOperator(exists: Bool) throws(ConfigurationFault) {
        let credentials = Credentials()
        var password = try credentials.find(ManagementAddress.credential)
        let name = try ManagementAddress(ManagementAddress.usual).user
        guard !exists || password == nil else { return }
        if password == nil {
            let new = NewSecret.make()
            try SmallFile.replace(credentials.place(ManagementAddress.credential), with: new + "\n")
            password = new
        }
        try load(Definitions(users: [.init(name: name, password: password ?? "", tags: ["administrator"])]))
        print("the administrator `\(name)` has the password in \(credentials.place(ManagementAddress.credential))")
    }

    private func importGateway(exists: Bool) throws(ConfigurationFault) {
        try load(gatewayDefinitions(exists ? nil : password))
        if !exists { print("added the user `\(address.user)` for the gateway") }
    }

    private func importMachines(_ machines: [String], existing: Set<String>) throws(ConfigurationFault) {
        var passwords: [String: String] = [:]
        for machine in machines where !existing.contains(machine) && passwords[machine] == nil {
            let secret = NewSecret.make()
            // It may be of another broker's machine.
            guard access(Self.passwordFile(machine), F_OK) != 0 else {
                throw ConfigurationFault("\(Self.passwordFile(machine)) exists already; move it away")
            }
            try SmallFile.replace(Self.passwordFile(machine), with: secret + "\n")
            passwords[machine] = secret
        }
        do {
            try load(machineDefinitions(machines, passwords))
        } catch {
            // These passwords were not set; the next run creates new ones.
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

    /// One call for all users, because each rabbitmqctl starts an Erlang virtual machine. Passwords go through standard input:
    /// arguments are visible to every user.
    private func load(_ definitions: Definitions) throws(ConfigurationFault) {
        let result = control(["import_definitions"], input: definitions.json)
        guard result.status == 0 else {
            throw ConfigurationFault("rabbitmqctl could not import the users and their permissions: \(Answer.oneLine(result.output))")
        }
    }

    private func control(_ arguments: [String], input: String = "") -> (status: Int32, output: String) {
        Subprocess.run(["rabbitmqctl", "-q"] + arguments, input: Array(input.utf8))
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F || $0 == 0x2D || $0 == 0x2F || $0 == 0x2E
        }
        return isPlain && !word.isEmpty ? word : "'\(word)'"
    }
}
