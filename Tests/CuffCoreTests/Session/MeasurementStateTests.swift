import Testing

@testable import CuffCore

@Suite struct MeasurementStateTests {
    typealias Effect = MeasurementState.Effect

    private let able: Capabilities = [.measure, .stop]
    private func reading(_ content: Reading.Content = .bloodPressure(.mmHg(120, 80)), origin: Reading.Origin = .measurement) -> Reading {
        Reading(content, driver: "x", origin: origin, raw: RawBytes([]))
    }

    /// The effects of actions after the start, without the first command.
    private func effects(_ capabilities: Capabilities, _ actions: [SessionAction]) -> [Effect] {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(capabilities, into: &effects)
        for action in actions { measurement.handle(action, into: &effects) }
        return Array(effects.dropFirst())
    }

    @Test func aCuffThatCannot_IsNotAsked() {
        var effects: [Effect] = []
        let measurement = MeasurementState.begin([.storedReadings], into: &effects)
        #expect(effects == [.notStarted(.unsupported), .ended(.failed(.unsupported))])
        #expect(measurement.state == .ended)
    }

    @Test func aGoodMeasurement_StartsShowsAndEnds() {
        let result = reading()
        #expect(
            effects(
                able,
                [
                    .live(.started), .live(.cuffPressure(.mmHg(150))), .live(.ended), .emit(result),
                    .live(.oscillation(.mmHg(90), amplitude: 3)), .finish(.complete),
                ])
                == [.started, .live(.cuffPressure(.mmHg(150))), .ended(.result(result))])
    }

    @Test func aCuffThatOnlyShowsPressure_HasStarted() {
        #expect(effects(able, [.live(.cuffPressure(.mmHg(5)))]) == [.started, .live(.cuffPressure(.mmHg(5)))])
        let result = reading()
        #expect(effects(able, [.emit(result)]) == [.started, .ended(.result(result))])
    }

    @Test func noAnswerAndRefusal_AreNotStarted() {
        #expect(
            effects(able, [.live(.failed(.init(.timeout))), .finish(.noAnswer("x"))]) == [
                .notStarted(.noAnswer("x")), .ended(.failed(.noAnswer("x"))),
            ])
        #expect(effects(able, [.finish(.failed("NAK"))]) == [.notStarted(.refused("NAK")), .ended(.failed(.refused("NAK")))])
    }

    @Test func failures_KeepTheirReason() {
        let failure = MeasurementFailure(.cuffLoose, code: "E1")
        #expect(
            effects(able, [.live(.started), .emit(reading(.failure(failure))), .finish(.complete)]) == [
                .started, .ended(.failed(.cuff(failure))),
            ])
        #expect(
            effects(able, [.live(.started), .live(.failed(failure)), .finish(.failed("x"))]) == [.started, .ended(.failed(.cuff(failure)))])
        #expect(effects(able, [.live(.started), .finish(.noAnswer("silence"))]) == [.started, .ended(.failed(.lost("silence")))])
        #expect(effects(able, [.live(.started), .live(.ended), .finish(.complete)]) == [.started, .ended(.failed(.noResult))])
        #expect(effects(able, [.live(.started), .live(.aborted), .finish(.complete)]) == [.started, .ended(.aborted)])
    }

    /// The session's own limit is no word of the cuff: its stop is not confirmed.
    @Test func aSessionThatGivesUp_MayLeaveTheCuffRunning() {
        for reason in [FailureReason.timeout, .overPressure] {
            let end = MeasurementState.End.failed(.givenUp(.init(reason), "x"))
            #expect(effects(able, [.live(.started), .live(.failed(.init(reason))), .finish(.noAnswer("x"))]) == [.started, .ended(end)])
            #expect(end.mayStillRun && !MeasurementState.End.failed(.cuff(.init(reason))).mayStillRun)
        }
    }

    @Test func aCuffThatFellSilent_IsLost_AndDoesNotSaySoItself() {
        let silence: [SessionAction] = [.live(.failed(.init(.lost))), .finish(.noAnswer("silence"))]
        #expect(effects(able, [.live(.started)] + silence) == [.started, .ended(.failed(.lost("silence")))])
        #expect(effects(able, silence) == [.notStarted(.noAnswer("silence")), .ended(.failed(.noAnswer("silence")))])
        // The beats are readings, but the measurement has no result.
        let continuous = effects([.measure, .stop, .continuous], [.live(.started), .emit(reading())] + silence)
        #expect(continuous == [.started, .ended(.failed(.lost("silence")))])
    }

    @Test func aStopThatTheCuffRecordsAsAnError_IsAborted() {
        let stopped = SessionAction.emit(reading(.failure(.init(.stopped, code: "2"))))
        #expect(effects(able, [.live(.started), .live(.aborted), stopped, .finish(.complete)]) == [.started, .ended(.aborted)])
        #expect(effects(able, [.live(.started), stopped, .finish(.complete)]) == [.started, .ended(.aborted)])
    }

    @Test func readingsThatAreNotOfThisMeasurement_AreNotItsResult() {
        #expect(
            effects(able, [.emit(reading(origin: .push)), .emit(reading(origin: .memory)), .emit(reading(.pulseRate(PulseRate(70))))]) == []
        )
    }

    @Test func stopping_TellsTheCuff_AndWaits() {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(able, into: &effects)
        measurement.handle(.live(.started), into: &effects)
        effects = []
        measurement.stop(into: &effects)
        #expect(effects == [.command(.stop), .wait(MeasurementState.deflationWait)])
        measurement.handle(.live(.aborted), into: &effects)
        measurement.handle(.finish(.complete), into: &effects)
        measurement.waitedForDeflation(into: &effects)
        measurement.stop(into: &effects)
        #expect(effects == [.command(.stop), .wait(MeasurementState.deflationWait), .ended(.aborted)])
    }

    @Test func stoppingTwice_Leaves() {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(able, into: &effects)
        effects = []
        measurement.stop(into: &effects)
        measurement.stop(into: &effects)
        let fault = MeasurementState.Fault.noAnswer("the cuff did not confirm that it stopped")
        #expect(effects == [.command(.stop), .wait(MeasurementState.deflationWait), .notStarted(fault), .ended(.failed(fault)), .leave])
    }

    @Test func aSilentCuff_IsLeftAfterTheWait() {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(able, into: &effects)
        measurement.handle(.live(.started), into: &effects)
        measurement.stop(into: &effects)
        effects = []
        measurement.waitedForDeflation(into: &effects)
        #expect(effects == [.ended(.failed(.noAnswer("the cuff did not confirm that it stopped"))), .leave])
    }

    /// `.live(.aborted)` is what a session reports when it sends the stop.
    @Test func aStopThatIsNotConfirmed_IsNotAnAbortion() {
        func ended(_ body: (inout MeasurementState, inout [Effect]) -> Void) -> [Effect] {
            var effects: [Effect] = []
            var measurement = MeasurementState.begin(able, into: &effects)
            measurement.handle(.live(.started), into: &effects)
            measurement.stop(into: &effects)
            measurement.handle(.live(.aborted), into: &effects)
            effects = []
            body(&measurement, &effects)
            return effects
        }
        #expect(ended { $0.handle(.finish(.noAnswer("x")), into: &$1) } == [.ended(.failed(.noAnswer("x")))])
        #expect(ended { $0.lineEnded("unplugged", into: &$1) } == [.ended(.failed(.lost("unplugged")))])
        #expect(ended { $0.handle(.finish(.complete), into: &$1) } == [.ended(.aborted)])
    }

    @Test func aResultThatCameInTime_Wins() {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(able, into: &effects)
        measurement.handle(.live(.started), into: &effects)
        measurement.stop(into: &effects)
        effects = []
        let result = reading()
        measurement.handle(.emit(result), into: &effects)
        #expect(effects == [.ended(.result(result))])
        measurement.handle(.emit(reading(.failure(.init(.stopped)))), into: &effects)
        #expect(effects.count == 1)
    }

    @Test func anUnpluggedCuff_Failed() {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(able, into: &effects)
        effects = []
        measurement.lineEnded("unplugged", into: &effects)
        #expect(effects == [.notStarted(.lost("unplugged")), .ended(.failed(.lost("unplugged")))])
    }

    @Test func tooLong_StopsTheCuff() {
        var effects: [Effect] = []
        var measurement = MeasurementState.begin(able, into: &effects)
        measurement.handle(.live(.started), into: &effects)
        effects = []
        measurement.timedOut(into: &effects)
        #expect(effects == [.command(.stop), .ended(.failed(.timedOut)), .leave])
    }

    /// For actions in any order: one answer, one end, in this order, and nothing but leaving after the end.
    @Test func whateverHappens_ItEndsOnce() {
        var random = SplitMix64(seed: 77)
        var ended = 0
        var wrong: [[Effect]] = []
        for _ in 0..<20_000 {
            var effects: [Effect] = []
            let capabilities = Capabilities(rawValue: UInt32(truncatingIfNeeded: random.next()))
            var measurement = MeasurementState.begin(capabilities, into: &effects)
            for _ in 0..<(random.next() % 12) {
                switch random.next() % 14 {
                case 0: measurement.handle(.live(.started), into: &effects)
                case 1: measurement.handle(.live(.cuffPressure(.mmHg(90))), into: &effects)
                case 2: measurement.handle(.live(.ended), into: &effects)
                case 3: measurement.handle(.live(.aborted), into: &effects)
                case 4: measurement.handle(.live(.failed(.init(.leak))), into: &effects)
                case 5: measurement.handle(.emit(reading()), into: &effects)
                case 6: measurement.handle(.emit(reading(.failure(.init(.leak)))), into: &effects)
                case 7: measurement.handle(.finish(.complete), into: &effects)
                case 8: measurement.handle(.finish(.failed("x")), into: &effects)
                case 9: measurement.handle(.finish(.noAnswer("x")), into: &effects)
                case 10: measurement.lineEnded("x", into: &effects)
                case 11: measurement.stop(into: &effects)
                case 12: measurement.waitedForDeflation(into: &effects)
                default: measurement.timedOut(into: &effects)
                }
            }
            if measurement.state != .ended { measurement.lineEnded("end", into: &effects) }
            let ends = effects.indices.filter { if case .ended = effects[$0] { true } else { false } }
            let answers = effects.indices.filter {
                switch effects[$0] {
                case .started, .notStarted: true
                default: false
                }
            }
            let stops = effects.count { $0 == .command(.stop) }
            let onlyLeavesAfter = ends.first.map { effects[($0 + 1)...].allSatisfy { $0 == .leave } } ?? false
            if ends.count != 1 || answers.count != 1 || (answers.first ?? 0) > (ends.first ?? 0) || stops > 1 || !onlyLeavesAfter
                || (stops == 1 && !capabilities.contains(.stop))
                || (effects.contains(.command(.measure)) != capabilities.contains(.measure))
            {
                wrong.append(effects)
            }
            ended += 1
        }
        #expect(ended == 20_000)
        #expect(wrong.isEmpty, "\(wrong.first ?? [])")
    }

    @Test func aContinuousCuff_EndsWithItsLastBeat() {
        let beats = [reading(.bloodPressure(.mmHg(118, 79))), reading(.bloodPressure(.mmHg(121, 80)))]
        let played = effects([.measure, .stop, .continuous], beats.map { .emit($0) } + [.finish(.complete)])
        #expect(played == [.started, .ended(.result(beats[1]))])
        var effects: [Effect] = []
        var measurement = MeasurementState.begin([.measure, .stop, .continuous], into: &effects)
        measurement.handle(.emit(beats[0]), into: &effects)
        measurement.stop(into: &effects)
        measurement.handle(.finish(.complete), into: &effects)
        #expect(effects.last == .ended(.aborted))
        #expect(self.effects([.measure, .stop, .continuous], [.live(.started), .finish(.complete)]).last == .ended(.failed(.noResult)))
    }

    @Test func marks_SurviveACrash() {
        let mark = MeasurementMark(driver: "and-std", address: "/dev/tty USB0", begun: Timestamp(milliseconds: 5))
        #expect(MeasurementMark(line: mark.line) == mark)
        for cut in mark.line.indices { #expect(MeasurementMark(line: String(mark.line[..<cut])) == nil) }
        #expect(MeasurementMark(line: "2 a 5 b\n") == nil)
    }
}

@Suite struct ScheduleKeeperTests {
    private func instant(_ text: String) -> Int64 { Timestamp.parse(text)?.time.seconds ?? .min }
    private let berlin = CalendarTests.berlin

    private func plan(_ interval: Int, _ from: Int? = nil, _ to: Int? = nil) throws -> MonitoringPlan {
        let window = try from.map { try #require(MonitoringPlan.Window(from: $0, to: to ?? 0)) }
        return try #require(MonitoringPlan(every: interval, window: window))
    }

    private func times(_ plan: MonitoringPlan, from start: String, count: Int) -> [String] {
        var due = instant(start)
        return (0..<count).map { _ in
            due = plan.next(after: due, in: berlin) ?? .min
            var text = TextBuffer()
            text.append(local: Timestamp(seconds: due), offset: berlin.offset(at: due) / 60)
            return text.string
        }
    }

    @Test func dueTimes_StartAtTheWindow() throws {
        let plan = try plan(25, 8 * 60, 9 * 60)
        #expect(
            times(plan, from: "2026-05-05T03:00:00+02:00", count: 4) == [
                "2026-05-05T08:00:00+02:00", "2026-05-05T08:25:00+02:00", "2026-05-05T08:50:00+02:00", "2026-05-06T08:00:00+02:00",
            ])
        #expect(times(plan, from: "2026-05-05T08:00:00+02:00", count: 1) == ["2026-05-05T08:25:00+02:00"])
    }

    @Test func windows_MayRunPastMidnight() throws {
        let plan = try plan(60, 22 * 60, 2 * 60)
        #expect(
            times(plan, from: "2026-05-05T22:30:00+02:00", count: 4) == [
                "2026-05-05T23:00:00+02:00", "2026-05-06T00:00:00+02:00", "2026-05-06T01:00:00+02:00", "2026-05-06T22:00:00+02:00",
            ])
    }

    @Test func withoutAWindow_TheDayStartsAtMidnight() throws {
        #expect(
            times(try plan(1440), from: "2026-05-05T22:30:00+02:00", count: 2) == [
                "2026-05-06T00:00:00+02:00", "2026-05-07T00:00:00+02:00",
            ])
        #expect(
            times(try plan(420), from: "2026-05-05T20:30:00+02:00", count: 2) == ["2026-05-05T21:00:00+02:00", "2026-05-06T00:00:00+02:00"])
    }

    @Test func changesOfTheZone_NeitherDoubleNorMove() throws {
        #expect(
            times(try plan(60, 60, 240), from: "2026-03-29T00:30:00+01:00", count: 3) == [
                "2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-30T01:00:00+02:00",
            ])
        #expect(
            times(try plan(60, 60, 240), from: "2026-10-25T00:30:00+02:00", count: 5) == [
                "2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00", "2026-10-25T03:00:00+01:00",
                "2026-10-26T01:00:00+01:00",
            ])
    }

    @Test func plans_HaveLimits() {
        #expect(MonitoringPlan(every: 4) == nil)
        #expect(MonitoringPlan(every: 1441) == nil)
        #expect(MonitoringPlan.Window(from: 480, to: 480) == nil)
        #expect(MonitoringPlan.Window(from: -1, to: 480) == nil)
        #expect(MonitoringPlan.Window(from: 480, to: 1440)?.to == 0)
    }

    @Test func aDueMeasurement_IsAskedForOnce() throws {
        var keeper = ScheduleKeeper(try plan(15, 480, 1320), from: instant("2026-05-05T07:50:00+02:00"))
        let eight = instant("2026-05-05T08:00:00+02:00")
        #expect(keeper.decide(at: instant("2026-05-05T07:50:00+02:00"), in: berlin) == .wait(until: eight))
        #expect(keeper.decide(at: eight, in: berlin) == .measure(due: eight))
        #expect(keeper.decide(at: eight + 60, in: berlin) == .measure(due: eight))
        keeper.measured(due: eight)
        #expect(keeper.decide(at: eight + 60, in: berlin) == .wait(until: eight + 900))
        keeper.skip(due: eight + 900, .cuffAbsent)
        keeper.skip(due: eight + 1800, .cuffAbsent)
        keeper.skip(due: eight + 2700, .cuffBusy)
        #expect(keeper.decide(at: eight + 2710, in: berlin) == .wait(until: eight + 3600))
        let absent = ScheduleKeeper.Skipped(first: eight + 900, last: eight + 1800, count: 2, reason: .cuffAbsent)
        let busy = ScheduleKeeper.Skipped(first: eight + 2700, last: eight + 2700, count: 1, reason: .cuffBusy)
        #expect(keeper.takeSkipped() == [absent, busy])
        #expect(keeper.skipped.isEmpty)
        #expect(keeper.measuredCount == 1)
    }

    @Test func sleepingThroughTimes_IsReported_NotMadeUpFor() throws {
        let eight = instant("2026-05-05T08:00:00+02:00")
        var late = ScheduleKeeper(try plan(15, 480, 1320), from: eight - 1)
        #expect(late.decide(at: eight + 2 * 3600 + 300, in: berlin) == .wait(until: eight + 2 * 3600 + 900))
        let away = ScheduleKeeper.Skipped(first: eight, last: eight + 2 * 3600, count: 9, reason: .hostAway)
        #expect(late.takeSkipped() == [away])
        var justInTime = ScheduleKeeper(try plan(15, 480, 1320), from: eight - 1)
        #expect(justInTime.decide(at: eight + 2 * 3600 + 60, in: berlin) == .measure(due: eight + 2 * 3600))
        #expect(justInTime.takeSkipped().map(\.count) == [8])
    }

    @Test func weeksAway_AreCounted() throws {
        let start = instant("2026-05-05T00:00:00+02:00")
        var keeper = ScheduleKeeper(try plan(60, 480, 600), from: start)
        #expect(keeper.decide(at: start + 10 * 86400, in: berlin) == .wait(until: start + 10 * 86400 + 8 * 3600))
        #expect(keeper.takeSkipped().map(\.count) == [20])
    }

    @Test func aClockSetBack_Waits() throws {
        let eight = instant("2026-05-05T08:00:00+02:00")
        var keeper = ScheduleKeeper(try plan(15, 480, 1320), from: eight - 1)
        keeper.measured(due: eight)
        #expect(keeper.decide(at: eight - 3600, in: berlin) == .wait(until: eight + 900))
        keeper.measured(due: eight)
        #expect(keeper.measuredCount == 1)
    }

    @Test func state_SurvivesARestart() throws {
        for plan in [try plan(15, 480, 1320), try plan(5)] {
            var keeper = ScheduleKeeper(plan, from: 1_777_959_180)
            keeper.measured(due: 1_777_960_800)
            let back = try #require(ScheduleKeeper(line: keeper.line))
            #expect(back == keeper)
            // Truncated anywhere, it is not taken for another state.
            for cut in keeper.line.indices { #expect(ScheduleKeeper(line: String(keeper.line[..<cut])) == nil) }
        }
        for line in [
            "", "1 15 480 1320 5\n", "1 4 - - 5 0\n", "1 15 480 - 5 0\n", "1 15 480 480 5 0\n", "2 15 - - 5 0\n", "1 15 - - x 0\n",
        ] {
            #expect(ScheduleKeeper(line: line) == nil)
        }
    }
}
