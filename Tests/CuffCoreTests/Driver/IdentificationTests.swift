import CuffCore
import TestSupport
import Testing

@Suite struct IdentificationTests {
    /// For recordings without their header, the first family is the right one, or none is likely. Includes the shared vectors.
    @Test(arguments: CaptureFile.sample)
    func recordings_NameTheirFamilyOrNone(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let candidates = Identification.candidates(of: file.items, among: CuffFamilies.all)
        if let first = candidates.first, first.isLikely {
            #expect(first.driver == driver.id, "\(candidates)")
        }
        let hasReadings = Played(file.items, driver: driver).readings > 0
        #expect(!hasReadings || candidates.first?.driver == driver.id, "\(candidates)")
        for other in candidates where other.driver != driver.id { #expect(!other.isLikely, "\(other)") }
    }

    /// Only the cuff's side, as when listening to a port.
    @Test(arguments: CaptureFile.sample)
    func whatWasHeard_NamesTheFamilyOrNone(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let bytes = file.items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        let serial = CuffFamilies.all.filter { $0.medium == .tty }
        let candidates = Identification.candidates(of: [CaptureItem(.fromCuff(bytes))], among: serial)
        if let first = candidates.first, first.isLikely { #expect(first.driver == driver.id, "\(candidates)") }
        guard driver.medium == .tty, let own = driver.findFrames?(bytes), own.frames > 0 else { return }
        #expect(candidates.first?.driver == driver.id, "\(candidates)")
    }

    @Test(
        arguments: Effort.choose([(64, 20), (4096, 4), (65536, 1)], exhaustive: [(64, 400), (4096, 110), (65536, 20)]) as [(Int, UInt64)])
    func noise_FitsNobody(_ size: Int, _ rounds: UInt64) {
        for seed in 1...rounds {
            var random = SplitMix64(seed: seed)
            let noise = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let candidates = Identification.candidates(of: [CaptureItem(.fromCuff(noise))], among: CuffFamilies.all)
            let wrong = candidates.filter { $0.isLikely || $0.isChecked }
            #expect(wrong.isEmpty, "\(wrong)")
        }
    }

    /// Checked frames that explain less than half of the bytes may be chance.
    @Test func framesThatExplainLessThanHalf_AreNotCalledChecked() throws {
        let file = try #require(CaptureFile.own.first { $0.driver?.id == "evgmolt-oem" && $0.url.path.contains("new-result") })
        let bytes = file.items.flatMap { item -> [UInt8] in if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
        for (zeros, isChecked) in [(0, true), (bytes.count, true), (bytes.count + 1, false)] {
            let heard = [UInt8](repeating: 0, count: zeros) + bytes
            let found = Identification.candidates(of: [CaptureItem(.fromCuff(heard))], among: CuffFamilies.all)
            let own = try #require(found.first { $0.driver == "evgmolt-oem" })
            #expect(own.isChecked == isChecked && own.isLikely == isChecked, "\(zeros): \(own)")
        }
    }

    /// A record of zeros has the shape of one of `veroval-bpm25`, which has no check: in a report that is filled it is no evidence.
    @Test(arguments: [[], [0x41, 0x07, 0x01, 0x01], [0x48, 0x41, 0x02, 0x13, 0x01, 0x02]] as [[UInt8]])
    func filledReports_AreNoAnswersOfAVeroval(_ start: [UInt8]) throws {
        let report = start + [UInt8](repeating: 0, count: 64 - start.count)
        let berry: [UInt8] = [0x55, 0xAA, 0x04, 0x02, 0x01, 0xF8]
        for bytes in [report, report + report, report + berry, berry + report] {
            let found = Identification.candidates(of: [CaptureItem(.fromCuff(bytes))], among: CuffFamilies.all).map(\.driver)
            #expect(!found.contains("veroval-bpm25"), "\(found)")
            #expect(found.contains("berry-pm6750") == (bytes.count % 64 != 0), "\(found)")
            #expect(found.contains("contec-08a") == (start.first == 0x48 && bytes.starts(with: start)), "\(found)")
        }
    }

    @Test func nothing_FitsNobody() {
        #expect(Identification.candidates(of: [], among: CuffFamilies.all).isEmpty)
    }

    /// What one side sent, without a header and without the questions: nearly all are named right (278 of 289 captures; with the shared
    /// vectors 395 of 408), and no wrong family is likely.
    @Test func rawBytes_AreNamedRight_NineteenTimesOfTwenty() throws {
        var (right, all) = (0, 0)
        var others: [String] = []
        for file in CaptureFile.sample {
            let driver = try #require(file.driver)
            let bytes = file.items.flatMap { item -> [UInt8] in if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
            guard !bytes.isEmpty else { continue }
            all += 1
            let found = Identification.candidates(of: [CaptureItem(.fromCuff(bytes))], among: CuffFamilies.all)
            let first = found.first?.driver
            if first == driver.id { right += 1 } else { others.append("\(file.testDescription): \(first?.description ?? "none")") }
            for wrong in found where wrong.driver != driver.id { #expect(!wrong.isLikely, "\(file.testDescription): \(wrong)") }
            for candidate in found where candidate.isChecked { #expect(2 * candidate.bytes >= candidate.heard) }
        }
        #expect(right * 20 >= all * 19, "\(right) of \(all); not right: \(others)")
    }
}
