import CuffCore
import Testing

/// usbmon captures as the kernel would make them for each bridge chip.
@Suite struct USBCaptureTests {
    struct Bus {
        var file = PcapngFile()
        var time: UInt64 = 0
        var urb: UInt64 = 0xFFFF_8880_1234_5000
        let headerLength: Int

        init(isBig: Bool = false, headerLength: Int = 64) {
            self.headerLength = headerLength
            file.isBig = isBig
            file.section()
            file.interface(headerLength == 64 ? 220 : 189)
        }

        mutating func event(
            _ event: Character, _ kind: UInt8, _ endpoint: UInt8, _ device: UInt8, data: [UInt8]? = nil,
            setup: [UInt8]? = nil,
            status: Int32 = 0, whole: Int? = nil
        ) {
            var header = file.u64(urb) + [event.asciiValue ?? 0, kind, endpoint, device] + file.u16(1)
            header += [setup == nil ? 0x2D : 0, data == nil ? 0x3C : 0]
            header +=
                file.u64(1_780_000_000) + file.u32(time % 1_000_000) + file.u32(UInt64(UInt32(bitPattern: status)))
            header += file.u32(UInt64(whole ?? data?.count ?? 64)) + file.u32(UInt64(data?.count ?? 0))
            header += setup ?? [UInt8](repeating: 0, count: 8)
            header += [UInt8](repeating: 0, count: headerLength - header.count)
            file.packet(0, time: 1_780_000_000_000_000 + time, header + (data ?? []))
            time += 1000
        }

        mutating func input(_ kind: UInt8, _ endpoint: UInt8, _ device: UInt8, _ data: [UInt8], status: Int32 = 0) {
            urb += 64
            event("S", kind, endpoint, device, status: -115)
            event("C", kind, endpoint, device, data: data, status: status)
        }

        mutating func output(_ kind: UInt8, _ endpoint: UInt8, _ device: UInt8, _ data: [UInt8]) {
            urb += 64
            event("S", kind, endpoint, device, data: data, status: -115)
            event("C", kind, endpoint, device)
        }

        mutating func control(_ device: UInt8, setup: [UInt8], _ data: [UInt8]) {
            urb += 64
            let isIn = setup[0] & 0x80 != 0
            event("S", 2, isIn ? 0x80 : 0, device, data: isIn ? nil : data, setup: setup, status: -115)
            event("C", 2, isIn ? 0x80 : 0, device, data: isIn ? data : nil)
        }

        mutating func plug(
            _ device: UInt8, _ vendor: UInt16, _ product: UInt16, interfaceClass: UInt8 = 0xFF, packet: UInt16 = 64
        ) {
            let ids = [UInt8(vendor & 0xFF), UInt8(vendor >> 8), UInt8(product & 0xFF), UInt8(product >> 8)]
            control(
                device, setup: [0x80, 6, 0, 1, 0, 0, 18, 0], [18, 1, 0, 2, 0, 0, 0, 64] + ids + [0, 1, 0, 0, 0, 1])
            let size = [UInt8(packet & 0xFF), UInt8(packet >> 8)]
            control(
                device, setup: [0x80, 6, 0, 2, 0, 0, 255, 0],
                [9, 2, 32, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 2, interfaceClass, 0, 0, 0] + [7, 5, 0x81, 2] + size + [
                    0, 7, 5, 0x02, 2,
                ] + size + [0])
        }

        func read(_ selection: USBConversation.Selection = .first) throws -> (
            contents: [CaptureItem.Content], usb: USBConversation
        ) {
            let whole = try PcapngTests.read(file.bytes, selection)
            let cut = try PcapngTests.read(file.bytes, selection, chunk: 13)
            #expect(cut.items == whole.items)
            return (whole.items.map(\.content), whole.reader.usb)
        }
    }

    static let mixed: [UInt8] = {
        var bus = Bus()
        bus.plug(5, 0x0403, 0x6001)
        bus.output(3, 0x02, 5, [1, 2, 3])
        bus.input(3, 0x81, 5, [0x01, 0x60, 4, 5, 6])
        bus.plug(6, 0x0590, 0x0028, interfaceClass: 3)
        bus.input(1, 0x81, 6, [2, 0x4F, 0x4B, 0, 0, 0, 0, 0])
        return bus.file.bytes
    }()

    @Test(arguments: [(false, 64), (true, 64), (false, 48)])
    func ftdi_LosesItsStatusBytesPacketByPacket(_ isBig: Bool, _ headerLength: Int) throws {
        var bus = Bus(isBig: isBig, headerLength: headerLength)
        bus.plug(5, 0x0403, 0x6001)
        bus.output(3, 0x02, 5, [0xA5, 0xF9])
        bus.input(3, 0x81, 5, [0x01, 0x60])
        let data = (0..<150).map { UInt8($0) }
        var packets: [UInt8] = [0x01, 0x60] + data[..<62]
        packets += [0x31, 0x60] + data[62..<124]
        packets += [0x01, 0x00] + data[124...]
        bus.input(3, 0x81, 5, packets)
        let (contents, usb) = try bus.read()
        #expect(contents == [.toCuff([0xA5, 0xF9]), .fromCuff(data)])
        #expect(usb.devices[0].vendor == 0x0403)
        #expect(usb.devices[0].isChipAssumed == false)
    }

    @Test func ftdiOfHighSpeed_HasLargerPackets() throws {
        let data = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        var bus = Bus()
        bus.plug(5, 0x0403, 0x6010, packet: 512)
        bus.input(3, 0x81, 5, [0x01, 0x60] + data[..<510] + [0x01, 0x60] + data[510...])
        #expect(try bus.read().contents == [.fromCuff(data)])
    }

    @Test func ftdiWithoutDescriptors_IsKnownByItsRequestsOrItsStatus() throws {
        var bus = Bus()
        bus.control(5, setup: [0x40, 3, 0x38, 0x41, 0, 0, 0, 0], [])
        bus.input(3, 0x81, 5, [0x01, 0x00, 0x42])
        #expect(try bus.read().contents == [.fromCuff([0x42])])
        bus = Bus()
        bus.output(3, 0x02, 5, [0x05])
        bus.input(3, 0x81, 5, [0x01, 0x60, 0x42])
        let (contents, usb) = try bus.read()
        #expect(contents == [.toCuff([0x05]), .fromCuff([0x42])])
        #expect(usb.devices[0].chip == .ftdi && usb.devices[0].isChipAssumed)
    }

    @Test(arguments: [(0x10C4, 0xEA60), (0x067B, 0x2303), (0x1A86, 0x7523)] as [(UInt16, UInt16)])
    func plainBridges_KeepTheirBytes(_ vendor: UInt16, _ product: UInt16) throws {
        var bus = Bus()
        bus.plug(7, vendor, product)
        bus.input(1, 0x83, 7, [0xA1, 0x20, 0, 0, 0, 0, 2, 0, 3, 0])
        bus.output(3, 0x02, 7, [0xAA])
        bus.input(3, 0x81, 7, [0x01, 0x60, 0x55])
        #expect(try bus.read().contents == [.toCuff([0xAA]), .fromCuff([0x01, 0x60, 0x55])])
    }

    @Test func cdc_IsReadWithoutItsNotifications() throws {
        var bus = Bus()
        bus.plug(7, 0x0483, 0x5740, interfaceClass: 0x0A)
        bus.control(7, setup: [0x21, 0x20, 0, 0, 0, 0, 7, 0], [0x00, 0x96, 0, 0, 0, 2, 7])
        bus.input(1, 0x82, 7, [0xA1, 0x20, 0, 0, 0, 0, 2, 0, 3, 0])
        bus.input(3, 0x81, 7, [1, 2, 3])
        #expect(try bus.read().contents == [.fromCuff([1, 2, 3])])
    }

    /// A healthcare interface with bulk 81 and 02 and interrupt 83, of its own class or that of the device: docs/PHD.md §10.2.
    @Test(arguments: [(0x0F, 0), (0, 0x0F)] as [(UInt8, UInt8)])
    func phdc_GivesTheBytesOfItsInterruptEndpoint(_ ofInterface: UInt8, _ ofDevice: UInt8) throws {
        var bus = Bus()
        bus.control(4, setup: [0x80, 6, 0, 1, 0, 0, 18, 0], [18, 1, 0, 2, ofDevice, 0, 0, 64, 0xFE, 0xCA, 0x0F, 0x0F, 0, 1, 0, 0, 0, 1])
        bus.control(
            4, setup: [0x80, 6, 0, 2, 0, 0, 255, 0],
            [9, 2, 72, 0, 2, 1, 0, 0x80, 50, 9, 4, 0, 0, 3, ofInterface, 0, 0, 0, 4, 0x20, 2, 0, 6, 0x30, 0, 1, 0x07, 0x10]
                + [7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0, 7, 5, 0x83, 3, 64, 0, 1]
                // A second interface, of communications, has line states.
                + [9, 4, 1, 0, 1, 2, 2, 0, 0, 7, 5, 0x84, 3, 8, 0, 1])
        bus.input(3, 0x81, 4, [0xE2, 0, 0, 50])
        bus.input(1, 0x83, 4, [0xE7, 0, 0, 14])
        bus.input(1, 0x84, 4, [0xA1, 0x20, 0, 0, 0, 0, 2, 0, 3, 0])
        bus.output(3, 0x02, 4, [0xE5, 0])
        let expected: [CaptureItem.Content] = [.fromCuff([0xE2, 0, 0, 50]), .fromCuff([0xE7, 0, 0, 14]), .toCuff([0xE5, 0])]
        #expect(try bus.read().contents == expected)
    }

    @Test func hid_KeepsReportsAndFeatures() throws {
        var bus = Bus()
        bus.plug(9, 0x0590, 0x0028, interfaceClass: 3)
        bus.control(9, setup: [0x21, 9, 0, 3, 0, 0, 2, 0], [0x74, 0xBC])
        bus.output(1, 0x02, 9, [7, 0, 0, 0, 0, 0, 0, 0])
        bus.control(9, setup: [0x21, 9, 0, 2, 0, 0, 8, 0], [5, 0x56, 0x45, 0x52, 0x30, 0x30, 0, 0])
        bus.input(1, 0x81, 9, [2, 0x4F, 0x4B, 0, 0, 0, 0, 0])
        #expect(
            try bus.read().contents == [
                .toCuff([0x74, 0xBC]), .toCuff([7, 0, 0, 0, 0, 0, 0, 0]),
                .toCuff([5, 0x56, 0x45, 0x52, 0x30, 0x30, 0, 0]),
                .fromCuff([2, 0x4F, 0x4B, 0, 0, 0, 0, 0]),
            ])
    }

    @Test func cp2110_GivesTheBytesInItsReports() throws {
        var bus = Bus()
        bus.plug(9, 0x10C4, 0xEA80, interfaceClass: 3)
        bus.control(9, setup: [0x21, 9, 0x41, 3, 0, 0, 2, 0], [0x41, 1])
        bus.output(1, 0x02, 9, [3, 0x51, 0x22, 0x00])
        bus.input(1, 0x81, 9, [2, 0x51, 0x24, 0, 0, 0, 0, 0])
        #expect(try bus.read().contents == [.toCuff([0x51, 0x22, 0x00]), .fromCuff([0x51, 0x24])])
    }

    @Test func oneDevice_IsKept() throws {
        var bus = Bus()
        bus.plug(2, 0x1D6B, 0x0002, interfaceClass: 9)
        bus.input(1, 0x81, 2, [0x04])
        bus.input(1, 0x81, 2, [0x04, 0, 0, 0])
        bus.plug(3, 0x0781, 0x5567, interfaceClass: 8)
        bus.input(3, 0x81, 3, [0x55, 0x53, 0x42, 0x53])
        bus.plug(4, 0x067B, 0x2303)
        bus.plug(5, 0x0403, 0x6001)
        bus.input(3, 0x81, 4, [1])
        bus.input(3, 0x81, 5, [0x01, 0x60, 2])
        let first = try bus.read()
        #expect(first.contents == [.fromCuff([1])])
        #expect(first.usb.devices.map(\.transfers) == [2, 1, 1, 1])
        #expect(first.usb.chosen == 2)
        #expect(try bus.read(.address(bus: 1, device: 5)).contents == [.fromCuff([2])])
        #expect(try bus.read(.ids(vendor: 0x0403, product: 0x6001)).contents == [.fromCuff([2])])
        #expect(try bus.read(.address(bus: 2, device: 5)).contents.isEmpty)
    }

    @Test func failedTransfers_CarryNothing() throws {
        var bus = Bus()
        bus.plug(4, 0x067B, 0x2303)
        bus.input(3, 0x81, 4, [1, 2])
        bus.input(3, 0x81, 4, [3], status: -121)
        bus.input(3, 0x81, 4, [4], status: -75)
        bus.input(3, 0x83, 4, [5])
        bus.event("C", 3, 0x81, 4, status: -2)
        bus.event("C", 3, 0x81, 4, status: -108)
        bus.event("C", 3, 0x81, 4, status: -108)
        #expect(try bus.read().contents == [.fromCuff([1, 2]), .fromCuff([3]), .event(.unplugged)])
    }

    @Test(arguments: [-2, -104] as [Int32]) func aCancelledTransfer_MayCarryData(_ status: Int32) throws {
        var bus = Bus()
        bus.plug(4, 0x067B, 0x2303)
        bus.input(3, 0x81, 4, [1, 2], status: status)
        bus.event("C", 3, 0x81, 4, status: status)
        #expect(try bus.read().contents == [.fromCuff([1, 2])])
    }

    @Test func aTransferThatTheCaptureCut_IsCounted() throws {
        var bus = Bus()
        bus.plug(4, 0x067B, 0x2303)
        bus.input(3, 0x81, 4, [1, 2])
        bus.event("C", 3, 0x81, 4, data: [3], whole: 10)
        let read = try bus.read()
        #expect(read.contents == [.fromCuff([1, 2]), .fromCuff([3])])
        #expect(read.usb.devices.map(\.cutTransfers) == [1] && read.usb.devices.map(\.transfers) == [2])
    }

    /// Another device that was there before, or another one with other ids, is not the cuff.
    @Test func aCuffThatIsPluggedInAgain_IsTheSame() throws {
        var bus = Bus()
        bus.plug(4, 0x067B, 0x2303)
        bus.input(3, 0x81, 4, [1])
        bus.event("C", 3, 0x81, 4, status: -108)
        bus.plug(5, 0x0403, 0x6001)
        bus.input(3, 0x81, 5, [1, 0x60, 9])
        bus.plug(6, 0x067B, 0x2303)
        bus.input(3, 0x81, 6, [2])
        let expected: [CaptureItem.Content] = [.fromCuff([1]), .event(.silence), .fromCuff([2])]
        #expect(try bus.read().contents == expected)
        #expect(try bus.read(.ids(vendor: 0x067B, product: 0x2303)).contents == expected)
        #expect(try bus.read(.address(bus: 1, device: 4)).contents == [.fromCuff([1]), .event(.unplugged)])
    }

    /// A recorded conversation, converted to transfers of the cuff's bridge, gives the same readings.
    @Test(arguments: CaptureFile.own)
    func ownCaptures_ReadTheSameThroughABus(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        var bus = Bus()
        let isHID = driver.medium == .hidraw
        if isHID { bus.plug(9, 0x0590, 0x0028, interfaceClass: 3) } else { bus.plug(9, 0x0403, 0x6001) }
        for item in file.items {
            switch item.content {
            case .toCuff(let bytes) where isHID && bytes.count == 2:
                bus.control(9, setup: [0x21, 9, 0, 3, 0, 0, 2, 0], bytes)
            case .toCuff(let bytes): bus.output(isHID ? 1 : 3, 0x02, 9, bytes)
            case .fromCuff(let bytes) where isHID: bus.input(1, 0x81, 9, bytes)
            case .fromCuff(let bytes):
                let packets = stride(from: 0, to: bytes.count, by: 62).flatMap {
                    [0x01, 0x60] + bytes[$0..<min($0 + 62, bytes.count)]
                }
                bus.input(3, 0x81, 9, packets)
            case .event: break
            }
        }
        let expected = file.items.map(\.content).filter { if case .event = $0 { false } else { true } }
        #expect(try bus.read().contents == expected)
    }
}
