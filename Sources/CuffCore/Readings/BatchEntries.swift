/// Readings and live events for the sinks, in the cuff's order. A collection of `BatchEntry`; readings are in a separate array, because they can
/// number millions and are completed and printed in place.
public struct BatchEntries: RandomAccessCollection, Sendable {
    private struct Live: Sendable {
        var event: LiveEvent
        var driver: DriverID
        var elapsed: Duration?
        var position: Int
    }

    /// Changed in place only within the module; positions of live events depend on the count.
    public internal(set) var readings: [Reading] = []
    private var live: [Live] = []

    /// No entries.
    public init() {}

    /// Creates the collection in this order.
    public init(_ entries: some Sequence<BatchEntry>) {
        for entry in entries { append(entry) }
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of entries.
    public var endIndex: Int { readings.count + live.count }

    /// The entry at 0..<`endIndex`, found in logarithmic time.
    public subscript(position: Int) -> BatchEntry {
        let before = liveCount(before: position)
        if before < live.count, live[before].position == position {
            return .live(live[before].event, driver: live[before].driver, elapsed: live[before].elapsed)
        }
        return .reading(readings[position - before])
    }

    private func liveCount(before position: Int) -> Int {
        guard let last = live.last, last.position >= position else { return live.count }
        var low = 0
        var high = live.count
        while low < high {
            let middle = (low + high) / 2
            if live[middle].position < position { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The number of alerts.
    public var alertCount: Int {
        guard !live.isEmpty else { return 0 }
        return live.count { if case .alert = $0.event { true } else { false } }
    }

    /// Reserves space for `count` readings.
    public mutating func reserveCapacity(_ count: Int) { readings.reserveCapacity(count) }

    /// Appends an entry.
    public mutating func append(_ entry: BatchEntry) {
        switch entry {
        case .reading(let reading): readings.append(reading)
        case .live(let event, let driver, let elapsed): append(event, driver: driver, elapsed: elapsed, afterReadings: readings.count)
        }
    }

    /// Appends an event after the first `count` readings and all live events.
    mutating func append(_ event: LiveEvent, driver: DriverID, elapsed: Duration?, afterReadings count: Int) {
        live.append(Live(event: event, driver: driver, elapsed: elapsed, position: live.count + count))
    }

    var liveEvents: Int { live.count }

    mutating func setElapsed(_ elapsed: Duration, ofLiveEvent index: Int) {
        if live.indices.contains(index) { live[index].elapsed = elapsed }
    }

    /// Appends all entries of `more`.
    public mutating func append(contentsOf more: BatchEntries) {
        let count = count
        for event in more.live {
            live.append(event)
            live[live.count - 1].position += count
        }
        readings.append(contentsOf: more.readings)
    }

    /// Updates every reading in place.
    public mutating func updateReadings(_ body: (inout Reading) -> Void) {
        for index in readings.indices { body(&readings[index]) }
    }

    /// Removes live events for which the closure returns `true`.
    public mutating func removeLiveEvents(where isUnwanted: (LiveEvent) -> Bool) {
        guard live.contains(where: { isUnwanted($0.event) }) else { return }
        self = BatchEntries(
            filter { entry in
                guard case .live(let event, _, _) = entry else { return true }
                return !isUnwanted(event)
            })
    }

    @inline(__always)
    func visit(
        _ range: Range<Int>, readings visitReadings: (UnsafeBufferPointer<Reading>) -> Void, live visitLive: (BatchEntry) -> Void
    ) {
        var position = range.lowerBound
        var event = liveCount(before: position)
        while position < range.upperBound {
            let next = event < live.count ? Swift.min(live[event].position, range.upperBound) : range.upperBound
            if position < next {
                let stretch = (position - event)..<(next - event)
                readings.withUnsafeBufferPointer { visitReadings(UnsafeBufferPointer(rebasing: $0[stretch])) }
            }
            position = next
            if position < range.upperBound {
                visitLive(self[position])
                position += 1
                event += 1
            }
        }
    }
}
