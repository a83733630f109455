/// Reads pcapng incrementally, in constant memory: serial bytes of LINKTYPE_RTAC_SERIAL, or a cuff's bytes in a usbmon capture.
package struct PcapngReader: CaptureReader {
    /// The `key: value` comments of the first section.
    package private(set) var header = CaptureHeader()
    /// The number of the current block, from 1, as in `CaptureFault.line`.
    package private(set) var block = 0
    /// When the first packet was captured, if known; item times are relative to it.
    package private(set) var start: Timestamp?
    /// What is known of the devices in a usbmon capture.
    package var usb: USBConversation

    private struct Interface {
        var link: Pcapng.LinkType?
        var number: UInt16
        var clock: Pcapng.Clock
    }

    /// A year after 1970, in microseconds: earlier than any capture.
    private static let firstSensibleTime: Int64 = 31_536_000_000_000

    private var order: Pcapng.ByteOrder?
    private var interfaces: [Interface] = []
    private var buffer: [UInt8] = []
    private var head = 0
    private var passing = 0
    private var startMicroseconds: Int64?
    /// That of the bytes from the cuff; one number for all interfaces of USB.
    private var cuffInterface: Int?
    /// When the cuff of a USB capture was unplugged, if it was.
    private var unplugged: Int64?
    private var arrays = ReusedBytes()

    /// `selection` and `chip` choose the device of a usbmon capture and override its bridge type; neither affects serial captures.
    package init(_ selection: USBConversation.Selection = .first, chip: USBConversation.Chip? = nil) {
        usb = USBConversation(selection, chip: chip)
    }

    /// Whether a file with this beginning is pcapng.
    package static func recognises(_ beginning: [UInt8]) -> Bool {
        beginning.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
    }

    /// Adds the next bytes of the file, cut anywhere.
    package mutating func feed(_ chunk: [UInt8]) {
        let passed = min(passing, chunk.count)
        passing -= passed
        if buffer.isEmpty && passed == 0 { buffer = chunk } else { buffer.append(contentsOf: chunk[passed...]) }
    }

    /// Passes the whole items to `body` until it returns `false`. Throws on a malformed block.
    package mutating func forEach(_ body: (CaptureItem) -> Bool) throws(CaptureFault) {
        // Moved out while it is read: a second reference would cost a copy.
        var bytes: [UInt8] = []
        swap(&bytes, &buffer)
        defer { swap(&bytes, &buffer) }
        while let length = try wholeBlock(bytes, head) {
            block += 1
            let start = head
            head += length
            if head > bytes.count {
                passing = head - bytes.count
                head = bytes.count
                break
            }
            guard let item = try readBlock(bytes, start, length) else { continue }
            let goesOn = body(item)
            arrays.reuse(item)
            if !goesOn { return }
        }
        bytes.removeFirst(head)
        head = 0
    }

    /// Ends the file. Throws if it is empty or ends within a block. Returns that the cuff was unplugged, if it did not come back.
    @discardableResult
    package mutating func finish() throws(CaptureFault) -> CaptureItem? {
        guard buffer.isEmpty, passing == 0 else { throw fault("the file ends within the block") }
        guard block > 0 else { throw fault("the file is empty") }
        return usb.isUnplugged ? CaptureItem(time: unplugged, .event(.unplugged)) : nil
    }

    private func fault(_ reason: String) -> CaptureFault { CaptureFault(line: block + 1, reason: reason) }

    /// The length of the block at `offset`, if whole or skippable; `nil` to wait for more.
    @inline(__always)
    private mutating func wholeBlock(_ bytes: [UInt8], _ offset: Int) throws(CaptureFault) -> Int? {
        let span = bytes.span
        guard let first = span.littleEndian32(offset) else { return nil }
        let isSection = first == Pcapng.sectionHeader
        if isSection {
            guard let magic = span.littleEndian32(offset + 8) else { return nil }
            switch magic {
            case Pcapng.magic: order = Pcapng.ByteOrder(isBig: false)
            case Pcapng.magic.byteSwapped: order = Pcapng.ByteOrder(isBig: true)
            default: throw fault("the section has no byte-order magic")
            }
        }
        guard let order else { throw fault("this is not a pcapng file") }
        guard let length = order.u32(span, offset + 4) else { return nil }
        guard length >= 12, length % 4 == 0 else { throw fault("the length \(length) is impossible") }
        if length > UInt32(Pcapng.maximumBlock) {
            let kind = order.u32(span, offset) ?? 0
            let isNeeded =
                isSection
                || [
                    Pcapng.interfaceDescription, Pcapng.enhancedPacket, Pcapng.simplePacket,
                ].contains(kind)
            guard !isNeeded else { throw fault("the block is longer than \(Pcapng.maximumBlock) bytes") }
            return Int(length)
        }
        return offset + Int(length) <= bytes.count ? Int(length) : nil
    }

    @inline(__always)
    private mutating func readBlock(_ bytes: [UInt8], _ offset: Int, _ length: Int) throws(CaptureFault) -> CaptureItem? {
        guard let order else { return nil }
        let body = bytes.span.extracting((offset + 8)..<(offset + length - 4))
        guard order.u32(bytes.span, offset + length - 4) == UInt32(length) else {
            throw CaptureFault(line: block, reason: "its two lengths differ")
        }
        switch order.u32(bytes.span, offset) {
        case Pcapng.sectionHeader:
            interfaces = []
            cuffInterface = nil
            if block == 1 { readSection(body, order) }
        case Pcapng.interfaceDescription: readInterface(body, order)
        case Pcapng.enhancedPacket: return try readPacket(body, order)
        case Pcapng.simplePacket:
            guard let captured = order.u32(body, 0) else { break }
            return try readPayload(
                body.extracting(4..<(4 + min(Int(captured), body.count - 4))), interface: 0, time: nil,
                options: body.extracting(body.count..<body.count), order)
        default: break
        }
        return nil
    }

    private mutating func readSection(_ body: Span<UInt8>, _ order: Pcapng.ByteOrder) {
        var offset = 16
        while let option = Pcapng.nextOption(body, &offset, order) {
            guard option.code == Pcapng.Option.comment else { continue }
            let text = DeviceIdentity.text(option.value)
            guard header.fields.count < 64, !text.hasPrefix("{"), let colon = text.firstIndex(of: ":") else { continue }
            let key = text[..<colon].lowercased()
            guard !key.isEmpty, key.utf8.count <= 32 else { continue }
            header.fields.append((key, DeviceIdentity.text(text[text.index(after: colon)...].utf8)))
        }
    }

    private mutating func readInterface(_ body: Span<UInt8>, _ order: Pcapng.ByteOrder) {
        // A limit above the buses and ports of any machine.
        guard let number = order.u16(body, 0), interfaces.count < 256 else { return }
        var resolution: UInt8 = 6
        var seconds: Int64 = 0
        var offset = 8
        while let option = Pcapng.nextOption(body, &offset, order) {
            switch option.code {
            case Pcapng.Option.timeResolution: resolution = option.value.first ?? 6
            case Pcapng.Option.timeOffset: seconds = Int64(bitPattern: order.u64(option.value.span, 0) ?? 0)
            default: break
            }
        }
        interfaces.append(
            Interface(
                link: Pcapng.LinkType(rawValue: number), number: number,
                clock: Pcapng.Clock(resolution: resolution, offset: seconds)))
    }

    @inline(__always)
    private mutating func readPacket(_ body: Span<UInt8>, _ order: Pcapng.ByteOrder) throws(CaptureFault) -> CaptureItem? {
        guard let interface = order.u32(body, 0), let high = order.u32(body, 4), let low = order.u32(body, 8),
            let captured = order.u32(body, 12), Int(captured) <= body.count - 20
        else { throw CaptureFault(line: block, reason: "the packet is longer than its block") }
        guard Int(interface) < interfaces.count else {
            throw CaptureFault(line: block, reason: "the packet names interface \(interface), which was not described")
        }
        let time = interfaces[Int(interface)].clock.microseconds(UInt64(high) << 32 | UInt64(low))
        if startMicroseconds == nil, let time {
            startMicroseconds = time
            // A capture without a known time begins in 1970.
            if time >= Self.firstSensibleTime { start = Timestamp(milliseconds: time / 1000) }
        }
        let elapsed = time.flatMap { time in
            startMicroseconds.map { max(0, time.subtractingReportingOverflow($0).partialValue) }
        }
        return try readPayload(
            body.extracting(20..<(20 + Int(captured))), interface: Int(interface), time: elapsed,
            options: body.extracting(min(20 + Pcapng.padded(Int(captured)), body.count)..<body.count), order)
    }

    @inline(__always)
    private mutating func readPayload(
        _ payload: Span<UInt8>, interface: Int, time: Int64?, options: Span<UInt8>, _ order: Pcapng.ByteOrder
    ) throws(CaptureFault) -> CaptureItem? {
        guard interface < interfaces.count else { return nil }
        switch interfaces[interface].link {
        case .serial: return try item(time, serial(payload, options, order), interface)
        case .usbmon, .usbmonMapped:
            let head = interfaces[interface].link == .usbmon ? 48 : 64
            guard let transfer = USBTransfer(payload, order, headerLength: head) else {
                throw CaptureFault(line: block, reason: "the packet is shorter than a usbmon header")
            }
            if !usb.isUnplugged { unplugged = time }
            return try item(time, usb.take(transfer), -1)
        case nil:
            let number = interfaces[interface].number
            let hint = number == 249 || number == 266 ? ": convert it to a Linux usbmon capture" : ""
            throw CaptureFault(line: block, reason: "link type \(number) is not read\(hint)")
        }
    }

    /// Bytes of two cuffs must not become one conversation.
    @inline(__always)
    private mutating func item(_ time: Int64?, _ content: CaptureItem.Content?, _ interface: Int) throws(CaptureFault) -> CaptureItem? {
        guard let content else { return nil }
        if case .fromCuff = content, cuffInterface != interface {
            guard cuffInterface == nil else {
                throw CaptureFault(line: block, reason: "bytes from a second line follow: write each line to a file of its own")
            }
            cuffInterface = interface
        }
        return CaptureItem(time: time, content)
    }

    /// A header of 12 bytes (seconds and microseconds big-endian, event, lines, footer), then the data.
    @inline(__always)
    private mutating func serial(
        _ packet: Span<UInt8>, _ options: Span<UInt8>, _ order: Pcapng.ByteOrder
    ) -> CaptureItem.Content? {
        guard packet.count >= 12, let event = Pcapng.SerialEvent(rawValue: packet[8]) else { return nil }
        let length = packet.count - 12
        switch event {
        case .toCuff, .toCuffEnd: return length == 0 ? nil : arrays.toCuff(packet.extracting(last: length))
        case .fromCuff, .fromCuffEnd: return length == 0 ? nil : arrays.fromCuff(packet.extracting(last: length))
        case .framingError: return .event(.framingError)
        case .parityError: return .event(.parityError)
        case .lineBreak: return .event(.lineBreak)
        case .overflow: return .event(.overrun)
        case .dataLost: return .event(CaptureEvent("lost"))
        case .complete: return nil
        case .statusChange:
            var offset = 0
            while let option = Pcapng.nextOption(options, &offset, order) {
                let text = String(decoding: option.value, as: UTF8.self)
                guard option.code == Pcapng.Option.comment, text.hasPrefix(PcapngWriter.eventPrefix) else { continue }
                return .event(CaptureEvent(String(text.dropFirst(PcapngWriter.eventPrefix.count))))
            }
            return nil
        }
    }
}
