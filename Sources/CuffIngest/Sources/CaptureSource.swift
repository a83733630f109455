import CuffCore

/// One form of recorded conversation, read in any chunking and constant memory.
public protocol CaptureSource: CaptureReader {
    /// What the capture says about itself; complete once the first item is out.
    var header: CaptureHeader { get }
    /// When the capture's time 0 was, where it says.
    var start: Timestamp? { get }
    /// The driver that the capture tells of without being asked, beside its header: a cuff's own USB ids.
    var impliedDriver: DriverID? { get }
    /// Worth telling a person once all is read.
    var remarks: [String] { get }
    /// What `CaptureFault.line` counts.
    static var unit: String { get }
}

extension CaptureSource {
    /// No driver follows from the file.
    public var impliedDriver: DriverID? { nil }
    /// Nothing to remark.
    public var remarks: [String] { [] }

    /// The fault as an error of the file that was read.
    func error(_ fault: CaptureFault, in name: String) -> IngestError {
        IngestError(InputFault.damaged(name, unit: Self.unit, number: fault.line, why: fault.reason))
    }
}

extension CaptureTextReader: CaptureSource {
    /// Text captures have no absolute time.
    public var start: Timestamp? { nil }
    /// Faults name a line.
    public static var unit: String { "line" }
}

extension PcapngReader: CaptureSource {
    /// Faults name a block.
    public static var unit: String { "block" }

    /// The driver of the USB ids, where one claims them.
    public var impliedDriver: DriverID? {
        guard let device = usb.chosen.map({ usb.devices[$0] }), let vendor = device.vendor, let product = device.product
        else { return nil }
        let own = CuffDriver.Claim.usb(vendor: vendor, product: product)
        return CuffFamilies.all.first { $0.claims.contains(own) }?.id
    }

    /// What a reader of the result should know, e.g. a chip that was guessed.
    public var remarks: [String] {
        let others = usb.devices.indices.filter { $0 != usb.chosen && usb.devices[$0].transfers > 0 }.map { usb.devices[$0].name }
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
}

extension USBConversation.Device {
    /// As `--usb` takes it, with the ids where they are known.
    var name: String {
        let ids = vendor.flatMap { vendor in product.map { " (\(USBID(vendor: vendor, product: $0)))" } }
        return "\(bus).\(address)\(ids ?? "")"
    }
}

/// Which device of a USB capture is meant, and what its chip is, where the capture does not tell.
public struct CaptureSelection: Sendable, Hashable {
    /// Which device of a USB capture is read.
    public var device = USBConversation.Selection.first
    /// The bridge chip, where the capture does not show it; `nil`: it is recognised.
    public var chip: USBConversation.Chip?

    /// The first device, with its chip recognised.
    public init() {}

    /// Refuses a choice where there is nothing to choose from.
    func refuse(_ name: String) throws(IngestError) {
        guard self != CaptureSelection() else { return }
        throw IngestError(InputFault.notOfABus(name))
    }

    /// `usb` is BUS.ADDRESS or VVVV:PPPP.
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

/// The forms that are known, told apart by how a file begins.
public enum CaptureForms {
    /// As many bytes as are needed to tell.
    static let enough = 12

    /// The reader for a file that begins with these bytes: pcapng, else text.
    public static func source(for head: [UInt8], _ selection: CaptureSelection = CaptureSelection()) -> any CaptureSource {
        isPcapng(head) ? PcapngReader(selection.device, chip: selection.chip) : CaptureTextReader()
    }

    /// Whether whole lines at the beginning are those of a text capture: an item that the reader takes, or a head that names a
    /// driver. A cuff's own text may begin with any one of these characters, so one character does not tell.
    public static func isText(_ head: [UInt8]) -> Bool {
        guard let first = head.first, [0x23, 0x5B, 0x3C, 0x3E].contains(first) else { return false }
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

    /// A section header with its magic, which no cuff's bytes begin with.
    public static func isPcapng(_ head: [UInt8]) -> Bool {
        guard PcapngReader.recognises(head), head.count >= enough else { return false }
        let magic: [UInt8] = [0x1A, 0x2B, 0x3C, 0x4D]
        return head[8..<12].elementsEqual(magic) || head[8..<12].elementsEqual(magic.reversed())
    }
}
