import CuffCore
import Testing

@Suite struct ChecksumTests {
    private let nine = Array("123456789".utf8)

    @Test func checksums_GiveTheirPublishedValues() {
        #expect(nine.sum8 == 0xDD)
        #expect(nine.xor8 == 0x31)
        #expect(Checksum.crc8Maxim(nine.span, 0..<9) == 0xA1)
        #expect(Checksum.crc16X25(nine.span, 0..<9) == 0x906E)
        #expect(Checksum.twosComplement8(nine.span, 0..<9) == 0x23)
        #expect(Checksum.onesComplement8(nine.span, 0..<9) == 0x22)
    }

    @Test func dinamapCheck_HoldsOnARecordedBlock() {
        let block = Hex.bytes("000e60000601 9c7f1fc7f1fc000000f609ff") ?? []
        #expect(Checksum.crc8Dinamap(block.span, 1..<15) == block[15])
    }

    @Test func ranges_AreClamped() {
        #expect(Checksum.sum8(nine.span, -5..<100) == 0xDD)
        #expect(Checksum.xor8([UInt8]().span, 0..<4) == 0)
    }

    @Test func xxHash64_GivesThePublishedValues() {
        #expect(XXHash64.hash([UInt8]().span) == 0xEF46_DB37_51D8_E999)
        #expect(XXHash64.hash(Array("abc".utf8).span) == 0x44BC_2CF5_AD77_0999)
        // The generator, lengths and values of the self-test in xxHash's own command, `cli/xsum_sanity_check.c`.
        var generator: UInt64 = 2_654_435_761
        let data = (0..<222).map { _ -> UInt8 in
            defer { generator = generator &* 11_400_714_785_074_694_797 }
            return UInt8(truncatingIfNeeded: generator >> 56)
        }
        #expect(XXHash64.hash(Array(data.prefix(1)).span) == 0xE934_A84A_DB05_2768)
        #expect(XXHash64.hash(Array(data.prefix(4)).span) == 0x9136_A0DC_A574_57EE)
        #expect(XXHash64.hash(Array(data.prefix(14)).span) == 0x8282_DCC4_994E_35C8)
        #expect(XXHash64.hash(data.span) == 0xB641_AE8C_B691_C174)
        #expect(XXHash64.hash(data.span, seed: 2_654_435_761) == 0x20CB_8AB7_AE10_C14A)
        // Lengths around a whole block of four words and the usual record's, from the reference library 0.8.
        #expect(XXHash64.hash(Array(data.prefix(32)).span) == 0x18B2_1649_2BB4_4B70)
        #expect(XXHash64.hash(Array(data.prefix(63)).span) == 0xA9EF_BE0F_A0F3_F4E7)
        #expect(XXHash64.hash(Array(data.prefix(64)).span) == 0xEF55_8F8A_CAC2_B5CD)
        #expect(XXHash64.hash(Array(data.prefix(64)).span, seed: 2_654_435_761) == 0xB5EE_BA99_264C_C44F)
        #expect(XXHash64.hash(Array(data.prefix(65)).span) == 0xDE0F_20DC_2631_AF7A)
    }
}
