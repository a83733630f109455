import CLinux
import CuffCore
import Glibc

/// A hidraw node: one report per event, one report per write. Taking reports apart is the session's work.
public final class HIDRawTransport: Transport, @unchecked Sendable {
    public let address: String
    private var descriptor: Int32 = -1
    /// Set for a descriptor that somebody else opened, e.g. one end of a pair of message sockets in a test.
    private let isGiven: Bool
    /// Whether each report's first byte is its number.
    private let isNumbered: Bool
    private var port: Port?
    private var deliver: (@Sendable (TransportEvent) -> Void)?

    public init(path: String, isNumbered: Bool = false) {
        address = path
        isGiven = false
        self.isNumbered = isNumbered
    }

    /// Takes over an open descriptor that keeps messages apart.
    init(descriptor: Int32, isNumbered: Bool = false) {
        address = "descriptor \(descriptor)"
        self.descriptor = descriptor
        isGiven = true
        self.isNumbered = isNumbered
    }

    public func start(
        on queue: CuffQueue, deliver: @escaping @Sendable (TransportEvent) -> Void
    ) throws(IngestError) {
        self.deliver = deliver
        // A report is written when the device has taken it, or after five seconds (Linux: USB_CTRL_SET_TIMEOUT).
        queue.neverInPlace()
        if !isGiven {
            do throws(SystemFault) { descriptor = try Descriptor.open(address, O_RDWR | O_NONBLOCK) } catch {
                throw .device(address, error.number)
            }
            // Reports would run into each other there, and what a report begins with would be sent as data.
            guard isatty(descriptor) == 0 else {
                Glibc.close(descriptor)
                descriptor = -1
                throw IngestError(
                    .usage, "\(address) is a terminal, and this cuff speaks over HID", why: "its reports need a node such as /dev/hidraw0",
                    cure: "`cuff list` shows HID cuffs; a simulated one is made with `cuff simulate … --uhid /dev/uhid`")
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                Glibc.close(descriptor)
                throw .device(address, EBUSY)
            }
        }
        let isNumbered = isNumbered
        do throws(SystemFault) {
            port = try Port(
                descriptor, on: queue,
                // The kernel wants the report's number first; 0 says that reports are not numbered.
                writer: { descriptor, bytes in
                    if isNumbered { return Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
                    var report = [UInt8](repeating: 0, count: 1)
                    report.append(contentsOf: bytes)
                    let count = report.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
                    return count < 0 ? count : bytes.count
                }
            ) { [weak self] in self?.take($0) }
        } catch { throw .device(address, error.number) }
    }

    private func take(_ event: Port.Event) {
        switch event {
        case .received(let bytes): deliver?(.received(bytes))
        case .sent(let bytes): deliver?(.sent(bytes))
        case .ended(let fault): end(fault ?? .unplugged)
        }
    }

    public func write(_ bytes: [UInt8]) { port?.write(bytes) }

    public func writeFeature(_ bytes: [UInt8]) -> TransportFault? {
        guard port != nil else { return nil }
        let report = isNumbered ? bytes : [0] + bytes
        let result = clinux_hid_set_feature(descriptor, report, Int32(report.count))
        if result < 0 {
            end(Port.fault(SystemFault("HIDIOCSFEATURE", -result)))
        } else {
            deliver?(.sent(bytes))
        }
        return nil
    }

    public func pause() { port?.pause() }
    public func resume() { port?.resume() }
    public func close() { end(nil) }

    private func end(_ fault: TransportFault?) {
        guard let port else { return }
        self.port = nil
        port.close()
        let deliver = deliver
        self.deliver = nil
        deliver?(.closed(fault))
    }
}
