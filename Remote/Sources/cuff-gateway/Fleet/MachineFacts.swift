import RemoteSink

/// What is known about one machine. Ages are in seconds.
struct MachineFacts: Equatable, Sendable {
    var name: String
    var isRevoked = false
    /// Since it was added by `machine add`.
    var added: Int?
    var seen: Int?
    var version: String?
    var presence: String?
    /// Of its last heartbeat: how often it sends one, queued and refused readings, the age of the oldest queued one, the disk.
    var interval: Int?
    var waiting = 0
    var oldest: Int?
    var refused = 0
    var isClockWrong = false
    var diskFree: Int?
    var diskSize: Int?
    var cuffs = 0

    /// From a row of `FleetFacts.statement`.
    init(
        name: String, isRevoked: Bool = false, added: Int? = nil, seen: Int?, version: String? = nil, presence: String? = nil,
        status: JSONValue? = nil
    ) {
        (self.name, self.isRevoked, self.added, self.seen) = (name, isRevoked, added, seen)
        (self.version, self.presence) = (version, presence)
        guard let status else { return }
        interval = Self.number(status["every_s"], 1...Self.longestInterval)
        waiting = Self.number(status["waiting"]) ?? 0
        refused = Self.number(status["refused"]) ?? 0
        isClockWrong = status["clock"]?.string == "unsynchronised"
        diskFree = Self.number(status["disk_free_bytes"])
        diskSize = Self.number(status["disk_bytes"])
        cuffs = status["cuffs"]?.array?.count ?? 0
        // Both times are of the machine's own clock, which may be wrong.
        if let oldest = status["oldest_waiting"]?.string.flatMap({ Instant($0) }),
            let sent = status["time"]?.string.flatMap({ Instant($0) })
        {
            self.oldest = Int((sent.milliseconds - oldest.milliseconds) / 1000) + (seen ?? 0)
        }
    }

    /// A week.
    private static let longestInterval = 7 * 86400
    /// Exact in every JSON library, and small enough to be multiplied by 100.
    private static let plausible = 0...1 << 53

    private static func number(_ value: JSONValue?, _ range: ClosedRange<Int> = plausible) -> Int? {
        value?.integer.flatMap { range.contains($0) ? $0 : nil }
    }
}

enum Trouble: String, CaseIterable, Sendable {
    case noContact = "no contact"
    case silent
    case behind
    case refused
    case clock
    case disk
    case old = "old version"
}

struct FleetRules: Sendable {
    /// The version of this program: machines may be older by one release, but are reported.
    var version = helperVersion
    /// Missed heartbeats, and at least so many seconds.
    var missed = 3
    var shortestSilence = 900
    /// Machines that send no heartbeats send something only when they have readings.
    var silenceWithoutHeartbeats = 3 * 86400
    /// After it was added, in seconds.
    var firstContact = 86400
    var oldest = 3600
    var diskPercent = 5

    func troubles(_ machine: MachineFacts) -> [Trouble] {
        guard !machine.isRevoked else { return [] }
        guard let seen = machine.seen else { return machine.added.map { $0 > firstContact } ?? false ? [.noContact] : [] }
        var found: [Trouble] = []
        if seen > (machine.interval.map { max(shortestSilence, missed * $0) } ?? silenceWithoutHeartbeats) { found.append(.silent) }
        if machine.waiting > 0, let age = machine.oldest, age > oldest { found.append(.behind) }
        if machine.refused > 0 { found.append(.refused) }
        if machine.isClockWrong { found.append(.clock) }
        if let free = machine.diskFree, let size = machine.diskSize, size > 0, free < size / 100 * diskPercent { found.append(.disk) }
        if let version = machine.version, Self.isOlder(version, than: self.version) { found.append(.old) }
        return found
    }

    /// Numbers separated by dots; other texts are not older.
    static func isOlder(_ one: String, than other: String) -> Bool {
        let (a, b) = (numbers(one), numbers(other))
        guard let a, let b else { return false }
        return a.lexicographicallyPrecedes(b)
    }

    private static func numbers(_ version: String) -> [Int]? {
        let parts = version.prefix { $0 != "-" && $0 != "~" && $0 != "+" }.split(separator: ".").map { Int($0) }
        return parts.isEmpty || parts.contains(nil) ? nil : parts.compactMap { $0 }
    }

    func sentence(_ trouble: Trouble, _ machine: MachineFacts) -> String {
        let name = machine.name
        switch trouble {
        case .noContact: return "\(name) was added \(Self.age(machine.added)) ago and has sent nothing yet: is its access installed?"
        case .silent:
            return "\(name) sent its last message \(Self.age(machine.seen)) ago"
                + (machine.presence == "offline" ? "; the broker reports it as offline" : "")
        case .behind:
            let readings = Self.count(machine.waiting, "unsent reading")
            return "\(name) has \(readings), the oldest for \(Self.age(machine.oldest)): `cuff sinks` there says why"
        case .refused:
            let readings = Self.count(machine.refused, "refused reading")
            return "\(name) has \(readings): `cuff sinks` there shows \(machine.refused == 1 ? "it" : "them")"
        case .clock: return "\(name) has a clock that is not synchronised: times of its readings may be wrong"
        case .disk:
            let percent = (machine.diskFree ?? 0) * 100 / max(1, machine.diskSize ?? 1)
            return "\(name) has \(percent) % of its disk free"
        case .old: return "\(name) runs version \(machine.version ?? "?"), and this gateway is \(version)"
        }
    }

    /// `1 machine`, `2 machines`.
    static func count(_ number: Int, _ word: String) -> String { number == 1 ? "1 \(word)" : "\(number) \(word)s" }

    static func age(_ seconds: Int?) -> String {
        guard let seconds else { return "an unknown time" }
        let units = [(86400, "day"), (3600, "hour"), (60, "minute")]
        for (size, word) in units where seconds >= 2 * size { return "\(seconds / size) \(word)s" }
        return count(max(0, seconds), "second")
    }
}
