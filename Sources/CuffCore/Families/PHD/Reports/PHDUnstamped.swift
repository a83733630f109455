/// Reports whose readings carry no time, told from their repetitions.
///
/// A scan report has a number within its association: the same number with the same information is the same report. When
/// an association breaks off, the agent sends in the next one, first and in order, what was not confirmed to it. What we
/// confirmed counts as not confirmed there only when the confirmation was the last word: nothing came from the agent behind
/// it but its ABRT, or its request for another association, and that within `proofTime`. In every other case, a line that broke
/// off included, the next one is a measurement of its own, whatever its numbers.
struct PHDUnstamped: Sendable {
    /// TOcer of 3 s, after which an agent gives up, and the way there and back: docs/PHD.md §9.1.
    static let proofTime = Duration.seconds(5)

    /// The last report of this association that had such a reading, if that was the last of all.
    fileprivate var last: (number: UInt16, digest: UInt64)?
    /// How many emissions there were at the last of them, and at the last that was confirmed.
    fileprivate var emitted = 0
    fileprivate var confirmed = 0
    /// A confirmation left, and the agent has not gone on since.
    var isUnproven = false

    var isOutstanding: Bool { emitted > confirmed }
}

extension PHDSession {
    /// Whether this confirmed report is the last one again.
    @inline(__always)
    func repeatsUnstamped(_ apdu: Span<UInt8>, _ info: Int, _ number: UInt16) -> Bool {
        guard let last = unstamped.last else { return false }
        return last.number == number && last.digest == Self.digest(apdu, from: info &+ 4)
    }

    private static func digest(_ apdu: Span<UInt8>, from offset: Int) -> UInt64 {
        offset < apdu.count ? XXHash64.hash(apdu.extracting(offset..<apdu.count)) : 0
    }

    /// Marks the readings of a report that only their arrival tells from equal ones.
    @inline(__always)
    mutating func noteUnstamped(
        _ apdu: Span<UInt8>, _ info: Int, _ number: UInt16, _ isConfirmed: Bool, from start: Int, into actions: inout SessionActions
    ) {
        unstamped.last = nil
        guard isConfirmed else { return }
        for index in start..<actions.readings.count where ReadingLedger.restsOnArrival(actions.readings[index]) {
            actions.readings[index].repetition = .untilAcknowledged
            unstamped.emitted = emitted
            unstamped.last = (number, 0)
        }
        if unstamped.last != nil { unstamped.last = (number, Self.digest(apdu, from: info &+ 4)) }
    }

    /// The confirmations that are due go out with the next write.
    mutating func acknowledgeUnstamped(into actions: inout SessionActions) {
        var through = unstamped.confirmed
        for pendingConfirmations in pendingConfirmations[confirmedHead...] {
            guard pendingConfirmations.through <= committed else { break }
            through = pendingConfirmations.through
        }
        guard through > unstamped.confirmed else { return }
        unstamped.confirmed = through
        unstamped.isUnproven = true
        actions.append(.acknowledge(through: through))
        if !isPassive { actions.append(.arm(.proof, PHDUnstamped.proofTime)) }
    }

    /// The association is over.
    mutating func leaveUnstamped(into actions: inout SessionActions) {
        let isLost = unstamped.isUnproven && wasBrokenByAgent
        if isLost || unstamped.isOutstanding { actions.append(.expectRepetitions(isLost: isLost)) }
        if unstamped.isUnproven, !isForeign { actions.append(.disarm(.proof)) }
        let emitted = emitted
        unstamped = PHDUnstamped()
        (unstamped.emitted, unstamped.confirmed) = (emitted, emitted)
    }
}

extension PHDReportForm {
    /// Whether two pressures have one stamp: then they are one measurement listed twice, or their order tells them apart.
    @inline(__always)
    func hasEqualStamps(_ apdu: Span<UInt8>) -> Bool { pairs.count + lonePressures.count > 1 && findsEqualStamps(apdu) }

    private func findsEqualStamps(_ apdu: Span<UInt8>) -> Bool {
        var seen: Set<PHDStamp> = []
        for pair in pairs {
            let stamp = pair.stampOfPressures(apdu)
            if stamp.isMatchable, !seen.insert(stamp).inserted { return true }
        }
        for index in lonePressures {
            let stamp = observation(index, apdu).stamp
            if stamp.isMatchable, !seen.insert(stamp).inserted { return true }
        }
        return false
    }
}
