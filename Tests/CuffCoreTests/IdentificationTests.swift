import CuffCore
import Testing

@Suite struct IdentificationTests {
    /// The bytes from the cuff of every capture with frames name their own driver first, or an equal with a check.
    @Test(arguments: CaptureFile.own)
    func captures_NameTheirOwnFamilyFirst(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let bytes = file.items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        guard let own = driver.countFrames?(bytes), own.frames > 0 else { return }
        let candidates = Identification.candidates(for: bytes, among: CuffFamilies.all)
        #expect(candidates.first?.driver == driver.id, "\(candidates)")
    }

    @Test func noise_FitsNobody() {
        var random = SplitMix64(seed: 11)
        let noise = (0..<4096).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let strong = Identification.candidates(for: noise, among: CuffFamilies.all).filter(\.hasCheck)
        #expect(strong.allSatisfy { $0.bytes < noise.count / 20 }, "\(strong)")
        #expect(Identification.candidates(for: [], among: CuffFamilies.all).isEmpty)
    }
}
