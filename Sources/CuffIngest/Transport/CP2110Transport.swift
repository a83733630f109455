import CuffCore

extension TransportKind {
    static let cp2110 = TransportKind(
        "cp2110", form: "/dev/hidraw0", help: "a serial cuff behind a CP2110, a HID device that is a UART", example: "/dev/hidraw0",
        subsystem: "hidraw"
    ) { request in
        guard case .node(let path) = request.address, request.medium == .tty, isHID(path) else { return nil }
        return CP2110Transport(path: path, line: request.line, keepsLine: request.keepsBridgeLine)
    }
}

/// The serial line behind a CP2110, a HID device that is a UART (AN434). Sessions see the bytes of a serial cuff; reports
/// and settings stay in here. The chip does not count line errors for the host.
final class CP2110Transport: Transport {
    private let hid: HIDRawTransport
    private let line: LineSettings
    private let setsUp: Bool
    /// The line that the chip already has is kept, where it is a plausible one.
    private var keepsLine = false
    private var deliver: ((TransportEvent) -> Void)?
    /// What is on its way, first given first: the bytes, and how many reports of them the kernel has not taken yet.
    private var output: [(bytes: [UInt8], left: Int)] = []
    /// Reports that set the chip up; they are none of the session's.
    private var settings = 0

    /// The path of the hidraw node.
    var address: String { hid.address }
    /// USB ends in the bridge; behind it is a serial line.
    var checksBytes: Bool { false }

    /// `line` is set on the chip's UART when the transport starts; with `keepsLine` only if the chip has no plausible one.
    init(path: String, line: LineSettings, keepsLine: Bool = false) {
        hid = HIDRawTransport(path: path, isNumbered: true)
        self.line = line
        self.keepsLine = keepsLine
        setsUp = true
    }

    /// `setsUp` is false where the other end knows no feature reports: a socket in a test.
    init(descriptor: Int32, line: LineSettings, setsUp: Bool = true) {
        hid = HIDRawTransport(descriptor: descriptor, isNumbered: true)
        self.line = line
        self.setsUp = setsUp
    }

    /// Opens the hidraw node.
    func open() throws(IngestError) {
        try hid.open()
        if keepsLine { keepsLine = CP2110Reports.isPlausible(hid.readFeature(0x50, count: 9)) }
    }

    /// Delivers events on the loop, `opened` first and `closed` last.
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.deliver = deliver
        try hid.start(on: loop) { [weak self] in self?.handle($0) }
    }

    private func setUp() {
        let reports = setsUp ? (keepsLine ? [] : [CP2110Reports.configuration(line)]) + [CP2110Reports.enable] : []
        settings = reports.count
        for report in reports { hid.writeFeature(report) }
        if reports.isEmpty { deliver?(.opened) }
    }

    private func handle(_ event: TransportEvent) {
        switch event {
        case .opened: setUp()
        case .received(let report):
            if let bytes = CP2110Reports.payload(of: report) { deliver?(.received(Array(bytes))) }
        case .sent:
            if settings > 0 {
                settings -= 1
                if settings == 0 { deliver?(.opened) }
                return
            }
            guard !output.isEmpty else { return }
            output[0].left -= 1
            if output[0].left == 0 { deliver?(.sent(output.removeFirst().bytes)) }
        case .line: deliver?(event)
        case .closed:
            output.removeAll()
            let deliver = deliver
            self.deliver = nil
            deliver?(event)
        }
    }

    /// Writes the bytes as output reports of at most 63 bytes.
    func write(_ bytes: [UInt8]) {
        guard deliver != nil, !bytes.isEmpty else { return }
        let reports = CP2110Reports.reports(of: bytes)
        output.append((bytes, reports.count))
        for report in reports { hid.write(report) }
    }

    /// Writes one feature report through the inner transport.
    func writeFeature(_ bytes: [UInt8]) { hid.writeFeature(bytes) }
    /// Reads nothing more until `resume`.
    func pause() { hid.pause() }
    /// Reads again.
    func resume() { hid.resume() }
    /// Closes the device; `closed` follows. A second call does nothing.
    func close() { hid.close() }
}
