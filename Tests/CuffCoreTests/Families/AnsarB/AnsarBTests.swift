import Testing

@testable import CuffCore

/// `ansar-b`: every message has the last result, and a change is a new one.
@Suite struct AnsarBTests {
    private static func message(_ line: String) -> [UInt8] { AnsarBSimulator.message(line) }
    private static func readings(_ actions: some Sequence<SessionAction>) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    @Test func whatStandsThereAtFirst_IsOfAnUnknownTime_AndAChangeIsNow() {
        var session = CuffDriver.ansarB.makeSession(SessionContext())
        var origins: [Reading.Origin] = []
        let (first, other) = ("NIBP=4;121;75;92;80;;", "NIBP=4;121;75;92;81;;")
        for line in [first, first, "NIBP=1;121;75;92;80;;", other, other] {
            origins += Self.readings(session.handle(.received(Self.message(line)))).map(\.origin)
        }
        #expect(origins == [.memory, .measurement])
    }

    /// 121 and 131 differ in one bit of one digit, and 131/75 with a mean of 92 is possible.
    @Test func aDamagedRepetition_IsNoDetermination() {
        var session = CuffDriver.ansarB.makeSession(SessionContext())
        var systolic: [Double] = []
        for value in ["121", "131", "121", "", "123", "", "121", "131", "131"] {
            let line = value.isEmpty ? "NIBP=1;;;;;;" : "NIBP=4;\(value);75;92;80;;"
            for reading in Self.readings(session.handle(.received(Self.message(line)))) {
                systolic.append(reading.bloodPressure?.systolic.inMmHg ?? 0)
            }
        }
        #expect(systolic == [121, 131])
    }

    /// The first message of a connection is checked no more than any other.
    @Test(
        arguments: [
            (["131", "121", "121"], [121]), (["121", "131", "121"], [121]), (["121"], [121]), (["131", "121"], []), (["121", ""], []),
            (["121", "121", ""], [121]),
        ] as [([String], [Double])])
    func theFirstMessage_IsBelievedWhenItIsRepeated_OrAlone(_ values: [String], _ expected: [Double]) {
        var session = CuffDriver.ansarB.makeSession(SessionContext())
        var actions: [SessionAction] = []
        for value in values {
            actions += session.handle(.received(Self.message(value.isEmpty ? "NIBP=1;;;;;;" : "NIBP=4;\(value);75;92;80;;")))
        }
        actions += session.handle(.closed)
        #expect(Self.readings(actions).map { $0.bloodPressure?.systolic.inMmHg } == expected)
        #expect(Self.readings(actions).allSatisfy { $0.origin == .memory })
        let unread = actions.contains { if case .report(.ignored) = $0 { true } else { false } }
        #expect(unread == (values == ["121", ""]), "one that vanishes at once is said to be left out")
    }

    /// The process restarts after a result: the shown result is known, unless it vanished in between.
    @Test func aRestart_GivesAStandingResultOnce() {
        var left = OutstandingRecords()
        var time: Int64 = 1_778_000_000_000
        func run(_ lines: String..., device: String = "bed 1") -> [Reading.ID] {
            var setup = LinkState.Setup(.ansarB, device: device)
            let before = device == "bed 1" ? left : OutstandingRecords()
            setup.outstanding = { _ in before }
            var link = LinkState(setup)
            var effects: [LinkEffect] = []
            for event in [.transport(.opened)] + lines.map({ LinkEvent.transport(.received(Self.message($0))) }) + [
                .transport(.closed(nil))
            ] {
                time += 1000
                link.handle(event, at: LinkTime(elapsed: .zero, wall: Timestamp(milliseconds: time)), into: &effects)
                link.flush(into: &effects)
            }
            for case .persist(let records, _, _) in effects where device == "bed 1" { left = records }
            return effects.flatMap { effect -> [Reading.ID] in
                if case .submit(let batch) = effect { batch.entries.readings.map(\.id) } else { [] }
            }
        }
        let first = run("NIBP=4;121;75;92;80;;")
        #expect(first.count == 1)
        #expect(run("NIBP=1;121;75;92;80;;") == first, "what else stands in the line is no part of the result")
        #expect(run("NIBP=4;121;75;92;80;;", device: "bed 2") != first)
        let vanished = run("NIBP=1;;;;;;", "NIBP=4;121;75;92;80;;", "NIBP=4;121;75;92;80;;")
        #expect(vanished.count == 1 && vanished != first)
        #expect(run("NIBP=4;121;75;92;80;;") == vanished)
        let other = run("NIBP=4;122;75;92;80;;")
        #expect(other.count == 1 && other != vanished)
    }

    @Test(arguments: [
        "NIBP=4;121;75;92;80", "NIBP=4;121;75;92;80;;;", "NIBP=4;121;75;92;80;", "NIBP=4;1210;75;92;80;;", "NIBP=4;12a;75;92;80;;",
        "NIBP=;121;75;92;80;;", "NIBP=4;121;75;72;80;;", "NIBP=4;121;75;122;80;;", "NIBP=4;75;121;92;80;;", "NIBP=4;121;;92;80;;",
        "NIBP=4;321;75;92;80;;", "NIBP=4;121;75;92;8;;", "P1=4;121;75;92;80;;", "NIBP=4;121;75;92;80;;\rNIBP=4;121;75;92;80;;",
    ])
    func anythingElse_IsNoReading(_ line: String) {
        var session = CuffDriver.ansarB.makeSession(SessionContext())
        #expect(Self.readings(session.handle(.received(Self.message(line))) + session.handle(.closed)).isEmpty)
    }
}
