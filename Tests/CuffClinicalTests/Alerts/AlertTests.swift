import CuffCore
import Testing

@testable import CuffClinical

/// A watch that starts at 08:00 UTC.
struct AlertRig {
    static let start = Timestamp(seconds: 1_777_968_000)
    var state: AlertState
    var number: UInt64 = 0

    init(_ rules: [AlertRule], household: Household = Household()) {
        state = AlertState(rules, household: household, start: Self.start)
    }

    static func time(_ minute: Double) -> Timestamp { Timestamp(milliseconds: start.milliseconds + Int64(minute * 60_000)) }

    /// A reading sent at this minute of the watch.
    static func reading(
        _ number: UInt64, _ systolic: Int, _ diastolic: Int, pulse: Int? = 70, at minute: Double, user: Int32? = nil,
        flags: MeasurementFlags = [], origin: Reading.Origin = .push, clock: DeviceClock = .absent, driver: DriverID = "r1"
    ) -> Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(systolic, diastolic, pulse: pulse)), driver: driver, user: user, flags: flags, clock: clock,
            origin: origin,
            raw: RawBytes([]))
        reading.id = Reading.ID(wallSeconds: time(minute).seconds, hash: number)
        reading.received = time(minute)
        reading.measured = time(minute)
        reading.rule = .receiveTime
        return reading
    }

    mutating func hear(_ reading: Reading, device: String = "hallway", at minute: Double? = nil) -> [AlertEvent] {
        state.handle(.reading(reading, device: device), at: minute.map(Self.time) ?? reading.received ?? Self.start)
    }

    /// Handles a new reading; returns the changes, `raised` and `cleared`.
    mutating func hear(
        _ systolic: Int, _ diastolic: Int, pulse: Int? = 70, at minute: Double, user: Int32? = nil, device: String = "hallway",
        flags: MeasurementFlags = [], origin: Reading.Origin = .push, clock: DeviceClock = .absent, driver: DriverID = "r1"
    ) -> [String] {
        number += 1
        let reading = Self.reading(
            number, systolic, diastolic, pulse: pulse, at: minute, user: user, flags: flags, origin: origin, clock: clock, driver: driver)
        return Self.words(hear(reading, device: device))
    }

    static func words(_ events: [AlertEvent]) -> [String] {
        events.map {
            switch $0 {
            case .changed(let notice, _, _): notice.change.rawValue
            case .leftOut: "left out"
            }
        }
    }
}

func condition(_ text: String) throws -> AlertCondition { try AlertCondition(text) }

func highRule(
    _ when: String = "systolic >= 180 or diastolic >= 110", clear: String? = nil, repeated: AlertRule.Repeated? = nil,
    _ change: (inout AlertRule) -> Void = { _ in }
) throws -> AlertRule {
    var rule = AlertRule(
        name: "high", trigger: .values(try AlertCondition(when), clear: try clear.map { try AlertCondition($0) }, repeated: repeated))
    change(&rule)
    return rule
}

@Suite struct AlertConditionTests {
    @Test(arguments: [
        ("systolic >= 180 or diastolic >= 110", 180, 80, true), ("systolic >= 180 or diastolic >= 110", 179, 110, true),
        ("systolic >= 180 or diastolic >= 110", 179, 109, false), ("systolic>=180 and diastolic>=110", 190, 109, false),
        ("systolic >= 180 and diastolic >= 110", 180, 110, true), ("systolic > 180", 180, 80, false), ("systolic < 90", 89, 50, true),
        ("systolic <= 90", 90, 50, true), ("systolic < 90", 90, 50, false), ("diastolic > 109.5", 150, 110, true),
    ])
    func values_AreCompared(_ text: String, _ systolic: Int, _ diastolic: Int, _ holds: Bool) throws {
        #expect(try condition(text).holds(for: .mmHg(systolic, diastolic)) == holds)
    }

    @Test func aValueThatIsNotThere_DecidesNothing() throws {
        #expect(try condition("mean < 65").holds(for: .mmHg(80, 50)) == nil)
        #expect(try condition("mean < 65").holds(for: .mmHg(80, 50, mean: 60)) == true)
        #expect(try condition("systolic < 90 or mean < 65").holds(for: .mmHg(80, 50)) == true)
        #expect(try condition("systolic < 90 or mean < 65").holds(for: .mmHg(120, 80)) == nil)
        #expect(try condition("pulse >= 131 and systolic < 90").holds(for: .mmHg(120, 80)) == false)
    }

    /// 24.0 kPa are 180.01 mmHg, 23.9 are 179.26.
    @Test func kilopascals_AreComparedInMmHg() throws {
        func pressure(_ tenths: Int64) -> BloodPressure {
            BloodPressure(
                systolic: Pressure(Digits(mantissa: tenths, exponent: -1), .kPa),
                diastolic: Pressure(Digits(mantissa: 100, exponent: -1), .kPa))
        }
        #expect(try condition("systolic >= 180").holds(for: pressure(240)) == true)
        #expect(try condition("systolic >= 180").holds(for: pressure(239)) == false)
    }

    @Test(arguments: [
        "", "systolic", "systolic >= ", "systolic >= 0", "systolic >= 401", "systolic >= -5", "systolic >= 1e2", "systolic => 180",
        "systolic = 180", "sys >= 180", "systolic >= 180 or", "systolic >= 180 diastolic >= 110",
        "systolic >= 180 or diastolic >= 110 and pulse > 90",
        "pulse > 1 or pulse > 2 or pulse > 3 or pulse > 4 or pulse > 5", "systolic >= nan", "systolic >= 180 xor diastolic >= 110",
    ])
    func anythingElse_IsRefused(_ text: String) { #expect(throws: AlertCondition.Malformed.self) { try AlertCondition(text) } }

    @Test func overlaps_AreFound() throws {
        let high = try condition("systolic >= 180 or diastolic >= 110")
        #expect(try condition("systolic < 170 and diastolic < 100").excludes(high))
        #expect(try condition("systolic < 180 and diastolic < 110").excludes(high))
        #expect(try !condition("systolic <= 180 and diastolic < 110").excludes(high))
        #expect(try !condition("systolic < 170").excludes(high))
        #expect(try !condition("systolic < 170 or diastolic < 100").excludes(high))
        let both = try condition("systolic >= 180 and diastolic >= 110")
        #expect(try condition("systolic < 170").excludes(both))
        #expect(try condition("systolic < 170 or diastolic < 100").excludes(both))
        #expect(try condition("systolic > 180 and systolic < 100").excludes(condition("systolic > 180 and systolic < 100")))
    }
}

@Suite struct AlertTests {
    @Test func aValue_RaisesOnce_AndClears() throws {
        var rig = AlertRig([try highRule()])
        #expect(rig.hear(179, 109, at: 1).isEmpty)
        #expect(rig.hear(180, 90, at: 3) == ["raised"])
        #expect(rig.hear(185, 95, at: 5).isEmpty)
        #expect(rig.hear(170, 90, at: 7) == ["cleared"])
        #expect(rig.hear(150, 80, at: 9).isEmpty)
        #expect(rig.hear(150, 112, at: 11) == ["raised"])
    }

    @Test func whatIsToldOfIt_NamesRuleValueTimeAndPerson() throws {
        var rig = AlertRig([try highRule()], household: Household(["hallway:1": "Anna"]))
        let reading = AlertRig.reading(7, 190, 112, at: 3, user: 1)
        guard case .changed(let notice, let driver, let device)? = rig.hear(reading).first else {
            Issue.record("no alert")
            return
        }
        #expect(driver == "r1" && device == "hallway")
        #expect(notice.readings == [reading.id] && notice.pressure == reading.bloodPressure)
        #expect(notice.rule == "high" && notice.condition == "systolic >= 180 or diastolic >= 110")
        #expect(notice.person == "Anna" && notice.user == 1 && notice.time == reading.measured)
        #expect(notice.text == "high (systolic >= 180 or diastolic >= 110): 190/112 mmHg, pulse 70, 2026-05-05 08:03, Anna, hallway")
        var text = TextBuffer()
        ReadingLine().append(.live(.alert(notice), driver: driver, elapsed: nil), device: device, to: &text)
        var id = TextBuffer()
        id.append(notice.id)
        var own = TextBuffer()
        own.append(reading.id)
        #expect(
            text.string == """
                {"type":"alert","schema":1,"id":"\(id.string)","driver":"r1","device":"hallway","event":"raised","rule":"high","condition":\
                "systolic >= 180 or diastolic >= 110","systolic_mmHg":190,"diastolic_mmHg":112,"pulse_per_min":70,"user":1,"person":"Anna",\
                "measured":"2026-05-05T08:03:00+00:00","readings":["\(own.string)"],"text":"\(notice.text)"}

                """)
        #expect(id.string.hasPrefix("20260505T080300-") && id.string != own.string)
    }

    @Test func hysteresis_WaitsForTheLowerValue() throws {
        var rig = AlertRig([try highRule(clear: "systolic < 170 and diastolic < 100")])
        #expect(rig.hear(182, 90, at: 1) == ["raised"])
        #expect(rig.hear(175, 90, at: 3).isEmpty)
        #expect(rig.hear(181, 90, at: 5).isEmpty)
        #expect(rig.hear(169, 100, at: 7).isEmpty)
        #expect(rig.hear(169, 99, at: 9) == ["cleared"])
        #expect(rig.hear(181, 90, at: 11) == ["raised"])
    }

    @Test func whatNeverClears_IsRaisedAnew_AfterAWhile() throws {
        var rig = AlertRig([try highRule(clear: "systolic < 150 and diastolic < 90")])
        #expect(rig.hear(182, 90, at: 0) == ["raised"])
        #expect(rig.hear(182, 90, at: 719).isEmpty)
        #expect(rig.hear(160, 90, at: 720).isEmpty)
        #expect(rig.hear(182, 90, at: 721) == ["raised"])
        #expect(rig.hear(182, 90, at: 723).isEmpty)
    }

    // MARK: Repeated

    @Test func repeated_NeedsASecondReading_SomeMinutesLater() throws {
        let rule = try highRule(repeated: AlertRule.Repeated(after: .seconds(120), within: .seconds(900)))
        var rig = AlertRig([rule])
        #expect(rig.hear(190, 90, at: 0).isEmpty)
        #expect(rig.hear(190, 90, at: 1).isEmpty, "too soon for a second one")
        #expect(rig.hear(190, 90, at: 3) == ["raised"], "two minutes after the one before")
        var late = AlertRig([rule])
        #expect(late.hear(190, 90, at: 0).isEmpty)
        #expect(late.hear(190, 90, at: 15.1).isEmpty, "too late")
        #expect(late.hear(190, 90, at: 20) == ["raised"])
        var other = AlertRig([rule])
        #expect(other.hear(190, 90, at: 0).isEmpty)
        #expect(other.hear(150, 90, at: 3).isEmpty)
        #expect(other.hear(190, 90, at: 6).isEmpty, "the second reading did not meet it")
        #expect(other.hear(190, 90, at: 9) == ["raised"])
    }

    @Test func repeated_ClearsByAPair_AndNamesBothReadings() throws {
        var rig = AlertRig([try highRule(repeated: .standard)])
        _ = rig.hear(190, 90, at: 0)
        let second = AlertRig.reading(99, 192, 90, at: 5)
        guard case .changed(let notice, _, _)? = rig.hear(second).first else {
            Issue.record("no alert")
            return
        }
        #expect(notice.readings.count == 2 && notice.readings.last == second.id)
        #expect(notice.text.contains("2 readings"))
        #expect(rig.hear(150, 80, at: 10).isEmpty)
        #expect(rig.hear(151, 80, at: 12) == ["cleared"])
    }

    @Test func aDumpThatBeginsWithItsNewest_MakesThePairAsWell() throws {
        var rig = AlertRig([try highRule(repeated: .standard)])
        let newest = AlertRig.reading(1, 190, 90, at: 10, origin: .memory, clock: .time(DeviceTime(year: 2026, month: 5, day: 5)))
        let older = AlertRig.reading(2, 190, 90, at: 5, origin: .memory, clock: .time(DeviceTime(year: 2026, month: 5, day: 5)))
        #expect(rig.hear(newest, at: 12).isEmpty)
        #expect(AlertRig.words(rig.hear(older, at: 12)) == ["raised"])
    }

    @Test func withoutRepeated_AnOlderReadingThatComesLate_ChangesNothing() throws {
        var rig = AlertRig([try highRule()])
        #expect(rig.hear(AlertRig.reading(1, 150, 80, at: 10), at: 12).isEmpty)
        #expect(rig.hear(AlertRig.reading(2, 190, 80, at: 5), at: 12).isEmpty)
    }

    // MARK: Irregular pulse

    @Test func irregularPulse_InTwoOfTheLastThree() throws {
        let rule = AlertRule(name: "pulse", trigger: .irregularPulse(count: 2, of: 3, within: AlertRule.standardIrregularSpan))
        var rig = AlertRig([rule])
        #expect(rig.hear(120, 80, at: 0, flags: .irregularPulse).isEmpty)
        #expect(rig.hear(120, 80, at: 2).isEmpty)
        #expect(rig.hear(120, 80, at: 4, flags: .irregularPulse) == ["raised"])
        #expect(rig.hear(120, 80, at: 6) == ["cleared"], "one of the last three")
        #expect(rig.hear(120, 80, at: 8, flags: .irregularPulse) == ["raised"])
        #expect(rig.hear(120, 80, at: 10, flags: .irregularPulse).isEmpty, "it stands")
    }

    @Test func irregularPulse_ClearsWhenFewerAreAmongTheLast_AndForgetsOtherSessions() throws {
        let rule = AlertRule(name: "pulse", trigger: .irregularPulse(count: 2, of: 3, within: .seconds(600)))
        var rig = AlertRig([rule])
        _ = rig.hear(120, 80, at: 0, flags: .irregularPulse)
        #expect(rig.hear(120, 80, at: 2, flags: .irregularPulse) == ["raised"])
        #expect(rig.hear(120, 80, at: 4).isEmpty)
        #expect(rig.hear(120, 80, at: 6) == ["cleared"])
        #expect(rig.hear(120, 80, at: 20, flags: .irregularPulse).isEmpty)
        #expect(rig.hear(120, 80, at: 31, flags: .irregularPulse).isEmpty, "eleven minutes apart")
    }

    // MARK: Silence

    private func silent(_ minutes: Int64) -> AlertRule { AlertRule(name: "quiet", trigger: .silence(.seconds(minutes * 60))) }

    private func plan(_ every: Int, until: Int64? = nil) throws -> AlertState.Plan {
        let plan = try #require(MonitoringPlan(every: every, until: until))
        return AlertState.Plan(key: "usb:1", driver: "r1", plan: plan, zone: .utc, devices: ["hallway"])
    }

    /// The watch starts at 08:00; every 20 minutes means 08:20, 08:40 ….
    @Test func silence_CountsFromWhenAReadingWasDue() throws {
        var rig = AlertRig([silent(10)])
        #expect(rig.state.wakeAt == nil, "without a plan nothing is waited for")
        #expect(rig.state.handle(.plans([try plan(20)]), at: AlertRig.time(0)).isEmpty)
        #expect(rig.state.wakeAt == AlertRig.time(30))
        #expect(rig.state.handle(.timePassed, at: AlertRig.time(29.9)).isEmpty)
        let events = rig.state.handle(.timePassed, at: AlertRig.time(30))
        #expect(AlertRig.words(events) == ["raised"])
        guard case .changed(let notice, _, let device)? = events.first else { return }
        #expect(device == "usb:1" && notice.readings.isEmpty && notice.time == AlertRig.time(20) && notice.pressure == nil)
        #expect(notice.text == "quiet (no reading for 10 min after it was due): due 2026-05-05 08:20, r1 usb:1")
        #expect(rig.state.wakeAt == nil, "it stands, and only a reading changes that")
        #expect(rig.state.handle(.timePassed, at: AlertRig.time(300)).isEmpty)
        #expect(rig.hear(120, 80, at: 301) == ["cleared"])
        #expect(rig.state.wakeAt == AlertRig.time(330), "due at 13:20")
    }

    @Test func silence_IsPutOffByEachReading_AndByNoOtherCuffs() throws {
        var rig = AlertRig([silent(10)])
        _ = rig.state.handle(.plans([try plan(20)]), at: AlertRig.time(0))
        #expect(rig.hear(120, 80, at: 20.5).isEmpty)
        #expect(rig.state.wakeAt == AlertRig.time(50))
        #expect(rig.hear(120, 80, at: 41, device: "kitchen").isEmpty)
        #expect(rig.hear(120, 80, at: 42, driver: "and-std").isEmpty)
        #expect(rig.state.wakeAt == AlertRig.time(50))
        #expect(AlertRig.words(rig.state.handle(.timePassed, at: AlertRig.time(51))) == ["raised"])
    }

    /// Cycles of the cuff count from its latest measurement, not from midnight.
    @Test func silence_OfACuffsOwnCycle_CountsFromItsLatestReading() throws {
        var rig = AlertRig([silent(10)])
        let own = AlertState.Plan(key: "usb:1", driver: "r1", times: .cycle(minutes: 20), zone: .utc, devices: ["hallway"])
        #expect(rig.state.handle(.plans([own]), at: AlertRig.time(0)).isEmpty)
        #expect(rig.state.wakeAt == AlertRig.time(30))
        #expect(rig.hear(120, 80, at: 7).isEmpty)
        #expect(rig.state.wakeAt == AlertRig.time(37), "due at 08:27")
        #expect(rig.state.handle(.timePassed, at: AlertRig.time(36.9)).isEmpty)
        let events = rig.state.handle(.timePassed, at: AlertRig.time(37))
        #expect(AlertRig.words(events) == ["raised"])
        guard case .changed(let notice, _, _)? = events.first else { return }
        #expect(notice.time == AlertRig.time(27))
        #expect(rig.state.standing.map(\.device) == ["usb:1"] && rig.state.standing.map(\.since) == [AlertRig.time(27)])
        #expect(rig.hear(120, 80, at: 50) == ["cleared"])
        #expect(rig.state.standing.isEmpty)
        // Ended at the cuff, and noticed by `schedule`.
        #expect(AlertRig.words(rig.state.handle(.timePassed, at: AlertRig.time(80))) == ["raised"])
        #expect(AlertRig.words(rig.state.handle(.plans([]), at: AlertRig.time(81))) == ["cleared"])
        #expect(rig.state.wakeAt == nil)
    }

    // MARK: What stands

    @Test func standing_TellsRuleTimeAndPerson_AndOutlivesARestart() throws {
        let rule = AlertRule(name: "high", trigger: .values(try AlertCondition("systolic >= 180"), clear: nil, repeated: nil))
        var rig = AlertRig([rule])
        #expect(rig.state.standing.isEmpty)
        #expect(rig.hear(190, 80, at: 1) == ["raised"])
        let standing = try #require(rig.state.standing.first)
        #expect(rig.state.standing.count == 1 && standing.rule == "high" && standing.condition == "systolic >= 180")
        #expect(standing.since == AlertRig.time(1) && standing.device == "hallway")
        var next = AlertState([rule], start: AlertRig.time(2))
        next.restore(rig.state.text)
        #expect(next.standing.map(\.since) == [AlertRig.time(1)] && next.standing.map(\.device) == [nil])
        #expect(rig.hear(120, 80, at: 3) == ["cleared"])
        #expect(rig.state.standing.isEmpty)
    }

    @Test func silence_EndsWithThePlan() throws {
        var rig = AlertRig([silent(10)])
        let end = AlertRig.time(25).seconds
        _ = rig.state.handle(.plans([try plan(20, until: end)]), at: AlertRig.time(0))
        #expect(rig.hear(120, 80, at: 21).isEmpty)
        #expect(rig.state.wakeAt == nil, "the next is due after the end")
        #expect(rig.state.handle(.timePassed, at: AlertRig.time(500)).isEmpty)
        // The last one is missed, and the schedule ends before that can be reported.
        var last = AlertRig([silent(10)])
        _ = last.state.handle(.plans([try plan(20, until: end)]), at: AlertRig.time(0))
        #expect(last.state.handle(.plans([]), at: AlertRig.time(25)).isEmpty)
        #expect(last.state.wakeAt == AlertRig.time(30))
        #expect(AlertRig.words(last.state.handle(.timePassed, at: AlertRig.time(30))) == ["raised"])
        #expect(last.hear(120, 80, at: 40) == ["cleared"])
        #expect(last.state.wakeAt == nil)
        var other = AlertRig([silent(10)])
        _ = other.state.handle(.plans([try plan(20)]), at: AlertRig.time(0))
        #expect(AlertRig.words(other.state.handle(.timePassed, at: AlertRig.time(30))) == ["raised"])
        #expect(AlertRig.words(other.state.handle(.plans([]), at: AlertRig.time(31))) == ["cleared"])
    }
}

extension Household {
    /// Names by place.
    init(_ names: [String: String]) {
        self.init()
        for (place, name) in names.sorted(by: { $0.key < $1.key }) { bind(name, to: place) }
    }
}
