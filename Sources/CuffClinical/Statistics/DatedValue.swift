import CuffCore

/// A value, when it was measured, and the reading it came from.
public struct DatedValue: Sendable, Hashable {
    /// The value, in the unit of its type.
    public var value: Double
    /// When it was measured.
    public var time: Timestamp
    /// The reading it came from.
    public var reading: Reading.ID

    /// Sets each property as given.
    public init(_ value: Double, at time: Timestamp, from reading: Reading.ID) {
        self.value = value
        self.time = time
        self.reading = reading
    }

    /// Earlier in time; within one instant by id, so that the order of arrival does not matter.
    package static func isEarlier(_ a: DatedValue, _ b: DatedValue) -> Bool {
        a.time != b.time ? a.time < b.time : Reading.ID.precedes(a.reading, b.reading)
    }
}

extension Reading.ID {
    static func precedes(_ a: Reading.ID, _ b: Reading.ID) -> Bool {
        let (first, second) = (a.wallSeconds ?? .min, b.wallSeconds ?? .min)
        return first != second ? first < second : a.hash < b.hash
    }
}
