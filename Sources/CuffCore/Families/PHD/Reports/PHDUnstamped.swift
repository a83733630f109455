/// Recognises repeated reports whose readings have no time. Within an association, the same scan report number with the same information is
/// the same report. If an association breaks off, the agent repeats unconfirmed reports in the next one, first and in order. Our
/// confirmation counts as lost only if nothing followed it but the agent's ABRT or its request for another association, within `proofTime`.
/// In all other cases, including a broken line, the next report is a new measurement, whatever its values.
struct PHDUnstamped: Sendable {
    /// TOcer of 3 s, after which an agent gives up, plus transmission: docs/PHD.md §9.1.
    static let proofTime = Duration.seconds(5)

    /// The last report of this association, if it had such a reading.
    private var last: (number: UInt16, digest: UInt64)?
    /// The numbers of emissions at the last of them, and at the last confirmed one.
    private var emitted = 0
    private var confirmed = 0
    /// A confirmation was sent, and the agent has not continued since.
    private(set) var isUnproven = false

    var isOutstanding: Bool { emitted > confirmed }

    @inline(__always)
    mutating func noteProof() { isUnproven = false }
    @inline(__always)
    mutating func noteStamped() { last = nil }

    func repeats(_ apdu: Span<UInt8>, _ info: Int, _ number: UInt16) -> Bool {
        guard let last else { return false }
        return last.number == number && last.digest == Self.digest(apdu, from: info &+ 4)
    }

    private static func digest(_ apdu: Span<UInt8>, from offset: Int) -> UInt64 {
        offset < apdu.count ? XXHash64.hash(apdu.extracting(offset..<apdu.count)) : 0
    }

    /// Marks the readings of a confirmed report that only their arrival distinguishes from equal ones.
    mutating func mark(
        _ readings: inout [Reading], from start: Int, of apdu: Span<UInt8>, _ info: Int, _ number: UInt16, emitted count: Int
    ) {
        for index in start..<readings.count where ReadingLedger.restsOnArrival(readings[index]) {
            readings[index].repetition = .untilAcknowledged
            emitted = count
            last = (number, Self.digest(apdu, from: info &+ 4))
        }
    }

    /// The next write confirms this number of emissions. Returns whether one is of an unstamped reading.
    mutating func acknowledge(through: Int) -> Bool {
        guard through > confirmed else { return false }
        confirmed = through
        isUnproven = true
        return true
    }

    mutating func leave(emitted: Int) {
        self = PHDUnstamped()
        (self.emitted, confirmed) = (emitted, emitted)
    }
}

extension PHDSession {
    mutating func acknowledgeUnstamped(into actions: inout SessionActions) {
        guard let through = confirmations.due, reports.unstamped.acknowledge(through: through) else { return }
        actions.append(.acknowledge(through: through))
        if !isPassive { actions.arm(.proof, PHDUnstamped.proofTime) }
    }

    mutating func leaveUnstamped(into actions: inout SessionActions) {
        let unstamped = reports.unstamped
        let isLost = unstamped.isUnproven && association.end == .byAgent
        if isLost || unstamped.isOutstanding { actions.append(.expectRepetitions(isLost: isLost)) }
        if unstamped.isUnproven, !command.isObserver { actions.disarm(.proof) }
        reports.unstamped.leave(emitted: confirmations.emitted)
    }
}
