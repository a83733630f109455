import CuffCore
import Foundation

extension Timestamp {
    /// The instant of a `Date`, to the nearest millisecond; `nil` if it is more than 292 million years from 1970.
    public init?(_ date: Date) {
        guard let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1000).rounded()) else { return nil }
        self.init(milliseconds: milliseconds)
    }

    /// The instant as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension Reading {
    /// The corrected time of the measurement; `nil` if it is unknown. It never is the cuff's own uncorrected clock.
    public var date: Date? { measured?.date }
}

extension DeviceTime {
    /// What the cuff's clock said, to the precision that it gave. It has a zone only if the cuff sent one.
    public var dateComponents: DateComponents {
        var components = DateComponents(year: Int(year), month: Int(month), day: Int(day))
        if let utcOffset { components.timeZone = TimeZone(secondsFromGMT: Int(utcOffset) * 60) }
        guard precision != .day else { return components }
        (components.hour, components.minute) = (Int(hour), Int(minute))
        guard precision != .minute else { return components }
        components.second = Int(second)
        if precision == .hundredth { components.nanosecond = Int(hundredths) * 10_000_000 }
        return components
    }
}
