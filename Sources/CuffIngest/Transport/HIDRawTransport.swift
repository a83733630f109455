import CLinux
import CuffCore
import Glibc

extension TransportKind {
    static let hidraw = TransportKind(
        "hidraw", form: "/dev/hidraw0", help: "a cuff that is a USB HID device", example: "/dev/hidraw0", subsystem: "hidraw"
    ) { request in
        guard case .node(let path) = request.address, request.medium == .hidraw, !isUSB(path) else { return nil }
        return HIDRawTransport(path: path, isNumbered: request.reports.areNumbered)
    }
}

/// A hidraw node: one report per event and per write. The session parses reports.
final class HIDRawTransport: Transport {
    let address: String
    private var descriptor: Int32 = -1
    /// The descriptor was opened by the caller, such as a message socket in a test.
    private let isGiven: Bool
    /// Whether each report's first byte is its number.
    private let isNumbered: Bool
    private var port: Port?
    private var loop: EventLoop?
    private var deliver: ((TransportEvent) -> Void)?
    private var waiting: [() -> Void] = []
    private var isSettingFeature = false

    init(path: String, isNumbered: Bool = false) {
        address = path
        isGiven = false
        self.isNumbered = isNumbered
    }

    /// Takes ownership of an open descriptor that keeps message boundaries.
    init(descriptor: Int32, isNumbered: Bool = false) {
        address = "descriptor \(descriptor)"
        self.descriptor = descriptor
        isGiven = true
        self.isNumbered = isNumbered
    }

    deinit { if port == nil && descriptor >= 0 { Glibc.close(descriptor) } }

    /// Throws if the node cannot be opened or is a terminal.
    func open() throws(IngestError) {
        guard !isGiven else { return }
        do throws(SystemFault) { descriptor = try Descriptor.open(address, O_RDWR | O_NONBLOCK) } catch {
            throw .device(address, error.number)
        }
        // A terminal has no message boundaries, and would receive report numbers as data.
        let isTerminal = isatty(descriptor) == 1
        guard !isTerminal, flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            Glibc.close(descriptor)
            descriptor = -1
            throw isTerminal ? IngestError(TransportFault.notHID(address)) : .device(address, EBUSY)
        }
    }

    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.loop = loop
        self.deliver = deliver
        let isNumbered = isNumbered
        do throws(SystemFault) {
            port = try Port(
                descriptor, on: loop,
                // A write blocks until the device has accepted the report, up to five seconds (Linux: USB_CTRL_SET_TIMEOUT).
                writesBlock: true,
                // The kernel expects the report's number first; 0 for unnumbered reports.
                writer: { descriptor, bytes in
                    if isNumbered { return Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
                    var report = [UInt8](repeating: 0, count: 1)
                    report.append(contentsOf: bytes)
                    let count = report.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                    return count < 0 ? count : bytes.count
                }
            ) { [weak self] in self?.handle($0) }
        } catch {
            descriptor = -1
            throw .device(address, error.number)
        }
        deliver(.opened)
    }

    private func handle(_ event: TransportEvent) {
        switch event {
        case .closed(let fault): end(fault as? TransportFault ?? .unplugged)
        case .opened, .received, .sent, .line: deliver?(event)
        }
    }

    func write(_ bytes: [UInt8]) {
        if isSettingFeature { waiting.append { [weak self] in self?.write(bytes) } } else { port?.write(bytes) }
    }

    func writeFeature(_ bytes: [UInt8]) {
        guard let loop, port != nil else { return }
        if isSettingFeature { return waiting.append { [weak self] in self?.writeFeature(bytes) } }
        isSettingFeature = true
        let (descriptor, report) = (descriptor, isNumbered ? bytes : [0] + bytes)
        let me = LoopBound(self)
        loop.offload({ clinux_hid_set_feature(descriptor, report, Int32(report.count)) }) { result in
            me.value.featureSet(bytes, result)
        }
    }

    /// Reads one feature report by ioctl, which blocks: only between `open` and `start`. Empty where the device refuses.
    func readFeature(_ number: UInt8, count: Int) -> [UInt8] {
        var report = [number] + [UInt8](repeating: 0, count: count - 1)
        let result = clinux_hid_get_feature(descriptor, &report, Int32(count))
        return Array(report.prefix(max(0, Int(result))))
    }

    private func featureSet(_ bytes: [UInt8], _ result: Int32) {
        isSettingFeature = false
        if result < 0 { return end(Port.fault(SystemFault("HIDIOCSFEATURE", -result))) }
        deliver?(.sent(bytes))
        while !waiting.isEmpty, !isSettingFeature { waiting.removeFirst()() }
    }

    func pause() { port?.pause() }
    func resume() { port?.resume() }
    func close() { end(nil) }

    private func end(_ fault: TransportFault?) {
        guard let port, let deliver else { return }
        self.deliver = nil
        waiting.removeAll()
        let told = LoopBound(deliver)
        port.close { told.value(.closed(fault)) }
    }
}
