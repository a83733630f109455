import Testing

@testable import HL7Sink
@testable import RemoteSink

/// A receiver and a `cuff` around the state.
private struct Rig {
    var state: HL7State
    var now = 0.0
    var sent: [String] = []
    var answers: [Answer] = []
    var connections = 0
    var isDropped = false
    /// What the receiver answers each message with; after the last it is silent.
    var script: [(String) -> HL7State.Event?]

    init(_ settings: String = "", _ script: ((String) -> HL7State.Event?)...) throws {
        state = HL7State(try target(settings))
        self.script = script
    }

    mutating func handle(_ event: HL7State.Event) {
        var events = [event]
        while !events.isEmpty {
            for effect in state.handle(events.removeFirst(), at: now) {
                switch effect {
                case .connect:
                    connections += 1
                    isDropped = false
                    events.append(.connected)
                case .send(let bytes):
                    sent.append(String(decoding: bytes, as: UTF8.self))
                    if !script.isEmpty, let next = script.removeFirst()(Self.controlID(sent.last ?? "")) { events.append(next) }
                case .answer(let answer): answers.append(answer)
                case .drop: isDropped = true
                case .exit: break
                }
            }
        }
    }

    mutating func send(_ ids: String...) throws {
        for id in ids { handle(.reading(try parsed(line(id)))) }
    }

    static func controlID(_ message: String) -> String {
        message.split(separator: "\r").first.map { String($0.split(separator: "|", omittingEmptySubsequences: false)[9]) } ?? ""
    }

    mutating func pass(_ seconds: Double) {
        now += seconds
        handle(.time)
    }
}

private func line(_ id: String, _ more: String = "") -> String {
    #"{"type":"blood_pressure","id":"\#(id)","driver":"phd","systolic_mmHg":128,"diastolic_mmHg":82,"measured":"2026-05-05T07:33:20+02:00"\#(more)}"#
}

/// As HL7 2.6 has it, chapter 2.9.
private func reply(_ code: String, _ text: String = "") -> (String) -> HL7State.Event? {
    { id in
        .received(
            [0x0B] + Array("MSH|^~\\&|CIS||pi-7||20260505080000||ACK^R01^ACK|1|P|2.6\rMSA|\(code)|\(id)|\(text)\r".utf8) + [0x1C, 0x0D])
    }
}

@Suite struct HL7StateTests {
    @Test func reading_IsAnsweredAfterTheReceiversAA() throws {
        var rig = try Rig("", reply("AA"), { _ in nil })
        try rig.send("a", "b", "c")
        #expect(rig.sent.count == 2 && rig.connections == 1)
        #expect(rig.answers == [.ok(id: "a", revision: 0)])
        #expect(rig.sent[0].hasPrefix("\u{0B}MSH|^~\\&|pi-7|") && rig.sent[0].hasSuffix("\r\u{1C}\r"))
        #expect(rig.sent.map(Rig.controlID) == ["a.0", "b.0"])
    }

    @Test func error_IsLater_AndTheLinesStay() throws {
        var rig = try Rig("", reply("AA"), reply("AE", "database is down"))
        try rig.send("a", "b", "c")
        #expect(rig.answers.first == .ok(id: "a", revision: 0))
        guard case .later(let text)? = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("AE") && text.contains("database is down"))
        #expect(rig.state.isOver && rig.isDropped && rig.answers.count == 2)
    }

    @Test func rejection_ConcernsOneReading() throws {
        var rig = try Rig("", reply("AR", "unknown patient"), reply("AA"))
        try rig.send("a", "b")
        #expect(rig.answers == [.refuse(id: "a", revision: 0, "the receiver rejects it (AR): unknown patient"), .ok(id: "b", revision: 0)])
    }

    @Test func theSameSlotOfTwoCuffs_IsNotOnePatient() throws {
        var rig = try Rig("&patient.1=a&patient.attic:1=b", reply("AA"), reply("AA"), reply("AA"))
        for (id, cuff) in [("a", "hall"), ("b", "porch"), ("c", "attic"), ("d", "hall")] {
            rig.handle(.reading(try parsed(line(id, #","user":1,"device":"\#(cuff)""#))))
        }
        #expect(rig.sent.map(Rig.controlID) == ["a.0", "c.0", "d.0"])
        guard case .refuse("b", 0, let reason)? = rig.answers.first(where: { if case .refuse = $0 { true } else { false } }) else {
            return #expect(Bool(false), "\(rig.answers)")
        }
        #expect(reason.contains("`porch`") && reason.contains("`hall`") && reason.contains("patient.porch:1="))
    }

    @Test func answersForOthers_AcknowledgeNothing() throws {
        var rig = try Rig("", { _ in reply("AA")("other.0") })
        try rig.send("a")
        #expect(rig.answers.isEmpty)
        rig.handle(.received([0x0B] + Array("MSH|^~\\&|x\rPID|1\r".utf8) + [0x1C, 0x0D]))
        rig.handle(reply("CA")("a.0")!)
        #expect(rig.answers.isEmpty)
        rig.handle(reply("AA")("a.0")!)
        #expect(rig.answers == [.ok(id: "a", revision: 0)])
        rig.handle(reply("AA")("a.0")!)
        #expect(rig.answers.count == 1)
    }

    @Test func answer_MayComeInPieces() throws {
        var rig = try Rig()
        try rig.send("a")
        guard case .received(let bytes)? = reply("AA")("a.0") else { return }
        for byte in bytes.dropLast(2) { rig.handle(.received([byte])) }
        #expect(rig.answers.isEmpty)
        rig.handle(.received([0x1C, 0x0D]))
        #expect(rig.answers == [.ok(id: "a", revision: 0)])
    }

    @Test func silence_IsLater() throws {
        var rig = try Rig()
        try rig.send("a")
        rig.pass(29)
        #expect(rig.answers.isEmpty)
        rig.pass(1)
        guard case .later(let text)? = rig.answers.last else { return #expect(Bool(false), "\(rig.answers)") }
        #expect(text.contains("30 s"))
    }

    /// A receiver may close a connection that is idle; a message that it closed is lost.
    @Test func lostConnection_IsReplaced_AndTheMessageSentAgainUnchanged() throws {
        var rig = try Rig("", reply("AA"), { _ in .lost("closed") }, reply("AA"))
        try rig.send("a", "b")
        #expect(rig.answers == [.ok(id: "a", revision: 0), .ok(id: "b", revision: 0)])
        #expect(rig.connections == 2 && rig.sent.count == 3 && rig.sent[1] == rig.sent[2])
    }

    @Test func lostNewConnection_IsLater() throws {
        var rig = try Rig("", { _ in .lost("the receiver closed the connection") })
        try rig.send("a")
        #expect(rig.answers == [.later("the receiver closed the connection")] && rig.connections == 1)
    }

    @Test func idleConnection_IsReopenedForTheNextReading() throws {
        var rig = try Rig("", reply("AA"), reply("AA"))
        try rig.send("a")
        rig.handle(.lost("closed"))
        #expect(rig.answers.count == 1 && !rig.state.isOver)
        try rig.send("b")
        #expect(rig.answers.count == 2 && rig.connections == 2)
    }

    /// What was sent over the connection that the receiver then closed is sent again over a new one.
    @Test func receiverMayCloseAfterEachAnswer() throws {
        var rig = try Rig()
        try rig.send("a", "b", "c")
        for id in ["a.0", "b.0", "c.0"] {
            rig.handle(reply("AA")(id)!)
            rig.handle(.lost("closed"))
        }
        #expect(rig.answers == ["a", "b", "c"].map { .ok(id: $0, revision: 0) })
        #expect(rig.connections == 3 && rig.sent.map(Rig.controlID) == ["a.0", "b.0", "b.0", "c.0", "c.0"])
    }

    /// An answer cannot come before its message.
    @Test func secondAnswerOfAPacket_AcknowledgesNothing() throws {
        var rig = try Rig()
        try rig.send("a", "b")
        guard case (.received(let first)?, .received(let second)?) = (reply("AA")("a.0"), reply("AA")("b.0")) else { return }
        rig.handle(.received(first + first + second))
        #expect(rig.answers == [.ok(id: "a", revision: 0)] && rig.sent.count == 2)
        rig.handle(.received(second))
        #expect(rig.answers.last == .ok(id: "b", revision: 0))
    }

    @Test func endOfInput_WaitsForTheAnswer_ButNotForLong() throws {
        var rig = try Rig()
        try rig.send("a")
        rig.handle(.inputClosed)
        #expect(!rig.state.isOver)
        var other = rig
        other.handle(reply("AA")("a.0")!)
        #expect(other.answers == [.ok(id: "a", revision: 0)] && other.state.isOver)
        rig.pass(8)
        #expect(rig.answers.isEmpty && rig.state.isOver)
    }

    /// The reading may have been sent before the address changed.
    @Test func deletion_WithoutAPatient_IsRefused() throws {
        var rig = try Rig("&patient.1=a")
        rig.handle(
            .reading(
                try parsed(
                    #"{"type":"deleted","id":"b","of":"blood_pressure","driver":"phd","person":"Anna","measured":"2026-05-05T07:33:20Z"}"#))
        )
        guard case .refuse(_, _, let reason)? = rig.answers.last else {
            Issue.record("\(rig.answers)")
            return
        }
        #expect(reason.contains("patient.Anna=ID"))
    }

    @Test func otherLines_NeedNoMessage() throws {
        var rig = try Rig()
        for (text, answer) in [
            (line("a", #","revision":1"#).replacing("blood_pressure", with: "pending"), Answer.ok(id: "a", revision: 1)),
            (#"{"type":"deleted","id":"b","of":"blood_pressure","driver":"phd","revision":255}"#, .ok(id: "b", revision: 255)),
            (
                #"{"type":"deleted","id":"c","of":"measurement","driver":"phd","measured":"2026-05-05T07:33:20Z"}"#,
                .ok(id: "c", revision: 0)
            ),
            (
                #"{"type":"measurement","id":"d","driver":"phd","measured":"2026-05-05T07:33:20Z"}"#,
                .refuse(id: "d", revision: 0, "a measurement that failed is not an observation")
            ),
        ] {
            rig.handle(.reading(try parsed(text)))
            #expect(rig.answers.last == answer)
        }
        #expect(rig.sent.isEmpty && rig.connections == 0)
        rig.handle(.unreadable)
        if case .fatal? = rig.answers.last {} else { Issue.record("\(rig.answers)") }
    }

    @Test func endlessAnswer_IsLater() throws {
        var rig = try Rig()
        try rig.send("a")
        rig.handle(.received([0x0B] + [UInt8](repeating: 0x41, count: 1 << 16)))
        if case .later? = rig.answers.last {} else { Issue.record("\(rig.answers)") }
    }
}

@Suite struct AcknowledgementTests {
    @Test func errorText_IsTakenFromERR() {
        let text = "MSH|^~\\&|CIS\rMSA|AE|x.0\rERR|||207^Application internal error^HL70357|E|||lock timeout|try again\r"
        #expect(Acknowledgement(Array(text.utf8))?.text == "try again")
        #expect(Acknowledgement(Array("MSH|^~\\&|CIS\rMSA|AR|x.0|no\rERR|||||||why\r".utf8))?.text == "no")
    }

    @Test func separators_AreThoseOfTheAnswer() {
        let answer = Acknowledgement(Array("MSH#^~\\&#CIS\nMSA#AA#x.0".utf8))
        #expect(answer?.code == .accepted && answer?.controlID == "x.0")
    }

    @Test(arguments: ["", "MSH", "MSA|AA|x.0", "MSH|^~\\&|CIS\rPID|1", "MSH|^~\\&|CIS\rMSA|XX|x.0"]) func others_AreNoAnswers(text: String)
    {
        #expect(Acknowledgement(Array(text.utf8)) == nil)
    }
}
