/// Extracts a cuff's bytes from the transfers of a USB bus: selects one device and strips what its bridge chip adds.
/// - OUT data counts when submitted, IN data when completed without an error of the bus.
/// - FTDI: every packet from the chip begins with two status bytes (ftdi_sio).
/// - CDC-ACM, CP210x, PL2303, CH340: the bulk pair carries plain bytes; interrupts are line states.
/// - PHDC: plain bytes of the bulk pair and of the interrupt IN endpoint (docs/PHD.md §10.2).
/// - HID: interrupt reports, and SET_REPORT for output and feature reports, one item each. CP2110: the bytes in them.
/// The chip is recognised by descriptors or vendor requests in the capture, else by the first data.
package struct USBConversation: Sendable {
    /// How a device carries a cuff's bytes: FTDI with status bytes, plain bulk (`serial`), HID reports, or a CP2110 HID-UART.
    package enum Chip: String, Sendable, CaseIterable { case ftdi, serial, hid, cp2110 }

    /// Which device of the capture to read.
    package enum Selection: Sendable, Hashable {
        /// The first device that transfers data and is not a hub.
        case first
        case address(bus: UInt16, device: UInt8)
        case ids(vendor: UInt16, product: UInt16)
    }

    /// A device of the capture, as far as its transfers describe it.
    package struct Device: Sendable, Hashable {
        /// The bus number of usbmon.
        package var bus: UInt16
        /// The device address on that bus, 1…127. It changes when the device is reconnected.
        package var address: UInt8
        /// The USB vendor id; `nil` if the capture has no device descriptor.
        package var vendor: UInt16?
        /// The USB product id; `nil` if the capture has no device descriptor.
        package var product: UInt16?
        package var chip: Chip?
        /// The chip was guessed from its data.
        package var isChipAssumed = false
        /// The number of transfers with data.
        package var transfers = 0
        /// Those of which the capture has only the beginning.
        package var cutTransfers = 0
        /// Its bytes are the cuff's; also before it was plugged in again.
        package var isRead = false

        fileprivate var classes: Set<UInt8> = []
        fileprivate var mayBeCuff: Bool { classes.isEmpty || !classes.isSubset(of: [0x08, 0x09]) }
        fileprivate var packets: [UInt8: Int] = [:]
        /// Interrupt IN endpoints of a personal-healthcare interface.
        fileprivate var healthcareInterrupts: Set<UInt8> = []
    }

    /// In order of appearance; at most 512 (127 addresses on each of a few buses).
    package private(set) var devices: [Device] = []
    /// The index of the selected device in `devices`.
    package private(set) var chosen: Int?

    private let selection: Selection
    private let chip: Chip?
    private var requests: [UInt64: [UInt8]] = [:]
    private var inEndpoint: UInt8?
    private var outEndpoint: UInt8?
    /// The selected device was unplugged, and has not come back.
    package private(set) var isUnplugged = false

    /// `chip` overrides the detected chip.
    package init(_ selection: Selection = .first, chip: Chip? = nil) {
        self.selection = selection
        self.chip = chip
    }

    mutating func take(_ transfer: USBTransfer) -> CaptureItem.Content? {
        guard let index = device(transfer) else { return nil }
        if transfer.kind == .control {
            let request = self.request(of: transfer)
            takeControl(transfer, request, index)
            let isReport = transfer.event == 0x53 && request.starts(with: [0x21, 0x09]) && transfer.data.count >= 2
            let wasUnplugged = isUnplugged
            guard choose(index, with: isReport ? transfer : nil) else { return nil }
            return wasUnplugged && !isUnplugged ? .event(.silence) : report(transfer, request, index)
        }
        if transfer.event == 0x43, transfer.status == -108, chosen == index, !isUnplugged {
            isUnplugged = true  // ESHUTDOWN: device disconnected; a cancelled transfer has ENOENT
            return nil
        }
        guard transfer.kind != .isochronous, !transfer.data.isEmpty else { return nil }
        let isIn = transfer.event == 0x43 && transfer.isFromDevice && transfer.hasArrived
        let isOut = transfer.event == 0x53 && !transfer.isFromDevice
        guard isIn || isOut else { return nil }
        devices[index].transfers += 1
        guard choose(index, with: transfer) else { return nil }
        if transfer.isCut { devices[index].cutTransfers += 1 }
        assume(transfer, index)
        guard let bytes = bytes(transfer, index), !bytes.isEmpty else { return nil }
        return isIn ? .fromCuff(bytes) : .toCuff(bytes)
    }

    private mutating func device(_ transfer: USBTransfer) -> Int? {
        // Address 0 is the device being enumerated.
        guard transfer.device != 0 else { return nil }
        if let index = devices.firstIndex(where: { $0.bus == transfer.bus && $0.address == transfer.device }) {
            return index
        }
        guard devices.count < 512 else { return nil }
        devices.append(Device(bus: transfer.bus, address: transfer.device))
        return devices.count - 1
    }

    private mutating func choose(_ index: Int, with transfer: USBTransfer?) -> Bool {
        if let chosen, chosen == index || !isUnplugged { return chosen == index }
        let device = devices[index]
        let isWanted: Bool =
            switch (selection, chosen.map { devices[$0] }) {
            case (.address(let bus, let address), _): device.bus == bus && device.address == address
            // Plugged in again, the device has another address.
            case (_, let former?): device.vendor != nil && device.vendor == former.vendor && device.product == former.product
            case (.ids(let vendor, let product), nil): device.vendor == vendor && device.product == product
            // A hub's interrupts are one or two bytes of port bits.
            case (.first, nil): device.mayBeCuff && transfer.map { $0.kind != .interrupt || $0.data.count > 2 } ?? false
            }
        guard isWanted else { return false }
        (chosen, isUnplugged, inEndpoint, outEndpoint) = (index, false, nil, nil)
        devices[index].isRead = true
        return true
    }

    private mutating func request(of transfer: USBTransfer) -> [UInt8] {
        guard transfer.event == 0x53 else { return requests.removeValue(forKey: transfer.urb) ?? [] }
        // A limit on requests in flight, for captures that never complete them.
        if requests.count < 256 { requests[transfer.urb] = transfer.setup }
        return transfer.setup
    }

    private mutating func takeControl(_ transfer: USBTransfer, _ request: [UInt8], _ index: Int) {
        guard request.count == 8 else { return }
        let data = transfer.data.span
        switch (request[0], request[1], transfer.event) {
        case (0x80, 6, 0x43) where request[3] == 1 && data.count >= 12:
            devices[index].vendor = data.littleEndian16(8)
            devices[index].product = data.littleEndian16(10)
            if let deviceClass = data.byte(4), deviceClass != 0 { devices[index].classes.insert(deviceClass) }
            settle(index)
        case (0x80, 6, 0x43) where request[3] == 2:
            takeConfiguration(transfer.data, index)
            settle(index)
        // Requests of ftdi_sio: reset, flow control, rate, data, event character, latency. PL2303 uses 01, CH340 9A, A1.
        case (0x40, 0, 0x53), (0x40, 2, 0x53), (0x40, 3, 0x53), (0x40, 4, 0x53), (0x40, 6, 0x53), (0x40, 9, 0x53):
            if devices[index].chip == nil, devices[index].vendor == nil { devices[index].chip = .ftdi }
        default: break
        }
    }

    private mutating func takeConfiguration(_ data: [UInt8], _ index: Int) {
        let bytes = data.span
        var offset = 0
        var isHealthcare = false
        while let length = bytes.byte(offset), length >= 2, let kind = bytes.byte(offset + 1) {
            if kind == 4, let interfaceClass = bytes.byte(offset + 5) {
                // The class may be that of the device.
                let hasClassOfDevice = interfaceClass == 0 && devices[index].classes.contains(PHDCInterface.classCode)
                isHealthcare = interfaceClass == PHDCInterface.classCode || hasClassOfDevice
                devices[index].classes.insert(interfaceClass)
            }
            if kind == 5, let endpoint = bytes.byte(offset + 2), let type = bytes.byte(offset + 3),
                let size = bytes.littleEndian16(offset + 4)
            {
                devices[index].packets[endpoint] = Int(size & 0x07FF)
                if isHealthcare, endpoint & 0x80 != 0, type & 3 == 3 {
                    devices[index].healthcareInterrupts.insert(endpoint)
                }
            }
            offset += Int(length)
        }
    }

    private mutating func settle(_ index: Int) {
        let device = devices[index]
        devices[index].chip =
            switch (device.vendor, device.product) {
            case (0x0403, _): .ftdi
            case (0x10C4, 0xEA80): .cp2110
            case (0x10C4, _), (0x067B, _), (0x1A86, _): .serial
            default:
                // Communications, CDC data and personal-healthcare interfaces use bulk transfers.
                !device.classes.isDisjoint(with: [0x02, 0x0A, 0x0F])
                    ? .serial
                    : device.classes.contains(0x03) ? .hid : device.chip
            }
        devices[index].isChipAssumed = false
    }

    /// Without descriptors or requests, the first data decides: bulk or interrupt, with or without FTDI's status bytes.
    private mutating func assume(_ transfer: USBTransfer, _ index: Int) {
        guard chip == nil, devices[index].chip == nil else { return }
        if transfer.kind == .interrupt {
            devices[index].chip = .hid
        } else if transfer.isFromDevice {
            devices[index].chip = Self.isStatus(transfer.data.span, 0) ? .ftdi : .serial
        } else {
            return  // data to the chip is plain for all of them
        }
        devices[index].isChipAssumed = true
    }

    private mutating func bytes(_ transfer: USBTransfer, _ index: Int) -> [UInt8]? {
        let chip = chip ?? devices[index].chip
        switch (chip, transfer.kind) {
        case (.hid?, .interrupt): return transfer.data
        case (.serial?, .interrupt):
            return devices[index].healthcareInterrupts.contains(transfer.endpoint) ? transfer.data : nil
        case (.cp2110?, .interrupt): return CP2110Reports.payload(of: transfer.data).map(Array.init)
        case (.ftdi?, .bulk), (.serial?, .bulk), (nil, .bulk):
            guard isOnPair(transfer.endpoint) else { return nil }
            guard chip == .ftdi, transfer.isFromDevice else { return transfer.data }
            return Self.withoutStatus(transfer.data, packet: packetSize(transfer, index))
        default: return nil
        }
    }

    private func report(_ transfer: USBTransfer, _ request: [UInt8], _ index: Int) -> CaptureItem.Content? {
        guard transfer.event == 0x53, request.count == 8, request[0] == 0x21, request[1] == 0x09, !transfer.data.isEmpty
        else {
            return nil
        }
        switch chip ?? devices[index].chip {
        case .hid?, nil: return request[3] == 2 || request[3] == 3 ? .toCuff(transfer.data) : nil
        case .cp2110?: return CP2110Reports.payload(of: transfer.data).map { .toCuff(Array($0)) }
        default: return nil
        }
    }

    /// A device may have several pairs; the first that carries data is used.
    private mutating func isOnPair(_ endpoint: UInt8) -> Bool {
        if endpoint & 0x80 != 0 {
            inEndpoint = inEndpoint ?? endpoint
            return inEndpoint == endpoint
        }
        outEndpoint = outEndpoint ?? endpoint
        return outEndpoint == endpoint
    }

    private func packetSize(_ transfer: USBTransfer, _ index: Int) -> Int {
        if let size = devices[index].packets[transfer.endpoint], size > 2 { return size }
        return transfer.data.count > 64 && !Self.isStatus(transfer.data.span, 64) ? 512 : 64
    }

    /// Modem status with its reserved bits (low nibble 1), then line status with no error and an empty transmitter.
    private static func isStatus(_ data: Span<UInt8>, _ offset: Int) -> Bool {
        guard let modem = data.byte(offset), let line = data.byte(offset + 1) else { return false }
        return modem & 0x0F == 0x01 && line & 0x9F == 0 && line & 0x60 == 0x60
    }

    static func withoutStatus(_ data: [UInt8], packet: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: data.count, by: max(3, packet)) where start + 2 < data.count {
            bytes += data[(start + 2)..<min(start + packet, data.count)]
        }
        return bytes
    }
}
