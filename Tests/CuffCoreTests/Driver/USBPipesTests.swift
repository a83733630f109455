import Testing

@testable import CuffCore

/// The bulk endpoints of a device without a class of its own, from descriptors built by hand after USB 2.0 §9.6 and CDC 1.2.
@Suite struct USBPipesTests {
    private let head: [UInt8] = [18, 1, 0, 2, 2, 0, 0, 64, 0x47, 0x12, 0xF8, 0, 0, 1, 1, 2, 3, 1, 9, 2, 48, 0, 2, 1, 0, 0xC0, 50]
    /// Without the functional descriptors that `cdc_acm` wants.
    private let control: [UInt8] = [9, 4, 0, 0, 1, 2, 2, 1, 0, 7, 5, 0x83, 3, 8, 0, 16]
    private let data: [UInt8] = [9, 4, 1, 0, 2, 0x0A, 0, 0, 0, 7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0]
    private let vendors: [UInt8] = [9, 4, 2, 0, 2, 0xFF, 0, 0, 0, 7, 5, 0x84, 2, 32, 0, 0, 7, 5, 0x05, 2, 16, 0, 0]

    @Test func dataInterface_IsChosen_WhereverItIs() throws {
        for bytes in [head + control + data, head + vendors + control + data, head + data + vendors] {
            let pipes = try #require(USBPipes(bytes))
            #expect(pipes == USBPipes(number: 1, input: 0x81, output: 2, packet: 64, outputPacket: 64))
        }
    }

    @Test func otherwise_TheFirstInterfaceWithBothEndpoints() throws {
        let pipes = try #require(USBPipes(head + control + vendors))
        #expect(pipes == USBPipes(number: 2, input: 0x84, output: 5, packet: 32, outputPacket: 16))
        #expect(USBPipes(head + control) == nil && USBPipes([]) == nil)
    }

    @Test func otherSettings_InterruptsAndHalfPairs_AreNotPipes() {
        var other = data
        other[3] = 1
        #expect(USBPipes(head + other) == nil)
        #expect(USBPipes(head + data.dropLast(7)) == nil)
        var interrupt = data
        interrupt[12] = 3
        #expect(USBPipes(head + interrupt) == nil)
    }

    @Test func zeroLength_EndsTheWalk() {
        #expect(USBPipes(head + control + [0, 0x24] + data) == nil)
        #expect(USBPipes(head + data + [0, 0x24] + vendors)?.number == 1)
    }
}
