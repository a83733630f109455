/// How much a peer may leave unread of what is written to it, and for how long. While it is full nothing more is read from
/// the peer, so that one which asks without end and takes no answer cannot make the answers pile up.
struct UnsentOutput: Sendable {
    /// 64 KiB: the longest message that a session writes has 8 KiB, and a batch of confirmations 4 KiB. A peer that has not
    /// taken sixteen of these does not listen. What one read of input makes is added before that is seen.
    static let ceiling = 64 << 10
    /// A peer that takes nothing for so long while it is full is gone: ten times the three seconds that IEEE 11073 gives an
    /// answer, and longer than any pause of a vendor protocol.
    static let patience = Duration.seconds(30)

    /// What the kernel has not yet taken.
    private(set) var bytes = 0
    /// What it took in all: whoever looks twice sees whether the peer takes anything.
    private(set) var taken: UInt64 = 0

    var isFull: Bool { bytes >= Self.ceiling }

    mutating func add(_ count: Int) { bytes += count }

    mutating func take(_ count: Int) {
        bytes -= min(count, bytes)
        taken &+= UInt64(max(0, count))
    }

    mutating func forget() { bytes = 0 }
}
