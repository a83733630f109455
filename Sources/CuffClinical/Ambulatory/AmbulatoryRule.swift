import CuffCore

/// Hours of the wall clock that count as day and as night, in minutes after midnight.
public struct DayAndNight: Sendable, Hashable {
    /// From its first minute up to the one before its end; an end beyond 1,440 lies on the next day.
    public let day: Range<Int>, night: Range<Int>

    private init(day: Range<Int>, night: Range<Int>) {
        (self.day, self.night) = (day, night)
    }

    /// A person's own night, by a diary: everything else is day. `nil` where the two times are equal or no times of a day.
    public init?(asleep: Int, awake: Int) {
        guard (0..<1440).contains(asleep), (0..<1440).contains(awake), asleep != awake else { return nil }
        self.init(
            day: awake..<(asleep < awake ? asleep + 1440 : asleep), night: asleep..<(awake < asleep ? awake + 1440 : awake))
    }

    /// Day 08–22, night 22–08.
    public static let fixed = DayAndNight(day: 8 * 60..<22 * 60, night: 22 * 60..<32 * 60)
    /// Day 09–21, night 01–06: the hours between belong to neither.
    public static let narrow = DayAndNight(day: 9 * 60..<21 * 60, night: 1 * 60..<6 * 60)

    /// Whether every minute is either day or night.
    public var isComplete: Bool { day.count + night.count == 1440 }

    /// Day, night, or neither, of a time on the wall clock in seconds since 1970 as if in UTC.
    public func isNight(wall: Int64) -> Bool? {
        let minute = Int(wall - WallTime.floor(wall, 86400) * 86400) / 60
        if night.contains(minute) || night.contains(minute + 1440) { return true }
        return day.contains(minute) || day.contains(minute + 1440) ? false : nil
    }
}

/// What makes a day of automatic measurements a valid recording, and what is night where no diary says so.
public struct AmbulatoryRule: Sendable, Hashable {
    /// As it is named on a command line.
    public var name: String
    /// The society and its document.
    public var title: String
    /// The year of the document.
    public var year: Int
    /// Valid readings of those expected, in percent, at least; `nil` where the rule does not ask.
    public var leastPercent: Int?
    /// Valid readings of the day and of the night, at least.
    public var leastDay: Int, leastNight: Int
    /// The hours where there is no diary.
    public var hours: DayAndNight
    /// How well the numbers are founded.
    public var evidence: Evidence
    /// Where a reader finds the rule.
    public var source: String
    /// The guideline whose thresholds go with it, by its name in `PressureGuideline.all`.
    public var guideline: String?

    /// The rule of that name; `nil` where there is none.
    public static func named(_ name: String) -> AmbulatoryRule? { all.first { $0.name == name } }

    /// Every rule that can be named; the first is the usual one.
    public static let all: [AmbulatoryRule] = [
        AmbulatoryRule(
            name: "htn-canada", title: "Hypertension Canada", year: 2017, leastPercent: 70, leastDay: 20, leastNight: 7, hours: .fixed,
            evidence: .guideline, source: "Hypertension Canada/CHEP 2017, ambulatory table, medsquares.com; hypertension.ca"),
        AmbulatoryRule(
            name: "esh-2021", title: "European Society of Hypertension", year: 2021, leastPercent: 70, leastDay: 20, leastNight: 7,
            hours: .narrow, evidence: .unverified, source: "Stergiou et al., J Hypertens 39:1293", guideline: "esh-2021"),
        AmbulatoryRule(
            name: "nice-ng136", title: "NICE NG136", year: 2019, leastDay: 14, leastNight: 0, hours: .fixed, evidence: .guideline,
            source: "NICE guideline NG136, quoted at pharmacy-notebook.com", guideline: "nice-ng136"),
    ]
}

/// One measurement of a recording, as it was tried.
public struct AmbulatoryEvent: Sendable, Hashable {
    /// What became of the measurement.
    public enum Outcome: Sendable, Hashable {
        /// mmHg, and beats per minute where the cuff sent them.
        case reading(systolic: Double, diastolic: Double, pulse: Double?)
        case failed
        /// There are values, and they do not count.
        case leftOut(Exclusion)
    }

    /// When it was measured.
    public var time: Timestamp
    /// What became of it.
    public var outcome: Outcome

    /// Sets each property as given.
    public init(_ outcome: Outcome, at time: Timestamp) {
        self.time = time
        self.outcome = outcome
    }
}

/// How the recording was planned; what is `nil` is not known.
public struct AmbulatoryPlan: Sendable, Hashable {
    /// The night of this person.
    public var diary: DayAndNight?
    /// Time between two planned measurements by day and at night, in whole minutes.
    public var dayMinutes: Int?, nightMinutes: Int?

    /// Sets each property as given.
    public init(diary: DayAndNight? = nil, dayMinutes: Int? = nil, nightMinutes: Int? = nil) {
        self.diary = diary
        self.dayMinutes = dayMinutes
        self.nightMinutes = nightMinutes
    }
}
