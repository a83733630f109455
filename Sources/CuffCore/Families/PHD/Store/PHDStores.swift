/// The PM-stores of this association and the state of their transfer, one segment at a time.
struct PHDStores: Sendable {
    struct Place: Sendable, Hashable {
        var store: Int
        var segment: Int
    }

    enum Phase: Sendable, Hashable {
        case idle
        case transferring(Place)
        case paused
    }

    enum Step: Sendable, Hashable {
        case attributes(handle: UInt16)
        case segments(store: Int)
        case transfer(handle: UInt16, instance: UInt16)
    }

    /// Retries of one segment's transfer: policy.
    private static let tries = 2

    private(set) var all: [PHDStoreState] = []
    private(set) var phase = Phase.idle
    /// Associations given up because the store did not answer, and whether it ever did.
    private var timeouts = 0
    private var hasAnswered = false

    var isEmpty: Bool { all.isEmpty }
    var isIdle: Bool { phase == .idle }
    var isTransferring: Bool { if case .transferring = phase { true } else { false } }

    mutating func begin(_ stores: [PHDConfiguration.Store]) { all = stores.map { PHDStoreState($0) } }
    mutating func leave() { all.removeAll(keepingCapacity: true) }
    mutating func endTransfer() { phase = .idle }

    mutating func noteAnswer() { hasAnswered = true }
    /// Whether an unanswered request about a store is worth another association.
    mutating func noteTimeout() -> Bool {
        guard hasAnswered || timeouts < 2 else { return false }
        timeouts += 1
        return true
    }

    subscript(_ place: Place) -> PHDSegment { all[place.store].segments[place.segment] }

    func place(_ handle: UInt16, _ instance: UInt16) -> Place? {
        guard let store = all.firstIndex(where: { $0.handle == handle }),
            let segment = all[store].segments.firstIndex(where: { $0.instance == instance })
        else { return nil }
        return Place(store: store, segment: segment)
    }

    mutating func update(_ place: Place, _ change: (inout PHDSegment) -> Void) { change(&all[place.store].segments[place.segment]) }
    mutating func update(store: Int, _ change: (inout PHDStoreState) -> Void) { change(&all[store]) }

    func index(_ handle: UInt16) -> Int? { all.firstIndex { $0.handle == handle } }
    mutating func fail(_ handle: UInt16) { if let index = index(handle) { all[index].progress = .failed } }

    mutating func describe(_ handle: UInt16, _ apdu: Span<UInt8>) {
        guard let index = index(handle) else { return }
        all[index].describe(apdu)
    }

    /// Sets the segments of a store; returns which cannot be fetched, and why.
    mutating func list(_ segments: [PHDSegment], of store: Int, user: Int?) -> [String] {
        all[store].list(segments, user: user)
    }

    func next(user: Int?) -> Step? {
        for (index, store) in all.enumerated() {
            switch store.progress {
            case .unknown: return .attributes(handle: store.handle)
            case .described: return .segments(store: index)
            case .listed:
                guard let number = store.nextWaiting(user: user) else { continue }
                return .transfer(handle: store.handle, instance: store.segments[number].instance)
            case .failed: continue
            }
        }
        return nil
    }

    mutating func beginTransfer(_ place: Place) { phase = .transferring(place) }

    /// Marks the segment as failed. Returns whether it was being transferred.
    mutating func stop(_ place: Place) -> Bool {
        update(place) { $0.progress = .failed }
        guard phase == .transferring(place) else { return false }
        phase = .idle
        return true
    }

    mutating func mayRestart(_ place: Place) -> Bool {
        guard self[place].tries < Self.tries else { return false }
        update(place) {
            $0.tries += 1
            $0.progress = .waiting
        }
        return true
    }

    mutating func pause() { if !isTransferring { phase = .paused } }

    mutating func endPause() -> Bool {
        guard phase == .paused else { return false }
        phase = .idle
        return true
    }

    var outcome: Outcome {
        let failed = all.contains { store in
            store.progress == .failed
                || store.segments.contains { $0.progress == .failed || $0.progress == .waiting && !$0.isDecodable }
        }
        return failed ? .failed("a part of the agent's store could not be fetched") : .complete
    }
}
