/// The last event report as it was read. An agent says the same again and again with other numbers, and what has the
/// same form need not be read again: its observations stand where those of the last report stood.
///
/// How a report is read is decided by all its bytes but those that are passed over unseen: values, time stamps, and what
/// numbers the report itself. So where all the others are equal, and as many, the reader would find the same.
struct PHDReportForm: Sendable {
    /// Longer reports are read each time; 40 pairs of pressures and pulse are shorter.
    static let ceiling = 1536

    private(set) var handle: UInt16 = 0
    private(set) var event: UInt16 = 0
    private(set) var isConfirmed = false
    private(set) var observations: [PHDObservation] = []
    private(set) var pairs: [PHDPair] = []
    /// Pressures that are in no pair.
    private(set) var lonePressures: [Int] = []
    /// The report holds pairs and nothing else.
    var isOfPairs: Bool { pairs.count &* 2 == observations.count }

    // The APDU from its beginning, eight bytes to a word, and which of its bits decide; the last word ends where the APDU
    // does and may overlap the one before.
    private var words: [UInt64] = []
    private var masks: [UInt64] = []
    /// Bytes of the APDU; 0 where there is none to compare with.
    private var length = 0

    /// The configuration has changed, and with it what a report means.
    mutating func forget() { length = 0 }

    /// Whether the APDU has the form of the last one.
    @inline(__always)
    func recognises(_ apdu: Span<UInt8>) -> Bool {
        guard length > 0, apdu.count == length else { return false }
        // One check of bounds for the pass: `keep` made a word for each eight bytes of `length`, and one for the last eight.
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

    /// The observation in its place, with the stamp of this report.
    func observation(_ index: Int, _ apdu: Span<UInt8>) -> PHDObservation {
        var observation = observations[index]
        observation.restamp(apdu)
        return observation
    }

    /// Reads the observations of a report whose information begins at `info`; `false` when counts and lengths disagree.
    mutating func read(
        _ shape: PHDEvent.Shape, _ configuration: borrowing PHDConfiguration, scanner: Int?, _ apdu: Span<UInt8>, _ info: Int
    ) -> Bool {
        forget()
        observations.removeAll(keepingCapacity: true)
        pairs.removeAll(keepingCapacity: true)
        guard apdu.count >= info + 4,
            PHDReport.read(shape, configuration, scanner: scanner, apdu, info + 4, apdu.count, into: &observations)
        else { return false }
        for index in observations.indices.dropLast() {
            if let pair = PHDPair(index, observations, configuration, apdu) { pairs.append(pair) }
        }
        lonePressures.removeAll(keepingCapacity: true)
        guard !pairs.isEmpty, !isOfPairs else { return true }
        for index in observations.indices {
            let object = observations[index].object
            guard object >= 0, configuration.objects[object].role == .pressure else { continue }
            if !pairs.contains(where: { $0.index == index }) { lonePressures.append(index) }
        }
        return true
    }

    /// What was just read is an event report of its own: the next of the same form is recognised.
    mutating func keep(_ apdu: Span<UInt8>, _ handle: UInt16, _ event: UInt16, isConfirmed: Bool) {
        guard apdu.count >= 30, apdu.count <= Self.ceiling else { return }
        (self.handle, self.event, self.isConfirmed) = (handle, event, isConfirmed)
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
}
