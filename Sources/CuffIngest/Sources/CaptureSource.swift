import CuffCore

/// A capture format, read in chunks of any size and constant memory.
package protocol CaptureSource: CaptureReader {
    /// The capture's header, complete once the first item was returned.
    var header: CaptureHeader { get }
    /// The absolute time of the capture's time 0, if known.
    var start: Timestamp? { get }
    /// The driver implied by the contents, such as a cuff's own USB ids.
    var impliedDriver: DriverID? { get }
    /// Remarks for the user, complete at the end.
    var remarks: [String] { get }
    /// What the capture lacks, complete at the end.
    var losses: [String] { get }
    /// The unit that `CaptureFault.line` counts.
    static var unit: String { get }
}

extension CaptureSource {
    package var impliedDriver: DriverID? { nil }
    package var remarks: [String] { [] }
    package var losses: [String] { [] }

    /// Converts a fault to an error about the file.
    func error(_ fault: CaptureFault, in name: String) -> IngestError {
        IngestError(InputFault.damaged(name, unit: Self.unit, number: fault.line, why: fault.reason))
    }
}

extension CaptureTextReader: CaptureSource {
    /// Text captures have no absolute time.
    package var start: Timestamp? { nil }
    package static var unit: String { "line" }
}

extension PcapngReader: CaptureSource {
    package static var unit: String { "block" }

    /// The driver that claims the USB ids.
    package var impliedDriver: DriverID? {
        guard let device = usb.chosen.map({ usb.devices[$0] }), let vendor = device.vendor, let product = device.product
        else { return nil }
        let own = CuffDriver.Claim.usb(vendor: vendor, product: product)
        return CuffFamilies.all.first { $0.claims.contains(own) }?.id
    }

    /// Remarks on assumptions, such as a guessed chip.
    package var remarks: [String] {
        let others = usb.devices.filter { !$0.isRead && $0.transfers > 0 }.map(\.name)
        guard let chosen = usb.chosen.map({ usb.devices[$0] }) else {
            return others.isEmpty ? [] : ["no device of the capture was read; it holds \(others.joined(separator: ", "))"]
        }
        var told: [String] = []
        if !others.isEmpty { told.append("read \(chosen.name); --usb chooses another: \(others.joined(separator: ", "))") }
        if chosen.isChipAssumed, let chip = chosen.chip {
            told.append("the capture does not say which chip \(chosen.name) is; its data look like \(chip) (--chip says another)")
        }
        return told
    }

    package var losses: [String] {
        usb.devices.filter { $0.cutTransfers > 0 }.map {
            "the capture has only the beginning of \(Plural.text($0.cutTransfers, "transfer")) of \($0.name), so readings may be missing; "
                + "record whole packets"
        }
    }
}

extension USBConversation.Device {
    /// As `--usb` accepts it, with the ids if known.
    var name: String {
        let ids = vendor.flatMap { vendor in product.map { " (\(USBID(vendor: vendor, product: $0)))" } }
        return "\(bus).\(address)\(ids ?? "")"
    }
}

/// Selects the device of a USB capture, and its chip if the capture does not show it.
public struct CaptureSelection: Sendable, Hashable {
    package var device = USBConversation.Selection.first
    /// The bridge chip; `nil`: recognised by its data.
    package var chip: USBConversation.Chip?

    /// The first device, with a recognised chip.
    public init() {}

    /// Throws if a selection was made but the capture is not of a USB bus.
    func refuse(_ name: String) throws(IngestError) {
        guard self != CaptureSelection() else { return }
        throw IngestError(InputFault.notOfABus(name))
    }

    /// `usb` is BUS.ADDRESS or VVVV:PPPP.
    /// - Throws: An `IngestError` of status `usage` for another text, and for an unknown chip.
    public init(usb: String?, chip: String?) throws(IngestError) {
        if let usb { device = try Self.device(usb) }
        guard let chip else { return }
        guard let known = USBConversation.Chip(rawValue: chip) else {
            throw IngestError(InputFault.unknownChip(chip, known: USBConversation.Chip.allCases.map(\.rawValue)))
        }
        self.chip = known
    }

    private static func device(_ text: String) throws(IngestError) -> USBConversation.Selection {
        if let id = USBID(text) { return .ids(vendor: id.vendor, product: id.product) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2, let bus = UInt16(parts[0]), let address = UInt8(parts[1]) else {
            throw IngestError(InputFault.notAUSBDevice(text))
        }
        return .address(bus: bus, device: address)
    }
}

/// Recognises capture formats by their first bytes.
public enum CaptureForms {
    /// The number of bytes needed.
    static let enough = 12

    /// A pcapng reader, or else a text reader.
    package static func source(for head: [UInt8], _ selection: CaptureSelection = CaptureSelection()) -> any CaptureSource {
        isPcapng(head) ? PcapngReader(selection.device, chip: selection.chip) : CaptureTextReader()
    }

    /// Whether it starts with whole lines of a text capture: a valid item, or a header with a driver. One character is not
    /// enough, because a cuff's own text may start with any of these. Blank lines and a byte order mark may come first.
    public static func isText(_ head: [UInt8]) -> Bool {
        let body = head.dropFirst(head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0).drop { [0x20, 0x09, 0x0D, 0x0A].contains($0) }
        guard let first = body.first, [0x23, 0x5B, 0x3C, 0x3E, 0x2E].contains(first) || first &- 0x30 < 10 else { return false }
        let start = head.prefix(1 << 14)
        guard let end = start.lastIndex(of: 0x0A) else { return false }
        var reader = CaptureTextReader()
        reader.feed(Array(start[...end]))
        do {
            return try reader.next() != nil || reader.header["driver"] != nil
        } catch {
            return false
        }
    }

    /// Throws for formats that are mistaken for captures, instead of an error in line 1 of a text.
    static func refuseOthers(_ head: [UInt8], _ name: String) throws(IngestError) {
        let pcap: [[UInt8]] = [[0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0xC3, 0xD4], [0x4D, 0x3C, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D]]
        if pcap.contains(where: head.starts) { throw IngestError(InputFault.classicPcap(name)) }
        // The third byte is the only method of compression.
        if head.starts(with: [0x1F, 0x8B, 0x08]) { throw IngestError(InputFault.compressed(name)) }
    }

    /// A section header with its magic, with which no cuff's bytes start.
    public static func isPcapng(_ head: [UInt8]) -> Bool {
        guard PcapngReader.recognises(head), head.count >= enough else { return false }
        let magic: [UInt8] = [0x1A, 0x2B, 0x3C, 0x4D]
        return head[8..<12].elementsEqual(magic) || head[8..<12].elementsEqual(magic.reversed())
    }
}
