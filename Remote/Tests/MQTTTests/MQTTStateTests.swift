import RemoteSink
import Testing

@testable import cuff_sink_mqtt

/// A broker and a `cuff` around the state: what was published, what is retained, what was answered.
private struct Rig {
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
            if isRetained && verdict == .accepted { retained[topic] = payload.isEmpty ? nil : payload }
            if isHolding { held.append(token) } else { events.append(.acknowledged(token, verdict)) }
        case .subscribe(let topic):
            events.append(.subscribed(topic, isGranted: true))
            if mayRead, let payload = retained[topic] { events.append(.message(topic: topic, payload: Array(payload.utf8))) }
        case .unsubscribe(let topic): events.append(.unsubscribed(topic))
        case .answer(let answer): answers.append(answer)
        case .drop: held.removeAll()
        case .say, .disconnect, .exit: break
        }
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

private let base = "cuff/pi-7/00091ffffe000101/u1"
private let address = "mqtt://broker/?gateway=pi-7"

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
        try next.send(deleted("20260505T073135-d", more: ""))
        #expect(next.answers.last == .ok(id: "20260505T073135-d", revision: 255), "without a time it was never published")
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
        rig.pass(20)
        guard case .later(let text) = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("broker:1883"))
        var other = try Rig(address)
        other.begin()
        other.isHolding = true
        try other.send(line("20260505T000001-a"))
        other.pass(10)
        #expect(other.answers == [])
        other.pass(15)
        #expect(other.answers.count == 1 && other.state.isOver)
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

@Suite struct HomeAssistantTests {
    private static let address = "mqtt://broker/?gateway=pi-7&discovery=homeassistant"

    private static func members(_ payload: String?) throws -> JSONValue {
        try #require(payload.flatMap { JSONValue(parsing: Array($0.utf8)) })
    }

    /// As published to a real Home Assistant.
    @Test func entities_AreAnnouncedOnceBeforeTheReading() throws {
        var rig = try Rig(Self.address)
        rig.begin()
        try rig.send(line("20260505T000001-a"), line("20260505T000002-a"))
        let node = "cuff_00091ffffe000101"
        let topics = rig.published.map(\.topic).filter { $0.hasPrefix("homeassistant/") }
        #expect(
            topics == [
                "homeassistant/sensor/\(node)/systolic/config", "homeassistant/sensor/\(node)/diastolic/config",
                "homeassistant/sensor/\(node)/mean/config", "homeassistant/sensor/\(node)/pulse/config",
                "homeassistant/sensor/\(node)/measured/config", "homeassistant/binary_sensor/\(node)/irregular/config",
                "homeassistant/event/\(node)/reading/config",
            ])
        #expect(rig.published.firstIndex { $0.topic == "\(base)/reading" } == 8)
        let systolic = try Self.members(rig.retained[topics[0]])
        #expect(
            systolic["name"]?.string == "Systolic" && systolic["stat_t"]?.string == "\(base)/state"
                && systolic["json_attr_t"]?.string == "\(base)/state")
        #expect(
            systolic["unit_of_meas"]?.string == "mmHg" && systolic["stat_cla"]?.string == "measurement" && systolic["frc_upd"]?.bool == true
        )
        #expect(
            systolic["val_tpl"]?.string == "{{ value_json.systolic_mmHg }}"
                && systolic["uniq_id"]?.string == "\(node)_systolic")
        #expect(systolic["obj_id"]?.string == "cuff_systolic" && systolic["avty_t"]?.string == "cuff/pi-7/status")
        #expect(systolic["dev"]?["ids"]?.array == [.string(node)] && systolic["o"]?["name"]?.string == "cuff")
        #expect(try Self.members(rig.retained[topics[3]])["unit_of_meas"]?.string == "bpm")
        #expect(try Self.members(rig.retained[topics[4]])["dev_cla"]?.string == "timestamp")
        #expect(try Self.members(rig.retained[topics[5]])["dev_cla"]?.string == "problem")
        let event = try Self.members(rig.retained[topics[6]])
        #expect(
            event["stat_t"]?.string == "\(base)/reading"
                && event["evt_typ"]?.array?.compactMap(\.string) == ["reading", "failed"])
        for topic in topics {
            let config = try Self.members(rig.retained[topic])
            #expect(config["dev_cla"]?.string != "pressure" && config["exp_aft"] == nil && config["expire_after"] == nil)
            #expect(config["avty_t"]?.string == "cuff/pi-7/status")
        }
    }

    @Test func withoutDiscovery_NothingIsAnnounced() throws {
        var rig = try Rig("mqtt://broker/?gateway=pi-7")
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        #expect(!rig.published.contains { $0.topic.hasPrefix("homeassistant") } && rig.answers.count == 1)
    }

    /// Users are different persons: an entity never shows one after the other.
    @Test func entities_NeverChangeTheirPerson() throws {
        for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
            var rig = try Rig(Self.address)
            rig.begin()
            for (number, user) in order.enumerated() { try rig.send(line("20260505T00000\(number)-a", user: user == 0 ? nil : user)) }
            let before = rig.retained.filter { $0.key.hasPrefix("homeassistant/") }
            #expect(before.count == 21)
            let identities = try before.values.map { try Self.members($0)["uniq_id"]?.string }
            #expect(Set(identities).count == 21)
            var next = try Rig(Self.address)
            next.retained = rig.retained
            next.begin()
            for (number, user) in order.reversed().enumerated() {
                try next.send(line("20260506T00000\(number)-a", user: user == 0 ? nil : user))
            }
            #expect(next.retained.filter { $0.key.hasPrefix("homeassistant/") } == before, "\(order)")
            #expect(next.answers.count == 3)
        }
    }

    @Test func denied_IsAConfigurationFault() throws {
        var rig = try Rig(Self.address)
        rig.verdicts["homeassistant/sensor/cuff_00091ffffe000101/mean/config"] = Reasons.puback(
            0x87, topic: "homeassistant/sensor/x/mean/config")
        rig.begin()
        try rig.send(line("20260505T000001-a"))
        guard case .fatal(let text) = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("homeassistant/") && rig.answers.count == 1)
    }

    @Test func forgotten_CuffLosesWhatIsItsOwn() throws {
        let settings = try settings(Self.address)
        func config(_ state: String) -> [UInt8] { Array(#"{"stat_t":"\#(state)"}"#.utf8) }
        let found: [String: [UInt8]] = [
            "cuff/pi-7/A/u1/state": Array("{}".utf8), "homeassistant/sensor/cuff_A/systolic/config": config("cuff/pi-7/A/u1/state"),
            "homeassistant/event/cuff_A/reading/config": config("cuff/pi-7/A/u1/reading"),
            // Read by another gateway since, or removed already.
            "homeassistant/sensor/cuff_A/u2_mean/config": config("cuff/pi-8/A/u2/state"), "homeassistant/sensor/cuff_A/x/config": [],
        ]
        #expect(
            Forget.removable(found, device: "A", settings) == [
                "cuff/pi-7/A/u1/state", "homeassistant/event/cuff_A/reading/config", "homeassistant/sensor/cuff_A/systolic/config",
            ])
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

    /// An alert about silence has no user: it announces no entities, and the plain names stay free for the first user who measures.
    @Test func discovery_AnnouncesAlertsOnce_AsAnEventOfTheCuff_BeforeTheFirst() throws {
        var rig = try Rig(address + "&discovery=homeassistant")
        rig.begin()
        try rig.send(alert("20260505T073131-a", user: nil), alert("20260505T073131-b", user: nil))
        let topic = "homeassistant/event/cuff_00091ffffe000101/alert/config"
        #expect(rig.published.map(\.topic).filter { $0.hasPrefix("homeassistant/") } == [topic])
        let entity = try #require(rig.retained[topic].flatMap { JSONValue(parsing: Array($0.utf8)) })
        #expect(entity["stat_t"]?.string == "cuff/pi-7/00091ffffe000101/alert" && entity["avty_t"]?.string == "cuff/pi-7/status")
        #expect(entity["evt_typ"]?.array?.compactMap(\.string) == ["raised", "cleared"])
        #expect(entity["val_tpl"]?.string == "{{ dict(value_json, event_type=value_json.event) | tojson }}")
        let place = rig.published.map(\.topic)
        #expect(try #require(place.firstIndex(of: topic)) < #require(place.firstIndex(of: "cuff/pi-7/00091ffffe000101/alert")))
        #expect(rig.answers.count == 2)
        #expect(
            Forget.removable([topic: Array((rig.retained[topic] ?? "").utf8)], device: "00091ffffe000101", rig.state.settings) == [topic])
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
