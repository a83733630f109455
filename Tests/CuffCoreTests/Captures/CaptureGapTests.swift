import CuffCore
import Testing

private struct CountingSession: CuffSession {
    var inner: any CuffSession
    let counter: Counter

    final class Counter: @unchecked Sendable { var timers = 0 }

    mutating func handle(_ event: SessionEvent, into actions: inout SessionActions) {
        if case .timerFired = event { counter.timers += 1 }
        inner.handle(event, into: &actions)
    }
    mutating func endInOrder(into actions: inout SessionActions) -> Bool { inner.endInOrder(into: &actions) }
    mutating func takeUnread() -> [UInt8] { inner.takeUnread() }
    var frames: Int? { inner.frames }
    var hearsCommits: Bool { inner.hearsCommits }
}

/// A clock that jumps while recording makes a capture with a gap of years.
@Suite struct CaptureGapTests {
    /// In microseconds, as captures count.
    private static let gaps: [Int64] = [
        86_400_000_000, 31_557_600_000_000, 1_766_000_000_000_000, 292_000 * 31_557_600_000_000 / 2, Int64.max,
    ]
    /// At most two timers fire in turn in a listening session, and the steps double after the 64th.
    private static let limit = 400

    /// The number of fired timers, and the largest number of effects, when `items` are played.
    private static func play(_ items: [CaptureItem], _ driver: CuffDriver, commands: [SessionCommand] = [.follow])
        -> (timers: Int, effects: Int)
    {
        var counted = driver
        let counter = CountingSession.Counter()
        counted.makeSession = { CountingSession(inner: driver.makeSession($0), counter: counter) }
        var replay = Replay(LinkState.Setup(counted, commands: commands))
        for item in items { replay.play(item) }
        replay.end()
        return (counter.timers, replay.effects.count)
    }

    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func aGapOfYears_FiresFewTimers(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        for commands in [[SessionCommand.follow], [.readMemory(user: nil)]] {
            for byte in [0xC0, 0x00, 0x16, 0xE2, 0x7E, 0x0B] as [UInt8] {
                for gap in Self.gaps {
                    let items = [CaptureItem(time: 0, .fromCuff([byte])), CaptureItem(time: gap, .fromCuff([byte]))]
                    let (timers, effects) = Self.play(items, driver, commands: commands)
                    #expect(timers < Self.limit && effects < 4 * Self.limit, "\(byte), \(gap): \(timers) timers, \(effects) effects")
                }
            }
        }
    }

    @Test(arguments: CaptureFile.own)
    func aConversationThatBreaksOffForYears_FiresFewTimers(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let place = file.items.count / 2
        let whole = Self.play(file.items, driver)
        for gap in Self.gaps.dropLast() + [-Self.gaps[0], -Self.gaps[2]] {
            var items = file.items
            let last = items.compactMap(\.time).max() ?? 0
            for index in place..<items.count { items[index].time = max(0, (items[index].time ?? last) + gap) }
            for items in [items, try PcapngTests.read(PcapngTests.write(items, file.header)).items] {
                let (timers, effects) = Self.play(items, driver)
                #expect(timers < whole.timers + Self.limit && effects < whole.effects + 4 * Self.limit, "\(gap): \(timers), \(effects)")
            }
        }
    }

    /// In a gap of a minute all timers fire, as if something were recorded each second.
    @Test func aShortGap_FiresEachTimerAtItsTime() throws {
        let driver = try #require(CuffFamilies.named("intellivue"))
        let ends = [CaptureItem(time: 0, .fromCuff([0xC0])), CaptureItem(time: 60_000_000, .fromCuff([0xC0]))]
        let between = (1..<60).map { CaptureItem(time: $0 * 1_000_000, .event(.framingError)) }
        let stepwise = Self.play([ends[0]] + between + [ends[1]], driver).timers
        #expect(stepwise > 3 && Self.play(ends, driver).timers == stepwise)
    }
}
