/// The parts of pcapng (draft-ietf-opsawg-pcapng) that reader and writer share.
enum Pcapng {
    static let sectionHeader: UInt32 = 0x0A0D_0D0A
    static let interfaceDescription: UInt32 = 1
    static let simplePacket: UInt32 = 3
    static let enhancedPacket: UInt32 = 6
    static let magic: UInt32 = 0x1A2B_3C4D

    /// The largest block read whole: a USB transfer of 256 KiB, four times the largest a driver requests. Others are skipped.
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

    enum SerialEvent: UInt8 {
        case statusChange = 0, toCuff = 1, fromCuff = 2, toCuffEnd = 3, fromCuffEnd = 4, dataLost = 5, complete = 6
        case framingError = 7, parityError = 8, lineBreak = 9, overflow = 10
    }

    struct ByteOrder: Sendable {
        var isBig: Bool

        @inline(__always)
        func u16(_ bytes: Span<UInt8>, _ offset: Int) -> UInt16? {
            isBig ? bytes.bigEndian16(offset) : bytes.littleEndian16(offset)
        }

        @inline(__always)
        func u32(_ bytes: Span<UInt8>, _ offset: Int) -> UInt32? {
            isBig ? bytes.bigEndian32(offset) : bytes.littleEndian32(offset)
        }

        func u64(_ bytes: Span<UInt8>, _ offset: Int) -> UInt64? {
            guard let first = u32(bytes, offset), let second = u32(bytes, offset &+ 4) else { return nil }
            return isBig ? UInt64(first) << 32 | UInt64(second) : UInt64(second) << 32 | UInt64(first)
        }
    }

    /// The next option at `offset`; `nil` after the last. A missing end-of-options is allowed; an excessive length ends the list.
    static func nextOption(
        _ bytes: Span<UInt8>, _ offset: inout Int, _ order: ByteOrder
    ) -> (code: UInt16, value: [UInt8])? {
        guard let code = order.u16(bytes, offset), let length = order.u16(bytes, offset + 2), code != Option.end,
            offset + 4 + Int(length) <= bytes.count
        else { return nil }
        defer { offset += 4 + padded(Int(length)) }
        return (code, bytes.part(offset + 4, Int(length)))
    }

    static func padded(_ length: Int) -> Int { (length + 3) & ~3 }

    struct Clock: Sendable {
        /// Ticks per second; `nil` if out of range.
        private let rate: UInt64?
        /// Microseconds to add; `nil` if out of range.
        private let shift: Int64?

        /// `resolution` with bit 7 set: 2^-n seconds; else 10^-n, by default microseconds. `offset` is in seconds.
        init(resolution: UInt8 = 6, offset: Int64 = 0) {
            var rate: UInt64? = 1
            for _ in 0..<(resolution & 0x7F) {
                let next = rate?.multipliedReportingOverflow(by: resolution & 0x80 != 0 ? 2 : 10)
                rate = next.flatMap { $0.overflow ? nil : $0.partialValue }
            }
            self.rate = rate
            let shift = offset.multipliedReportingOverflow(by: 1_000_000)
            self.shift = shift.overflow ? nil : shift.partialValue
        }

        /// Microseconds since 1970; `nil` if out of range.
        @inline(__always)
        func microseconds(_ ticks: UInt64) -> Int64? {
            guard let rate, let shift else { return nil }
            var whole = ticks
            // Ticks are usually microseconds, and this division is the slowest instruction per packet.
            if rate != 1_000_000 {
                let product = ticks.multipliedFullWidth(by: 1_000_000)
                guard product.high < rate else { return nil }
                whole = rate.dividingFullWidth(product).quotient
            }
            guard let time = Int64(exactly: whole) else { return nil }
            let (sum, overflows) = time.addingReportingOverflow(shift)
            return overflows ? nil : sum
        }
    }
}
