/// What a link has written and `sent` has not answered yet, in order: which session wrote it, and where an acknowledgement is in it. A
/// transport that loses a write may answer it before an earlier one, so an answer is matched by its bytes first.
struct LinkOutput: Sendable {
    /// Who wrote what was sent.
    enum Writer: Sendable { case presentSession, formerSession, other }

    private var writes: [[UInt8]] = []
    /// How many of the writes, from the first on, are of sessions that have ended.
    private var former = 0
    private var bytes = 0
    /// Unsent writes up to and including the last acknowledgement.
    private var acknowledgement = 0
    /// The next write is an acknowledgement.
    private var acknowledgesNext = false
    private var isIgnored = false

    var isEmpty: Bool { writes.isEmpty }
    /// More than `LinkState.outputLimit` is unsent.
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

    /// One write has reached the kernel; returns its writer. Bytes that are not among the writes still answer the first one.
    mutating func sent(_ sent: [UInt8]) -> Writer {
        acknowledgement = max(0, acknowledgement - 1)
        let found = writes.firstIndex(of: sent)
        guard let index = found ?? writes.indices.first else { return .other }
        let isFormer = index < former
        if isFormer { former -= 1 }
        bytes -= writes.remove(at: index).count
        return found == nil ? .other : isFormer ? .formerSession : .presentSession
    }

    /// The session that wrote the unsent writes has ended.
    mutating func sessionBegins() { former = writes.count }

    /// Whether the next write of this event acknowledges readings to the cuff.
    mutating func acknowledgeNext(_ isAcknowledgement: Bool) { acknowledgesNext = isAcknowledgement }

    /// The transport has closed; returns whether an acknowledgement was unsent.
    mutating func loseAcknowledgement() -> Bool {
        defer { acknowledgement = 0 }
        return acknowledgement > 0
    }

    /// Nothing that is written reaches a cuff, and nothing answers it: a recording of both sides.
    mutating func ignoreWrites() {
        isIgnored = true
        (writes, former, bytes) = ([], 0, 0)
    }
}
