import CuffCore
import TestSupport
import Testing

@testable import CuffCore

/// Redacted bytes of single families. Expected bytes were derived from the layouts at the head of each driver, ten days earlier each.
@Suite struct RedactionBytesTests {
    private func rewritten(_ parts: [[UInt8]], _ driver: CuffDriver, _ side: Redaction.Side = .fromCuff) throws -> [[UInt8]] {
        let redaction = try #require(driver.redaction)
        let items = parts.map { CaptureItem(side == .fromCuff ? .fromCuff($0) : .toCuff($0)) }
        return CaptureRedaction(items, header: CaptureHeader(), by: redaction, days: -10).items.map { item in
            switch item.content {
            case .fromCuff(let bytes), .toCuff(let bytes): bytes
            case .event: []
            }
        }
    }

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    // 2026-05-05 07:31:10: month 5 and day 5 are `0101 00101` behind two flags, so 54 A7; 2026-04-25 is `0100 11001`, so 53 27.
    // The four bits before the minute and the six bytes behind the time are unknown.
    private static let record: [UInt8] = [0x52, 0x67, 0x1A, 0x47, 0x54, 0xA7, 0xA7, 0xCA, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06]
    private static let shifted: [UInt8] = [0x52, 0x67, 0x1A, 0x47, 0x53, 0x27, 0x07, 0xCA, 0, 0, 0, 0, 0, 0]

    /// A thermometer's FLOAT that ends in 20, followed by 2009-06-12 08:30: eight bytes from that 20 are a time of 2020 too.
    @Test func an11073Stamp_IsShiftedWhereItStands() throws {
        let request = "e200003280000000 0001002a 50790026 80000000 8000 80000000 00000000 00800000 0008"
        let rest = "0320 0001 01000000 0000"
        let report = "e700002a0028123601010022000000000000 0d1d0018 f0000000 00010010 0001000c fb387520"
        func bytes(_ id: String, _ time: String) throws -> [UInt8] {
            try #require(Hex.bytes([request, id, rest, report, time].joined().filter { $0 != " " }))
        }
        let result = try rewritten([bytes("4c4e494147454e54", "2009061208300000")], .phd)
        #expect(try result == [bytes("4c4e490000000001", "2009060208300000")])
        // The example id is allowed for a manager, but not for an agent.
        let agent = try rewritten([bytes("1122334455667788", "2009061208300000")], .phd)
        #expect(try agent == [bytes("1122330000000001", "2009060208300000")])
        let answer = try #require(
            Hex.bytes("e300002c00005079002680000000800080000000000000008000000000081122334455667788" + "00000000000000000000"))
        #expect(try rewritten([answer], .phd, .toCuff) == [answer])
    }

    @Test func anOmronRecord_IsShifted_AndTheXorWithIt() throws {
        let report = [0x01, 0x16, 0x81, 0x00, 0x02, 0xAC, 0x0E] + Self.record + [0x00, 0xC6, 0xAA, 0xBB]
        let expected = [0x01, 0x16, 0x81, 0x00, 0x02, 0xAC, 0x0E] + Self.shifted + [0x00, 0xE6, 0x00, 0x00]
        #expect(try rewritten([report], .omronEEPROM) == [expected])
    }

    @Test func anOmronRecord_ThatTwoAnswersHold_IsShifted() throws {
        func data(_ address: UInt8, _ bytes: ArraySlice<UInt8>) -> [UInt8] {
            let frame = [UInt8(8 + bytes.count), 0x81, 0x00, 0x02, address, UInt8(bytes.count)] + bytes + [0x00]
            return [0x01] + frame + [frame.reduce(0, ^), 0x00]
        }
        for cut in 1..<14 {
            func parts(_ record: [UInt8]) -> [[UInt8]] { [data(0xAC, record[..<cut]), data(0xAC + UInt8(cut), record[cut...])] }
            #expect(try rewritten(parts(Self.record), .omronEEPROM) == parts(Self.shifted), "\(cut)")
        }
        // An incomplete record is cleared.
        #expect(try rewritten([data(0xAC, Self.record[..<9])], .omronEEPROM) == [data(0xAC, [UInt8](repeating: 0, count: 9)[...])])
    }

    @Test func anOmronIdentity_AndADamagedReport_AreCleared() throws {
        let identity = [UInt8](repeating: 0x41, count: 16)
        let frame = [0x18, 0x80, 0x00, 0x00, 0x00, 0x10] + identity + [0x00]
        let empty = [0x18, 0x80, 0x00, 0x00, 0x00, 0x10] + [UInt8](repeating: 0, count: 16) + [0x00]
        let reports = [[0x01] + frame + [frame.reduce(0, ^), 0x00], [0x01] + frame + [frame.reduce(0, ^) ^ 0x55, 0x00]]
        let result = try rewritten(reports, .omronEEPROM)
        #expect(result[0] == [0x01] + empty + [empty.reduce(0, ^), 0x00])
        #expect(result[1].dropFirst(2).filter { $0 != 0 } == [0x19] && OmronEEPROMFrame.judge(result[1]) == .damaged(.badCheck))
    }

    @Test func aBM96Record_IsShifted_AndAnECGIsCleared() throws {
        let filler = [UInt8](repeating: 0xF4, count: 50)
        let record: [UInt8] = [0, 3, 0x77, 1, 7, 31, 5, 5, 26, 2, 0x66, 128, 82, 71]
        let row = [UInt8](1...64)
        let result = try rewritten([[0x55] + filler, [2, 1] + filler, text("BM 96") + filler, record + filler, row], .beurerBM96)
        #expect(result[0] == [0x55] + filler && result[1] == [2, 1] + filler && result[2] == text("BM 96") + filler)
        #expect(result[3] == [0, 3, 0, 1, 7, 31, 25, 4, 26, 2, 0, 128, 82, 71] + filler)
        #expect(result[4] == [UInt8](repeating: 0, count: 64))
    }

    @Test func aBpTRUFrame_OfUnknownContent_IsCleared() throws {
        let result: [UInt8] = [0x02, 0x42, 0x00, 128, 82, 71, 0x5A, 0x03]
        let unknown: [UInt8] = [0x02, 0x53, 1, 2, 3, 4, 0x5A, 0x03]
        #expect(try rewritten([result + unknown], .bptruBPM200) == [result + [0x02, 0x53, 0, 0, 0, 0, 0, 0x03]])
    }

    @Test(arguments: [nil, 4, 12, 30]) func aVerovalDuoRecord_IsShifted(_ cut: Int?) throws {
        let number: [UInt8] = [0x06, 0xC1, 0x12, 0x34, 0x56, 0x78] + text("001")
        let records: [UInt8] = [0x06, 0x31, 0x32, 0x33, 0x34, 0x35] + text("2605050731112808207100071")
        let expected: [UInt8] = [0x06, 0, 0, 0, 0, 0] + text("001") + [0x06, 0, 0, 0, 0, 0] + text("2604250731112808207100001")
        let bytes = number + records
        let parts = cut.map { [Array(bytes[..<$0]), Array(bytes[$0...])] } ?? [bytes]
        #expect(try rewritten(parts, .verovalDuo).flatMap { $0 } == expected)
    }

    @Test func aVerovalAnswer_LosesItsHeadAndCheck_AndACutOneItsDates() throws {
        let record: [UInt8] = [1, 1, 0, 128, 0, 82, 0, 71, 5, 5, 0x07, 0xEA, 7, 31]
        let moved: [UInt8] = [1, 1, 0, 128, 0, 82, 0, 71, 4, 25, 0x07, 0xEA, 7, 31]
        #expect(try rewritten([[0xAB, 0xCD, 1] + record + [0x99]], .verovalBPM25) == [[0, 0, 1] + moved + [0]])
        #expect(try rewritten([[0xAB, 0xCD, 0, 0x99]], .verovalBPM25) == [[0, 0, 0, 0]])
        #expect(try rewritten([[0xAB, 0xCD, 2] + record + [1, 2]], .verovalBPM25) == [[0xAB, 0xCD, 2] + moved + [1, 2]])
    }

    /// Truncated recordings keep their length, except for escapes.
    @Test func everyCut_OfEveryCapture_KeepsItsLength() throws {
        for capture in CaptureFile.own {
            guard let driver = capture.driver, let redaction = driver.redaction else { continue }
            let isEscaped = CaptureRedactionTests.escaped.contains(driver.id.description)
            for side in [Redaction.Side.fromCuff, .toCuff] {
                let parts = capture.items.compactMap { item -> [UInt8]? in
                    switch (item.content, side) {
                    case (.fromCuff(let bytes), .fromCuff), (.toCuff(let bytes), .toCuff): bytes
                    default: nil
                    }
                }
                // The last part is cut at several places; of long captures, the first parts.
                for count in 1...min(Effort.choose(20, exhaustive: 60), max(1, parts.count)) where count <= parts.count {
                    let kept = Array(parts[..<(count - 1)])
                    for cut in stride(from: 0, to: parts[count - 1].count, by: max(1, parts[count - 1].count / 16)) {
                        var cutParts = kept + [Array(parts[count - 1][..<cut])]
                        var work = Redaction.Work(days: -10)
                        let lengths = cutParts.map(\.count)
                        redaction.rewrite(&cutParts, side, &work)
                        #expect(isEscaped ? cutParts.count == lengths.count : cutParts.map(\.count) == lengths)
                    }
                }
            }
        }
    }

    /// Mangled recordings and random bytes, with many frame markers: nothing traps, and every item stays.
    @Test(arguments: CuffFamilies.all.map(\.id.description)) func noise_IsRewrittenWithoutHarm(_ id: String) throws {
        let driver = try #require(CuffFamilies.named(id))
        let redaction = try #require(driver.redaction)
        let marks: [UInt8] = [0x7E, 0x7D, 0xC0, 0xC1, 0xE7, 0x00, 0xFF, 0x02, 0x03, 0x0B, 0x1C, 0x0D, 0x51, 0x16]
        let recorded = CaptureFile.own.filter { $0.driver?.id == driver.id }.flatMap { file in
            file.items.compactMap { item -> [UInt8]? in if case .fromCuff(let bytes) = item.content { bytes } else { nil } }
        }
        for seed in 0..<Effort.choose(8, exhaustive: 300) as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            var items: [[UInt8]] = (0..<12).map { _ in
                guard random.next() % 2 == 0, !recorded.isEmpty else {
                    return (0..<Int(random.next() % 80)).map { _ in
                        random.next() % 3 == 0 ? marks[Int(random.next() % UInt64(marks.count))] : UInt8(truncatingIfNeeded: random.next())
                    }
                }
                var bytes = recorded[Int(random.next() % UInt64(recorded.count))]
                if random.next() % 2 == 0, !bytes.isEmpty {
                    bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
                }
                return Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1)) + 8))
            }
            let lengths = items.map(\.count)
            for side in [Redaction.Side.fromCuff, .toCuff] {
                var work = Redaction.Work(days: -10)
                redaction.rewrite(&items, side, &work)
                #expect(items.count == lengths.count, "seed \(seed)")
                if !CaptureRedactionTests.escaped.contains(id) { #expect(items.map(\.count) == lengths, "seed \(seed)") }
            }
        }
    }

    // The sums are those of the characters mod 256.
    @Test func aMicrolifeMemory_LosesItsID_AndAllSumsHold() throws {
        let memory = "\u{06}00010001414E4E413130393939393939260505073107AB12047148800471488017"
        let blanked = "\u{06}00010001000A0A000000000000000000260425073107AA000471488004714880AB"
        let id = "\u{06}414E4E4131303939393939,05.00\r\nD5"
        let noID = "\u{06}000A0A0000000000000000,05.00\r\n78"
        #expect(try rewritten([text(memory)], .microlifeBPA100) == [text(blanked)])
        #expect(try rewritten([text(id)], .microlifeBPA100).first.map { String(decoding: $0, as: UTF8.self) } == noID)
        let zeros = String(repeating: "0", count: 66)
        let setting = [[0x12, 0x16, 0x18, 0x27], text("0505202"), text("6073110\(zeros)20")]
        let expected = [[0x12, 0x16, 0x18, 0x27], text("0425202"), text("6073110\(zeros)21")]
        #expect(try rewritten(setting, .microlifeBPA100, .toCuff) == expected)
    }

    @Test func aNanosSerialNumber_IsCleared_AndItsVersionStays() throws {
        var field: [UInt8] = [0x76, 0x00] + [UInt8](repeating: 0x33, count: 128)
        (field[10], field[11]) = (0x02, 0x01)
        field.replaceSubrange(30..<38, with: text("SN-4711A"))
        var empty: [UInt8] = [0x76, 0x00] + [UInt8](repeating: 0, count: 128)
        (empty[10], empty[11]) = (0x02, 0x01)
        #expect(try rewritten([NibpNanoFrame.encode(field)], .nibpNano) == [NibpNanoFrame.encode(empty)])
        let beat = NibpNanoFrame.encode([0x62] + [UInt8](1...14))
        #expect(try rewritten([beat], .nibpNano) == [beat])
    }

    @Test func aSunTechPacket_OfUnknownForm_IsCleared() throws {
        // 3E + 06 + 11 + 22 + 33 is AA, so that 56 makes it zero; 3E + 06 is 44, so BC.
        #expect(try rewritten([[0x3E, 0x06, 0x11, 0x22, 0x33, 0x56]], .suntechAdvantage) == [[0x3E, 0x06, 0, 0, 0, 0xBC]])
        let pressure: [UInt8] = [0x3E, 0x05, 0x86, 0x00, 0x37]
        #expect(try rewritten([pressure], .suntechAdvantage) == [pressure])
    }

    @Test func anAnsarLine_OfAnotherKind_LosesItsText() throws {
        func message(_ lines: String) -> [UInt8] {
            [0xFF] + text("ANSAR-B ") + [UInt8](repeating: 0x40, count: 400) + text(lines) + [0xFE]
        }
        let lines = "NIBP=4;121;75;92;80;;\rNAME=Miller, Anna\rHR=80;;\rbed 7\r"
        let expected = "NIBP=4;121;75;92;80;;\rNAME=AAAAAA, AAAA\rHR=80;;\rAAA 1\r"
        let result = try rewritten([message(lines)], .ansarB)
        #expect(result == [message(expected)], "\(String(decoding: result.joined().dropFirst(409), as: UTF8.self))")
    }
}
