/// Detects repeated determinations of a monitor. One with its own time is identified by it. One without is the same as long as the
/// monitor's messages hold the same values in the same group for the same patient, also over a new connection if the monitor names itself.
struct HL7Repetitions: Sendable {
    /// Timed determinations that one connection remembers; ids recognise older ones too.
    private static let mostTimed = 256
    /// Monitors behind one connection (a gateway); the oldest is forgotten first.
    private static let mostMonitors = 64
    /// Determinations of one message that are kept for the next connection.
    private static let mostKept = 32

    private var timed: [UInt64] = []
    private var timedSet: Set<UInt64> = []
    /// The determinations without a time in the last such message of each monitor.
    private var standing: [UInt64: Set<UInt64>] = [:]
    private var monitors: [UInt64] = []
    private let memory: [String: [UInt8]]
    private let keepsMemory: Bool

    /// To be remembered for the next connection, once the readings are on disk.
    struct Note: Sendable {
        var key: String
        var value: [UInt8]
    }

    init(_ context: SessionContext) {
        memory = context.isRecorded ? [:] : context.memory
        keepsMemory = !context.isRecorded
    }

    mutating func isNew(timed digest: UInt64) -> Bool {
        guard timedSet.insert(digest).inserted else { return false }
        timed.append(digest)
        if timed.count > Self.mostTimed { timedSet.remove(timed.removeFirst()) }
        return true
    }

    /// Which determinations without a time are new, and what to remember. `isNamed`: the monitor identifies itself.
    mutating func new(_ digests: [UInt64], of monitor: UInt64, isNamed: Bool) -> (isNew: [Bool], note: Note?) {
        let key = "last-\(Hex.text([UInt8(truncatingIfNeeded: monitor)]))"
        let before = standing[monitor] ?? (isNamed ? Self.digests(memory[key], of: monitor) : [])
        if standing[monitor] == nil {
            monitors.append(monitor)
            if monitors.count > Self.mostMonitors { standing[monitors.removeFirst()] = nil }
        }
        let now = Set(digests)
        standing[monitor] = now
        let isKept = keepsMemory && isNamed && now != before && now.count <= Self.mostKept
        return (digests.map { !before.contains($0) }, isKept ? Note(key: key, value: Self.bytes([monitor] + now.sorted())) : nil)
    }

    private static func bytes(_ words: [UInt64]) -> [UInt8] {
        words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
    }

    private static func digests(_ value: [UInt8]?, of monitor: UInt64) -> Set<UInt64> {
        guard let value, value.span.bigEndian64(0) == monitor, value.count <= 8 * (mostKept + 1) else { return [] }
        return Set(stride(from: 8, to: value.count, by: 8).compactMap { value.span.bigEndian64($0) })
    }
}
