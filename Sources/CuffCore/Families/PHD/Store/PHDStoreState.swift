struct PHDStoreState: Sendable {
    enum Progress: Sendable, Hashable { case unknown, described, listed, failed }

    var handle: UInt16
    var capability: UInt16?
    var clearTimeout: UInt32?
    var samplePeriod: UInt32?
    var progress = Progress.unknown
    var segments: [PHDSegment] = []
    /// How often the segments were listed again because readings were added during the transfer.
    var rounds = 0
    var isVerified = false
    var isCleared = false
    var clearing: [UInt16] = []

    init(_ store: PHDConfiguration.Store) {
        handle = store.handle
        capability = store.capability
        clearTimeout = store.clearTimeout
        samplePeriod = store.samplePeriod
    }

    var clearsByList: Bool { (capability ?? 0) & PHDStoreCapability.clearByList != 0 }
    var clearsByTime: Bool { (capability ?? 0) & PHDStoreCapability.clearByTime != 0 }
    var selectsByTime: Bool { (capability ?? 0) & PHDStoreCapability.selectByTime != 0 }

    /// The answer to GET; empty if refused.
    mutating func describe(_ apdu: Span<UInt8>) {
        var offset = 14
        _ = PHDList.attributes(apdu, &offset, apdu.count) { id, at, length in
            if id == PHDAttribute.storeCapability, length == 2 { capability = apdu.bigEndian16(at) }
            if id == PHDAttribute.clearTimeout, length == 4 { clearTimeout = apdu.bigEndian32(at) }
            if id == PHDAttribute.samplePeriod, length == 4 { samplePeriod = apdu.bigEndian32(at) }
            return true
        }
        if progress == .unknown { progress = .described }
    }

    /// Sets the list of segments; what was fetched of an unchanged segment still counts. Returns what cannot be fetched.
    mutating func list(_ list: [PHDSegment], user: Int?) -> [String] {
        progress = .listed
        let former = segments
        // A request has only the instance number, so that segments with equal numbers cannot be requested.
        var numbers: [UInt16: Int] = [:]
        for segment in list { numbers[segment.instance, default: 0] += 1 }
        segments = list.map { segment in
            var segment = segment
            segment.complete(self)
            if numbers[segment.instance, default: 0] > 1 { segment.isDecodable = false }
            if segment.usage == 0 { segment.progress = .empty }
            if let known = former.first(where: { $0.instance == segment.instance && $0.usage == segment.usage }),
                known.progress == .complete || known.progress == .failed
            {
                segment.progress = known.progress
                (segment.isWhole, segment.lacksReadings) = (known.isWhole, known.lacksReadings)
            }
            return segment
        }
        if rounds > 0 { isVerified = nextWaiting(user: user) == nil }
        rounds += 1
        return segments.filter { !$0.isDecodable && $0.usage != 0 }.map { segment in
            numbers[segment.instance, default: 0] > 1
                ? "two segments have the number \(segment.instance), so that neither can be asked for; they stay in the agent"
                : "segment \(segment.instance) is laid out in a way this program cannot read; it stays in the agent"
        }
    }

    func nextWaiting(user: Int?) -> Int? {
        segments.firstIndex { segment in
            guard segment.progress == .waiting, segment.isDecodable else { return false }
            guard let user, let person = segment.person else { return true }
            return Int(person) == user
        }
    }
}
