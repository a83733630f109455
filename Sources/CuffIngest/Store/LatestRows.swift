import CuffCore

/// Keeps the latest rows of a walk backwards by id, by their times. A row of unknown time has that of its id.
struct LatestRows<Element> {
    private let count: Int
    private var kept: [(time: Int64, id: Reading.ID, element: Element)] = []
    private var ids: Set<Reading.ID> = []
    /// No row that is not later is among the latest; `nil` before there are enough.
    private var bound: Int64?

    init(_ count: Int) { self.count = count }

    /// Two zones differ by at most 26 hours from the day of the id, whose clock may stand at its beginning.
    private static var slack: Int64 { (24 + 26) * 3_600_000 }

    private static func time(_ time: Timestamp?, _ id: Reading.ID) -> Int64 {
        time?.milliseconds ?? id.wallSeconds.map { $0 * 1000 } ?? .min
    }

    /// Whether a row may be among the latest.
    func takes(_ time: Timestamp?, _ id: Reading.ID) -> Bool {
        (bound.map { Self.time(time, id) >= $0 } ?? true) && !ids.contains(id)
    }

    mutating func add(_ element: Element, at time: Timestamp?, _ id: Reading.ID) {
        kept.append((Self.time(time, id), id, element))
        ids.insert(id)
        if kept.count == (bound == nil ? count : 2 * count) { trim() }
    }

    /// Whether neither this row nor one with a lower id can be among the latest, if their ids have the day of their times.
    func isComplete(at id: Reading.ID) -> Bool {
        guard let bound else { return count == 0 }
        return id.wallSeconds.map { $0 * 1000 + Self.slack < bound } ?? true
    }

    private mutating func trim() {
        kept.sort { ($0.time, $0.id.description) < ($1.time, $1.id.description) }
        kept.removeFirst(max(0, kept.count - count))
        if kept.count == count { bound = kept.first?.time }
    }

    /// In the order of their times.
    var sorted: [Element] {
        var all = self
        all.trim()
        return all.kept.map(\.element)
    }
}
