import CuffCore
import Testing

@testable import CuffClinical

/// A constructed day and night: every 30 minutes from 10:00 on 1 June 2026 in Central Europe, asleep from 23:00 to 07:00 by the
/// diary, two failures at night. Its results were computed with exact fractions.
enum WorkedDay {
    static let start = Timestamp(seconds: DeviceTime.daysSince1970(year: 2026, month: 6, day: 1) * 86400 + 8 * 3600)

    static let events: [AmbulatoryEvent] = (0..<48).map { index in
        let time = Timestamp(seconds: start.seconds + Int64(index) * 1800)
        let halves = (20 + index) % 48
        let isAsleep = halves >= 46 || halves < 14
        // 01:00 and 05:00.
        if halves == 2 || halves == 10 { return AmbulatoryEvent(.failed, at: time) }
        var systolic = (isAsleep ? 128 : 142) + [3, -2, 5, 0, -4, 2, -1, 4, -3, 1][index % 10]
        let diastolic = (isAsleep ? 74 : 88) + [2, -1, 3, 0, -2, 1, -1, 2, -2, 0][index % 10]
        if halves == 5 || halves == 6 { systolic -= 12 }
        if (14..<18).contains(halves) { systolic += 14 }
        return AmbulatoryEvent(.reading(systolic: Double(systolic), diastolic: Double(diastolic), pulse: isAsleep ? 60 : 74), at: time)
    }

    static let diary = DayAndNight(asleep: 23 * 60, awake: 7 * 60)

    static func recording(_ events: [AmbulatoryEvent] = events, _ rule: AmbulatoryRule = .usual) -> AmbulatoryRecording {
        AmbulatoryRecording(events, rule: rule, plan: AmbulatoryPlan(diary: diary), zone: BucketingTests.berlin)
    }
}

@Suite struct AmbulatoryTests {
    @Test func workedDay_HasTheExactMeans() throws {
        let day = WorkedDay.recording()
        #expect(day.expected == 48 && day.all.count == 46 && day.failed == 2)
        #expect(day.day.count == 32 && day.night.count == 14)
        #expect(day.day.systolic?.text == "1155/8" && day.night.systolic == Fraction(1775, over: 14))
        #expect(day.all.systolic == Fraction(6395, over: 46))
        #expect(day.isValid && day.shortfalls.isEmpty)
        #expect(day.nightToDay?.rounded(places: 4).text == "0.8782")
        #expect(day.fallInPercent?.rounded(places: 2).text == "12.18")
        #expect(day.dipping == .dipper)
        #expect(day.waking == Timestamp.parse("2026-06-02T07:00:00+02:00")?.time)
        // 1155/8 for 16 hours and 1775/14 for 8.
        #expect(day.byHours?.systolic == Fraction(1155 * 14 * 2 + 1775 * 8, over: 8 * 14 * 3))
    }

    /// Three inflations of the cuff within ten minutes before its own average, and one before that; one failure among them.
    @Test func anAverageOfTheCuff_IsOneMeasurement() {
        func event(_ minute: Int64, _ systolic: Double, _ flags: MeasurementFlags = []) -> AmbulatoryEvent {
            let time = Timestamp(seconds: WorkedDay.start.seconds + minute * 60)
            return AmbulatoryEvent(.reading(systolic: systolic, diastolic: 80, pulse: nil), at: time, flags: flags)
        }
        let events = [event(-30, 120), event(0, 150), event(1, 140), event(2, 130), event(3, 140, .averaged), event(30, 121)]
        for order in [events, events.reversed()] {
            let recording = WorkedDay.recording(order)
            #expect(recording.all.count == 3 && recording.all.systolic == Fraction(127) && recording.expected == 3)
            #expect(recording.leftOut == [.partOfAverage: 3])
        }
    }

    @Test func workedDay_HasTheSurgesAndIndices() throws {
        let day = WorkedDay.recording()
        let surge = try #require(day.surge)
        #expect(surge.trough == [Fraction(116), Fraction(112), Fraction(130)])
        #expect(surge.sleepTrough == Fraction(449, over: 12) && surge.preWaking == Fraction(337, over: 12))
        let differing = day.systolicDiffering
        #expect(((differing.all?.standardDeviation ?? 0) * 10_000).rounded() == 99565)
        #expect(((differing.weightedDeviation ?? 0) * 10_000).rounded() == 57486)
        #expect(differing.all?.averageReal?.text == "59/9")
        #expect(differing.averageRealByTime?.text == "301/47")
        #expect(day.hourly.count == 24)
        #expect(day.hourly.count { $0.isNight == true } == 8)
    }

    @Test func aRepetition_ReplacesItsFailure() {
        let start = WorkedDay.start
        func at(_ minutes: Int64, _ outcome: AmbulatoryEvent.Outcome) -> AmbulatoryEvent {
            AmbulatoryEvent(outcome, at: Timestamp(seconds: start.seconds + minutes * 60))
        }
        let reading = AmbulatoryEvent.Outcome.reading(systolic: 120, diastolic: 80, pulse: nil)
        let day = WorkedDay.recording([
            at(0, .failed), at(2, .failed), at(4, reading), at(30, .failed), at(60, reading), at(90, .leftOut(.implausible)),
            at(120, .failed),
            at(126, reading),
        ])
        // 0 with its two repetitions, 30, 60, 90, 120, and 126, which is too late for a repetition.
        #expect(day.expected == 6 && day.all.count == 3 && day.failed == 4 && day.leftOut == [.implausible: 1])
        #expect(!day.isValid && day.dipping == nil)
        #expect(day.shortfalls.map { "\($0.measure) \($0.found)/\($0.least)" } == ["percent 50/70", "hours 2/17", "day 3/8", "night 0/4"])
        #expect(day.fewerThanUsual.map { "\($0.measure) \($0.found)/\($0.least)" } == ["all 3/27", "night 0/7"])
    }

    @Test func aPlan_SaysWhatIsExpected() {
        func expected(_ day: Int, _ night: Int?) -> Int {
            AmbulatoryRecording(
                WorkedDay.events, rule: .usual,
                plan: AmbulatoryPlan(diary: WorkedDay.diary, dayMinutes: day, nightMinutes: night), zone: BucketingTests.berlin
            ).expected
        }
        #expect(expected(30, nil) == 48)
        #expect(expected(20, 60) == 16 * 3 + 8)
        #expect(expected(15, 30) == 16 * 4 + 8 * 2)
    }

    @Test func seventyPercent_IsComparedExactly() {
        func shortfalls(_ failures: Int) -> [String] {
            var events = WorkedDay.events
            // Six at night, which has 14 readings, and the others by day, so that only the share can be too small.
            for index in [27, 28, 29, 31, 32, 33] + Array(0..<(failures - 6)) { events[index].outcome = .failed }
            return WorkedDay.recording(events).shortfalls.map { "\($0.measure) \($0.found)/\($0.least)" }
        }
        // 34 of 48 are 70.8 %, 33 are 68.75 %.
        #expect(shortfalls(12).isEmpty)
        #expect(shortfalls(13) == ["percent 68/70"])
    }

    @Test func theShareOfValidReadings_IsTheSameInBothSentences() {
        var events = WorkedDay.events
        for index in [27, 28, 29, 31, 32, 33] + Array(0..<7) { events[index].outcome = .failed }
        let facts = AmbulatoryBlock(WorkedDay.recording(events), nil, isAdult: false).block.facts.map(\.text)
        // 33 of 48 are 68.75 %.
        #expect(facts.contains { $0.contains("(68.8 %)") } && facts.contains { $0.contains("68.8 of 70 %") }, "\(facts)")
        let german = AmbulatoryBlock(WorkedDay.recording(events), nil, isAdult: false, language: .german).block.facts.map(\.text)
        #expect(german.contains { $0.contains("(68,8 %)") } && !german.contains { $0.contains("68.8") }, "\(german)")
        // 69.96 is not printed as 70 beside a least of 70.
        #expect(AmbulatoryRecording.percent(6996, 10_000) == "70" && AmbulatoryRecording.percent(6996, 10_000, least: 70) == "69.96")
    }

    @Test func narrowHours_LeaveTheTransitionsOut_AndNiceAsksForTheDayOnly() throws {
        let narrow = AmbulatoryRecording(
            WorkedDay.events, rule: try #require(AmbulatoryRule.named("esh-2021")), zone: BucketingTests.berlin)
        // 09:00-21:00 without the half hours before 10:00 that lie on the next day; 01:00-06:00 less two failures.
        #expect(narrow.day.count == 24 && narrow.night.count == 8 && narrow.all.count == 46)
        let nice = AmbulatoryRecording(
            Array(WorkedDay.events.prefix(14)), rule: try #require(AmbulatoryRule.named("nice-ng136")), zone: BucketingTests.berlin)
        #expect(nice.isValid && nice.night.count == 0 && nice.dipping == nil)
        let short = AmbulatoryRecording(
            Array(WorkedDay.events.prefix(13)), rule: try #require(AmbulatoryRule.named("nice-ng136")), zone: BucketingTests.berlin)
        #expect(!short.isValid)
    }

    /// The rule asks for none at night; one is too few for a fall.
    @Test func aNightOfOneReading_HasNoFallAndNoClass() throws {
        let nice = AmbulatoryRecording(
            Array(WorkedDay.events.prefix(25)), rule: try #require(AmbulatoryRule.named("nice-ng136")), zone: BucketingTests.berlin)
        #expect(nice.isValid && nice.day.count == 24 && nice.night.count == 1)
        #expect(nice.fallInPercent == nil && nice.dipping == nil && nice.byHours == nil)
        #expect(nice.judgement(.usual, .ambulatoryDay) != nil && nice.judgement(.usual, .ambulatory24h) == nil)
    }

    /// Every 15 minutes from 21:00 to 23:45: eight readings by day and four at night.
    @Test func aFewHours_AreNoDay() {
        let start = WorkedDay.start.seconds + 11 * 3600
        let events = (0..<12).map {
            AmbulatoryEvent(.reading(systolic: $0 < 8 ? 140 : 120, diastolic: 80, pulse: nil), at: Timestamp(seconds: start + $0 * 900))
        }
        let few = WorkedDay.recording(events)
        #expect(few.day.count == 8 && few.night.count == 4 && few.expected == 12)
        #expect(!few.isValid && few.dipping == nil && few.judgement(.usual, .ambulatory24h) == nil)
        #expect(few.shortfalls.map { "\($0.measure) \($0.found)/\($0.least)" } == ["hours 2/17"])
        // A plan says how many were expected: four an hour for 16 hours and for 8.
        let planned = AmbulatoryRecording(
            events, rule: .usual, plan: AmbulatoryPlan(diary: WorkedDay.diary, dayMinutes: 15, nightMinutes: 15),
            zone: BucketingTests.berlin)
        #expect(planned.shortfalls.map { "\($0.measure) \($0.found)/\($0.least)" } == ["percent 12/70"])
    }

    /// 16.8 hours are 70 % of 24.
    @Test func seventyPercentOfTheHours_AreEnough() {
        func isValid(_ last: Int64) -> Bool {
            var events = Array(WorkedDay.events.prefix(33))
            events.append(
                AmbulatoryEvent(.reading(systolic: 120, diastolic: 80, pulse: nil), at: Timestamp(seconds: WorkedDay.start.seconds + last)))
            return WorkedDay.recording(events).isValid
        }
        #expect(isValid(60_480) && !isValid(60_479))
    }

    @Test func dipping_HasItsBordersWhereTheyAreSaid() {
        func dipping(_ day: Double, _ night: Double) -> AmbulatoryRecording.Dipping? {
            WorkedDay.recording(
                WorkedDay.events.map { event in
                    let halves = Int((event.time.seconds - WorkedDay.start.seconds) / 1800 + 20) % 48
                    let isAsleep = halves >= 46 || halves < 14
                    return AmbulatoryEvent(.reading(systolic: isAsleep ? night : day, diastolic: 80, pulse: nil), at: event.time)
                }
            ).dipping
        }
        #expect(dipping(150, 119.9) == .extremeDipper)
        #expect(dipping(150, 120) == .dipper)
        #expect(dipping(150, 135) == .dipper)
        #expect(dipping(150, 135.1) == .nonDipper)
        #expect(dipping(150, 150) == .nonDipper)
        #expect(dipping(150, 150.1) == .riser)
    }

    @Test func loads_CountReadingsAtOrAboveTheThreshold() throws {
        let guideline = try #require(PressureGuideline.named("acc-aha-2017"))
        let loads = WorkedDay.recording().loads(guideline)
        #expect(loads.map(\.readings) == [32, 14, 46])
        // The lowest readings are 138/86 by day and 112/72 at night; the thresholds are 130/80 and 110/65.
        #expect(loads[0].systolic == 32 && loads[0].diastolic == 32)
        #expect(loads[1].systolic == 14 && loads[1].diastolic == 14)
        #expect(WorkedDay.recording().loads(try #require(PressureGuideline.named("nice-ng136"))).map(\.setting) == [.ambulatoryDay])
        #expect(
            WorkedDay.recording().judgement(.usual, .ambulatoryNight)?.className == "hypertension"
                && WorkedDay.recording().judgement(.usual, .ambulatoryDay)?.className == "hypertension")
        let few = WorkedDay.recording(Array(WorkedDay.events.prefix(10)))
        #expect(few.judgement(guideline, .ambulatory24h) == nil)
        #expect(WorkedDay.recording().judgement(guideline, .ambulatoryNight)?.reached?.systolic == true)
    }

    /// The night of the last Sunday of October has nine hours from 23:00 to 07:00.
    @Test func aNightOfAChange_HasItsOwnLength() {
        let start = Timestamp.parse("2026-10-24T10:00:00+02:00")?.time.seconds ?? 0
        let events = (0..<48).map {
            AmbulatoryEvent(.reading(systolic: 120, diastolic: 80, pulse: nil), at: Timestamp(seconds: start + Int64($0) * 1800))
        }
        let recording = WorkedDay.recording(events)
        #expect(recording.nightMinutes == 540 && recording.dayMinutes == 900)
        #expect(recording.night.count == 18 && recording.waking == Timestamp.parse("2026-10-25T07:00:00+01:00")?.time)
    }

    /// Each half hour from 07:45 in the diary's other hours: 150 in the last quarter of the night before, then 145, and 118 asleep.
    @Test(arguments: [48, 52]) func surge_IsOfTheNightWithMostReadings(_ count: Int) throws {
        let start = try #require(Timestamp.parse("2026-06-01T07:45:00+02:00")?.time.seconds)
        let events = (0..<count).map { index in
            let halves = (15 + index) % 48
            let systolic = index == 0 ? 150 : halves < 15 || halves >= 44 ? 118 : 145
            return AmbulatoryEvent(
                .reading(systolic: Double(systolic), diastolic: 80, pulse: nil), at: Timestamp(seconds: start + Int64(index) * 1800))
        }
        let plan = AmbulatoryPlan(diary: DayAndNight(asleep: 22 * 60, awake: 8 * 60))
        let recording = AmbulatoryRecording(events, rule: .usual, plan: plan, zone: BucketingTests.berlin)
        #expect(recording.waking == Timestamp.parse("2026-06-02T08:00:00+02:00")?.time)
        #expect(recording.night.count == (count == 48 ? 20 : 21) && recording.nightMinutes == 600)
        // The shorter recording ends at 07:15.
        #expect(recording.surge?.sleepTrough == (count == 48 ? nil : Fraction(27)))
        #expect(recording.surge?.trough == (count == 48 ? nil : [Fraction(118), Fraction(118)]))
    }

    /// The lowest reading is in the scrap of the night before.
    @Test func trough_IsOfTheNightBeforeWaking() throws {
        var events = WorkedDay.events
        for minutes in [-210, -240] {
            let time = Timestamp(seconds: WorkedDay.start.seconds + Int64(minutes) * 60)
            events.append(AmbulatoryEvent(.reading(systolic: 100, diastolic: 70, pulse: nil), at: time))
        }
        #expect(WorkedDay.recording(events).surge == WorkedDay.recording().surge)
    }

    @Test func plot_ShadesTheNight() {
        var text = TextBuffer()
        RangePlot(WorkedDay.recording(), style: RangePlot.Style(width: 80, isUnicode: false)).append(to: &text)
        let lines = text.string.split(separator: "\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 80 })
        #expect(lines[0].hasPrefix("mmHg   1 Jun 2026 - 2 Jun 2026, Europe/Berlin, 46 readings, night shaded"))
        // Eight hours of three columns each: some cells hold values.
        let shaded = lines.map { line in line.count { $0 == "'" } }.max()
        #expect((16...24).contains(shaded ?? 0))
        #expect(lines.contains { $0.contains("10  12  14") || $0.contains("10    12    14") || $0.contains("10 ") })
    }
}
