import CuffCore
import Testing

@testable import CuffCore

/// Redacted bytes of the monitors' families. Expected bytes, with checks and escapes, were derived from the layouts at the head of each
/// driver by a separate program; ten days earlier each.
@Suite struct MonitorRedactionTests {
    private func rewritten(_ parts: [[UInt8]], _ driver: CuffDriver, _ side: Redaction.Side = .fromCuff, days: Int = -10) throws
        -> [[UInt8]]
    {
        let redaction = try #require(driver.redaction)
        let items = parts.map { CaptureItem(side == .fromCuff ? .fromCuff($0) : .toCuff($0)) }
        return CaptureRedaction(items, header: CaptureHeader(), by: redaction, days: days).items.map { item in
            switch item.content {
            case .fromCuff(let bytes), .toCuff(let bytes): bytes
            case .event: []
            }
        }
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }
    private func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    /// 2026-05-05 08:40:32 is 69F9AD00 seconds, ten days earlier 69EC7E00, which needs two escapes.
    private static let time: [UInt8] = [0x00, 0xAD, 0xF9, 0x69]
    private static let moved: [UInt8] = [0x00, 0x7D, 0x5E, 0xEC, 0x69]

    /// One subrecord of the basic class. `time` as sent, with escapes.
    private func record(_ time: [UInt8], plug: [UInt8], reserved: [UInt8], tail: [UInt8], check: UInt8) -> [UInt8] {
        var values = (0..<118).map { UInt8($0 * 3 & 0x3F) }
        values.replaceSubrange(72..<86, with: [3, 0, 0, 0, 0x0B, 0x01, 0x00, 0x32, 0x08, 0x20, 0xE4, 0x25, 0x47, 0x00])
        let head = [0x3E, 0x01, 7, 3] + plug + time + reserved + [0, 0, 0, 0, 1, 0, 0, 0xFF] + zeros(18)
        return [0x7E] + head + time + values + tail + [0, 0, check, 0x7E]
    }

    @Test(arguments: [nil, 3, 9, 320]) func aDRIRecord_KeepsItsCuff_AndLosesWhatIsUnknown(_ cut: Int?) throws {
        let tail = text("MILLER ANNA 4711") + zeros(138)
        let frame = record(Self.time, plug: [0x34, 0x12], reserved: [1, 2, 3, 4], tail: tail, check: 0xE4)
        let expected = record(Self.moved, plug: [0, 0], reserved: zeros(4), tail: zeros(154), check: 0x2C)
        #expect(frame.count == 321 && expected.count == 323)
        let parts = cut.map { [Array(frame[..<$0]), Array(frame[$0...])] } ?? [frame]
        let result = try rewritten(parts, .geDRI)
        #expect(result.flatMap { $0 } == expected)
        // The two additional bytes are in the line with the frame's end.
        #expect(result.dropLast().map(\.count) == parts.dropLast().map(\.count))
    }

    @Test func anAlarmRecord_LosesItsText() throws {
        var record = zeros(40) + text("ASYSTOLE BED 7")
        record[0] = UInt8(record.count)
        record[14] = 4
        let expected = Array(record[..<40]) + zeros(14)
        #expect(try rewritten([GeDRIFrame.encode(record)], .geDRI) == [GeDRIFrame.encode(expected)])
        let request = GeDRIRequest.displayedValues(every: 10)
        #expect(try rewritten([request], .geDRI, .toCuff) == [request])
    }

    /// Escapes and checks are right for all new bytes.
    @Test func everyShift_GivesWholeFrames() throws {
        let tail = text("MILLER ANNA 4711") + zeros(138)
        let frame = record(Self.time, plug: [0x34, 0x12], reserved: [1, 2, 3, 4], tail: tail, check: 0xE4)
        for days in 1...400 {
            let dri = try rewritten([frame], .geDRI, days: -days).flatMap { $0 }
            #expect(FrameReader.find(GeDRIFrame(), in: dri).ranges == [dri.indices])
            let poll = try rewritten([Self.poll], .intelliVue, days: -days).flatMap { $0 }
            #expect(FrameReader.find(IntelliVueFrame(), in: poll).ranges == [poll.indices])
        }
    }

    /// A line with one byte of a frame may become empty: it is dropped.
    @Test func aFrameInSingleBytes_MayLoseALine() throws {
        let back = record(Self.moved, plug: [0, 0], reserved: zeros(4), tail: zeros(154), check: 0x2C)
        let lines = try rewritten(back.map { [$0] }, .geDRI, days: 10)
        #expect(lines.count == back.count - 2 && lines.allSatisfy { $0.count == 1 })
        #expect(FrameReader.find(GeDRIFrame(), in: lines.flatMap { $0 }).frames == 1)
    }

    @Test func aUnityAnswer_LosesItsAddressesItsPlaceAndItsCheck() throws {
        func answer(_ address: [UInt8], _ place: [UInt8], _ limits: [UInt8], _ check: [UInt8]) -> [UInt8] {
            let head = address + [0, 201, 0, 20, 0, 1, 0, 9, 0, 2, 0, 3] + place + [0, 0, 0, 74]
            let parameter: [UInt8] = [10, 24, 0, 0, 0, 97, 0, 128, 0, 82] + limits + [10, 24, 1, 2]
            return head + [0, 0, 0, 1, 1, 0] + parameter + check
        }
        let before = answer([UInt8](1...12), text("ICU BED 7") + zeros(23), [UInt8](1...54), [0xAB, 0xCD])
        let after = answer(zeros(12), zeros(32), zeros(54), [0, 0])
        #expect(before.count == 136)
        #expect(try rewritten([before], .geUnity) == [after])
        // A damaged answer may contain the location too.
        var damaged = before
        damaged[59] = 75
        #expect(!String(decoding: try rewritten([damaged], .geUnity)[0], as: UTF8.self).contains("BED"))
        let request = GeUnityFrame.request
        #expect(try rewritten([request + zeros(42)], .geUnity, .toCuff) == [request + zeros(42)])
        #expect(try rewritten([request + text("BED 7")], .geUnity, .toCuff) == [request + zeros(5)])
    }

    /// 128/82, mean 97 of 2026-05-05 07:31:10, with attributes 095D `Miller` and 0927 `NBP`; the monitor's clock 07:35:00.
    private static let poll =
        Hex.bytes(
            """
            c011010080e1000002000200780005000700720021000000000c1600680001001234562026050507350000000100060803000100\
            5000000001004a000900040044094b00220003001e4a0500000f20000000804a0600000f20000000524a0700000f200000006109\
            9000082026050507311000095d00064d696c6c6572092700044e4250005eb6c1
            """) ?? []
    private static let shiftedPoll =
        Hex.bytes(
            """
            c011010080e1000002000200780005000700720021000000000c1600680001001234562026042507350000000100060803000100\
            5000000001004a000900040044094b00220003001e4a0500000f20000000804a0600000f20000000524a0700000f200000006109\
            9000082026042507311000095d000600000000000009270004000000009775c1
            """) ?? []

    @Test(arguments: [nil, 1, 60, 130]) func aPoll_KeepsItsValues_AndLosesThePatient(_ cut: Int?) throws {
        #expect(Self.poll.count == 136 && Self.shiftedPoll.count == 136)
        let parts = cut.map { [Array(Self.poll[..<$0]), Array(Self.poll[$0...])] } ?? [Self.poll]
        #expect(try rewritten(parts, .intelliVue).flatMap { $0 } == Self.shiftedPoll)
    }

    @Test(arguments: [
        // The monitor's description: `BED 12`. An acceptance that holds `SN77`.
        (
            "c011010022e10000020001001a000100010014002100000000001234560d060006424544203132d50dc1",
            "c011010022e10000020001001a000100010014002100000000001234560d060006000000000000af3ac1"
        ), ("c0110100060e04534e3737afc4c1", "c0110100060e04000000008f9cc1"),
    ])
    func whatAMonitorTellsOfItself_IsCleared(_ before: String, _ after: String) throws {
        let (before, after) = (try #require(Hex.bytes(before)), try #require(Hex.bytes(after)))
        #expect(try rewritten([before], .intelliVue) == [after])
    }

    @Test func requests_Stay_AndADamagedFrameLosesItsText() throws {
        let requests = [IntelliVueAssociation.request(), IntelliVueMessage.pollRequest(7), IntelliVueAssociation.release]
            .map { IntelliVueFrame.encode($0) }
        #expect(try rewritten(requests, .intelliVue, .toCuff) == requests)
        var damaged = Self.poll
        damaged[40] ^= 1
        #expect(!String(decoding: try rewritten([damaged], .intelliVue)[0], as: UTF8.self).contains("Miller"))
        // An answer of another layout keeps only its head.
        let other = IntelliVueFrame.encode([0xE1, 0, 0, 2, 0, 2, 0, 10, 0, 1, 0, 3] + text("Miller"))
        let empty = IntelliVueFrame.encode([0xE1, 0, 0, 2, 0, 2, 0, 10, 0, 0, 0, 0] + zeros(6))
        #expect(try rewritten([other], .intelliVue) == [empty])
    }

    @Test func aDinamapBlock_LosesItsParameterBytes() throws {
        let waves = [UInt8](1...11)
        let before = DinamapNativeFrame.encode(sequence: 7, waves + [0x41, 0x42, 0x43])
        let after = DinamapNativeFrame.encode(sequence: 7, waves + [0, 0, 0])
        #expect(try rewritten([before], .dinamapNative) == [after])
        var damaged = before
        damaged[3] ^= 0x10
        #expect(!String(decoding: try rewritten([damaged], .dinamapNative)[0], as: UTF8.self).contains("BC"))
    }
}
