@testable import CuffCore
import FuzzMain

/// Conversations on a USB bus, whole blocks around hostile contents: each piece of the input is one usbmon event, laid out
/// as the kernel lays it out, so that descriptors, control requests and what chips add are reached at once. A conversation
/// has a bounded number of devices, and carries no byte that was not in the input.
@_cdecl("FuzzUSB_main")
public func fuzzUSBMain(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    runFuzzer(count, arguments) { start, count in
        guard let start, count > 4 else { return 0 }
        let input = Array(UnsafeBufferPointer(start: start, count: count))
        let isMapped = input[0] & 1 == 0
        let chips: [USBConversation.Chip?] = [nil] + USBConversation.Chip.allCases
        var reader = PcapngReader(.first, chip: chips[Int(input[0] >> 1) % chips.count])
        var items: [CaptureItem] = []
        var file = section(link: isMapped ? 220 : 189)
        var index = 1
        var carried = 0
        while index + 6 < input.count {
            let kind = input[index]
            let length = min(Int(input[index + 5]) % 96, input.count - index - 6)
            let data = Array(input[index + 6..<index + 6 + length])
            carried += data.count
            file += packet(event(kind, input[index + 1], input[index + 2], input[index + 3], input[index + 4], data, isMapped: isMapped))
            index += 6 + length
        }
        do throws(CaptureFault) {
            try reader.read(file, into: &items)
            try reader.finish()
        } catch { fatalError("whole blocks are refused: \(error)") }
        if reader.usb.devices.count > 512 { fatalError("\(reader.usb.devices.count) devices") }
        var told = 0
        for item in items {
            switch item.content {
            case .fromCuff(let bytes), .toCuff(let bytes): told += bytes.count
            case .event: break
            }
        }
        if told > carried { fatalError("\(told) bytes out of \(carried)") }
        return 0
    }
}

private func little(_ value: UInt64, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) } }

private func block(_ type: UInt64, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = little(UInt64(padded.count + 12), 4)
    return little(type, 4) + length + padded + length
}

private func section(link: UInt64) -> [UInt8] {
    block(0x0A0D_0D0A, little(0x1A2B_3C4D, 4) + little(1, 2) + little(0, 2) + little(.max, 8))
        + block(1, little(link, 2) + little(0, 2) + little(0, 4))
}

private func packet(_ data: [UInt8]) -> [UInt8] {
    let length = little(UInt64(data.count), 4)
    return block(6, little(0, 4) + little(0, 8) + length + length + data)
}

/// struct usb header of libpcap's pcap/usb.h.
private func event(
    _ kind: UInt8, _ endpoint: UInt8, _ device: UInt8, _ flags: UInt8, _ status: UInt8, _ data: [UInt8], isMapped: Bool
) -> [UInt8] {
    let events: [UInt8] = [0x53, 0x43, 0x45]
    let statuses: [Int32] = [0, -115, -121, -108, -2, -32]
    let setup = Array((data + [UInt8](repeating: 0, count: 8)).prefix(8))
    var bytes = little(UInt64(kind >> 4), 8) + [events[Int(kind) % 3], kind / 3 % 4, endpoint, device % 8] + little(1, 2)
    bytes += [flags & 1, flags & 2 == 0 ? 0 : 0x3C] + little(0, 8) + little(0, 4)
    bytes += little(UInt64(UInt32(bitPattern: statuses[Int(status) % statuses.count])), 4)
    bytes += little(UInt64(data.count), 4) + little(flags & 4 == 0 ? UInt64(data.count) : 0xFFFF_FFFF, 4) + setup
    if isMapped { bytes += [UInt8](repeating: 0, count: 16) }
    return bytes + data
}
