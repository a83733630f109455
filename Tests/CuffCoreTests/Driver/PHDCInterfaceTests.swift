import Testing

@testable import CuffCore

/// Descriptors of a device with the class on its interface, built by hand from the class document.
@Suite struct PHDCInterfaceTests {
    private let device: [UInt8] = [18, 1, 0, 2, 0, 0, 0, 64, 0xFE, 0xCA, 0x0F, 0x0F, 0, 1, 1, 2, 3, 1]
    private let configuration: [UInt8] = [9, 2, 57, 0, 1, 1, 0, 0xC0, 50]
    private let interface: [UInt8] = [9, 4, 0, 0, 2, 0x0F, 0, 0, 0]
    private let function: [UInt8] = [4, 0x20, 2, 1]
    private let pressure: [UInt8] = [6, 0x30, 0, 1, 0x07, 0x10]
    private let endpoints: [UInt8] = [7, 5, 0x81, 2, 64, 0, 0, 4, 0x21, 1, 0x18, 7, 5, 0x02, 2, 64, 0, 0, 4, 0x21, 1, 0x08]

    @Test func cuff_IsRecognised() throws {
        let found = try #require(PHDCInterface(device + configuration + interface + function + pressure + endpoints))
        #expect(
            found.pipes.number == 0 && found.pipes.input == 0x81 && found.pipes.output == 0x02 && found.pipes.packet == 64
                && found.pipes.outputPacket == 64)
        #expect(found.specializations == [0x1007] && found.hasMetadata && found.mayBeCuff)
    }

    @Test func meter_IsNoCuff() throws {
        // A Roche meter: specialization 0x1011, glucose (emogenet/accuchek).
        let meter = device + configuration + interface + [4, 0x20, 2, 0, 6, 0x30, 0, 1, 0x11, 0x10] + endpoints
        let found = try #require(PHDCInterface(meter))
        #expect(found.specializations == [0x1011] && !found.mayBeCuff && !found.hasMetadata)
    }

    @Test func unnamedSpecialization_MayBeACuff() throws {
        let none = device + configuration + interface + function + [6, 0x30, 0, 1, 0, 0] + endpoints
        #expect(try #require(PHDCInterface(none)).mayBeCuff)
        #expect(try #require(PHDCInterface(device + configuration + interface + function + endpoints)).mayBeCuff)
    }

    /// A message to the device ends with a short packet of its own pipe, whatever the size of the other one.
    @Test func eachPipe_HasItsOwnPacket() throws {
        var other = endpoints
        (other[15], other[16]) = (0, 2)
        let found = try #require(PHDCInterface(device + configuration + interface + function + other))
        #expect(found.pipes.packet == 64 && found.pipes.outputPacket == 512)
        (other[15], other[16]) = (0, 0)
        #expect(PHDCInterface(device + configuration + interface + function + other) == nil)
    }

    @Test func class_MayStandOnTheDevice() {
        var whole = device
        whole[4] = 0x0F
        var plain = interface
        plain[5] = 0
        #expect(PHDCInterface(whole + configuration + plain + endpoints) != nil)
        #expect(PHDCInterface(device + configuration + plain + endpoints) == nil)
    }

    @Test func otherInterfaces_AreLeftAlone() throws {
        let storage: [UInt8] = [9, 4, 0, 0, 2, 8, 6, 0x50, 0, 7, 5, 0x83, 2, 0, 2, 0, 7, 5, 0x04, 2, 0, 2, 0]
        var second = interface
        second[2] = 1
        let found = try #require(PHDCInterface(device + configuration + storage + second + function + pressure + endpoints))
        #expect(found.pipes.number == 1 && found.pipes.input == 0x81 && found.pipes.output == 0x02)
        let behind = try #require(PHDCInterface(device + configuration + second + function + pressure + endpoints + storage))
        #expect(behind == found)
    }

    @Test func vendorsOwnData_AndMissingEndpoints_AreRefused() {
        #expect(PHDCInterface(device + configuration + interface + [4, 0x20, 1, 0] + endpoints) == nil)
        #expect(PHDCInterface(device + configuration + interface + function + endpoints.prefix(11)) == nil)
        let interrupt: [UInt8] = [7, 5, 0x81, 3, 8, 0, 1, 7, 5, 0x02, 2, 64, 0, 0]
        #expect(PHDCInterface(device + configuration + interface + function + interrupt) == nil, "no bulk endpoint to the host")
    }

    /// Damaged lengths end the walk without a trap; complete descriptors before them count.
    @Test func anyTruncationAndAnyByte_IsRead() {
        let whole = device + configuration + interface + function + pressure + endpoints
        for length in 0..<whole.count { _ = PHDCInterface(Array(whole[..<length])) }
        var found = 0
        for place in whole.indices {
            for value: UInt8 in [0, 1, 2, 3, 4, 7, 9, 0x7F, 0xFF] {
                var bytes = whole
                bytes[place] = value
                if let one = PHDCInterface(bytes) {
                    found += 1
                    #expect((8...1024).contains(one.pipes.packet))
                }
            }
        }
        #expect(found > 0)
    }
}
