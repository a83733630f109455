import CuffCore
import Testing

@Suite struct IdentificationTests {
    /// Recordings without their header: the family that comes first is the right one, or none is likely. Those of the shared
    /// vectors are asked too.
    @Test(arguments: CaptureFile.playable)
    func recordings_NameTheirFamilyOrNone(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let candidates = Identification.candidates(of: file.items, among: CuffFamilies.all)
        if let first = candidates.first, first.isLikely {
            #expect(first.driver == driver.id, "\(candidates)")
        }
        // What a driver reads, it is named for.
        let hasReadings = Played(file.items, driver: driver).readings > 0
        #expect(!hasReadings || candidates.first?.driver == driver.id, "\(candidates)")
        for other in candidates where other.driver != driver.id { #expect(!other.isLikely, "\(other)") }
    }

    /// What came from the cuff alone, as a port is listened to.
    @Test(arguments: CaptureFile.playable)
    func whatWasHeard_NamesTheFamilyOrNone(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let bytes = file.items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        let serial = CuffFamilies.all.filter { $0.medium == .tty }
        let candidates = Identification.candidates(of: [CaptureItem(.fromCuff(bytes))], among: serial)
        if let first = candidates.first, first.isLikely { #expect(first.driver == driver.id, "\(candidates)") }
        guard driver.medium == .tty, let own = driver.countFrames?(bytes), own.frames > 0 else { return }
        #expect(candidates.first?.driver == driver.id, "\(candidates)")
    }

    @Test func noise_FitsNobody() {
        var random = SplitMix64(seed: 11)
        let noise = (0..<4096).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let candidates = Identification.candidates(of: [CaptureItem(.fromCuff(noise))], among: CuffFamilies.all)
        let likely = candidates.filter(\.isLikely)
        #expect(likely.isEmpty, "\(likely)")
        #expect(Identification.candidates(of: [], among: CuffFamilies.all).isEmpty)
    }
}
