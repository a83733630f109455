import Testing

@testable import CuffCore

/// Any input in any order: no trap, no unbounded buffer, and no reading from a damaged report.
@Suite struct PHDHostileTests {
    /// Every line of every shared session and of the project's own captures, with its place in the conversation.
    private static let conversations: [[CaptureItem]] =
        (CaptureFile.shared + CaptureFile.own).filter { $0.header["driver"] == "phd" && $0.kind != "values" }.map(\.items)

    private static func bytes(_ item: CaptureItem) -> [UInt8]? {
        switch item.content {
        case .fromCuff(let bytes), .toCuff(let bytes): bytes
        case .event: nil
        }
    }

    private static func session(after items: ArraySlice<CaptureItem>) -> PHDSession {
        var session = PHDSession(SessionContext())
        var actions = SessionActions()
        session.handle(.opened, into: &actions)
        session.handle(.command(.follow), into: &actions)
        for item in items {
            switch item.content {
            case .fromCuff(let bytes): session.handle(.received(bytes), into: &actions)
            case .toCuff(let bytes): session.handle(.sent(bytes), into: &actions)
            case .event: break
            }
        }
        return session
    }

    /// The readings of a session that then receives `damaged`, and is closed.
    @discardableResult
    private static func play(_ session: PHDSession, _ damaged: [UInt8], fromCuff: Bool) -> Int {
        var session = session
        var actions = SessionActions()
        session.handle(fromCuff ? .received(damaged) : .sent(damaged), into: &actions)
        session.handle(.committed(through: session.confirmations.emitted), into: &actions)
        session.handle(.closed, into: &actions)
        if session.reader.waiting != 0 { Issue.record("bytes wait after the end") }
        return actions.readings.count
    }

    /// Each line of each conversation, with the session before it.
    private static func eachLine(_ items: [CaptureItem], _ body: (PHDSession, _ bytes: [UInt8], _ fromCuff: Bool) -> Void) {
        for (index, item) in items.enumerated() {
            let session = session(after: items.prefix(index))
            switch item.content {
            case .fromCuff(let bytes): body(session, bytes, true)
            case .toCuff(let bytes): body(session, bytes, false)
            case .event: break
            }
        }
    }

    @Test(arguments: conversations.indices)
    func everyTruncation_OfEveryLine_IsSurvived(_ number: Int) {
        Self.eachLine(Self.conversations[number]) { session, bytes, fromCuff in
            for length in 0..<bytes.count {
                let piece = Array(bytes.prefix(length))
                Self.play(session, piece, fromCuff: fromCuff)
                if length % 5 == 0 { _ = PHDExplanation.lines(piece) }
            }
        }
    }

    /// Each byte is replaced: all bits inverted, plus one, or zero, in turn.
    @Test(arguments: conversations.indices)
    func everySingleByteMutation_OfEveryLine_IsSurvived(_ number: Int) {
        Self.eachLine(Self.conversations[number]) { session, bytes, fromCuff in
            for place in bytes.indices {
                var damaged = bytes
                damaged[place] = [~bytes[place], bytes[place] &+ 1, bytes[place] == 0 ? 0x80 : 0][place % 3]
                Self.play(session, damaged, fromCuff: fromCuff)
                if place % 4 == 0 { _ = PHDExplanation.lines(damaged) }
            }
        }
    }

    /// A report with an inconsistent length at any place gives nothing.
    @Test func damagedLengths_GiveNoReading() {
        let report = Hex.bytes(PHDStateTableTests.report) ?? []
        let session = Self.session(after: [CaptureItem(.fromCuff(Hex.bytes(PHDVectorTests.request) ?? []))])
        #expect(Self.play(session, report, fromCuff: true) == 1)
        // Header, octet string, message, info, list count and length, both observations' lengths, the compound's two.
        for place in [3, 5, 11, 21, 27, 29, 33, 35, 37] {
            for value in 0...255 as ClosedRange<UInt8> where value != report[place] {
                var damaged = report
                damaged[place] = value
                #expect(Self.play(session, damaged, fromCuff: true) == 0, "byte \(place) = \(value)")
            }
        }
    }

    /// Parts of real conversations, noise, timers, commits and commands in random order.
    @Test(arguments: 1...40)
    func anyOrder_IsSurvivedWithinBounds(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        func pick<T>(_ list: [T]) -> T { list[Int(random.next() % UInt64(list.count))] }
        let pieces =
            Self.conversations.flatMap { $0 }.compactMap(Self.bytes) + [
                Hex.bytes(PHDVectorTests.request) ?? [], Hex.bytes(PHDStateTableTests.report) ?? [],
                Hex.bytes(PHDStateTableTests.configuration) ?? [],
            ]
        var session = PHDSession(SessionContext(options: seed % 3 == 0 ? ["scanners": "yes", "data-request": "yes"] : [:]))
        var actions = SessionActions()
        session.handle(.opened, into: &actions)
        let commands: [SessionCommand] = [
            .follow, .readMemory(user: nil), .clear(user: nil), .information, .readClock,
            .setClock(DeviceTime(year: 2026, month: 1, day: 1)),
        ]
        session.handle(.command(commands[seed % commands.count]), into: &actions)
        var written: [[UInt8]] = []
        for _ in 0..<600 {
            written += actions.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }
            actions.removeAll()
            switch random.next() % 16 {
            case 0...5: session.handle(.received(pick(pieces)), into: &actions)
            case 6: session.handle(.received(Array(pick(pieces).prefix(Int(random.next() % 40)))), into: &actions)
            case 7:
                var bytes = pick(pieces)
                if !bytes.isEmpty { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
                session.handle(.received(bytes), into: &actions)
            case 8:
                session.handle(
                    .received((0..<Int(random.next() % 60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }), into: &actions)
            case 9: session.handle(.timerFired(pick(PHDSession.timers)), into: &actions)
            case 10, 11: session.handle(.committed(through: session.confirmations.emitted), into: &actions)
            case 12...14: if !written.isEmpty { session.handle(.sent(written.removeFirst()), into: &actions) }
            default: if seed % 4 == 0 { session.handle(.sent(pick(pieces)), into: &actions) }
            }
            #expect(session.reader.waiting <= PHDFrame.maximumLength && session.requests.count <= 16)
            #expect(actions.allSatisfy { if case .write(let bytes) = $0 { bytes.count <= 224 } else { true } })
        }
        session.handle(.closed, into: &actions)
        #expect(session.isFinished)
    }

    @Test func endlessNoise_NeverGrowsTheBuffer() {
        var session = PHDSession(SessionContext())
        var actions = SessionActions()
        session.handle(.opened, into: &actions)
        session.handle(.command(.follow), into: &actions)
        var random = SplitMix64(seed: 9)
        for _ in 0..<200 {
            actions.removeAll()
            session.handle(.received((0..<4096).map { _ in UInt8(truncatingIfNeeded: random.next()) }), into: &actions)
            #expect(session.reader.waiting <= PHDFrame.maximumLength)
            #expect(!actions.contains { if case .emit = $0 { true } else { false } })
        }
    }

    @Test func simulator_SurvivesNoiseToo() {
        var agent = PHDSimulator(SimulatorScript(options: ["store": "yes"]))
        _ = agent.handle(.opened)
        var random = SplitMix64(seed: 4)
        for line in Self.conversations.flatMap({ $0 }) {
            guard var bytes = Self.bytes(line), !bytes.isEmpty else { continue }
            if random.next() % 3 == 0 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
            _ = agent.handle(.received(bytes))
            _ = agent.handle(.timerFired([TimerID.response, .poll, .overall][Int(random.next() % 3)]))
        }
        #expect(agent.handle(.closed).contains(.disarm(.response)))
    }
}
