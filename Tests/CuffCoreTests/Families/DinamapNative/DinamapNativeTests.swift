import Foundation
import Testing

@testable import CuffCore

@Suite struct DinamapNativeTests {
    private static let vectors = CaptureFile.shared.filter { $0.header["driver"] == "dinamap-native" }

    private static func sequences(_ bytes: [UInt8]) -> [UInt8] {
        var reader = FrameReader(DinamapNativeFrame())
        var found: [UInt8] = []
        reader.feed(bytes)
        while let step = reader.next() {
            if case .frame(let range) = step { found.append(reader.buffer[range.lowerBound]) }
        }
        return found
    }

    private static func description(_ file: CaptureFile) throws -> [String: Any] {
        let url = file.url.deletingPathExtension().appendingPathExtension("expected.json")
        return try #require(JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    }

    /// All recorded blocks are found, and after cuts and damage exactly the intact ones.
    @Test(arguments: vectors)
    func recordedBlocks_AreAllFound(_ file: CaptureFile) throws {
        let bytes = file.items.flatMap { item -> [UInt8] in if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
        let found = Self.sequences(bytes)
        let description = try Self.description(file)
        if let frames = description["frames"] as? Int { #expect(found.count == frames) }
        if let recoverable = description["recoverable_sequences"] as? [Int] { #expect(found.map(Int.init) == recoverable) }
        #expect(description["frames"] != nil || description["recoverable_sequences"] != nil)
    }

    @Test func gaps_AreCountedModulo200() {
        var session = DinamapNativeSession()
        let content = [UInt8](repeating: 0, count: 14)
        for sequence in [198, 199, 0, 1, 4, 5, 3] as [UInt8] {
            _ = session.handle(.received(DinamapNativeFrame.encode(sequence: sequence, content)))
        }
        #expect(session.gaps == 2)
        #expect(session.missing == 2 + 197)
    }

    @Test func anythingAsked_IsUnsupported_AndNothingIsEverEmitted() throws {
        let driver = try #require(CuffFamilies.named("dinamap-native"))
        #expect(driver.capabilities == [])
        for command in SessionCommand.all where command != .follow {
            #expect(Conversation(driver, command).outcome?.isUnsupported == true)
        }
        let talk = Conversation(driver, .follow, closesAfter: .seconds(10))
        #expect(talk.readings.isEmpty && talk.lives.isEmpty && talk.writes.isEmpty)
        #expect(talk.notes.contains { $0.hasPrefix("200 blocks, 0 gaps") })
    }

    @Test(arguments: 0..<18) func everyByte_IsCovered(_ offset: Int) {
        let block = DinamapNativeFrame.encode(sequence: 7, [0x0E, 0x60, 0, 6, 1, 0x9C, 0x7F, 0x1F, 0xC7, 0xF1, 0xFC, 0, 0, 0])
        #expect(Self.sequences(block) == [7])
        for bit in 0..<8 {
            var flipped = block
            flipped[offset] ^= 1 << UInt8(bit)
            #expect(Self.sequences(flipped).isEmpty)
        }
    }
}
