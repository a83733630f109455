/// Recognises repetitions of reports whose readings carry no time.
///
/// A scan report has a number within its association: the same number with the same information is the same report. When
/// an association breaks off, the agent sends in the next one, first and in order, what was not confirmed to it. A confirmation
/// of ours counts as lost there only when it was the last word: the agent sent nothing after it but its ABRT, or its request for
/// another association, and that within `proofTime`. In every other case, a line that broke off included, the next report is a
/// measurement of its own, whatever its numbers.
struct PHDUnstamped: Sendable {
    /// TOcer of 3 s, after which an agent gives up, and the way there and back: docs/PHD.md §9.1.
    static let proofTime = Duration.seconds(5)

    /// The last report of this association, if it had such a reading.
    private var last: (number: UInt16, digest: UInt64)?
    /// How many emissions there were at the last of them, and at the last that was confirmed.
    private var emitted = 0
    private var confirmed = 0
    /// A confirmation left, and the agent has not gone on since.
    private(set) var isUnproven = false

    var isOutstanding: Bool { emitted > confirmed }

    @inline(__always)
    mutating func noteProof() { isUnproven = false }
    /// The last report had stamps.
    @inline(__always)
    mutating func noteStamped() { last = nil }

    /// Whether this confirmed report is the last one again.
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

    /// Confirmations of so many emissions leave with the next write. Returns whether one is of an unstamped reading.
    mutating func acknowledge(through: Int) -> Bool {
        guard through > confirmed else { return false }
        confirmed = through
        isUnproven = true
        return true
    }

    /// The association is over, after so many emissions.
    mutating func leave(emitted: Int) {
        self = PHDUnstamped()
        (self.emitted, confirmed) = (emitted, emitted)
    }
}

extension PHDSession {
    /// The confirmations that are due leave with the next write.
    mutating func acknowledgeUnstamped(into actions: inout SessionActions) {
        guard let through = confirmations.due, reports.unstamped.acknowledge(through: through) else { return }
        actions.append(.acknowledge(through: through))
        if !isPassive { actions.arm(.proof, PHDUnstamped.proofTime) }
    }

    /// The association is over.
    mutating func leaveUnstamped(into actions: inout SessionActions) {
        let unstamped = reports.unstamped
        let isLost = unstamped.isUnproven && association.end == .byAgent
        if isLost || unstamped.isOutstanding { actions.append(.expectRepetitions(isLost: isLost)) }
        if unstamped.isUnproven, !command.isObserver { actions.disarm(.proof) }
        reports.unstamped.leave(emitted: confirmations.emitted)
    }
}
