import Foundation

/// A usbmon capture as made by the kernel (LINKTYPE_USB_LINUX_MMAPPED), and serial packets of LINKTYPE_RTAC_SERIAL, built
/// independently of the reader. Times start at 0, which is not a real time.
struct BusCapture {
    enum Chip: String, CaseIterable, Sendable {
        case ftdi, cp210x, pl2303, ch340, acm, hid

        var ids: (vendor: UInt16, product: UInt16) {
            switch self {
            case .ftdi: (0x0403, 0x6001)
            case .cp210x: (0x10C4, 0xEA60)
            case .pl2303: (0x067B, 0x2303)
            case .ch340: (0x1A86, 0x7523)
            case .acm: (0x0483, 0x5740)
            case .hid: (0x0590, 0x0028)
            }
        }

        var interfaceClass: UInt8 {
            switch self {
            case .acm: 0x0A
            case .hid: 0x03
            default: 0xFF
            }
        }
    }

    private(set) var bytes: [UInt8] = []
    private var time: UInt64 = 0
    private var urb: UInt64 = 0xFFFF_8880_1234_5000

    init(link: UInt16) {
        block(0x0A0D_0D0A, u32(0x1A2B_3C4D) + [1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8))
        block(1, [UInt8(link & 0xFF), UInt8(link >> 8), 0, 0] + u32(0))
    }

    /// Enumeration, descriptors and data of the device.
    init(_ chip: Chip, device: UInt8 = 5, lines: [Line]) {
        self.init(link: 220)
        plug(chip, device)
        for line in lines { say(line, chip, device) }
    }

    struct Line: Sendable {
        var isFromCuff: Bool
        var bytes: [UInt8]

        /// The data lines of a text capture, without comments and events.
        static func all(of text: String) -> [Line] {
            text.split(separator: "\n").compactMap { line in
                guard !line.hasPrefix("#"), let mark = line.firstIndex(where: { $0 == "<" || $0 == ">" }) else { return nil }
                let digits = line[line.index(after: mark)...].filter { $0.isHexDigit }
                let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { offset -> UInt8? in
                    let start = digits.index(digits.startIndex, offsetBy: offset)
                    return UInt8(digits[start...].prefix(2), radix: 16)
                }
                return Line(isFromCuff: line[mark] == "<", bytes: bytes)
            }
        }
    }

    private func u32(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    private func u64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64($0 * 8)) } }

    private mutating func block(_ kind: Int, _ body: [UInt8]) {
        let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
        bytes += u32(kind) + u32(padded.count + 12) + padded + u32(padded.count + 12)
    }

    private mutating func packet(_ data: [UInt8]) {
        block(6, u32(0) + u32(Int(time >> 32)) + u32(Int(time & 0xFFFF_FFFF)) + u32(data.count) + u32(data.count) + data)
        time += 1000
    }

    mutating func serial(_ line: Line) {
        packet([0, 0, 0, 0, 0, 0, 0, 0, line.isFromCuff ? 2 : 1, 0, 0, 0] + line.bytes)
    }

    private mutating func event(_ event: Character, _ kind: UInt8, _ endpoint: UInt8, _ device: UInt8, _ data: [UInt8]?, setup: [UInt8]?) {
        var header = u64(urb) + [event.asciiValue ?? 0, kind, endpoint, device, 1, 0]
        header += [setup == nil ? 0x2D : 0, data == nil ? 0x3C : 0] + u64(0) + u32(0)
        header += u32(event == "S" ? -115 : 0) + u32(data?.count ?? 64) + u32(data?.count ?? 0)
        header += setup ?? [UInt8](repeating: 0, count: 8)
        packet(header + [UInt8](repeating: 0, count: 64 - header.count) + (data ?? []))
    }

    private mutating func transfer(_ kind: UInt8, _ endpoint: UInt8, _ device: UInt8, _ data: [UInt8], setup: [UInt8]? = nil) {
        urb += 64
        let isIn = endpoint & 0x80 != 0
        event("S", kind, endpoint, device, isIn ? nil : data, setup: setup)
        event("C", kind, endpoint, device, isIn ? data : nil, setup: nil)
    }

    mutating func plug(_ chip: Chip, _ device: UInt8) {
        let ids = chip.ids
        let idBytes = [UInt8(ids.vendor & 0xFF), UInt8(ids.vendor >> 8), UInt8(ids.product & 0xFF), UInt8(ids.product >> 8)]
        transfer(
            2, 0x80, device, [18, 1, 0, 2, 0, 0, 0, 64] + idBytes + [0, 1, 0, 0, 0, 1], setup: [0x80, 6, 0, 1, 0, 0, 18, 0])
        let kind: UInt8 = chip == .hid ? 3 : 2
        transfer(
            2, 0x80, device,
            [9, 2, 32, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 2, chip.interfaceClass, 0, 0, 0] + [7, 5, 0x81, kind, 64, 0, 0]
                + [7, 5, 0x02, kind, 64, 0, 0], setup: [0x80, 6, 0, 2, 0, 0, 255, 0])
    }

    mutating func say(_ line: Line, _ chip: Chip, _ device: UInt8) {
        let kind: UInt8 = chip == .hid ? 1 : 3
        if chip == .hid, !line.isFromCuff, line.bytes.count == 2 {
            return transfer(2, 0, device, line.bytes, setup: [0x21, 9, 0, 3, 0, 0, 2, 0])
        }
        guard chip == .ftdi, line.isFromCuff else { return transfer(kind, line.isFromCuff ? 0x81 : 0x02, device, line.bytes) }
        // The chip sends its two status bytes alone while the cuff is silent, and before each packet.
        transfer(kind, 0x81, device, [0x01, 0x60])
        let packets = stride(from: 0, to: line.bytes.count, by: 62).flatMap {
            [0x01, 0x60] + line.bytes[$0..<min($0 + 62, line.bytes.count)]
        }
        transfer(kind, 0x81, device, packets)
    }
}
