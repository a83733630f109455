import CuffCore

/// Morning, evening or another part of the day, as in home protocols.
package enum DayWindow: String, Sendable, Hashable, CaseIterable {
    case morning, evening
    /// Counts only in the average of all readings.
    case other

    /// In the order of a day.
    static let daily: [DayWindow] = [.morning, .other, .evening]
}

/// When morning and evening are, in minutes after midnight on the zone's wall clock. No guideline gives clock times; the
/// usual windows are a convention of this program, and a setting.
public struct DayWindows: Sendable, Hashable {
    /// The end is exclusive.
    public let morning: Range<Int>
    /// Beyond 1,440 it continues after midnight; that part belongs to the day before.
    public let evening: Range<Int>

    private init(_ morning: Range<Int>, _ evening: Range<Int>) {
        self.morning = morning
        self.evening = evening
    }

    /// Windows in minutes after midnight. An evening that ends at or before its start ends on the next day. `nil` if a window is
    /// empty or they overlap.
    public init?(morning: (from: Int, to: Int), evening: (from: Int, to: Int)) {
        let day = 0..<1440
        guard day.contains(morning.from), morning.from < morning.to, morning.to <= evening.from, day.contains(evening.from),
            (0...1440).contains(evening.to)
        else { return nil }
        let end = evening.to <= evening.from ? evening.to + 1440 : evening.to
        guard end - 1440 <= morning.from else { return nil }
        self.init(morning.from..<morning.to, evening.from..<end)
    }

    /// Morning 04:00–11:59, evening 16:00–02:59.
    public static let usual = DayWindows(4 * 60..<12 * 60, 16 * 60..<27 * 60)

    /// `04:00–12:00`; empty for other times.
    func hours(_ window: DayWindow) -> String {
        func hours(_ range: Range<Int>) -> String {
            "\(ClockText.clock(minute: range.lowerBound))–\(ClockText.clock(minute: range.upperBound))"
        }
        switch window {
        case .morning: return hours(morning)
        case .evening: return hours(evening)
        case .other: return ""
        }
    }

    /// The window of a wall-clock time, in seconds since 1970 as if in UTC, and the civil day it belongs to: before the end
    /// of an evening that continues after midnight it is the evening of the day before.
    package func place(ofWall wall: Int64) -> (window: DayWindow, day: Int64) {
        let day = WallTime.floor(wall, 86400)
        let minute = Int(wall - day * 86400) / 60
        if evening.contains(minute + 1440) { return (.evening, day - 1) }
        if evening.contains(minute) { return (.evening, day) }
        return (morning.contains(minute) ? .morning : .other, day)
    }
}
