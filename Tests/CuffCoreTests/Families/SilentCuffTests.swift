import Testing

@testable import CuffCore

/// A cuff that disappears during a measurement is detected within a few poll intervals of virtual time: it gets a stop, and the measurement
/// is lost, not ended.
@Suite struct SilentCuffTests {
    /// The driver, options of its session, and the latest stop after the cuff's last byte.
    static let cases: [(id: String, options: [String: String], limit: Duration)] = [
        // 500 ms between keep-alives [VENDORS 15]; a status four times a second.
        ("nibp-nano", [:], .milliseconds(1500)),
        // A poll every 500 ms; three without an answer.
        ("suntech-advantage", [:], .milliseconds(2000)),
        // The stream ceased for three pauses, then three polls.
        ("suntech-advantage", ["stream": "yes"], .milliseconds(3000)),
        // Two packets a second [VENDORS 10].
        ("berry-pm6750", [:], .milliseconds(1500)),
        // An answer must come within 3 s.
        ("maibobo", [:], .seconds(9)),
        ("par-nibp", [:], .seconds(9)),
        ("evgmolt-oem", [:], .seconds(6)),
        ("dinamap-ascii", [:], .seconds(9)),
        // Several pressures a second; five seconds without one.
        ("creative-pc300", [:], .seconds(5)),
        ("ibio-board", [:], .seconds(5)),
        ("leyutek-pct", [:], .seconds(5)),
    ]

    /// Silent after this many writes.
    private struct Vanishing: CuffSimulator {
        var cuff: any CuffSimulator
        var left: Int
        mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
            cuff.handle(event).filter { action in
                guard case .write = action else { return true }
                left -= 1
                return left >= 0
            }
        }
    }

    private func talk(_ id: String, _ options: [String: String], writes: Int) throws -> Conversation {
        var driver = try #require(CuffFamilies.named(id))
        let make = driver.makeSimulator
        driver.makeSimulator = { Vanishing(cuff: make($0), left: writes) }
        return Conversation(
            driver, .measure, script: SimulatorScript(pushes: false, options: options), context: SessionContext(options: options))
    }

    private func stop(_ id: String) throws -> [UInt8] {
        var session = try #require(CuffFamilies.named(id)).makeSession(SessionContext())
        return try #require(
            session.handle(.command(.stop)).lazy.compactMap { if case .write(let bytes) = $0 { bytes } else { nil } }.first)
    }

    @Test(arguments: cases.indices) func aCuffThatVanishes_IsStopped_AndLost(_ index: Int) throws {
        let (id, options, limit) = Self.cases[index]
        var seen = 0
        for writes in 1..<12 {
            let talk = try talk(id, options, writes: writes)
            let isRunning = talk.lives.contains { if case .started = $0 { true } else { false } }
            // It disappeared before it started, or after its result: covered by another test.
            guard isRunning, !talk.lives.contains(.ended) else { continue }
            seen += 1
            guard case .noAnswer? = talk.outcome else { return #expect(Bool(false), "\(id): \(String(describing: talk.outcome))") }
            #expect(talk.lives.last == .failed(.init(.lost)), "\(id) after \(writes) writes: \(talk.lives)")
            #expect(try talk.writes.last == stop(id), "\(id) after \(writes) writes")
            let silence = talk.elapsed - talk.heardAt
            let allowed = limit.components.seconds * 1_000_000 + limit.components.attoseconds / 1_000_000_000_000
            #expect(silence <= allowed + 5000, "\(id) \(silence) µs")
        }
        #expect(seen >= 3, "\(id): vanished only \(seen) times while it measured")
    }

    @Test func aContinuousCuffThatIsUnplugged_HasNotEnded() throws {
        let talk = Conversation(.nibpNano, .measure, script: SimulatorScript(pushes: false), closesAfter: .seconds(5))
        #expect(talk.readings.count >= 3)
        #expect(talk.outcome == .noAnswer("the connection ended before the cuff had sent everything"))
    }
}

/// A frame with a right check and unknown content is always reported.
@Suite struct UnknownFrameTests {
    static let frames: [(id: String, frame: [UInt8])] = [
        ("and-std", AndStdFrame.text(Array("TM2657\u{1E}2605070815\u{1E}RZ\u{1E}S150\u{1E}".utf8), address: [0x30, 0x30])),
        ("and-std", AndStdFrame.text(Array("XY".utf8), address: [0x30, 0x30])),
        ("and-std", AndStdFrame.text(Array("\u{1E}RP\u{1E}N01\u{1E}12x,040\u{1E}".utf8), address: [0x30, 0x30])),
        ("berry-pm6750", BerryPM6750Frame.encode([0x07, 1, 2, 3])),
        // A pressure packet of another length.
        ("berry-pm6750", BerryPM6750Frame.encode([0x03, 1, 2, 3])),
        ("maibobo", MaiboboFrame.encode(0xAA, proto: 3, [0x01, 0x09, 0x00])),
        ("suntech-advantage", SunTechPacket.module([0x5A])),
        ("suntech-advantage", SunTechPacket.module([1, 2, 3, 4, 5, 6])),
        ("nibp-nano", NibpNanoFrame.encode([0x63, 1, 2])),
        ("dinamap-ascii", DinamapLine.encode(Array(" OX97".utf8))),
        ("r1", R1Frame.encode(Array("R2,1,2".utf8))),
        // The end of a transfer within a text that is not a result.
        ("r1", R1Frame.encode(Array("R2,1,2".utf8) + [R1Frame.eot])),
        ("taidoc", TaiDocFrame.encode(.model, [1, 2, 3, 4], direction: 0xA5)),
        ("evgmolt-oem", EvgmoltOEMTestFrame.withError(13)),
    ]

    @Test(arguments: frames.indices) func itIsReported(_ index: Int) throws {
        let (id, frame) = Self.frames[index]
        var session = try #require(CuffFamilies.named(id)).makeSession(SessionContext())
        var actions = session.handle(.opened) + session.handle(.command(.follow))
        actions += session.handle(.received(frame))
        let reports = actions.filter { if case .report(.ignored) = $0 { true } else { false } }
        #expect(reports.count == 1, "\(id): \(actions)")
        #expect(!actions.contains { if case .emit = $0 { true } else { false } })
    }

    @Test func aFloodOfThem_IsSaidTenTimes_ForEachKind() {
        var frames = IgnoredFrames()
        let said = (0..<50).compactMap { _ in frames.sentence(for: .ignored("a frame of no known kind", [1, 2, 3])) }
        #expect(said.count == 10)
        #expect(said.first == "ignored a frame of no known kind, 3 bytes")
        #expect(said.last?.hasSuffix("further ones only with --verbose") == true)
        #expect(frames.sentence(for: .ignored("a packet of no known kind", [1])) != nil)
        #expect(frames.sentence(for: .note("x")) == nil)
    }
}

private enum EvgmoltOEMTestFrame {
    /// Echo, SYS, DIA, cuff, status, error, settings, index, value, sum of the nine [VENDORS 12].
    static func withError(_ error: UInt8) -> [UInt8] {
        let body: [UInt8] = [0xA0, 0, 0, 0, 0, error, 0, 2, 1]
        return body + [body.sum8]
    }
}
