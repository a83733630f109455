/// Writes a capture as pcapng of LINKTYPE_RTAC_SERIAL, one packet per text line, for Wireshark and `PcapngReader`.
package struct PcapngWriter: Sendable {
    /// Prefix of a comment with an event that has no code in the link type.
    static let eventPrefix = "event: "

    private let start: Timestamp
    private var last: Int64 = 0

    /// `start` is the instant of time 0; zero if unknown.
    package init(start: Timestamp = Timestamp(milliseconds: 0)) { self.start = start }

    /// The section header and its one interface. `name` is the node, `speed` in bit/s.
    package func head(_ header: CaptureHeader, name: String = "", description: String = "", speed: Int? = nil) -> [UInt8] {
        var section = Self.u32(Pcapng.magic) + Self.u16(1) + Self.u16(0) + Self.u64(UInt64.max)
        section += Self.option(Pcapng.Option.application, Array("cuff".utf8))
        for field in header.fields {
            section += Self.option(Pcapng.Option.comment, Array("\(field.key): \(field.value)".utf8))
        }
        section += Self.option(Pcapng.Option.end, [])
        var interface = Self.u16(Pcapng.LinkType.serial.rawValue) + Self.u16(0) + Self.u32(0)
        if !name.isEmpty { interface += Self.option(Pcapng.Option.interfaceName, Array(name.utf8)) }
        if !description.isEmpty {
            interface += Self.option(Pcapng.Option.interfaceDescription, Array(description.utf8))
        }
        if let speed { interface += Self.option(Pcapng.Option.interfaceSpeed, Self.u64(UInt64(clamping: speed))) }
        interface += Self.option(Pcapng.Option.timeResolution, [6]) + Self.option(Pcapng.Option.end, [])
        return Self.block(Pcapng.sectionHeader, section) + Self.block(Pcapng.interfaceDescription, interface)
    }

    /// Appends one packet. An item without a time gets the previous one's.
    package mutating func append(_ item: CaptureItem, to bytes: inout [UInt8]) {
        last = item.time ?? last
        switch item.content {
        case .toCuff(let data): append(.toCuff, data, direction: 2, to: &bytes)
        case .fromCuff(let data): append(.fromCuff, data, direction: 1, to: &bytes)
        case .event(.framingError): append(.framingError, to: &bytes)
        case .event(.parityError): append(.parityError, to: &bytes)
        case .event(.lineBreak): append(.lineBreak, to: &bytes)
        case .event(.overrun): append(.overflow, to: &bytes)
        case .event(let event): append(.statusChange, comment: Self.eventPrefix + event.text, to: &bytes)
        }
    }

    private func append(
        _ event: Pcapng.SerialEvent, _ data: [UInt8] = [], direction: UInt32 = 0, comment: String? = nil,
        to bytes: inout [UInt8]
    ) {
        let time = UInt64(clamping: start.milliseconds &* 1000 &+ last)
        var packet = Self.bigEndian32(UInt32(truncatingIfNeeded: time / 1_000_000))
        packet += Self.bigEndian32(UInt32(truncatingIfNeeded: time % 1_000_000))
        packet += [event.rawValue, 0, 0, 0] + data
        var body =
            Self.u32(0) + Self.u32(UInt32(truncatingIfNeeded: time >> 32)) + Self.u32(UInt32(truncatingIfNeeded: time))
        body += Self.u32(UInt32(packet.count)) + Self.u32(UInt32(packet.count)) + packet
        body += [UInt8](repeating: 0, count: Pcapng.padded(packet.count) - packet.count)
        if let comment { body += Self.option(Pcapng.Option.comment, Array(comment.utf8)) }
        if direction != 0 { body += Self.option(Pcapng.Option.packetFlags, Self.u32(direction)) }
        if comment != nil || direction != 0 { body += Self.option(Pcapng.Option.end, []) }
        bytes += Self.block(Pcapng.enhancedPacket, body)
    }

    private static func block(_ kind: UInt32, _ body: [UInt8]) -> [UInt8] {
        let length = u32(UInt32(body.count + 12))
        return u32(kind) + length + body + length
    }

    private static func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
        let value = value.prefix(Int(UInt16.max))
        let filling = [UInt8](repeating: 0, count: Pcapng.padded(value.count) - value.count)
        return u16(code) + u16(UInt16(value.count)) + value + filling
    }

    private static func u16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    private static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    private static func u64(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
    private static func bigEndian32(_ value: UInt32) -> [UInt8] { u32(value).reversed() }
}
