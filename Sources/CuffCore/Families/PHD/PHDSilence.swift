/// Detects unfinished APDUs, and associations without traffic.
struct PHDSilence: Sendable {
    /// Silence within an APDU; shorter than the agent's TOcer of 3 s: its ABRT after a lost byte must not be read as that byte.
    static let byteTimeout = Duration.seconds(2)
    /// Silence in Operating after which a follower releases the association: docs/PHD.md §9.1, policy.
    static let idleTimeout = Duration.seconds(1800)

    private struct APDU: Equatable {
        var frames: Int
        var skipped: Int
        var length: UInt16
    }

    private var watched: APDU?
    private var wasActive = false

    mutating func noteBytes() { wasActive = true }

    mutating func wasBroken() -> Bool {
        defer { wasActive = false }
        return wasActive
    }

    mutating func forget() { watched = nil }

    /// An APDU that has begun must end; noise before an association need not.
    mutating func watch(_ reader: borrowing FrameReader<PHDFrame>, isPassive: Bool, into actions: inout SessionActions) {
        guard reader.waiting > 0, !isPassive else {
            if watched != nil { actions += [.disarm(.silence), .disarm(.frame)] }
            watched = nil
            return
        }
        actions.arm(.silence, Self.byteTimeout)
        // A wrong length swallows what follows, so the whole APDU has a time limit too.
        let now = APDU(frames: reader.frames, skipped: reader.skippedBytes, length: reader.buffer.span.bigEndian16(2) ?? 0)
        guard watched != now else { return }
        watched = now
        actions.arm(.frame, Self.byteTimeout + .milliseconds(2 * Int64(now.length)))
    }
}
