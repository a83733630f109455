/// The parts of pcapng (draft-ietf-opsawg-pcapng) that reader and writer share.
enum Pcapng {
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let interfaceDescription: UInt32 = 1
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
    static let magic: UInt32 = 0x1A2B_3C4D

    /// The largest block that is read whole: a USB transfer of 256 KiB, four times the largest a serial or HID driver
    /// asks for, with its options. Larger ones of kinds that are not read are passed over without being kept.
    static let maximumBlock = 1 << 19

    enum LinkType: UInt16 {
        /// LINKTYPE_USB_LINUX: usbmon with a header of 48 bytes.
        case usbmon = 189
        /// LINKTYPE_USB_LINUX_MMAPPED: usbmon with a header of 64 bytes.
        case usbmonMapped = 220
        /// LINKTYPE_RTAC_SERIAL: serial bytes with direction and line events.
        case serial = 250
    }

    enum Option {
        static let end: UInt16 = 0
        static let comment: UInt16 = 1
        static let interfaceName: UInt16 = 2
        static let interfaceDescription: UInt16 = 3
        static let application: UInt16 = 4
        static let interfaceSpeed: UInt16 = 8
        static let timeResolution: UInt16 = 9
        static let timeOffset: UInt16 = 14
        static let packetFlags: UInt16 = 2
    }

    /// Events of LINKTYPE_RTAC_SERIAL.
    enum SerialEvent: UInt8 {
        case statusChange = 0, toCuff = 1, fromCuff = 2, toCuffEnd = 3, fromCuffEnd = 4, dataLost = 5, complete = 6
        case framingError = 7, parityError = 8, lineBreak = 9, overflow = 10
    }

    /// Integers of a section, in the order its magic tells.
    struct ByteOrder: Sendable {
        var isBig: Bool

        func u16(_ bytes: Span<UInt8>, _ offset: Int) -> UInt16? {
            isBig ? bytes.bigEndian16(offset) : bytes.littleEndian16(offset)
        }

        func u32(_ bytes: Span<UInt8>, _ offset: Int) -> UInt32? {
            isBig ? bytes.bigEndian32(offset) : bytes.littleEndian32(offset)
        }

        func u64(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64? {
            guard let first = u32(bytes, offset), let second = u32(bytes, offset &+ 4) else { return nil }
            return isBig ? UInt64(first) << 32 | UInt64(second) : UInt64(second) << 32 | UInt64(first)
        }
    }

    /// The options from `offset` to `end`. A missing end-of-options is allowed; a length beyond the end ends the list.
    static func options(
        _ bytes: Span<UInt8>, from offset: Int, to end: Int, _ order: ByteOrder
    ) -> [(code: UInt16, value: [UInt8])] {
        var found: [(code: UInt16, value: [UInt8])] = []
        var offset = offset
        while offset + 4 <= end, let code = order.u16(bytes, offset), let length = order.u16(bytes, offset + 2) {
            guard code != Option.end, offset + 4 + Int(length) <= end else { break }
            found.append((code, bytes.part(offset + 4, Int(length))))
            offset += 4 + padded(Int(length))
        }
        return found
    }

    static func padded(_ length: Int) -> Int { (length + 3) & ~3 }

    /// How ticks of an interface become microseconds.
    struct Clock: Sendable {
        /// Bit 7 set: 2^-n seconds; else 10^-n. The default is microseconds.
        var resolution: UInt8 = 6
        /// Seconds to add.
        var offset: Int64 = 0

        /// Microseconds since 1970; `nil` where they do not fit.
        func microseconds(_ ticks: UInt64) -> Int64? {
            let power = resolution & 0x7F
            var divisor: UInt64 = 1
            for _ in 0..<power {
                let (next, overflows) = divisor.multipliedReportingOverflow(by: resolution & 0x80 != 0 ? 2 : 10)
                guard !overflows else { return nil }
                divisor = next
            }
            let product = ticks.multipliedFullWidth(by: 1_000_000)
            guard product.high < divisor else { return nil }
            let whole = divisor.dividingFullWidth(product).quotient
            let (shift, isLarge) = offset.multipliedReportingOverflow(by: 1_000_000)
            guard let time = Int64(exactly: whole), !isLarge else { return nil }
            let (sum, overflows) = time.addingReportingOverflow(shift)
            return overflows ? nil : sum
        }
    }
}
