import RemoteSink

/// A user of the broker that belongs to one machine. The first has the machine's name, later ones a number: `pi-1`, `pi-1.2`. A machine has
/// two of them while its credentials are exchanged, so that it is never without one.
struct MachineUser: Equatable, Comparable {
    let machine: String
    let number: Int

    init(_ machine: String, number: Int = 1) {
        self.machine = machine
        self.number = number
    }

    /// `nil` if the name cannot be of a machine's user.
    init?(name: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let machine = parts.first, MachineName.isValid(String(machine)), parts.count <= 2 else { return nil }
        self.machine = String(machine)
        guard parts.count == 2 else {
            number = 1
            return
        }
        guard let number = Int(parts[1]), number >= 2, "\(number)" == parts[1] else { return nil }
        self.number = number
    }

    var name: String { number == 1 ? machine : "\(machine).\(number)" }
    var next: MachineUser { MachineUser(machine, number: number + 1) }

    static func < (one: MachineUser, other: MachineUser) -> Bool { (one.machine, one.number) < (other.machine, other.number) }
}

enum MachineName {
    /// It is a topic level, a word of a routing key and a user name.
    static func isValid(_ name: String) -> Bool {
        1...64 ~= name.utf8.count
            && name.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x41...0x5A ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5F || $0 == 0x2D }
    }

    static func check(_ name: String) throws(ConfigurationFault) -> String {
        guard isValid(name) else {
            throw ConfigurationFault("`\(name.prefix(70))` is not a machine name: use 1 to 64 of A-Z, a-z, 0-9, _ and -")
        }
        return name
    }
}

/// What a machine may do: publish, and read retained messages, only below its own name. A subscription uses a queue named after the client
/// id (`cuff-NAME`, `cuff-NAME.PID` for a check).
struct MachineRights {
    let configure, write, read, topics: String

    init(_ machine: String) {
        let queue = "mqtt-subscription-cuff-\(machine)(\\.[0-9]+)?qos[01]"
        configure = "^\(queue)$"
        write = "^(amq\\.topic|\(queue))$"
        read = write
        topics = "^cuff\\.\(machine)\\."
    }

    /// The machine of such a right.
    static func machine(ofTopics text: String) -> String? {
        guard text.hasPrefix("^cuff\\."), text.hasSuffix("\\.") else { return nil }
        let name = String(text.dropFirst(7).dropLast(2))
        return MachineName.isValid(name) ? name : nil
    }
}

/// 160 random bits.
enum NewSecret {
    static func make() -> String {
        let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
        var random = SystemRandomNumberGenerator()
        return String((0..<32).map { _ in letters[Int(random.next() & 31)] })
    }
}
