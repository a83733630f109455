/// The fast form of `PHDSession.receiveObservations`; the row `phd-json-lines` of .ci/instructions counts what it saves, and
/// `PHDRepeatedReportTests` compares the two. An agent repeats reports of one form. If all bytes except values, stamps and report numbers
/// equal those of the last report, the values are in the same places. Learns only reports of pressures, each followed by its pulse; others
/// take the plain route.
struct PHDRepeatedReport: Sendable {
    /// Longer reports are not learned; 40 pairs of pressures and pulse are shorter.
    private static let ceiling = 1536

    private var head = PHDReportHead(invoke: 0, handle: 0, event: 0, isConfirmed: false)
    private var pairs: [PHDPressuresAndPulse] = []
    // The APDU as words of eight bytes, with a mask of the compared bits; the last word ends with the APDU and may overlap.
    private var words: [UInt64] = []
    private var masks: [UInt64] = []
    private var length = 0

    mutating func forget() { length = 0 }

    @inline(__always)
    func head(_ invoke: UInt16) -> PHDReportHead {
        var head = head
        head.invoke = invoke
        return head
    }

    @inline(__always)
    func matches(_ apdu: Span<UInt8>) -> Bool {
        guard length > 0, apdu.count == length else { return false }
        // One bounds check for the pass: `learn` made a word for each eight bytes of `length`, and one for the last eight.
        return apdu.withUnsafeBytes { bytes in
            words.withUnsafeBufferPointer { words in
                masks.withUnsafeBufferPointer { masks in
                    let whole = length / 8
                    guard words.count == whole &+ 1, masks.count == words.count else { return false }
                    @inline(__always)
                    func difference(_ index: Int, _ offset: Int) -> UInt64 {
                        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                        return (word ^ words[index]) & masks[index]
                    }
                    var differences = difference(whole, length &- 8)
                    for index in 0..<whole { differences |= difference(index, index &* 8) }
                    return differences == 0
                }
            }
        }
    }

    mutating func learn(
        _ apdu: Span<UInt8>, _ head: PHDReportHead, _ observations: [PHDObservation], _ configuration: borrowing PHDConfiguration
    ) {
        forget()
        guard head.info == PHDReportHead.usualInfo, apdu.count >= 30, apdu.count <= Self.ceiling, observations.count % 2 == 0 else {
            return
        }
        pairs.removeAll(keepingCapacity: true)
        for index in stride(from: 0, to: observations.count, by: 2) {
            guard let pair = PHDPressuresAndPulse(observations[index], observations[index + 1], configuration, apdu) else { return }
            pairs.append(pair)
        }
        self.head = head
        var decides = [Bool](repeating: true, count: apdu.count)
        let numbering = [6..<8, 14..<18, 24..<26]  // invoke-id, event time, scan report number
        for range in numbering + observations.flatMap({ [$0.valuePlaces, $0.stampPlaces] }) {
            for place in range where place < decides.count { decides[place] = false }
        }
        words.removeAll(keepingCapacity: true)
        masks.removeAll(keepingCapacity: true)
        for start in Array(stride(from: 0, through: apdu.count - 8, by: 8)) + [apdu.count - 8] {
            words.append(apdu.littleEndian64(start) ?? 0)
            masks.append(decides[start..<(start + 8)].reversed().reduce(0) { $0 << 8 | ($1 ? 0xFF : 0) })
        }
        length = apdu.count
    }

    /// Emits the readings of a matching report; returns their number. 0: use the plain route.
    @inline(__always)
    func emit(_ apdu: Span<UInt8>, into actions: inout SessionActions) -> Int {
        if pairs.count == 1 { return pairs[0].emit(apdu, into: &actions) ? 1 : 0 }
        return emitAll(apdu, into: &actions)
    }

    private func emitAll(_ apdu: Span<UInt8>, into actions: inout SessionActions) -> Int {
        // All or nothing: two pressures with one stamp may be one measurement listed twice.
        var seen: Set<PHDStamp> = []
        var readings = SessionActions()
        for pair in pairs {
            guard seen.insert(pair.stamp(apdu)).inserted, pair.emit(apdu, into: &readings) else { return 0 }
        }
        for reading in readings.readings { actions.emit(reading) }
        return pairs.count
    }
}
