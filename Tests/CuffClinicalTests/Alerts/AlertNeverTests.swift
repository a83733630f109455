import CuffCore
import Testing

@testable import CuffClinical

@Suite struct AlertNeverTests {
    private let clock = DeviceClock.time(DeviceTime(year: 2026, month: 5, day: 5, hour: 8))

    @Test func never_OnMemoryOfBeforeTheWatch() throws {
        var rig = AlertRig([try highRule()])
        #expect(rig.hear(AlertRig.reading(1, 200, 120, at: -0.5, origin: .memory, clock: clock), at: 0.5).isEmpty)
        #expect(AlertRig.words(rig.hear(AlertRig.reading(2, 200, 120, at: 0.5, origin: .memory, clock: clock), at: 1)) == ["raised"])
    }

    @Test(arguments: [Reading.Origin.memory, .push, .measurement])
    func never_OnAReadingOlderThanAnHour(_ origin: Reading.Origin) throws {
        var rig = AlertRig([try highRule()])
        let words = AlertRig.words(rig.hear(AlertRig.reading(1, 200, 120, at: 5, origin: origin, clock: clock), at: 65.5))
        #expect(words == (origin == .memory ? [] : ["left out"]), "a cuff that sends it now may have a wrong clock, which is reported")
        #expect(AlertRig.words(rig.hear(AlertRig.reading(2, 200, 120, at: 5, origin: origin, clock: clock), at: 65)) == ["raised"])
    }

    @Test func never_OnAReadingFromTheFuture() throws {
        var rig = AlertRig([try highRule()])
        let event = AlertEvent.leftOut(rule: "high", .ahead, driver: "r1")
        #expect(rig.hear(AlertRig.reading(1, 200, 120, at: 63, clock: clock), at: 60) == [event])
        #expect(rig.hear(AlertRig.reading(2, 200, 120, at: 64, clock: clock), at: 60).isEmpty, "told once")
        #expect(AlertRig.words(rig.hear(AlertRig.reading(3, 200, 120, at: 62, clock: clock), at: 60)) == ["raised"])
    }

    /// Every flag but the harmless ones, including those that no rule may accept.
    @Test func never_OnAFlaggedReading() throws {
        let harmless: Set = ["cuff_fitted", "averaged", "remeasured", "validated", "joined"]
        for (bit, word) in MeasurementFlags.words.enumerated() {
            var rig = AlertRig([try highRule()])
            let words = rig.hear(200, 120, at: 1, flags: MeasurementFlags(rawValue: 1 << UInt32(bit)))
            #expect(words == (harmless.contains(word.description) ? ["raised"] : ["left out"]), "\(word)")
        }
    }

    @Test func aRemarkThatARuleAccepts_IsTheOnlyOneItAccepts() throws {
        var rig = AlertRig([try highRule { $0.accepted = .noMeasurementCheck }])
        #expect(rig.hear(200, 120, at: 1, flags: [.noMeasurementCheck, .bodyMovement]) == ["left out"])
        #expect(rig.hear(200, 120, at: 2, flags: [.noMeasurementCheck, .bodyMovement]).isEmpty, "told once")
        #expect(rig.hear(200, 120, at: 3, flags: .noMeasurementCheck) == ["raised"])
        #expect(
            !AlertRule.acceptable.contains {
                !$0.isDisjoint(with: [.implausible, .invalid, .testData, .demoData, .notAvailable, .ongoing])
            })
    }

    @Test func aFlaggedReading_IsNoPartOfAPair_AndClearsNothing() throws {
        var rig = AlertRig([try highRule(repeated: .standard)])
        _ = rig.hear(200, 120, at: 0)
        #expect(rig.hear(200, 120, at: 3, flags: .bodyMovement) == ["left out"])
        #expect(rig.hear(200, 120, at: 6) == ["raised"])
        _ = rig.hear(120, 80, at: 9, flags: .cuffLoose)
        #expect(rig.hear(120, 80, at: 12).isEmpty, "the first of a pair")
        #expect(rig.hear(120, 80, at: 15) == ["cleared"])
    }

    /// `Reading.init` flags it.
    @Test func never_OnAnImplausibleReading_NorOnAFailure() throws {
        var rig = AlertRig([try highRule { $0.accepted = [.questionable] }])
        #expect(rig.hear(301, 120, at: 1) == ["left out"])
        var failure = Reading(.failure(.init(.movement)), driver: "r1", origin: .push, raw: RawBytes([]))
        failure.measured = AlertRig.time(2)
        failure.id = Reading.ID(wallSeconds: 1, hash: 1)
        #expect(rig.hear(failure, at: 2).isEmpty)
    }

    @Test func never_OnAPendingReading_ButOnItsCompletion() throws {
        var rig = AlertRig([try highRule()])
        var reading = AlertRig.reading(1, 200, 120, at: 1)
        reading.isPending = true
        #expect(rig.hear(reading).isEmpty)
        reading.isPending = false
        reading.revision = 1
        #expect(AlertRig.words(rig.hear(reading)) == ["raised"])
    }

    @Test func never_OnAnotherPerson() throws {
        let persons = Household(["hallway:1": "Anna", "hallway:2": "Ben", "kitchen:1": "Ben", "kitchen:4": "anna"])
        var rig = AlertRig([try highRule { $0.person = "Anna" }], household: persons)
        #expect(rig.hear(200, 120, at: 1, user: 2).isEmpty)
        #expect(rig.hear(200, 120, at: 2, user: nil).isEmpty)
        #expect(rig.hear(200, 120, at: 3, user: 3).isEmpty)
        #expect(rig.hear(200, 120, at: 4, user: 1, device: "kitchen").isEmpty)
        #expect(rig.hear(200, 120, at: 5, user: 4, device: "kitchen") == ["raised"])
        #expect(rig.hear(200, 120, at: 6, user: 1).isEmpty, "the same person at another cuff: it stands")
    }

    @Test func twoPersons_NeverMakeAPair() throws {
        var rig = AlertRig([try highRule(repeated: .standard)])
        #expect(rig.hear(200, 120, at: 0, user: 1).isEmpty)
        #expect(rig.hear(200, 120, at: 3, user: 2).isEmpty)
        #expect(rig.hear(200, 120, at: 6, user: nil).isEmpty)
        #expect(rig.hear(200, 120, at: 7, user: 1, device: "kitchen").isEmpty)
        #expect(rig.hear(200, 120, at: 9, user: 2) == ["raised"])
    }

    @Test func never_OnAnotherCuffOrDriver() throws {
        var rig = AlertRig([try highRule { ($0.device, $0.driver) = ("hallway", "r1") }])
        #expect(rig.hear(200, 120, at: 1, device: "kitchen").isEmpty)
        #expect(rig.hear(200, 120, at: 2, driver: "and-std").isEmpty)
        #expect(rig.hear(200, 120, at: 3) == ["raised"])
    }

    @Test func never_TwiceForOneDetermination() throws {
        var rig = AlertRig([try highRule(repeated: .standard)])
        let reading = AlertRig.reading(1, 200, 120, at: 1, clock: clock)
        #expect(rig.hear(reading).isEmpty)
        #expect(rig.hear(reading, at: 3).isEmpty, "redelivered")
        var revised = reading
        revised.revision = 2
        #expect(rig.hear(revised, at: 4).isEmpty, "revised")
        var again = AlertRig.reading(2, 200, 120, at: 1.1, origin: .memory, clock: clock)
        again.received = AlertRig.time(5)
        #expect(rig.hear(again, at: 5).isEmpty, "the same one from the memory, with other bytes")
        let pulse = AlertRule(name: "pulse", trigger: .irregularPulse(count: 2, of: 3, within: .seconds(600)))
        var irregular = AlertRig([pulse])
        let first = AlertRig.reading(1, 120, 80, at: 1, flags: .irregularPulse, clock: clock)
        #expect(irregular.hear(first).isEmpty && irregular.hear(first, at: 2).isEmpty)
        #expect(irregular.hear(AlertRig.reading(2, 120, 80, at: 1.2, flags: .irregularPulse, clock: clock), at: 3).isEmpty)
    }

    @Test func never_OnAClockThatIsNotSet() throws {
        var rig = AlertRig([try highRule()])
        var words: [String] = []
        for clock in [DeviceClock.unset, .impossible(DeviceTime(year: 2026, month: 2, day: 30)), .impossible(nil)] {
            words += rig.hear(200, 120, at: 1, origin: .measurement, clock: clock)
        }
        var unknown = AlertRig.reading(9, 200, 120, at: 1)
        unknown.measured = nil
        words += AlertRig.words(rig.hear(unknown))
        #expect(words == ["left out"])
        var memory = AlertRig([try highRule()])
        #expect(memory.hear(200, 120, at: 1, origin: .memory, clock: .unset).isEmpty)
    }

    @Test func never_FromADeletedReading() throws {
        var rig = AlertRig([try highRule(repeated: .standard)])
        let first = AlertRig.reading(1, 200, 120, at: 0)
        #expect(rig.hear(first).isEmpty)
        #expect(rig.state.readings == [first.id])
        #expect(rig.state.handle(.deleted([first.id]), at: AlertRig.time(2)).isEmpty)
        #expect(rig.hear(200, 120, at: 3).isEmpty, "the other half of the pair is gone")
        #expect(rig.hear(200, 120, at: 6) == ["raised"])
    }

    @Test func anAlertWhoseReadingIsDeleted_IsWithdrawn_WithoutItsValues() throws {
        var rig = AlertRig([try highRule()])
        let reading = AlertRig.reading(1, 200, 120, at: 0)
        _ = rig.hear(reading)
        let events = rig.state.handle(.deleted([reading.id]), at: AlertRig.time(2))
        guard case .changed(let notice, _, _)? = events.first else {
            Issue.record("not withdrawn")
            return
        }
        #expect(notice.change == .cleared && notice.pressure == nil && notice.readings.isEmpty && !notice.text.contains("200"))
        #expect(rig.hear(reading, at: 3).isEmpty, "read again from the cuff")
        #expect(rig.hear(200, 120, at: 4) == ["raised"])
    }

    // MARK: Restarts

    @Test func never_AgainAfterARestart() throws {
        let rules = [try highRule(), AlertRule(name: "pulse", trigger: .irregularPulse(count: 2, of: 3, within: .seconds(600)))]
        var rig = AlertRig(rules)
        let reading = AlertRig.reading(1, 200, 120, at: 1, clock: clock)
        #expect(AlertRig.words(rig.hear(reading)) == ["raised"])
        var next = AlertState(rules, start: AlertRig.start)
        next.restore(rig.state.text)
        #expect(next.text == rig.state.text)
        #expect(next.handle(.reading(reading, device: "hallway"), at: AlertRig.time(5)).isEmpty, "the same reading")
        let second = AlertRig.reading(2, 201, 120, at: 6)
        #expect(next.handle(.reading(second, device: "hallway"), at: AlertRig.time(6)).isEmpty, "the same state")
        let normal = AlertRig.reading(3, 120, 80, at: 8)
        #expect(AlertRig.words(next.handle(.reading(normal, device: "hallway"), at: AlertRig.time(8))) == ["cleared"])
    }

    @Test func aPair_IsMadeAcrossARestart() throws {
        let rules = [try highRule(repeated: .standard)]
        var rig = AlertRig(rules)
        _ = rig.hear(200, 120, at: 1)
        var next = AlertState(rules, start: AlertRig.time(2))
        next.restore(rig.state.text)
        let second = AlertRig.reading(50, 201, 120, at: 4)
        #expect(AlertRig.words(next.handle(.reading(second, device: "hallway"), at: AlertRig.time(4))) == ["raised"])
    }

    @Test func silenceThatStands_IsNotRaisedAgainAfterARestart() throws {
        let rules = [AlertRule(name: "quiet", trigger: .silence(.seconds(600)))]
        let plan = AlertState.Plan(
            key: "usb:1", driver: "r1", plan: try #require(MonitoringPlan(every: 20)), zone: .utc, devices: ["hallway"])
        var rig = AlertRig(rules)
        _ = rig.state.handle(.plans([plan]), at: AlertRig.time(0))
        #expect(AlertRig.words(rig.state.handle(.timePassed, at: AlertRig.time(30))) == ["raised"])
        var next = AlertState(rules, start: AlertRig.time(40))
        next.restore(rig.state.text)
        #expect(next.handle(.plans([plan]), at: AlertRig.time(40)).isEmpty)
        #expect(next.handle(.timePassed, at: AlertRig.time(200)).isEmpty)
        let reading = AlertRig.reading(1, 120, 80, at: 201)
        #expect(AlertRig.words(next.handle(.reading(reading, device: "hallway"), at: AlertRig.time(201))) == ["cleared"])
    }

    @Test func whatIsKept_HoldsNoValueNameOrCuff() throws {
        var rig = AlertRig([try highRule()], household: Household(["hallway:1": "Anna"]))
        _ = rig.hear(237, 143, at: 1, user: 1)
        for word in ["Anna", "hallway", "high", "237", "143"] where word.count > 3 { #expect(!rig.state.text.contains(word)) }
        #expect(rig.state.text.split(separator: "\n").count == 3)
    }

    @Test func anotherRuleOfTheSameName_BeginsAnew_AndDamagedText_IsLeftOut() throws {
        var rig = AlertRig([try highRule()])
        _ = rig.hear(200, 120, at: 1)
        var other = AlertState([try highRule("systolic >= 170")], start: AlertRig.start)
        other.restore(rig.state.text)
        let reading = AlertRig.reading(7, 180, 80, at: 3)
        #expect(AlertRig.words(other.handle(.reading(reading, device: "hallway"), at: AlertRig.time(3))) == ["raised"])
        for cut in rig.state.text.indices {
            var state = AlertState([try highRule()], start: AlertRig.start)
            state.restore(String(rig.state.text[..<cut]))
        }
        var garbage = AlertState([try highRule()], start: AlertRig.start)
        garbage.restore("1 alerts\nr x 1\nt 00 00 1 - -\nt zzzzzzzzzzzzzzzz 0000000000000000 99999999999999999999 - -\nq\n")
        #expect(garbage.text == "1 alerts\n")
    }

    @Test func whatIsRemembered_HasBounds() throws {
        var rig = AlertRig([try highRule()])
        for number in 0..<3000 {
            let reading = AlertRig.reading(UInt64(number), 200, 120, at: Double(number) / 100, user: Int32(number))
            _ = rig.hear(reading)
        }
        #expect(rig.state.handled.count <= 512 && rig.state.tracks.count <= 512)
        #expect(rig.state.text.utf8.count < 1 << 19)
    }
}
