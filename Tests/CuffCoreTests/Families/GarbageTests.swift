import CuffCore
import TestSupport
import Testing

/// Random bytes are reported or skipped, and nothing traps.
@Suite struct GarbageTests {
    @Test(arguments: CuffFamilies.all.map(\.id.description))
    func randomBytes_AreNoReading(_ driver: String) throws {
        let driver = try #require(CuffFamilies.named(driver))
        for seed in 0..<Effort.choose(20, exhaustive: 40) as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var session = driver.makeSession(SessionContext())
            var actions = session.handle(.opened) + session.handle(.command(.follow))
            for _ in 0..<64 {
                let size = driver.medium == .hidraw ? 8 : Int(random.next() % 96)
                actions += session.handle(.received((0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
            }
            actions += session.handle(.closed)
            #expect(!actions.contains { if case .emit = $0 { true } else { false } }, "\(driver.id), seed \(seed)")
        }
    }

    /// Every request, and answers damaged in every way at once: cut, spliced, repeated, flipped.
    @Test(arguments: CaptureFile.playable)
    func mangledCaptures_DoNotTrap(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        for seed in 0..<Effort.choose(10, exhaustive: 25) as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var player = Replay(LinkState.Setup(driver))
            for item in file.items {
                guard case .fromCuff(var bytes) = item.content, !bytes.isEmpty else {
                    player.play(item)
                    continue
                }
                for _ in 0..<Int(random.next() % 4) {
                    let index = Int(random.next() % UInt64(max(1, bytes.count)))
                    switch random.next() % 4 {
                    case 0: bytes.removeSubrange(min(index, bytes.count)...)
                    case 1: bytes.insert(contentsOf: bytes.prefix(index), at: min(index, bytes.count))
                    case 2: bytes = Array(bytes.dropFirst(index))
                    default: if index < bytes.count { bytes[index] ^= UInt8(truncatingIfNeeded: random.next()) }
                    }
                }
                player.play(CaptureItem(.fromCuff(bytes)))
                if random.next() % 3 == 0 { player.play(CaptureItem(.event(.silence))) }
            }
            player.end()
            let ended = player.collect().notices.contains { if case .ended = $0 { true } else { false } }
            #expect(ended, "seed \(seed)")
        }
    }
}
