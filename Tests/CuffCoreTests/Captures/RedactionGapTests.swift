import CuffCore
import TestSupport
import Testing

@testable import CuffCore

/// Damaged and undocumented frames lose what may identify a person or a device.
@Suite struct RedactionGapTests {
    private func rewritten(_ parts: [[UInt8]], _ driver: CuffDriver) throws -> [UInt8] {
        let result = CaptureRedaction(
            parts.map { CaptureItem(.fromCuff($0)) }, header: CaptureHeader(), by: try #require(driver.redaction), days: -10)
        return result.items.flatMap { item -> [UInt8] in if case .fromCuff(let bytes) = item.content { bytes } else { [] } }
    }

    @Test(arguments: [
        (CuffDriver.microlifeBPA100, "\u{06}41319MUSTER-ANNA-47110,05.00\r\n00"),
        (.uscomBPplus, "<Meas><PatientID>MUSTER-ANNA-4711</PatientID>\n<DateTime>2026-05-05T07:31:00</DateTime>\n"),
        (.r1, String(decoding: R1Frame.encode(Array("V,MUSTER-4711,20260505".utf8)), as: UTF8.self)),
        (.r1, String(decoding: R1Frame.encode(Array("R1,MUSTERANN,20260505,073110,128,097,082,071".utf8)), as: UTF8.self)),
        (.parNIBP, "\u{02}SN:20260505 MUSTER 4711\u{03}\r"),
        (.phd, "\u{0A}\u{58}\u{00}\u{0D}\u{00}\u{0B}MUSTER 4711"),
    ])
    func textOfNoDocumentedFrame_IsOverwritten(_ driver: CuffDriver, _ text: String) throws {
        let bytes = try rewritten([Array(text.utf8)], driver)
        let result = String(decoding: bytes, as: UTF8.self)
        for word in ["MUSTER", "4711", "20260505", "2026-05-05"] { #expect(!result.contains(word), "\(result)") }
        #expect(bytes.count == text.utf8.count)
    }

    /// A serial number of seven bytes: its xor is 0x47, not 0x00.
    @Test func aDamagedOmronAnswer_IsCleared_AndStaysDamaged() throws {
        let result = try rewritten([[7, 0x4F, 0x4B, 0, 0x53, 0x4E, 0x31, 0x32], [5, 0x33, 0x34, 0x35, 0x00, 0x00, 0, 0]], .omronHID)
        #expect(result == [7, 0x4F, 0x4B, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 1, 0, 0])
    }

    /// With a wrong check; its time 20 26 05 05 is BCD.
    @Test func aDamagedIntelliVueFrame_KeepsOnlyItsDelimiters() throws {
        let frame: [UInt8] = [0xC0, 0x11, 0x01, 0x00, 0x08, 0xE1, 0x00, 0x00, 0x02, 0x20, 0x26, 0x05, 0x05, 0x07, 0x31, 0x12, 0x34, 0xC1]
        #expect(try rewritten([frame], .intelliVue) == [0xC0] + [UInt8](repeating: 0, count: 16) + [0xC1])
    }

    @Test func theHeaderNamesNoKeys_AndTimesBeginAtZero() {
        var header = CaptureHeader()
        header.fields = [("driver", "beurer-serial"), ("anna muster, born", "1960"), ("cuff", "Beurer BM58")]
        let items = [
            CaptureItem(time: 1_777_959_370_250_000, .toCuff([0xA3, 1])), CaptureItem(time: 1_777_959_371_250_000, .fromCuff([0xAC])),
        ]
        let result = CaptureRedaction(items, header: header, by: .beurerSerial, days: -10)
        #expect(result.header["changed"] == "anonymised: header fields (1)")
        #expect(result.items.map(\.time) == [0, 1_000_000])
    }
}
