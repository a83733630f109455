import RemoteSink
import Testing

@testable import cuff_sink_mqtt

/// A broker and a `cuff` around the state: what was published, what is retained, what was answered.
struct Rig {
    var state: MQTTState
    var now = 0.0
    var retained: [String: String] = [:]
    var published: [(topic: String, payload: String)] = []
    var answers: [Answer] = []
    var connections: [Bool] = []
    var effects: [MQTTState.Effect] = []
    /// What is published stays unacknowledged until `acknowledge`.
    var isHolding = false
    var held: [MQTTState.Token] = []
    var verdicts: [String: Verdict] = [:]
    var mayRead = true
    var isAccepting = true
    /// The most messages of discovery that the broker takes; the rest is lost.
    var limit = Int.max

    init(_ address: String, _ change: (inout MQTTState.Limits) -> Void = { _ in }) throws {
        var limits = MQTTState.Limits()
        change(&limits)
        state = MQTTState(try settings(address), limits: limits)
    }

    mutating func handle(_ event: MQTTState.Event) {
        var events = [event]
        while !events.isEmpty {
            for effect in state.handle(events.removeFirst(), at: now) {
                effects.append(effect)
                perform(effect, &events)
            }
        }
    }

    private mutating func perform(_ effect: MQTTState.Effect, _ events: inout [MQTTState.Event]) {
        switch effect {
        case .connect(let isVersion5):
            connections.append(isVersion5)
            if isAccepting { events.append(.connected) }
        case .publish(let token, let topic, let payload, let isRetained):
            published.append((topic, payload))
            let verdict = verdicts[topic] ?? .accepted
            if topic.hasPrefix("homeassistant/") {
                guard limit > 0 else { return }
                limit -= 1
            }
            if isRetained && verdict == .accepted { retained[topic] = payload.isEmpty ? nil : payload }
            if isHolding { held.append(token) } else { events.append(.acknowledged(token, verdict)) }
        case .subscribe(let topic):
            events.append(.subscribed(topic, isGranted: true))
            for (name, payload) in retained where mayRead && isMatch(name, topic) {
                events.append(.message(topic: name, payload: Array(payload.utf8)))
            }
        case .unsubscribe(let topic): events.append(.unsubscribed(topic))
        case .answer(let answer): answers.append(answer)
        case .drop: held.removeAll()
        case .say, .disconnect, .exit: break
        }
    }

    private func isMatch(_ topic: String, _ filter: String) -> Bool {
        let (levels, wanted) = (topic.split(separator: "/"), filter.split(separator: "/"))
        return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }

    mutating func acknowledge(_ count: Int = .max, _ verdict: Verdict = .accepted) {
        for token in held.prefix(count) { handle(.acknowledged(token, verdict)) }
        held.removeFirst(min(count, held.count))
    }

    mutating func pass(_ seconds: Double) {
        let until = now + seconds
        while let wake = state.wakeAt, wake <= until, !state.isOver {
            now = max(now, wake)
            handle(.time)
            if wake <= now && state.wakeAt == wake { break }
        }
        now = until
        handle(.time)
    }

    mutating func begin() {
        handle(.time)
        pass(0.5)
    }

    mutating func send(_ lines: String...) throws {
        for line in lines { handle(.reading(try reading(line))) }
        pass(0.5)
    }

    func payloads(_ topic: String) -> [String] { published.filter { $0.topic == topic }.map(\.payload) }
}

let base = "cuff/pi-7/00091ffffe000101/u1"
let address = "mqtt://broker/?gateway=pi-7"

@Suite struct MQTTStateTests {
    @Test func reading_IsPublishedRetainedAndAnswered() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T073130-a"))
        #expect(rig.payloads("cuff/pi-7/status") == ["online"])
        #expect(rig.payloads("\(base)/reading") == [line("20260505T073130-a")])
        #expect(rig.retained["\(base)/state"] == line("20260505T073130-a"))
        #expect(rig.retained["\(base)/reading"] == nil)
        #expect(rig.answers == [.ok(id: "20260505T073130-a", revision: 0)])
        #expect(rig.connections == [true])
    }

    @Test func olderReading_NeverReplacesTheNewest_AlsoAfterARestart() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T073130-b"), line("20260504T073130-a"), line("20260503T073130-c"))
        #expect(rig.payloads("\(base)/state") == [line("20260505T073130-b")])
        #expect(rig.answers.count == 3 && rig.payloads("\(base)/reading").count == 3)
        var next = try Rig(address)
        next.retained = rig.retained
        next.begin()
        try next.send(line("20260505T073129-f"))
        #expect(next.payloads("\(base)/state") == [])
        #expect(next.answers == [.ok(id: "20260505T073129-f", revision: 0)])
        // Its completed revision, and a newer one, do.
        try next.send(line("20260505T073130-b", revision: 2), line("20260505T073130-b", revision: 1), line("20260505T073131-0"))
        #expect(next.payloads("\(base)/state") == [line("20260505T073130-b", revision: 2), line("20260505T073131-0")])
        #expect(next.answers.count == 4)
    }

    private func deleted(_ id: String, more: String = #","measured":"2026-05-05T07:33:20+02:00""#) -> String {
        #"{"type":"deleted","schema":1,"id":"\#(id)","revision":255,"of":"blood_pressure","driver":"phd","device":"00091ffffe000101","user":1\#(more)}"#
    }

    /// The retained form: templates find `null` where the values were.
    private func gone(_ id: String) -> String { deleted(id).dropLast() + #","systolic_mmHg":null,"diastolic_mmHg":null}"# }

    @Test func aDeletedReading_IsToldToAll_AndIsNotTheNewestAnyMore() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T073130-a"), line("20260505T073131-b"), deleted("20260505T073130-a"))
        #expect(rig.retained["\(base)/state"] == line("20260505T073131-b"), "another one is the newest")
        try rig.send(deleted("20260505T073131-b"))
        #expect(rig.retained["\(base)/state"] == gone("20260505T073131-b"))
        #expect(rig.payloads("\(base)/reading").count == 2, "no automation takes a deletion for a reading")
        #expect(rig.payloads("\(base)/deleted") == [deleted("20260505T073130-a"), deleted("20260505T073131-b")])
        #expect(rig.answers.contains(.ok(id: "20260505T073130-a", revision: 255)))
        #expect(rig.answers.count == 4 && rig.answers.last == .ok(id: "20260505T073131-b", revision: 255))
        // The next run knows it, and a late message does not restore it; a newer reading is shown.
        var next = try Rig(address)
        next.retained = rig.retained
        next.begin()
        try next.send(line("20260505T073131-b"), deleted("20260505T073131-b"))
        #expect(next.retained["\(base)/state"] == gone("20260505T073131-b") && next.answers.count == 2)
        try next.send(line("20260506T073131-c"))
        #expect(next.retained["\(base)/state"] == line("20260506T073131-c"))
    }

    /// It is a reading, but would be the newest until then; its deletion has no time.
    @Test func aTimeInTheFuture_IsNeverTheNewest() throws {
        var rig = try Rig(address)
        rig.begin()
        let future = line("20300101T120000-a").replacing(
            #""measured":"2026-05-05T07:33:20+02:00""#, with: #""device_time":"2030-01-01T12:00:00","clock":"implausible""#)
        #expect(future.contains("implausible"))
        try rig.send(future, line("20260505T073131-b"), deleted("20300101T120000-a", more: ""))
        #expect(rig.retained["\(base)/state"] == line("20260505T073131-b"))
        #expect(rig.payloads("\(base)/reading") == [future, line("20260505T073131-b")])
        #expect(rig.payloads("\(base)/deleted") == [deleted("20300101T120000-a", more: "")] && rig.answers.count == 3)
    }

    @Test func answer_WaitsForBothAcknowledgements() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T073130-a"))
        rig.isHolding = true
        try rig.send(line("20260505T073131-a"))
        #expect(rig.held.count == 2 && rig.answers.count == 1)
        rig.acknowledge(1)
        #expect(rig.answers.count == 1)
        rig.acknowledge(1)
        #expect(rig.answers.last == .ok(id: "20260505T073131-a", revision: 0) && rig.answers.count == 2)
    }

    @Test func dump_RetainsTheNewestAlone() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T000000-0"))
        rig.isHolding = true
        for number in 1...100 { rig.handle(.reading(try reading(line("20260505T000\(100 + number)-0")))) }
        // Twenty readings and one newest are with the broker.
        #expect(rig.held.count == 21)
        rig.isHolding = false
        rig.acknowledge()
        #expect(rig.answers.count == 101)
        #expect(rig.retained["\(base)/state"] == line("20260505T000200-0"))
        #expect(rig.payloads("\(base)/reading").count == 101)
    }

    @Test func usersAndCuffs_EachHaveTheirNewest() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T000002-a"), line("20260505T000001-a", user: 2), line("20260505T000000-a", user: nil, device: "x"))
        #expect(rig.retained["\(base)/state"] == line("20260505T000002-a"))
        #expect(rig.retained["cuff/pi-7/00091ffffe000101/u2/state"] == line("20260505T000001-a", user: 2))
        #expect(rig.retained["cuff/pi-7/x/u0/state"] == line("20260505T000000-a", user: nil, device: "x"))
        #expect(rig.answers.count == 3)
    }

    @Test func pendingFailedAndTimeless() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(
            line("20260505T000001-a", type: "pending", of: "blood_pressure"), line("20260505T000002-a", type: "measurement", time: nil),
            line("00000000T000000-a", time: nil), line("20260505T000003-a", type: "pulse_rate"))
        // A pending reading is not published, a failure is not the newest reading, and a reading without a known time is refused.
        #expect(
            rig.payloads("\(base)/reading") == [
                line("20260505T000002-a", type: "measurement", time: nil), line("20260505T000003-a", type: "pulse_rate"),
            ])
        #expect(rig.payloads("\(base)/state") == [])
        #expect(rig.answers.count == 4)
        #expect(
            rig.answers.contains(.ok(id: "20260505T000001-a", revision: 0))
                && rig.answers.contains(.ok(id: "20260505T000002-a", revision: 0)))
        #expect(rig.answers.contains { if case .refuse("00000000T000000-a", 0, let text) = $0 { text.contains("time") } else { false } })
    }

    @Test func nobodyListens() throws {
        var rig = try Rig(address)
        rig.verdicts["\(base)/reading"] = .unheard
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        #expect(rig.answers.count == 1 && rig.state.isOver)
        guard case .later(let text) = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("\(base)/reading") && text.contains("nobody-listens=taken"))
        var other = try Rig(address + "&nobody-listens=taken")
        other.verdicts["\(base)/reading"] = .unheard
        other.verdicts["\(base)/state"] = .unheard
        other.begin()
        try other.send(line("20260505T000001-a"))
        #expect(other.answers == [.ok(id: "20260505T000001-a", revision: 0)])
    }

    @Test(arguments: [Verdict.later("quota"), .fatal("not authorized"), .refuse("too large")])
    func verdict_OfTheBroker_BecomesTheAnswer(verdict: Verdict) throws {
        var rig = try Rig(address)
        rig.verdicts["\(base)/reading"] = verdict
        rig.begin()
        try rig.send(line("20260505T000001-a"), line("20260505T000002-a", user: 2))
        switch verdict {
        case .later(let text): #expect(rig.answers == [.later(text)] && rig.state.isOver)
        case .fatal(let text): #expect(rig.answers == [.fatal(text)] && rig.state.isOver)
        case .refuse(let text):
            #expect(
                rig.answers.contains(.refuse(id: "20260505T000001-a", revision: 0, text)) && rig.answers.count == 2 && !rig.state.isOver)
        case .accepted, .unheard: Issue.record("not asked for")
        }
    }

    @Test func withoutTheRightToRead_NothingIsGuessed() throws {
        var rig = try Rig(address)
        rig.mayRead = false
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        rig.pass(5)
        #expect(rig.payloads("\(base)/state") == [] && rig.answers.count == 1)
        guard case .fatal(let text) = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("read cuff/pi-7/#") && text.contains("state=no"))
        var other = try Rig(address + "&state=no")
        other.mayRead = false
        other.begin()
        try other.send(line("20260505T000001-a"))
        #expect(other.answers == [.ok(id: "20260505T000001-a", revision: 0)] && other.payloads("\(base)/state") == [])
    }

    @Test func lostConnection_KeepsWhatIsUnanswered() throws {
        var rig = try Rig(address)
        rig.begin()
        rig.isHolding = true
        try rig.send(line("20260505T000001-a"))
        rig.handle(.ended(.later("gone")))
        #expect(rig.answers == [.later("gone")] && rig.state.isOver)
    }

    @Test func lostConnection_WithNothingToDo_ComesBackAndRestoresWhatTheBrokerLost() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        rig.retained.removeAll()
        rig.isAccepting = false
        rig.handle(.ended(.later("gone")))
        rig.pass(0.5)
        #expect(rig.connections.count == 1)
        rig.pass(1)
        #expect(rig.connections.count == 2)
        rig.handle(.ended(.later("cannot reach")))
        rig.pass(1.5)
        #expect(rig.connections.count == 2, "the pause grows")
        rig.isAccepting = true
        rig.pass(2)
        #expect(rig.connections.count == 3)
        #expect(rig.retained["\(base)/state"] == line("20260505T000001-a") && rig.retained["cuff/pi-7/status"] == "online")
        #expect(rig.answers == [.ok(id: "20260505T000001-a", revision: 0)])
    }

    @Test func oldBroker_IsSpokenToInItsVersion() throws {
        var rig = try Rig(address)
        rig.isAccepting = false
        rig.begin()
        rig.handle(.ended(.oldVersion))
        #expect(rig.connections == [true, false])
        // One early end may be a passing fault; the second one is believed.
        var other = try Rig(address)
        other.isAccepting = false
        other.begin()
        other.handle(.ended(.closedEarly("closed")))
        other.handle(.ended(.closedEarly("closed")))
        #expect(other.connections == [true, true, false])
        try other.send(line("20260505T000001-a"))
        other.handle(.ended(.closedEarly("closed")))
        #expect(other.answers == [.later("closed")])
    }

    @Test func silentBroker_IsGivenUp() throws {
        var rig = try Rig(address)
        rig.isAccepting = false
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        rig.pass(55)
        guard case .later(let text) = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("broker:1883"))
        var other = try Rig(address)
        other.begin()
        other.isHolding = true
        try other.send(line("20260505T000001-a"))
        other.pass(40)
        #expect(other.answers == [])
        other.pass(10)
        #expect(other.answers.count == 1 && other.state.isOver)
    }

    /// No reading waits, so the helper stays. A refused connection is tried again after 1 s, one without an answer after twice its limit.
    @Test func aBrokerThatTakesLong_IsGivenTwiceThatTime_TimesTheMachinesFactor() throws {
        var rig = try Rig(address) { $0.spread = 1.5 }
        rig.isAccepting = false
        rig.begin()
        rig.pass(49)
        #expect(rig.connections.count == 1)
        rig.pass(51)
        #expect(rig.answers == [] && rig.connections.count == 1)
        rig.pass(98)
        #expect(rig.connections.count == 1, "100 s times 1.5")
        rig.pass(3)
        #expect(rig.connections.count == 2)
        var refused = try Rig(address)
        refused.isAccepting = false
        refused.begin()
        refused.handle(.ended(.later("connection refused")))
        refused.pass(1.1)
        #expect(refused.connections.count == 2)
    }

    @Test func closedInput_FinishesThenSaysOffline() throws {
        var rig = try Rig(address)
        rig.begin()
        rig.isHolding = true
        try rig.send(line("20260505T000001-a"))
        rig.handle(.inputClosed)
        #expect(!rig.state.isOver)
        rig.isHolding = false
        rig.acknowledge()
        rig.pass(0.5)
        #expect(rig.answers == [.ok(id: "20260505T000001-a", revision: 0)])
        #expect(rig.retained["cuff/pi-7/status"] == "offline" && rig.effects.suffix(2) == [.disconnect, .exit] && rig.state.isOver)
    }

    @Test func closedInput_OfABrokerThatHangs_HasABound() throws {
        var rig = try Rig(address)
        rig.begin()
        rig.isHolding = true
        try rig.send(line("20260505T000001-a"))
        rig.handle(.inputClosed)
        rig.pass(5)
        #expect(rig.state.isOver && rig.answers == [])
    }

    @Test func input_IsReadUpToALimit() throws {
        var rig = try Rig(address) { $0.unanswered = 30 }
        rig.begin()
        rig.isHolding = true
        for number in 10..<40 {
            #expect(rig.state.wantsInput)
            rig.handle(.reading(try reading(line("20260505T0000\(number)-a"))))
        }
        #expect(!rig.state.wantsInput)
    }

    @Test func manySlots_HaveALimit() throws {
        var rig = try Rig(address) { $0.slots = 2 }
        rig.begin()
        try rig.send(line("a", device: "a"), line("b", device: "b"))
        #expect(rig.answers.count == 2)
        try rig.send(line("c", device: "c"))
        if case .later = rig.answers.last {} else { Issue.record("\(rig.answers)") }
    }
}

/// Alerts of the user's rules.
@Suite struct MQTTAlertTests {
    private func alert(_ id: String, user: Int? = 1) -> String {
        let who = user.map { ",\"user\":\($0)" } ?? ""
        return
            "{\"type\":\"alert\",\"schema\":1,\"id\":\"\(id)\",\"driver\":\"phd\",\"device\":\"00091ffffe000101\",\"event\":\"raised\",\"rule\":\"high\""
            + "\(who),\"measured\":\"2026-05-05T07:31:30+02:00\",\"readings\":[],\"text\":\"high\"}"
    }

    @Test func anAlert_IsPublishedAsTheCuffs_AndIsNeverTheNewestReading() throws {
        var rig = try Rig(address)
        rig.begin()
        try rig.send(line("20260505T073130-a"), alert("20260505T073131-b"))
        #expect(rig.payloads("cuff/pi-7/00091ffffe000101/alert") == [alert("20260505T073131-b")])
        #expect(rig.retained["\(base)/state"] == line("20260505T073130-a"))
        #expect(!rig.retained.keys.contains { $0.hasSuffix("/alert") })
        #expect(rig.answers.count == 2)
        for id in ["20260505T073130-a", "20260505T073131-b"] { #expect(rig.answers.contains(.ok(id: id, revision: 0))) }
    }

    /// An alert about silence has no user: it announces no entities of a user, and the plain names stay free for the first user who
    /// measures.
    @Test func discovery_AnnouncesAlertsOnce_BeforeTheFirst() throws {
        var rig = try Rig(address + "&discovery=homeassistant")
        rig.begin()
        try rig.send(alert("20260505T073131-a", user: nil), alert("20260505T073131-b", user: nil))
        let topic = "homeassistant/device/cuff_00091ffffe000101/config"
        #expect(rig.published.map(\.topic).filter { $0.hasPrefix("homeassistant/") } == [topic])
        let place = rig.published.map(\.topic)
        #expect(try #require(place.firstIndex(of: topic)) < #require(place.firstIndex(of: "cuff/pi-7/00091ffffe000101/alert")))
        #expect(rig.answers.count == 2)
        let components = try #require(rig.retained[topic].flatMap { JSONValue(parsing: Array($0.utf8)) }?["cmps"])
        guard case .object(let members) = components else { return #expect(Bool(false), "no object") }
        #expect(members.map(\.key) == ["alert", "alert_raised", "alert_cleared"])
        let entity = try #require(components["alert"])
        #expect(entity["stat_t"]?.string == "cuff/pi-7/00091ffffe000101/alert" && entity["avty_t"]?.string == "cuff/pi-7/status")
        #expect(entity["evt_typ"]?.array?.compactMap(\.string) == ["raised", "cleared"])
        #expect(entity["val_tpl"]?.string == "{{ dict(value_json, event_type=value_json.event) | tojson }}")
        for event in ["raised", "cleared"] {
            let trigger = try #require(components["alert_\(event)"])
            #expect(trigger["p"]?.string == "device_automation" && trigger["atype"]?.string == "trigger")
            #expect(trigger["t"]?.string == "cuff/pi-7/00091ffffe000101/alert" && trigger["val_tpl"]?.string == "{{ value_json.event }}")
            #expect(trigger["type"]?.string == "alert" && trigger["stype"]?.string == event && trigger["pl"]?.string == event)
        }
        try rig.send(line("20260505T073132-c", user: nil))
        let later = try #require(rig.retained[topic].flatMap { JSONValue(parsing: Array($0.utf8)) }?["cmps"])
        #expect(later["systolic"]?["stat_t"]?.string == "cuff/pi-7/00091ffffe000101/u0/state" && later["alert"] != nil)
    }

    @Test func anAlertThatNobodyHears_HoldsReadingsUp_OnlyWhereItWasAnnounced() throws {
        var rig = try Rig(address)
        rig.verdicts["cuff/pi-7/00091ffffe000101/alert"] = .unheard
        rig.begin()
        try rig.send(alert("20260505T073131-a"), line("20260505T073132-b"))
        #expect(rig.answers == [.ok(id: "20260505T073131-a", revision: 0), .ok(id: "20260505T073132-b", revision: 0)])
        var announced = try Rig(address + "&discovery=homeassistant")
        announced.verdicts["cuff/pi-7/00091ffffe000101/alert"] = .unheard
        announced.begin()
        try announced.send(alert("20260505T073131-a"))
        guard case .later(let text)? = announced.answers.last else {
            Issue.record("\(announced.answers)")
            return
        }
        #expect(text.contains("no subscriber to cuff/pi-7/00091ffffe000101/alert"))
    }
}
