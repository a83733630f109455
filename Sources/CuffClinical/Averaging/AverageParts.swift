import CuffCore

/// Finds the single inflations in an average that a cuff made itself (`averaged`): those of the same cuff in the ten minutes before it. They
/// do not count beside the average.
///
/// Elements are added in the order of their time and held until no later average can include them. One that is earlier than the element
/// before it ends the wait for all.
package struct AverageParts<Element> {
    private var held: [(element: Element, time: Timestamp, source: Int, isSingle: Bool, isPart: Bool)] = []
    private var oldest = 0
    /// The time of the latest average of each cuff.
    private var averages: [Int: Timestamp] = [:]

    package init() {}

    /// Holds an element; `flags` is `nil` for one that does not count anyway.
    mutating func hold(_ element: Element, at time: Timestamp, source: Int, flags: MeasurementFlags?) {
        var isPart = false
        if let flags {
            if flags.contains(.averaged) {
                for index in oldest..<held.count where held[index].source == source && held[index].isSingle { held[index].isPart = true }
                averages[source] = time
            } else {
                isPart = averages[source] == time
            }
        }
        held.append((element, time, source, flags?.contains(.averaged) == false, isPart))
    }

    /// The next element that no average at `time` or later can include, and whether an average includes it; `nil`: no average follows.
    mutating func next(at time: Timestamp?) -> (element: Element, isPart: Bool)? {
        guard oldest < held.count else {
            held.removeAll(keepingCapacity: true)
            oldest = 0
            return nil
        }
        let (element, begin, _, _, isPart) = held[oldest]
        if let time, time.milliseconds - begin.milliseconds <= ProtocolAverage.pause { return nil }
        oldest += 1
        if oldest > 1024 {
            held.removeFirst(oldest)
            oldest = 0
        }
        return (element, isPart)
    }

    /// Holds an element, and passes on those that no average can include any more.
    package mutating func add(
        _ element: Element, at time: Timestamp, source: Int, flags: MeasurementFlags?, pass: (Element, Bool) -> Void
    ) {
        let goesBack = held.last.map { time < $0.time } ?? false
        while let (element, isPart) = next(at: goesBack ? nil : time) { pass(element, isPart) }
        hold(element, at: time, source: source, flags: flags)
    }

    package mutating func finish(pass: (Element, Bool) -> Void) {
        while let (element, isPart) = next(at: nil) { pass(element, isPart) }
    }
}

extension AverageParts: Sendable where Element: Sendable {}
