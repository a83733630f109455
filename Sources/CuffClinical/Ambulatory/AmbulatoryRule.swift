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
    /// Day 07–23, night 23–07.
    public static let early = DayAndNight(day: 7 * 60..<23 * 60, night: 23 * 60..<31 * 60)
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
    /// The text that it is from.
    public var document: GuidelineDocument
    /// Valid readings of those expected, in percent, at least; `nil` where the rule does not ask.
    public var leastPercent: Int?
    /// Valid readings of the day and of the night, at least.
    public var leastDay: Int, leastNight: Int
    /// What a valid recording usually has: readings in all, and readings at night. Fewer are said, and do not make it invalid.
    public var typicalReadings: Int?, preferredNight: Int?
    /// The hours where there is no diary.
    public var hours: DayAndNight
    /// What each of the numbers above rests on.
    public var grounds: [Ground]
    /// The guideline whose thresholds go with it, by its name in `PressureGuideline.all`.
    public var guideline: String?

    /// As it is named on a command line.
    public var name: String { document.id }
    /// The society.
    public var title: String { document.society }
    /// The year of the document.
    public var year: Int { document.year ?? 0 }
    /// Where a reader finds the rule.
    public var source: String { document.citation }
    /// One grade for all of its numbers.
    public var evidence: Evidence { Evidence.summary(grounds.map(\.evidence)) }

    /// How well one number is founded; `nil` where the document does not mention it.
    public func evidence(of number: RuleNumber) -> Evidence? { grounds.first { $0.number == number }?.evidence }

    /// The numbers that are set, in the order in which people read them; of the hours the minutes of the night.
    public var numbers: [(number: RuleNumber, value: Int)] {
        let set: [(RuleNumber, Int?)] = [
            (.leastPercent, leastPercent), (.leastDay, leastDay > 0 ? leastDay : nil), (.leastNight, leastNight > 0 ? leastNight : nil),
            (.typicalReadings, typicalReadings), (.preferredNight, preferredNight), (.hours, hours.night.count),
        ]
        return set.compactMap { number, value in value.map { (number, $0) } }
    }

    /// The rule of that name, or of another name of its document; `nil` where there is none.
    public static func named(_ name: String) -> AmbulatoryRule? { all.first { $0.document.isNamed(name) } }

    /// Every rule that can be named.
    public static let all: [AmbulatoryRule] = [esc2024, hypertensionCanada2017, esh2021, niceNG136]

    /// The rule where none is named: every number of it was read in the guideline, which nothing replaces.
    public static let usual = esc2024

    static let esc2024: AmbulatoryRule = {
        let (place, share) = (
            "p. 3932",
            "A minimum of 70% useable BP recordings is required for a valid measurement session, typically numbering ≥27 measurements over 24 h."
        )
        let fewest = "≥8/≥4 wake/sleep readings may be adequate if more cannot be obtained"
        return AmbulatoryRule(
            document: .esc2024, leastPercent: 70, leastDay: 8, leastNight: 4, typicalReadings: 27, preferredNight: 7, hours: .early,
            grounds: Ground.each([.leastPercent, .typicalReadings], .guideline, share, at: place)
                + Ground.each([.leastDay, .leastNight], .guideline, fewest, at: place)
                + [
                    Ground(.preferredNight, .guideline, "Preferably, seven nocturnal readings", at: place),
                    Ground(.hours, .guideline, "typically 7 a.m. to 11 p.m.", at: place),
                ],
            guideline: "esc-2024")
    }()

    /// The 70 % were read in 2017's table by an earlier version of this program, and not seen again.
    static let hypertensionCanada2017: AmbulatoryRule = {
        let words = "minimum recommended number of good-quality readings is 20 daytime and 7 night-time readings"
        return AmbulatoryRule(
            document: .hypertensionCanada2017, leastPercent: 70, leastDay: 20, leastNight: 7, hours: .fixed,
            grounds: Ground.each([.leastDay, .leastNight], .guideline, words, at: "hypertension.ca, measuring blood pressure (2020)")
                + Ground.each([.leastPercent, .hours], .unverified))
    }()

    static let esh2021 = AmbulatoryRule(
        document: .esh2021, leastPercent: 70, leastDay: 20, leastNight: 7, hours: .narrow,
        grounds: Ground.each([.leastPercent, .leastDay, .leastNight, .hours], .unverified), guideline: "esh-2021")

    static let niceNG136 = AmbulatoryRule(
        document: .niceNG136, leastDay: 14, leastNight: 0, hours: .fixed,
        grounds: [
            Ground(.leastDay, .guideline, "average value of at least 14 measurements", at: "1.2.6"),
            Ground(.hours, .guideline, "usual waking hours (for example, between 08:00 and 22:00)", at: "1.2.6"),
        ], guideline: "nice-ng136")
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
