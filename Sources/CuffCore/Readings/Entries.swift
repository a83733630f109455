/// What goes to the sinks, in the order in which a cuff said it: readings, and live events between them.
///
/// It is a collection of `Entry`. Inside, the readings lie in one array of their own: they are the ones that come by the
/// million, and here they can be named, stamped and printed in place, with no copy into and out of a case.
public struct Entries: RandomAccessCollection, Sendable {
    private struct Live: Sendable {
        var event: LiveEvent
        var driver: DriverID
        var elapsed: Duration?
        /// Its place among the entries.
        var position: Int
    }

    /// Within the module they may be named and taken back in place; how many there are is counted by the live events' places.
    public internal(set) var readings: [Reading] = []
    private var live: [Live] = []

    /// No entries.
    public init() {}

    /// The same entries in the same order.
    public init(_ entries: some Sequence<Entry>) {
        for entry in entries { append(entry) }
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of entries, readings and live events together.
    public var endIndex: Int { readings.count + live.count }

    /// The entry at a place 0..<`endIndex`. Looking for the live events before it takes logarithmic time.
    public subscript(position: Int) -> Entry {
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

    /// How many of the entries are alerts.
    public var alertCount: Int {
        guard !live.isEmpty else { return 0 }
        return live.count { if case .alert = $0.event { true } else { false } }
    }

    /// Readings that can be added before storage has to grow.
    public var capacity: Int { readings.capacity }
    /// Makes room for so many readings; live events are not counted.
    public mutating func reserveCapacity(_ count: Int) { readings.reserveCapacity(count) }

    /// Adds an entry behind all others.
    public mutating func append(_ entry: Entry) {
        switch entry {
        case .reading(let reading): readings.append(reading)
        case .live(let event, let driver, let elapsed): append(event, driver: driver, elapsed: elapsed, afterReadings: readings.count)
        }
    }

    /// The event comes after the first `count` readings, and after every live event so far.
    mutating func append(_ event: LiveEvent, driver: DriverID, elapsed: Duration?, afterReadings count: Int) {
        live.append(Live(event: event, driver: driver, elapsed: elapsed, position: place(afterReadings: count)))
    }

    /// How many of the entries are live events.
    var liveEvents: Int { live.count }

    /// Says when one of the live events was.
    mutating func setElapsed(_ elapsed: Duration, ofLiveEvent index: Int) {
        if live.indices.contains(index) { live[index].elapsed = elapsed }
    }

    /// Where an entry stands that comes after the first `count` readings and after every live event so far.
    func place(afterReadings count: Int) -> Int { live.count + count }

    /// Adds all entries of `more`, in their order, behind these.
    public mutating func append(contentsOf more: Entries) {
        let count = count
        for event in more.live {
            live.append(event)
            live[live.count - 1].position += count
        }
        readings.append(contentsOf: more.readings)
    }

    /// Removes every entry.
    public mutating func removeAll(keepingCapacity: Bool = false) {
        readings.removeAll(keepingCapacity: keepingCapacity)
        live.removeAll(keepingCapacity: keepingCapacity)
    }

    /// Takes the first `count` entries off.
    public mutating func takeFirst(_ count: Int) -> Entries {
        let first = Entries(prefix(count))
        self = Entries(dropFirst(count))
        return first
    }

    /// Changes every reading in place.
    public mutating func updateReadings(_ body: (inout Reading) -> Void) {
        for index in readings.indices { body(&readings[index]) }
    }

    /// Removes the live events for which the closure answers `true`; readings and the order stay.
    public mutating func removeLiveEvents(where isUnwanted: (LiveEvent) -> Bool) {
        guard live.contains(where: { isUnwanted($0.event) }) else { return }
        self = Entries(
            filter { entry in
                guard case .live(let event, _, _) = entry else { return true }
                return !isUnwanted(event)
            })
    }

    /// The stretches of readings and the live events of `range`, in order.
    @inline(__always)
    func visit(
        _ range: Range<Int>, readings visitReadings: (UnsafeBufferPointer<Reading>) -> Void, live visitLive: (Entry) -> Void
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
