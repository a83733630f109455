import Testing

@testable import CuffCore

/// A host clock that starts at 1970 and is set later: readings are then corrected.
@Suite struct HeldReadingTests {
    private static let synchronised = Timestamp(milliseconds: 1_795_435_200_000)  // 2026-11-23T12:00:00Z
    private static let cuffTime = DeviceTime(year: 2026, month: 11, day: 23, hour: 11, minute: 49, second: 0)

    /// Reports a clock for every 7, and gives a reading for every other byte.
    private struct Session: CuffSession {
        mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
            guard case .received(let bytes) = event else { return }
            for byte in bytes {
                if byte == 7 {
                    actions.append(.clock(HeldReadingTests.cuffTime))
                } else if byte == 9 {
                    actions.append(.identify(DeviceIdentity(id: "other")))
                } else {
                    var reading = Reading(
                        .bloodPressure(.mmHg(120, Int(byte))), driver: "held",
                        clock: byte >= 90 ? .absent : .time(HeldReadingTests.cuffTime), origin: .push, raw: RawBytes([byte]))
                    reading.isPending = byte == 60
                    actions.emit(reading)
                }
            }
        }
    }

    private static let driver = CuffDriver(
        id: "held", models: ["none"], summary: "a test", grade: .a, testedOn: .derived, line: LineSettings(rate: 9600), framing: "none",
        check: "none", capabilities: [.push], changes: "nothing", sources: ["a test"], makeSession: { _ in Session() },
        makeSimulator: CuffDriver.r1.makeSimulator)

    private struct Rig {
        var link: LinkState
        var effects: [LinkEffect] = []

        init() {
            var setup = LinkState.Setup(HeldReadingTests.driver, device: "one")
            setup.zone = .utc
            link = LinkState(setup)
        }

        /// `seconds` since the start; the host's clock is at 1970 until it is right.
        mutating func handle(_ event: LinkEvent, _ seconds: Int64, isRight: Bool = false, isUnsynchronised: Bool = false) -> [ReadingBatch]
        {
            let wall = Timestamp(milliseconds: (isRight ? HeldReadingTests.synchronised.milliseconds : 0) + seconds * 1000)
            let time = LinkTime(elapsed: .seconds(seconds), wall: wall, isHostClockUnsynchronised: isUnsynchronised)
            effects.removeAll()
            link.handle(event, at: time, into: &effects)
            link.flush(into: &effects)
            return effects.compactMap { if case .submit(let batch) = $0 { batch } else { nil } }
        }
    }

    private static func readings(_ batches: [ReadingBatch]) -> [Reading] { batches.flatMap(\.entries.readings) }

    @Test func theCuffsTimeStands_AndIsCorrectedOnceTheHostIsRight() throws {
        var rig = Rig()
        _ = rig.handle(.transport(.opened), 0)
        let first = try #require(Self.readings(rig.handle(.transport(.received([7, 80])), 60)).first)
        #expect(first.rule == .deviceTime && first.measured == Self.cuffTime.instant(in: .utc) && first.revision == 0)
        #expect(rig.link.deadline == .seconds(90), "the host's clock is asked again")
        #expect(rig.handle(.timePassed, 90).isEmpty)
        // It is 12:02 now, and was 12:01 when the cuff's clock was 11:49.
        let batches = rig.handle(.timePassed, 120, isRight: true)
        let placed = try #require(Self.readings(batches).first)
        #expect(batches.count == 1 && batches[0].device == "one" && batches[0].through == 1)
        #expect(placed.id == first.id && placed.revision == 1 && placed.rule == .corrected)
        #expect(placed.received == Timestamp(milliseconds: Self.synchronised.milliseconds + 60_000))
        #expect(placed.measured == placed.received && !placed.isHostClockUnsynchronised)
        #expect(rig.link.deadline == nil)
        #expect(rig.handle(.timePassed, 180, isRight: true).isEmpty, "once")
        #expect(rig.link.counters.readings == 1 && rig.link.emitted == 1)
    }

    @Test func anArrival_IsPlacedOnceTheHostIsRight() throws {
        var rig = Rig()
        _ = rig.handle(.transport(.opened), 0)
        let first = try #require(Self.readings(rig.handle(.transport(.received([90])), 10)).first)
        #expect(first.measured == nil && first.rule == .implausible)
        let placed = try #require(Self.readings(rig.handle(.transport(.received([91])), 40, isRight: true)).first)
        #expect(placed.id == first.id && placed.revision == 1 && placed.rule == .receiveTime)
        #expect(placed.measured == Timestamp(milliseconds: Self.synchronised.milliseconds + 10_000))
    }

    /// An unsynchronised clock that was right all along does not change an arrival.
    @Test func whatWasRight_GetsNoRevision() {
        var rig = Rig()
        _ = rig.handle(.transport(.opened), 0, isRight: true, isUnsynchronised: true)
        let first = Self.readings(rig.handle(.transport(.received([90])), 10, isRight: true, isUnsynchronised: true))
        #expect(first.map(\.rule) == [.receiveTime] && first[0].isHostClockUnsynchronised)
        #expect(rig.handle(.timePassed, 40, isRight: true).isEmpty)
    }

    @Test func readingsOfTwoCuffs_StayWithTheirs_AndPendingOnesWait() {
        var rig = Rig()
        _ = rig.handle(.transport(.opened), 0)
        _ = rig.handle(.transport(.received([60, 80, 9, 81])), 10)
        let batches = rig.handle(.timePassed, 40, isRight: true)
        #expect(batches.map(\.device) == ["one", "other"])
        #expect(batches.map { $0.entries.readings.map { $0.raw.array } } == [[[80]], [[81]]])
    }

    @Test func whatIsHeld_IsBounded() {
        var rig = Rig()
        _ = rig.handle(.transport(.opened), 0)
        for second in 0..<(2 * HeldReadings.limit + 10) { _ = rig.handle(.transport(.received([90])), Int64(second)) }
        let placed = Self.readings(rig.handle(.timePassed, 10_000, isRight: true))
        #expect(placed.count == HeldReadings.limit)
        #expect(placed.first?.received == Timestamp(milliseconds: Self.synchronised.milliseconds + Int64(HeldReadings.limit + 10) * 1000))
    }
}
