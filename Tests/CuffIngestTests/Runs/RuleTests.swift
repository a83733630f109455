import CuffCore
import Testing

@testable import CuffIngest

@Suite struct RuleTests {
    private static let noon = DeviceTime(year: 2026, month: 5, day: 5, hour: 12, minute: 0, second: 0, utcOffset: 0)
    /// 2026-05-05T12:00:00Z
    private static let instant = Timestamp(milliseconds: noon.wallSeconds * 1000)

    private func reading(_ clock: DeviceClock, _ origin: Reading.Origin, received: Timestamp? = instant) -> Reading {
        var reading = Reading(.bloodPressure(.mmHg(120, 80)), driver: "and-std", clock: clock, origin: origin, raw: RawBytes([1]))
        reading.received = received
        return reading
    }

    /// A reading from a link that was driven at `time`.
    private func applied(_ reading: Reading, _ rule: ClockCorrection = ClockCorrection(zone: .utc)) -> Reading {
        var reading = reading
        rule.apply(to: &reading)
        return reading
    }

    @Test func fromAFile_NothingIsKnown() throws {
        var replay = Replay(LinkState.Setup(.byte))
        replay.play(bytes: [7])
        replay.flush()
        let readings = replay.effects.flatMap { effect -> [Reading] in
            if case .submit(let batch) = effect { batch.entries.readings } else { [] }
        }
        #expect(readings.count == 1 && readings[0].measured == nil && readings[0].rule == .none)
    }

    @Test func hostClock_ThatIsNotSynchronised_IsMarked_OnWhatArrivesOnly() throws {
        func readings(_ time: LinkTime, zone: ZoneTable?) -> [Reading] {
            var setup = LinkState.Setup(.byte)
            setup.zone = zone
            var link = LinkState(setup)
            var effects: [LinkEffect] = []
            link.handle(.transport(.opened), at: time, into: &effects)
            link.handle(.transport(.received([7])), at: time, into: &effects)
            link.flush(into: &effects)
            return effects.flatMap { effect -> [Reading] in if case .submit(let batch) = effect { batch.entries.readings } else { [] } }
        }
        var now = LinkTime(elapsed: .zero, wall: Self.instant, isHostClockUnsynchronised: true)
        let marked = try #require(readings(now, zone: .utc).first)
        #expect(marked.isHostClockUnsynchronised)
        now.wall = nil
        #expect(readings(now, zone: .utc).map(\.isHostClockUnsynchronised) == [false])
        now = LinkTime(elapsed: .zero, wall: Self.instant)
        #expect(readings(now, zone: .utc).map(\.isHostClockUnsynchronised) == [false])
        var text = TextBuffer()
        ReadingLine().append(marked, device: "", to: &text)
        #expect(text.string.contains(",\"received\":\"2026-05-05T12:00:00.000Z\",\"host_clock\":\"unsynchronised\","))
        // The kernel is asked once for many readings.
        let asked = Locked(0)
        let state = SynchronisationState {
            asked.withLock { $0 += 1 }
            return true
        }
        for _ in 0..<100 { #expect(state.isUnsynchronised) }
        #expect(asked.withLock { $0 } == 1)
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sink.write(ReadingBatch(source: 1, driver: "and-std", entries: [.reading(marked)]))
        var kept: [Reading] = []
        try Store(folder.file("bp.db"), access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
            kept.append(reading)
            return true
        }
        #expect(kept.map(\.isHostClockUnsynchronised) == [true])
    }

    @Test func deviceTime_StandsAsItIs_UntilTheClockIsTold() {
        let before = applied(reading(.time(Self.noon), .memory))
        #expect(before.measured == Self.instant)
        #expect(before.rule == .deviceTime)
        var rule = ClockCorrection(zone: .utc)
        // The cuff shows 11:50 at noon: ten minutes behind.
        var told = Self.noon
        told.hour = 11
        told.minute = 50
        rule.compare(told, at: Self.instant)
        #expect(rule.shift == 600)
        let after = applied(reading(.time(Self.noon), .memory), rule)
        #expect(after.measured?.milliseconds == Self.instant.milliseconds + 600_000)
        #expect(after.rule == .corrected)
        told.hour = 12
        told.minute = 0
        told.second = 20
        rule.compare(told, at: Self.instant)
        #expect(applied(reading(.time(Self.noon), .memory), rule).measured == Self.instant)
        #expect(applied(reading(.time(Self.noon), .memory), rule).rule == .synced)
    }

    @Test(arguments: [
        (DeviceClock.absent, Reading.Origin.push, ClockRule.receiveTime, true), (.absent, .measurement, .receiveTime, true),
        (.absent, .memory, .none, false), (.unset, .push, .unset, false), (.unset, .memory, .unset, false),
        (.unset, .measurement, .receiveTime, true), (.impossible(nil), .memory, .unset, false),
    ])
    func withoutAUsableTime_OnlyAnArrivalPlacesIt(
        _ clock: DeviceClock, _ origin: Reading.Origin, _ rule: ClockRule, _ isPlaced: Bool
    ) {
        let result = applied(reading(clock, origin))
        #expect(result.rule == rule)
        #expect(result.measured == (isPlaced ? Self.instant : nil))
    }

    @Test func driverMemory_SurvivesAndReplaces() throws {
        let folder = TestFolder()
        let memory = DriverMemory(folder: folder.file("a/b"))
        #expect(memory.load("phd").isEmpty)
        try memory.store("phd", "config-4000", [1, 2, 3])
        try memory.store("phd", "config-4001", [4])
        try memory.store("phd", "config-4000", [9])
        #expect(DriverMemory(folder: folder.file("a/b")).load("phd") == ["config-4000": [9], "config-4001": [4]])
        #expect(folder.mode("a/b/phd.memory") == 0o600)
        _ = folder.write("a/b/phd.memory", "config-1 0g\nconfig-2 0a0b\n\u{0}\u{1}")
        #expect(memory.load("phd") == ["config-2": [10, 11]])
    }
}
