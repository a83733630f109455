import CuffCore
import Foundation
import Testing

@Suite struct PcapngTests {
    static func read(
        _ bytes: [UInt8], _ selection: USBConversation.Selection = .first, chip: USBConversation.Chip? = nil,
        chunk: Int = 65536
    ) throws -> (items: [CaptureItem], reader: PcapngReader) {
        var reader = PcapngReader(selection, chip: chip)
        var items: [CaptureItem] = []
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            try reader.read(Array(bytes[start..<min(start + chunk, bytes.count)]), into: &items)
        }
        if let last = try reader.finish() { items.append(last) }
        return (items, reader)
    }

    static func write(
        _ items: [CaptureItem], _ header: CaptureHeader = CaptureHeader(), start: Int64 = 1_780_000_000_123
    ) -> [UInt8] {
        var writer = PcapngWriter(start: Timestamp(milliseconds: start))
        var bytes = writer.head(header, name: "/dev/ttyUSB0", description: "19200 8N1", speed: 19200)
        for item in items { writer.append(item, to: &bytes) }
        return bytes
    }

    private static let conversation = [
        CaptureItem(time: 0, .toCuff([0x05])), CaptureItem(time: 20_001, .fromCuff(Array(0...255))),
        CaptureItem(time: 20_002, .event(.framingError)), CaptureItem(time: 20_003, .event(.parityError)),
        CaptureItem(time: 20_004, .event(.lineBreak)), CaptureItem(time: 20_005, .event(.overrun)),
        CaptureItem(time: 30_000, .event(.silence)), CaptureItem(time: 5_000_000_000, .fromCuff([1, 2, 3])),
        CaptureItem(time: 5_000_000_001, .event(.unplugged)),
    ]

    @Test func writing_RoundTripsInAnyChunking() throws {
        var header = CaptureHeader()
        header.fields = [("driver", "omron-hbp"), ("cuff", "Omron HBP-9020"), ("origin", "synthetic")]
        let bytes = Self.write(Self.conversation, header)
        #expect(bytes.count % 4 == 0)
        #expect(PcapngReader.recognises(bytes))
        for chunk in [1, 2, 3, 5, 7, 11, 12, 13, 64, 100, 65536] {
            let (items, reader) = try Self.read(bytes, chunk: chunk)
            #expect(items == Self.conversation, "chunks of \(chunk)")
            #expect(reader.header == header)
            #expect(reader.start == Timestamp(milliseconds: 1_780_000_000_123))
        }
    }

    @Test(arguments: CaptureFile.own)
    func ownCaptures_SayTheSameAsPcapng(_ file: CaptureFile) throws {
        let driver = try #require(file.driver)
        let (items, reader) = try Self.read(Self.write(file.items, file.header))
        #expect(items.map(\.content) == file.items.map(\.content))
        #expect(reader.header == file.header)
        #expect(reader.header["driver"] == driver.id.description)
    }

    @Test func sections_MayFollowEachOther() throws {
        let (items, reader) = try Self.read(
            Self.write([Self.conversation[0]]) + Self.write([Self.conversation[1]], start: 1_780_000_001_123))
        #expect(
            items == [CaptureItem(time: 0, .toCuff([0x05])), CaptureItem(time: 1_020_001, .fromCuff(Array(0...255)))])
        #expect(reader.block == 6)
    }

    @Test func bigEndianSection_IsRead() throws {
        var file = PcapngFile(isBig: true)
        file.section()
        file.interface(250)
        file.packet(0, time: 7, Self.serial(2, [0xAA, 0x55]))
        #expect(try Self.read(file.bytes).items == [CaptureItem(time: 0, .fromCuff([0xAA, 0x55]))])
    }

    @Test func timeResolutions_BecomeMicroseconds() throws {
        for (resolution, ticks) in [
            (UInt8(6), UInt64(1_500_000)), (9, 1_500_000_000), (3, 1500), (0x80 | 10, 1536), (0, 1),
        ] as [(UInt8, UInt64)] {
            var file = PcapngFile()
            file.section()
            file.interface(250, options: file.option(9, [resolution]))
            file.packet(0, time: 0, Self.serial(2, [1]))
            file.packet(0, time: ticks, Self.serial(2, [2]))
            let times = try Self.read(file.bytes).items.map(\.time)
            #expect(times == [0, resolution == 0 ? 1_000_000 : 1_500_000], "resolution \(resolution)")
        }
        var file = PcapngFile()
        file.section()
        file.interface(250, options: file.option(9, [0x7F]))
        file.packet(0, time: .max, Self.serial(2, [1]))
        #expect(try Self.read(file.bytes).items == [CaptureItem(time: nil, .fromCuff([1]))])
    }

    @Test func unknownBlocks_ArePassedOver() throws {
        var file = PcapngFile()
        file.section()
        file.block(0x0BAD, [1, 2, 3, 4])
        file.interface(250)
        file.block(4, [UInt8](repeating: 7, count: 3 << 20))
        file.packet(0, time: 0, Self.serial(2, [9]))
        for chunk in [1 << 16, 1 << 22] {
            #expect(try Self.read(file.bytes, chunk: chunk).items == [CaptureItem(time: 0, .fromCuff([9]))])
        }
    }

    @Test func damagedFiles_AreNamedByTheirBlock() {
        let good = Self.write(Self.conversation)
        func fault(_ bytes: [UInt8]) -> CaptureFault? {
            do {
                _ = try Self.read(bytes, chunk: 50)
                return nil
            } catch { return error as? CaptureFault }
        }
        #expect(fault([]) == CaptureFault(line: 1, reason: "the file is empty"))
        #expect(fault(Array("# driver: r1\n< 00\n".utf8))?.reason == "this is not a pcapng file")
        #expect(fault(Array(good.dropLast())) == CaptureFault(line: 11, reason: "the file ends within the block"))
        var lengths = good
        lengths[lengths.count - 4] ^= 4
        #expect(fault(lengths) == CaptureFault(line: 11, reason: "its two lengths differ"))
        var file = PcapngFile()
        file.section()
        file.packet(3, time: 0, [1])
        #expect(
            fault(file.bytes) == CaptureFault(line: 2, reason: "the packet names interface 3, which was not described"))
        file = PcapngFile()
        file.section()
        file.interface(249)
        file.packet(0, time: 0, [1])
        #expect(fault(file.bytes)?.reason == "link type 249 is not read: convert it to a Linux usbmon capture")
    }

    /// Two cuffs are not one conversation; the two directions of one line may have an interface each.
    @Test func aSecondLine_IsRefused() throws {
        var file = PcapngFile()
        file.section()
        file.interface(250)
        file.interface(250)
        file.packet(0, time: 0, Self.serial(1, [5]))
        file.packet(1, time: 1, Self.serial(2, [6]))
        #expect(try Self.read(file.bytes).items.map(\.content) == [.toCuff([5]), .fromCuff([6])])
        file.packet(0, time: 2, Self.serial(2, [7]))
        #expect(throws: CaptureFault(line: 6, reason: "bytes from a second line follow: write each line to a file of its own")) {
            try Self.read(file.bytes)
        }
    }

    @Test func anyDamage_NeverCrashes() {
        let good = Self.write(Self.conversation)
        var random = SplitMix64(seed: 23)
        var faults = 0
        for round in 0..<3000 {
            var bytes = round % 2 == 0 ? good : USBCaptureTests.mixed
            for _ in 0...Int(random.next() % 4) {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            do { _ = try Self.read(bytes, chunk: 97) } catch { faults += 1 }
        }
        #expect(faults > 0)
    }

    static func serial(_ event: UInt8, _ data: [UInt8]) -> [UInt8] { [0, 0, 0, 0, 0, 0, 0, 0, event, 0, 0, 0] + data }

    private static func sample(_ name: String) -> [UInt8]? {
        let folder =
            ProcessInfo.processInfo.environment["CUFF_SAMPLES"]
            ?? CaptureFile.root.deletingLastPathComponent().appendingPathComponent("shared/reference/samples").path
        guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else {
            print("note: no sample \(folder)/\(name) (CUFF_SAMPLES names another place); its test has nothing to read")
            return nil
        }
        return Array(data)
    }

    @Test func serialSample_IsRead() throws {
        guard let bytes = Self.sample("rtac_serial.pcapng") else { return }
        let (items, reader) = try Self.read(bytes)
        #expect(
            items == [
                CaptureItem(time: 5000, .toCuff([0xA5, 0xF9, 0x01, 0x01, 0xFB])),
                CaptureItem(time: 25000, .fromCuff([0xAA, 0x0F, 0x01, 0x00, 0x7B, 0x00, 0x51])),
                CaptureItem(time: 26000, .fromCuff([0x00, 0x46, 0x0B])),
                CaptureItem(time: 27000, .event(.framingError)),
            ])
        #expect(reader.start == Timestamp(milliseconds: 1_780_000_000_123))
        #expect(reader.header.fields.isEmpty)
    }

    /// One device there has three chips' traffic, so the chip is given.
    @Test func usbmonSample_IsReadAsTheChipThatIsNamed() throws {
        guard let bytes = Self.sample("usbmon.pcapng") else { return }
        let ftdi = try Self.read(bytes, chip: .ftdi)
        #expect(
            ftdi.items == [
                CaptureItem(time: 9000, .toCuff([0xA5, 0xF9, 0x01, 0x01, 0xFB])),
                CaptureItem(time: 20000, .fromCuff([0xAA, 0x0F, 0x01, 0x00, 0x7B, 0x00, 0x51])),
            ])
        let serial = try Self.read(bytes, chip: .serial)
        #expect(serial.items.last?.content == .fromCuff([0x01, 0x60, 0xAA, 0x0F, 0x01, 0x00, 0x7B, 0x00, 0x51]))
        let report = CaptureItem(time: 8000, .fromCuff([0x07, 0x4D, 0x3A, 0x01, 0x49, 0x00, 0x00, 0x1D]))
        #expect(try Self.read(bytes, chip: .hid).items == [report])
        let unnamed = try Self.read(bytes)
        #expect(unnamed.items == [report])
        #expect(unnamed.reader.usb.devices.map(\.isChipAssumed) == [true])
        #expect(try Self.read(bytes, .address(bus: 1, device: 6)).items.isEmpty)
    }
}

/// Builds pcapng bytes independently of `PcapngWriter`.
struct PcapngFile {
    var bytes: [UInt8] = []
    var isBig = false

    func u16(_ value: Int) -> [UInt8] { order([UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)]) }
    func u32(_ value: UInt64) -> [UInt8] { order((0..<4).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }) }
    func u64(_ value: UInt64) -> [UInt8] { order((0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) }) }
    func order(_ bytes: [UInt8]) -> [UInt8] { isBig ? bytes.reversed() : bytes }
    func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
    func option(_ code: Int, _ value: [UInt8]) -> [UInt8] { u16(code) + u16(value.count) + padded(value) }

    mutating func block(_ kind: UInt64, _ body: [UInt8]) {
        let length = u32(UInt64(padded(body).count + 12))
        bytes += u32(kind) + length + padded(body) + length
    }

    mutating func section() { block(0x0A0D_0D0A, u32(0x1A2B_3C4D) + u16(1) + u16(2) + u64(.max)) }
    mutating func interface(_ link: Int, options: [UInt8] = []) { block(1, u16(link) + u16(0) + u32(0) + options) }

    /// Without options or end of options, which are optional.
    mutating func packet(_ interface: Int, time: UInt64, _ data: [UInt8]) {
        block(
            6,
            u32(UInt64(interface)) + u32(time >> 32) + u32(time & 0xFFFF_FFFF) + u32(UInt64(data.count))
                + u32(UInt64(data.count)) + data)
    }
}
