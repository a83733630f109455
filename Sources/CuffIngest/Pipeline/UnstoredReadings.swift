import CuffCore

/// Readings that came and were not stored, and how many of them the cuff still has.
public struct UnstoredReadings: Sendable, Hashable, CustomStringConvertible {
    /// Readings that came and were not stored.
    public var readings = 0
    /// Of these, those that the cuff still has, because it was not told that they are stored or because they are in its memory.
    public var inTheCuff = 0

    /// Sets each property as given.
    public init(readings: Int = 0, inTheCuff: Int = 0) {
        self.readings = readings
        self.inTheCuff = inTheCuff
    }

    /// What was not stored, exactly, and what becomes of it.
    public var description: String {
        let what = readings == 1 ? "1 reading was not stored" : "\(readings) readings were not stored"
        if inTheCuff == readings { return "\(what): no cuff was told that it was, and the cuff still has \(readings == 1 ? "it" : "them")" }
        let gone = "a cuff that sends by itself does not send again"
        return inTheCuff == 0 ? "\(what), and \(gone)" : "\(what); \(inTheCuff) of them the cuff still has, the others not: \(gone)"
    }
}

extension UnstoredReadings {
    /// Counts a batch. `isKept`: its cuff sends a reading again that was not acknowledged.
    mutating func add(_ batch: borrowing Batch, isKept: Bool) {
        readings += batch.readings
        for index in batch.entries.readings.indices {
            if isKept || batch.entries.readings[index].origin == .memory { inTheCuff += 1 }
        }
    }
}
