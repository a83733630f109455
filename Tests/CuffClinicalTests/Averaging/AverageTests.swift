import CuffCore
import Testing

@testable import CuffClinical

/// A constructed week with its means by each rule, computed by hand and by exact fractions: seven days with two morning and two
/// evening readings; day 4 has no evening, day 5 a third morning reading, day 6 an invalid one, and the last session starts at
/// 23:58.
enum WorkedWeek {
    static let lines = """
        4 07:05 148 94,4 07:07 144 92,4 20:30 141 90,4 20:32 139 88
        5 07:10 138 87,5 07:12 134 85,5 20:20 135 84,5 20:22 131 83
        6 06:58 137 88,6 07:00 135 86,6 21:05 133 84,6 21:07 130 82
        7 07:30 139 88,7 07:32 136 86
        8 07:02 136 87,8 07:04 133 85,8 07:06 132 84,8 20:40 134 85,8 20:42 130 83
        9 07:15 140 89,9 07:17 137 87,9 20:10 199 40 invalid,9 20:12 134 85
        10 07:00 138 88,10 07:02 135 86,10 23:58 132 84,11 00:00 129 82
        """

    static let readings: [HomeReading] = lines.split { $0 == "," || $0 == "\n" }.map { row in
        let cells = row.split(separator: " ").map(String.init)
        let clock = cells[1].split(separator: ":").compactMap { Int64($0) }
        let day = DeviceTime.daysSince1970(year: 2026, month: 5, day: Int(cells[0]) ?? 0)
        // Central European summer time.
        let time = Timestamp(seconds: day * 86400 + clock[0] * 3600 + clock[1] * 60 - 7200)
        return HomeReading(
            time: time, systolic: Double(cells[2]) ?? 0, diastolic: Double(cells[3]) ?? 0, exclusion: cells.count > 4 ? .invalid : nil)
    }

    static func average(_ rule: AveragingRule, _ readings: [HomeReading] = readings) -> ProtocolAverage {
        var average = ProtocolAverage(rule, zone: BucketingTests.berlin)
        for reading in readings { average.add(reading) }
        average.finish()
        return average
    }
}

@Suite struct AverageTests {
    private func rule(_ name: String) throws -> AveragingRule { try #require(AveragingRule.named(name)) }

    @Test func workedWeek_HasTheExactMeansOfEachRule() throws {
        let all = WorkedWeek.average(.everything)
        #expect(all.all.count == 26)
        #expect(all.all.systolic?.text == "1765/13" && all.all.diastolic?.text == "1121/13")
        let nice = WorkedWeek.average(try rule("nice-ng136"))
        #expect(nice.all.count == 22 && nice.days.count == 6 && nice.daysMeasured == 7)
        #expect(nice.all.systolic?.text == "1479/11" && nice.all.diastolic?.text == "939/11")
        #expect(nice.leftOut == [.firstDays: 4, .excluded(.invalid): 1])
        // Days 5 to 7: 1348/10 and 853/10; days 8 to 10: 1610/12 and 1025/12.
        #expect(nice.trend?.days == 3 && nice.trend?.systolic.text == "-19/30" && nice.trend?.diastolic.text == "7/60")
        #expect(nice.singleSessions == 1 && nice.sessions == 11 && nice.isComplete)
        let jsh = WorkedWeek.average(try rule("jsh-2019"))
        #expect(jsh.morning.count == 14 && jsh.evening.count == 11 && jsh.all.count == 25)
        #expect(jsh.morning.systolic?.text == "965/7" && jsh.morning.diastolic?.text == "614/7")
        // Six evening sessions, one of a single reading: 801/6 and 507.5/6, and with the mornings' 965 and 614, thirteenths.
        #expect(jsh.evening.systolic?.text == "267/2" && jsh.evening.diastolic?.text == "1015/12")
        #expect(jsh.all.systolic?.text == "1766/13" && jsh.all.diastolic?.text == "2243/26")
        var own = AveragingRule.everything
        (own.leavesOutDays, own.takesOfSession) = (1, 2)
        let firstTwo = WorkedWeek.average(own)
        #expect(firstTwo.all.count == 21)
        #expect(firstTwo.all.systolic?.text == "942/7" && firstTwo.all.diastolic?.text == "598/7")
        #expect(firstTwo.morningMinusEvening?.systolic.rounded(places: 2).text == "4.50")
    }

    @Test func workedWeek_VariesFromDayToDay() throws {
        let differing = try #require(WorkedWeek.average(try rule("nice-ng136")).dayToDay).systolic
        #expect(differing.count == 6)
        #expect(differing.averageReal?.text == "33/10")
        #expect((differing.standardDeviation * 10_000).rounded() == 19089)
        #expect((differing.coefficientOfVariation * 10_000).rounded() == 14153)
        #expect(WorkedWeek.average(.everything, Array(WorkedWeek.readings.prefix(12))).dayToDay == nil)
    }

    @Test func means_AreComparedBeforeTheyAreRounded() throws {
        let nice = WorkedWeek.average(try rule("nice-ng136"))
        let guideline = try #require(PressureGuideline.named("nice-ng136"))
        let judgement = try #require(
            AverageLines(sources: [], guideline: guideline, isAdult: true).judgement(of: nice))
        // 134.4545… is below 135 and printed with a decimal; 85.36 is above 85.
        #expect(judgement.reached?.systolic == false && judgement.reached?.diastolic == true)
        #expect(judgement.className == "in the range of stage 1" && !judgement.condition.isEmpty)
        #expect(nice.all.systolic?.printed(near: 135) == "134.5")
        #expect(nice.all.systolic?.printed(near: 140) == "134")
        #expect(nice.all.diastolic?.printed(near: 85) == "85.4")
        #expect(AverageLines(sources: [], guideline: guideline, isAdult: false).judgement(of: nice) == nil)
    }

    @Test func tooFewReadings_HaveNumbersAndNoClass() throws {
        let few = WorkedWeek.average(try rule("esh-2021"), Array(WorkedWeek.readings.prefix(11)))
        #expect(few.all.count == 7)
        #expect(few.shortfalls.map { "\($0.measure) \($0.found) of \($0.least)" } == ["readings_measured 11 of 12"])
        let guideline = try #require(PressureGuideline.named("esh-2021"))
        #expect(AverageLines(sources: [], guideline: guideline, isAdult: true).judgement(of: few) == nil)
        // A single reading is never classified, whatever the rule requires.
        let one = WorkedWeek.average(.everything, Array(WorkedWeek.readings.prefix(1)))
        #expect(one.shortfalls.isEmpty && !one.isComplete)
    }

    @Test func cuffsOwnAverage_StandsForItsInflations() {
        func reading(_ second: Int64, _ systolic: Double, _ flags: MeasurementFlags = []) -> HomeReading {
            HomeReading(time: Timestamp(seconds: 1_777_900_000 + second), systolic: systolic, diastolic: 80, flags: flags)
        }
        // At most ten minutes before, and those of the same minute in any order.
        let average = WorkedWeek.average(
            .everything,
            [
                reading(0, 150), reading(30, 151), reading(600, 152), reading(630, 120, [.averaged]), reading(630, 153),
                reading(631, 130),
            ])
        #expect(average.leftOut == [.partOfAverage: 3])
        #expect(average.all.count == 3 && average.all.systolic?.text == "400/3")
        #expect(average.flagged == [.averaged: 1])
    }

    @Test func sessions_EndAfterTenMinutes_AndBelongToTheEveningBefore() throws {
        var told: [ReadingFate] = []
        var average = ProtocolAverage(try rule("nice-ng136"), zone: .utc)
        func add(_ time: String) {
            let time = Timestamp.parse(time)?.time
            average.add(HomeReading(time: time, systolic: 120, diastolic: 80)) { told.append($1) }
        }
        for time in [
            "2026-05-04T20:00:00Z", "2026-05-04T20:10:00Z", "2026-05-04T20:20:01Z", "2026-05-05T02:59:00Z", "2026-05-05T03:00:00Z",
            "2026-05-05T03:20:00Z", "2026-05-05T07:00:00Z",
        ] { add(time) }
        average.finish { told.append($1) }
        #expect(told.map { $0.place?.session } == [1, 1, 2, 3, 3, 4, 5])
        #expect(told.map { $0.place?.day } == [1, 1, 1, 1, 1, 2, 2])
        #expect(told.map { $0.place?.window } == [.evening, .evening, .evening, .evening, .evening, .other, .morning])
        #expect(told.map { $0.leavingOut } == [.firstDays, .firstDays, .firstDays, .firstDays, .firstDays, nil, nil])
        #expect(average.days.count == 1 && average.daysMeasured == 2)
    }

    @Test func firstReadingAfterMidnight_IsOfDayOne() throws {
        var average = ProtocolAverage(try rule("nice-ng136"), zone: .utc)
        for time in ["2026-05-05T01:30:00Z", "2026-05-05T07:00:00Z", "2026-05-06T01:30:00Z", "2026-05-06T07:00:00Z"] {
            average.add(HomeReading(time: Timestamp.parse(time)?.time, systolic: 120, diastolic: 80))
        }
        average.finish()
        // Three readings up to the night that ends day 1, then one on day 2.
        #expect(average.leftOut == [.firstDays: 3] && average.all.count == 1 && average.daysMeasured == 2)
    }

    @Test func repeatedHour_HoldsTwoSessions() {
        // 02:30 twice in Berlin, on 2026-10-25.
        var average = ProtocolAverage(.everything, zone: BucketingTests.berlin)
        for time in ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"] {
            average.add(HomeReading(time: Timestamp.parse(time)?.time, systolic: 120, diastolic: 80))
        }
        average.finish()
        #expect(average.sessions == 2 && average.singleSessions == 2)
    }

    @Test func rounding_IsHalfUp() throws {
        func text(_ top: Int128, _ bottom: Int128, _ places: Int) throws -> String {
            try #require(Fraction(top, over: bottom)).rounded(places: places).text
        }
        #expect(try text(269, 2, 0) == "135")
        #expect(try text(2689, 20, 1) == "134.5")
        #expect(try text(-1, 2, 0) == "0")
        #expect(try text(-3, 2, 0) == "-1")
        #expect(try text(-1, 4, 1) == "-0.2")
        #expect(try text(1, 20, 1) == "0.1")
        #expect(try #require(Fraction(1, over: 3)).adding(try #require(Fraction(1, over: 6)))?.text == "1/2")
        #expect(Fraction(1, over: 0) == nil)
        #expect(try #require(Fraction(269, over: 2)) < Fraction(135))
    }

    @Test func order_IsRestored_OrSaidToBeBroken() {
        func pass(_ seconds: [Int64], capacity: Int) -> (passed: [Int64], isBroken: Bool) {
            var order = ReadingOrder(capacity: capacity)
            var passed: [Int64] = []
            for second in seconds {
                order.add(HomeReading(time: Timestamp(seconds: second), systolic: 1, diastolic: 1)) {
                    passed.append($0.time?.seconds ?? -1)
                }
            }
            order.finish { passed.append($0.time?.seconds ?? -1) }
            return (passed, order.isBroken)
        }
        let near = pass([3, 1, 2, 6, 5, 4, 9, 8, 7], capacity: 3)
        #expect(near.passed == Array(1...9) && !near.isBroken)
        #expect(pass([5, 6, 7, 1], capacity: 2).isBroken)
        let many = pass((0..<10_000).map { Int64($0 ^ 7) }, capacity: 8)
        #expect(many.passed == Array(0..<10_000) && !many.isBroken)
    }

    @Test func rules_AreNamedOnce_AndHaveTheirGuideline() {
        #expect(Set(AveragingRule.all.map(\.name)).count == AveragingRule.all.count)
        #expect(Set(PressureGuideline.all.map(\.name)).count == PressureGuideline.all.count)
        for rule in AveragingRule.all where rule.guideline != nil {
            #expect(rule.guideline.flatMap(PressureGuideline.named) != nil, "\(rule.name)")
        }
        for rule in AveragingRule.all.dropFirst() { #expect(rule.document?.citation.isEmpty == false, "\(rule.name)") }
        for guideline in PressureGuideline.all { #expect(!guideline.source.isEmpty && guideline.year > 2000) }
    }
}
