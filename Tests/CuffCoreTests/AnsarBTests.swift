import Testing

@testable import CuffCore

/// `ansar-b`: a result stands in every message, and a change is a new one.
@Suite struct AnsarBTests {
    private static func message(_ line: String) -> [UInt8] { AnsarBSimulator.message(line) }
    private static func readings(_ actions: some Sequence<SessionAction>) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }
    private static func notes(_ actions: some Sequence<SessionAction>) -> [String: [UInt8]] {
        actions.reduce(into: [:]) { if case .remember(let key, let value) = $1 { $0[key] = value } }
    }

    @Test func whatStandsThereAtFirst_IsOfAnUnknownTime_AndAChangeIsNow() {
        var session = CuffDriver.ansarB.makeSession(SessionContext())
        var origins: [Reading.Origin] = []
        for line in ["NIBP=4;121;75;92;80;;", "NIBP=4;121;75;92;80;;", "NIBP=1;121;75;92;80;;", "NIBP=4;121;75;92;81;;"] {
            origins += Self.readings(session.handle(.received(Self.message(line)))).map(\.origin)
        }
        #expect(origins == [.memory, .push])
    }

    @Test func whatWasOnDisk_IsNotGivenAgainByTheNextConversation() {
        let standing = Self.message("NIBP=4;121;75;92;80;;")
        var first = CuffDriver.ansarB.makeSession(SessionContext(device: "bed 1"))
        #expect(Self.notes(first.handle(.received(standing))).isEmpty, "a crash before the commit must not lose it")
        let memory = Self.notes(first.handle(.committed(through: 1)))
        #expect(memory.count == 1)
        func count(_ bytes: [UInt8], _ device: String = "bed 1", isRecorded: Bool = false) -> Int {
            var session = CuffDriver.ansarB.makeSession(SessionContext(device: device, memory: memory, isRecorded: isRecorded))
            return Self.readings(session.handle(.received(bytes))).count
        }
        #expect(count(standing) == 0)
        #expect(count(standing, "bed 2") == 1)
        #expect(count(standing, isRecorded: true) == 1)
        #expect(count(Self.message("NIBP=4;122;75;92;80;;")) == 1)
        // It vanished and came back: another determination.
        #expect(count(Self.message("NIBP=1;;;;;;") + standing) == 1)
    }

    @Test(arguments: [
        "NIBP=4;121;75;92;80", "NIBP=4;121;75;92;80;;;", "NIBP=4;121;75;92;80;", "NIBP=4;1210;75;92;80;;", "NIBP=4;12a;75;92;80;;",
        "NIBP=;121;75;92;80;;", "NIBP=4;121;75;72;80;;", "NIBP=4;121;75;122;80;;", "NIBP=4;75;121;92;80;;", "NIBP=4;121;;92;80;;",
        "NIBP=4;321;75;92;80;;", "NIBP=4;121;75;92;8;;", "P1=4;121;75;92;80;;", "NIBP=4;121;75;92;80;;\rNIBP=4;121;75;92;80;;",
    ])
    func anythingElse_IsNoReading(_ line: String) {
        var session = CuffDriver.ansarB.makeSession(SessionContext())
        #expect(Self.readings(session.handle(.received(Self.message(line)))).isEmpty)
    }
}
