import CuffCore
import Testing

@testable import CuffCore

@Suite struct CaptureRedactionTests {
    /// Families with escaped bytes: a frame's length may change by its escapes.
    static let escaped: Set<String> = ["ge-dri", "intellivue"]
    /// Refused captures: their times are of the year 2000, which cannot be shifted back.
    private static let unsafe: Set<String> = [
        "phd/thermometer-by-its-standard-number"
    ]

    @Test func everyFamily_HasOne() {
        #expect(CuffFamilies.all.filter { $0.redaction == nil }.map(\.id) == [])
    }

    @Test(arguments: CaptureFile.own)
    func everyCapture_SaysTheSameNumbersAfterwards_OrIsRefused(_ capture: CaptureFile) throws {
        let driver = try #require(capture.driver)
        let redaction = try #require(driver.redaction)
        let result = CaptureRedaction(capture.items, header: capture.header, by: redaction, days: -500)
        guard !Self.unsafe.contains(capture.testDescription) else {
            #expect(throws: RedactionCheck.Fault.self) { try RedactionCheck.check(capture.items, result, driver: driver) }
            return
        }
        let count = try RedactionCheck.check(capture.items, result, driver: driver).readings
        let before = Self.readings(capture.items, driver)
        let after = Self.readings(result.items, driver)
        #expect(count == before.count)
        #expect(after.map(\.content) == before.map(\.content))
        #expect(after.map(\.flags) == before.map(\.flags))
        for (old, new) in zip(before, after) {
            guard let old = old.clock.time else { continue }
            #expect(new.clock.time?.wallSeconds == old.wallSeconds - 500 * 86400)
        }
        // The kind and length of a line stay.
        let conversation = capture.items.filter { if case .event = $0.content { false } else { true } }
        let rewritten = result.items.filter { if case .event = $0.content { false } else { true } }
        #expect(rewritten.map(\.time) == conversation.map(\.time))
        if Self.escaped.contains(driver.id.description) { return }
        #expect(rewritten.map(Self.length) == conversation.map(Self.length))
    }

    private static func length(_ item: CaptureItem) -> Int {
        switch item.content {
        case .fromCuff(let bytes): bytes.count
        case .toCuff(let bytes): -bytes.count
        case .event: 0
        }
    }

    private static func readings(_ items: [CaptureItem], _ driver: CuffDriver) -> [Reading] {
        var replay = Replay(LinkState.Setup(driver))
        for item in items { replay.play(item) }
        replay.end()
        replay.flush()
        return replay.effects.flatMap { effect -> [Reading] in if case .submit(let batch) = effect { batch.entries.readings } else { [] } }
    }

    private func rewritten(_ bytes: [UInt8], _ driver: CuffDriver, days: Int, cut: Int? = nil) throws -> [UInt8] {
        let redaction = try #require(driver.redaction)
        let parts = cut.map { [Array(bytes[..<$0]), Array(bytes[$0...])] } ?? [bytes]
        let result = CaptureRedaction(
            parts.map { CaptureItem(.fromCuff($0)) }, header: CaptureHeader(), by: redaction, days: days)
        return result.items.flatMap { item -> [UInt8] in if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
    }

    /// 2026-05-05 is 26 << 9 | 5 << 5 | 5 = 34A5, 2026-04-25 is 3499; the sum falls by 0C, from 9A to 8E.
    @Test(arguments: [nil, 1, 3, 7]) func aTaiDocDate_IsShifted_AndTheSumWithIt(_ cut: Int?) throws {
        let frame: [UInt8] = [0x51, 0x25, 0xA5, 0x34, 0x9F, 0x07, 0xA5, 0x9A]
        #expect(try rewritten(frame, .taiDoc, days: -10, cut: cut) == [0x51, 0x25, 0x99, 0x34, 0x9F, 0x07, 0xA5, 0x8E])
    }

    /// 2024 has a 29th of February.
    @Test func aLeapDay_IsADay() throws {
        #expect(try rewritten([0xAC, 100, 60, 70, 3, 1, 7, 31, 24], .beurerSerial, days: -1) == [0xAC, 100, 60, 70, 2, 29, 7, 31, 24])
        #expect(try rewritten([0xAC, 100, 60, 70, 0x83, 0xA1, 7, 31, 0x98], .beurerSerial, days: -1)[4...] == [0x82, 0xBD, 7, 31, 0x98])
    }

    @Test func anR1Result_LosesThePersonsID() throws {
        let frame = R1Frame.encode(Array("R1,AB-123456,260505,073110,128,097,082,071,0000,0000,00000,000".utf8))
        let expected = R1Frame.encode(Array("R1,AA-000000,260425,073110,128,097,082,071,0000,0000,00000,000".utf8))
        #expect(try rewritten(frame, .r1, days: -10) == expected)
        // A damaged frame may contain the id too.
        var damaged = frame
        damaged[damaged.count - 1] ^= 1
        #expect(!String(decoding: try rewritten(damaged, .r1, days: -10), as: UTF8.self).contains("123456"))
    }

    @Test func aBPLine_LosesItsID_AndKeepsTheDifferenceOfTwo() throws {
        let lines =
            "bp,Miller Anna         ,2026/05/05,07:31,128,097,082,071,0\rbp,Smith Ben           ,2026/05/05,07:32,128,097,082,071,0\r"
        let expected =
            "bp,AAAAAA AAAA         ,2026/04/25,07:31,128,097,082,071,0\rbp,AAAAA AA1           ,2026/04/25,07:32,128,097,082,071,0\r"
        #expect(String(decoding: try rewritten(Array(lines.utf8), .omronHBP, days: -10), as: UTF8.self) == expected)
    }

    @Test func anHL7Message_LosesPatientVisitAndOperators() throws {
        let message = [
            "MSH|^~\\&|VS8^00A037009B000001^EUI-64|Ward 3|||20260505073110||ORU^R01|2026050507311099|P|2.6",
            "PID|1||4711^^^H||Miller^Anna||19500102|F",
            "PV1||I|B12", "OBR|1|||monitor|||20260505073000", "NTE|1||asked for Dr. Smith",
            "OBX|1|NM|150301^MDC_PRESS_CUFF_SYS^MDC|1|128|266016^MDC_DIM_MMHG^MDC|||||F|||20260505073000||Nurse Joy",
            "OBX|2|ST|note|1|Anna 128||||||F",
            "OBX|3|DT|birth|SN12.1|19600503||||||F|20200101||2026-05-05T07:31:10", "NTE|Muster Anna",
        ]
        let expected = [
            "MSH|^~\\&|VS8^00A000000A000000^AAA-00|AAAA 0|||20260425073110||ORU^R01|0000000000000001|P|2.6",
            "PID|1||0000^^^2||AAAAAA^AAA3||00000004|5",
            "PV1||6|A07", "OBR|1|||monitor|||20260425073000", "NTE|1||AAAAA AAA AA. AAAA8",
            "OBX|1|NM|150301^MDC_PRESS_CUFF_SYS^MDC|1|128|266016^MDC_DIM_MMHG^MDC|||||F|||20260425073000||AAAAA AA9",
            "OBX|2|ST|note|1|AAAA 010||||||F",
            "OBX|3|DT|birth|AA01.1|00000012||||||F|20191222||0000-00-00A00:00:00", "NTE|AAAAAA AA13",
        ]
        func block(_ lines: [String]) -> [UInt8] { [0x0B] + Array(lines.map { $0 + "\r" }.joined().utf8) + [0x1C, 0x0D] }
        let result = try rewritten(block(message), .hl7ORU, days: -10)
        let text = String(decoding: result, as: UTF8.self)
        for name in ["Miller", "Anna", "4711", "1950", "B12", "Smith", "Joy", "Ward", "20260505"] { #expect(!text.contains(name)) }
        #expect(result == block(expected), "\(text)")
    }

    @Test func an11073Agent_LosesItsSystemID_AndItsSerialNumber() throws {
        // An MDS attribute list: System-Id, Production-Specification (serial number SN-2024/7, firmware 1.02).
        let id: [UInt8] = [0x00, 0x09, 0x1F, 0xFF, 0xFE, 0x80, 0x12, 0x34]
        let specification: [UInt8] =
            [0x00, 0x01, 0x00, 0x00, 0x00, 0x0A] + Array("SN-2024/77".utf8) + [0x00, 0x05, 0x00, 0x00, 0x00, 0x04] + Array("1.02".utf8)
        let attributes: [UInt8] =
            [0x09, 0x84, 0x00, 0x0A, 0x00, 0x08] + id + [0x09, 0x2D, 0x00, 0x1E, 0x00, 0x02, 0x00, 0x1A] + specification
            + [0x09, 0x87, 0x00, 0x08, 0x20, 0x26, 0x05, 0x05, 0x07, 0x31, 0x10, 0x00]
        let result = try rewritten(attributes, .phd, days: -10)
        #expect(Array(result[6..<14]) == [0x00, 0x09, 0x1F, 0, 0, 0, 0, 1])
        #expect(Array(result[28..<38]) == Array("AA-0000/00".utf8))
        #expect(Array(result[44..<48]) == Array("1.02".utf8))
        #expect(Array(result[52...]) == [0x20, 0x26, 0x04, 0x25, 0x07, 0x31, 0x10, 0x00])
    }

    private static let pushed = [CaptureItem(.fromCuff([0xAC, 100, 60, 70, 5, 5, 7, 31, 26]))]
    private static let asked = [CaptureItem(.toCuff([0xA3, 1]))] + pushed

    @Test func theCheck_SeesWhatWasForgotten() throws {
        func fault(_ redaction: Redaction, days: Int = -10) -> RedactionCheck.Fault? {
            let result = CaptureRedaction(Self.asked, header: CaptureHeader(), by: redaction, days: days)
            do throws(RedactionCheck.Fault) {
                try RedactionCheck.check(Self.asked, result, driver: .beurerSerial)
                return nil
            } catch { return error }
        }
        #expect(Self.readings(Self.asked, .beurerSerial).count == 1)
        #expect(fault(.beurerSerial) == nil)
        #expect(fault(.nothing) == .notShifted(number: 1))
        #expect(fault(Redaction { items, side, work in if side == .fromCuff { items[0][1] += 1 } }) == .differs(number: 1))
        #expect(fault(Redaction { items, side, work in if side == .fromCuff { items[0][0] = 0 } }) == .count(before: 1, after: 0))
        #expect(
            fault(.beurerSerial, days: -20_000)
                == .timeOutOfRange(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)))
    }

    @Test func theHeader_KeepsWhatAReaderNeeds() {
        var header = CaptureHeader()
        header.fields = [
            ("driver", "beurer-serial"), ("by", "Anna Miller"), ("device", "SN1234"), ("date", "2026-05-05"), ("cuff", "Beurer BM58"),
            ("changed", "noise cut off"),
        ]
        let items = Self.asked + [CaptureItem(.event(CaptureEvent("Anna pulled the plug"))), CaptureItem(.event(.unplugged))]
        let result = CaptureRedaction(items, header: header, by: .beurerSerial, days: -10)
        #expect(result.header.fields.map(\.key) == ["driver", "cuff", "changed"])
        #expect(
            result.header["changed"]
                == "noise cut off; anonymised: times (1, shifted by whole days), header fields (3), notes (1)")
        #expect(result.droppedFields == ["by", "device", "date"])
        #expect(result.items.count == 3 && result.items.last?.content == .event(.unplugged))
    }
}
