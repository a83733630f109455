/// The requirements for a valid day of automatic measurements, and the hours of the night without a diary.
package struct AmbulatoryRule: Sendable, Hashable {
    package var document: GuidelineDocument
    /// The least share of valid readings in percent of those expected; `nil` if the rule has no such number.
    package var leastPercent: Int?
    /// The least number of valid readings by day and at night.
    package var leastDay: Int, leastNight: Int
    /// The usual number of readings, and the preferred number at night. Fewer are reported, but do not make the recording invalid.
    package var typicalReadings: Int?, preferredNight: Int?
    /// The hours without a diary.
    package var hours: DayAndNight
    /// The source of each of the numbers above.
    var grounds: [Ground]
    /// The guideline with its thresholds, by its name in `PressureGuideline.all`.
    package var guideline: String?

    package var name: String { document.id }
    /// One grade for all of its numbers.
    package var evidence: Evidence { Evidence.summary(grounds.map(\.evidence)) }

    /// The grade of one number; `nil` if the document does not mention it.
    package func evidence(of number: RuleNumber) -> Evidence? { grounds.first { $0.number == number }?.evidence }

    /// The numbers that are set, in the order of reading; for the hours, the minutes of the night.
    package var numbers: [(number: RuleNumber, value: Int)] {
        let set: [(RuleNumber, Int?)] = [
            (.leastPercent, leastPercent), (.leastDay, leastDay > 0 ? leastDay : nil), (.leastNight, leastNight > 0 ? leastNight : nil),
            (.typicalReadings, typicalReadings), (.preferredNight, preferredNight), (.hours, hours.night.count),
        ]
        return set.compactMap { number, value in value.map { (number, $0) } }
    }

    /// The rule of that name, or of another name of its document, or `nil`.
    package static func named(_ name: String) -> AmbulatoryRule? { all.first { $0.document.isNamed(name) } }

    package static let all: [AmbulatoryRule] = [esc2024, hypertensionCanada2017, esh2021, niceNG136]

    /// The default: every number was read in the guideline, which is not superseded.
    package static let usual = esc2024

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

    /// The 70 % were read in the table of 2017 by an earlier version of this program, but not verified since.
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
