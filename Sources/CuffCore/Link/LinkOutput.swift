/// The writes of a link not yet confirmed by `sent`, in order: whose they are, and which one acknowledges. A transport that loses a write
/// may confirm a later one first, so confirmations are matched by bytes first.
struct LinkOutput: Sendable {
    enum Writer: Sendable { case presentSession, formerSession, other }

    private var writes: [[UInt8]] = []
    /// The number of leading writes of former sessions.
    private var former = 0
    private var bytes = 0
    /// Unsent writes up to and including the last acknowledgement.
    private var acknowledgement = 0
    private var acknowledgesNext = false
    private var isIgnored = false

    var isEmpty: Bool { writes.isEmpty }
    var isFull: Bool { bytes > LinkState.outputLimit }

    mutating func append(_ write: [UInt8]) {
        if !isIgnored {
            writes.append(write)
            bytes += write.count
        }
        guard acknowledgesNext else { return }
        acknowledgesNext = false
        acknowledgement = writes.count
    }

    /// Removes one confirmed write and returns its writer. Unknown bytes confirm the first write.
    mutating func sent(_ sent: [UInt8]) -> Writer {
        acknowledgement = max(0, acknowledgement - 1)
        let found = writes.firstIndex(of: sent)
        guard let index = found ?? writes.indices.first else { return .other }
        let isFormer = index < former
        if isFormer { former -= 1 }
        bytes -= writes.remove(at: index).count
        return found == nil ? .other : isFormer ? .formerSession : .presentSession
    }

    mutating func sessionBegins() { former = writes.count }

    mutating func acknowledgeNext(_ isAcknowledgement: Bool) { acknowledgesNext = isAcknowledgement }

    mutating func loseAcknowledgement() -> Bool {
        defer { acknowledgement = 0 }
        return acknowledgement > 0
    }

    /// For a recording of both sides: writes reach no cuff and are not confirmed.
    mutating func ignoreWrites() {
        isIgnored = true
        (writes, former, bytes) = ([], 0, 0)
    }
}
