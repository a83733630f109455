import CuffCore
import Testing

/// Plans with intervals for day and night, and an end. The zone is Europe/Berlin: clocks go forward at 02:00 on 2026-03-29 and back at
/// 03:00 on 2026-10-25.
@Suite struct NightScheduleTests {
    private let berlin = CalendarTests.berlin
    private func instant(_ text: String) -> Int64 { Timestamp.parse(text)?.time.seconds ?? .min }

    private func plan(
        _ day: Int, night: Int, _ from: Int = 22 * 60, _ to: Int = 7 * 60, until: String? = nil
    ) throws -> MonitoringPlan {
        let window = try #require(MonitoringPlan.Window(from: from, to: to))
        let span = try #require(MonitoringPlan.Night(window, every: night))
        return try #require(MonitoringPlan(every: day, night: span, until: until.map { instant($0) }))
    }

    /// The due times after one moment and up to another, as `2026-05-05T22:00:00+02:00`.
    private func due(_ plan: MonitoringPlan, after first: String, through last: String) -> [String] {
        var times: [String] = []
        var from = instant(first)
        while let next = plan.next(after: from, in: berlin), next <= instant(last), times.count < 200 {
            times.append(Timestamp(seconds: next).text(in: berlin))
            from = next
        }
        return times
    }

    @Test func intervals_ChangeAtTheEndsOfTheNight() throws {
        let plan = try plan(20, night: 30)
        #expect(
            due(plan, after: "2026-05-05T21:30:00+02:00", through: "2026-05-05T23:00:00+02:00") == [
                "2026-05-05T21:40:00+02:00", "2026-05-05T22:00:00+02:00", "2026-05-05T22:30:00+02:00", "2026-05-05T23:00:00+02:00",
            ])
        #expect(
            due(plan, after: "2026-05-06T06:15:00+02:00", through: "2026-05-06T07:30:00+02:00") == [
                "2026-05-06T06:30:00+02:00", "2026-05-06T07:00:00+02:00", "2026-05-06T07:20:00+02:00",
            ])
    }

    /// 15 hours of day at 20 minutes and 9 of night at 30: 45 and 18.
    @Test func aDay_HasAllItsMeasurements_OverMidnight() throws {
        let plan = try plan(20, night: 30, until: "2026-05-06T09:07:00+02:00")
        let all = due(plan, after: "2026-05-05T09:07:00+02:00", through: "2026-05-20T00:00:00+02:00")
        #expect(all.count == 63)
        #expect(all.first == "2026-05-05T09:20:00+02:00" && all.last == "2026-05-06T09:00:00+02:00")
        #expect(all.filter { $0.hasPrefix("2026-05-06T0") && $0 < "2026-05-06T07" }.count == 14)
        #expect(plan.next(after: instant("2026-05-06T09:00:00+02:00"), in: berlin) == nil)
    }

    /// 22:00 to 07:00 is eight hours long: sixteen measurements at half hours, none at a skipped time, none twice.
    @Test func theHourThatNeverComes_IsLeftOut() throws {
        let night = due(try plan(20, night: 30), after: "2026-03-28T21:59:00+01:00", through: "2026-03-29T06:59:00+02:00")
        #expect(night.count == 16 && Set(night).count == 16)
        #expect(night.contains("2026-03-29T01:30:00+01:00") && night.contains("2026-03-29T03:00:00+02:00"))
        #expect(!night.contains { $0.hasPrefix("2026-03-29T02") })
    }

    /// Ten hours: twenty measurements, half past two twice, an hour apart.
    @Test func theHourThatComesTwice_IsMeasuredTwice() throws {
        let night = due(try plan(20, night: 30), after: "2026-10-24T21:59:00+02:00", through: "2026-10-25T06:59:00+01:00")
        #expect(night.count == 20 && Set(night).count == 20)
        #expect(night.contains("2026-10-25T02:30:00+02:00") && night.contains("2026-10-25T02:30:00+01:00"))
    }

    /// The night begins at 02:30, which one day does not have and another has twice.
    @Test func aNightThatBeginsInTheChange() throws {
        let plan = try plan(60, night: 30, 150, 300)
        #expect(
            due(plan, after: "2026-03-29T00:59:00+01:00", through: "2026-03-29T06:00:00+02:00") == [
                // The previous day began at 05:00.
                "2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00", "2026-03-29T04:00:00+02:00",
                "2026-03-29T04:30:00+02:00", "2026-03-29T05:00:00+02:00", "2026-03-29T06:00:00+02:00",
            ])
        #expect(
            due(plan, after: "2026-10-25T01:30:00+02:00", through: "2026-10-25T03:00:00+01:00") == [
                "2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T02:30:00+01:00",
                "2026-10-25T03:00:00+01:00",
            ])
    }

    /// Every seven minutes from 07:00, the last before 22:00 would be at 21:56; an arm rests for five.
    @Test func anArm_RestsBeforeTheNightBegins() throws {
        let times = due(try plan(7, night: 30), after: "2026-05-05T21:40:00+02:00", through: "2026-05-05T22:01:00+02:00")
        #expect(times == ["2026-05-05T21:42:00+02:00", "2026-05-05T21:49:00+02:00", "2026-05-05T22:00:00+02:00"])
        // Every five, the last is at 21:55, which is early enough.
        #expect(
            due(try plan(5, night: 30), after: "2026-05-05T21:51:00+02:00", through: "2026-05-05T22:01:00+02:00")
                == ["2026-05-05T21:55:00+02:00", "2026-05-05T22:00:00+02:00"])
    }

    @Test func plans_HaveLimits() throws {
        let window = try #require(MonitoringPlan.Window(from: 0, to: 60))
        #expect(MonitoringPlan.Night(window, every: 4) == nil)
        #expect(MonitoringPlan(every: 20, window: window, night: MonitoringPlan.Night(window, every: 30)) == nil)
    }

    @Test func aKeptPlan_EndsAndSaysSo() throws {
        let start = instant("2026-05-05T09:07:00+02:00")
        var keeper = ScheduleKeeper(try plan(20, night: 30, until: "2026-05-06T09:07:00+02:00"), from: start)
        var made = 0
        var now = start
        while made < 100 {
            switch keeper.decide(at: now, in: berlin) {
            case .wait(let until): now = until
            case .measure(let due):
                keeper.measured(due: due)
                made += 1
                now = due + 40
            case .over: made += 1000
            }
        }
        #expect(made == 1063 && keeper.measuredCount == 63 && keeper.skipped.isEmpty)
        var away = ScheduleKeeper(keeper.plan, from: start)
        #expect(away.decide(at: start + 10 * 86400, in: berlin) == .over)
        #expect(away.takeSkipped().map(\.count) == [63])
    }

    @Test func aKeptPlan_SurvivesARestart() throws {
        let whole = ScheduleKeeper(try plan(20, night: 30, until: "2026-05-06T09:07:00+02:00"), from: 1000)
        #expect(whole.line == "2 20 - - 1320 420 30 1778051220 1000 0\n")
        #expect(ScheduleKeeper(line: whole.line) == whole)
        for cut in whole.line.indices { #expect(ScheduleKeeper(line: String(whole.line[..<cut])) == nil) }
        let ending = ScheduleKeeper(try #require(MonitoringPlan(every: 15, until: 5000)), from: 1000)
        #expect(ending.line == "2 15 - - - - - 5000 1000 0\n" && ScheduleKeeper(line: ending.line) == ending)
        #expect(ScheduleKeeper(line: "2 20 - - 1320 420 4 - 1000 0\n") == nil)
        #expect(ScheduleKeeper(line: "2 20 0 60 1320 420 30 - 1000 0\n") == nil)
    }
}
