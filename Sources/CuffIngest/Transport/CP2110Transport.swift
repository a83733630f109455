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

/// The serial line of a CP2110, a HID device that contains a UART (AN434). Sessions exchange the bytes of the serial line;
/// reports and settings stay here. The chip does not report line errors to the host.
final class CP2110Transport: Transport {
    private let hid: HIDRawTransport
    private let line: LineSettings
    private let setsUp: Bool
    /// The line that the chip already has is kept, where it is a plausible one.
    private var keepsLine = false
    private var deliver: ((TransportEvent) -> Void)?
    /// Queued writes in order: the bytes, and how many of their reports are not written yet.
    private var output: [(bytes: [UInt8], left: Int)] = []
    /// Reports that configure the chip, which the session does not see.
    private var settings = 0

    var address: String { hid.address }
    /// The line behind the USB bridge is unchecked.
    var checksBytes: Bool { false }

    /// `line` is applied to the chip's UART at the start; with `keepsLine` only if the chip has no plausible line.
    init(path: String, line: LineSettings, keepsLine: Bool = false) {
        hid = HIDRawTransport(path: path, isNumbered: true)
        self.line = line
        self.keepsLine = keepsLine
        setsUp = true
    }

    /// `setsUp` is false if the other end, such as a socket in a test, has no feature reports.
    init(descriptor: Int32, line: LineSettings, setsUp: Bool = true) {
        hid = HIDRawTransport(descriptor: descriptor, isNumbered: true)
        self.line = line
        self.setsUp = setsUp
    }

    func open() throws(IngestError) {
        try hid.open()
        if keepsLine { keepsLine = CP2110Reports.isPlausible(hid.readFeature(0x50, count: 9)) }
    }

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

    func writeFeature(_ bytes: [UInt8]) { hid.writeFeature(bytes) }
    func pause() { hid.pause() }
    func resume() { hid.resume() }
    func close() { hid.close() }
}
