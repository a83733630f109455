import CuffCore

/// The hours of day and night on the wall clock, in minutes after midnight.
package struct DayAndNight: Sendable, Hashable {
    /// The end is exclusive; an end beyond 1,440 is on the next day.
    package let day: Range<Int>, night: Range<Int>

    private init(day: Range<Int>, night: Range<Int>) {
        (self.day, self.night) = (day, night)
    }

    /// A person's own night, by a diary: the rest is day. `nil` if the two times are equal or not times of a day.
    package init?(asleep: Int, awake: Int) {
        guard (0..<1440).contains(asleep), (0..<1440).contains(awake), asleep != awake else { return nil }
        self.init(
            day: awake..<(asleep < awake ? asleep + 1440 : asleep), night: asleep..<(awake < asleep ? awake + 1440 : awake))
    }

    /// Day 08–22, night 22–08.
    package static let fixed = DayAndNight(day: 8 * 60..<22 * 60, night: 22 * 60..<32 * 60)
    /// Day 07–23, night 23–07.
    package static let early = DayAndNight(day: 7 * 60..<23 * 60, night: 23 * 60..<31 * 60)
    /// Day 09–21, night 01–06; the other hours are neither.
    package static let narrow = DayAndNight(day: 9 * 60..<21 * 60, night: 1 * 60..<6 * 60)

    /// Whether every minute is either day or night.
    var isComplete: Bool { day.count + night.count == 1440 }

    /// Day, night, or neither, of a time on the wall clock in seconds since 1970 as if in UTC.
    func isNight(wall: Int64) -> Bool? {
        let minute = Int(wall - WallTime.floor(wall, 86400) * 86400) / 60
        if night.contains(minute) || night.contains(minute + 1440) { return true }
        return day.contains(minute) || day.contains(minute + 1440) ? false : nil
    }
}
