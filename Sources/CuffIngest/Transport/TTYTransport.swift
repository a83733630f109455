import CLinux
import CuffCore
import Glibc

extension TransportKind {
    static let tty = TransportKind(
        "tty", form: "/dev/ttyUSB0", help: "a serial port, built in or a USB adapter, or a pseudo terminal", example: "/dev/ttyUSB0",
        subsystem: "tty"
    ) { request in
        guard case .node(let path) = request.address, request.medium != .hidraw, !isHID(path), !isUSB(path) else { return nil }
        return TTYTransport(path: path, line: request.line, pace: request.pace)
    }

    /// Whether a path, or the target of a link, is a hidraw node. A serial cuff uses one only with a CP2110.
    static func isHID(_ path: String) -> Bool { StateFile.resolved(path).hasPrefix("/dev/hidraw") }
}

/// A serial line or pseudo terminal, in raw mode and at any rate, locked while it is open.
final class TTYTransport: Transport {
    let address: String
    /// A serial line has at most a parity bit. Bluetooth checks its packets, so `rfcomm` ports are checked.
    var checksBytes: Bool { address.hasPrefix("/dev/rfcomm") }
    private let line: LineSettings
    private let pace: Duration?
    private var port: Port?
    private var lock: UUCPLock?
    private var deliver: ((TransportEvent) -> Void)?
    /// -1 before `open` and after a `Port` has taken it.
    private var descriptor: Int32 = -1
    private var isPty = false
    private var errors: clinux_line_errors?
    /// The kernel's counts of line errors; `nil` if the driver has none, as for pseudo terminals and some adapters.
    private let countErrors: (Int32) -> clinux_line_errors?

    /// `pace`: pause between written bytes.
    convenience init(path: String, line: LineSettings, pace: Duration? = nil) {
        self.init(path: path, line: line, pace: pace) { descriptor in
            var counts = clinux_line_errors()
            return clinux_line_errors(descriptor, &counts) == 0 ? counts : nil
        }
    }

    init(path: String, line: LineSettings, pace: Duration? = nil, countErrors: @escaping (Int32) -> clinux_line_errors?) {
        address = path
        self.line = line
        self.pace = pace
        self.countErrors = countErrors
    }

    deinit { if port == nil && descriptor >= 0 { Glibc.close(descriptor) } }

    func open() throws(IngestError) {
        lock = try UUCPLock(for: address)
        // Blocking open waits for carrier.
        do throws(SystemFault) { descriptor = try Descriptor.open(address, O_RDWR | O_NOCTTY | O_NONBLOCK) } catch {
            lock = nil
            throw .device(address, error.number)
        }
        do throws(IngestError) { try prepare() } catch {
            Glibc.close(descriptor)
            descriptor = -1
            lock = nil
            throw error
        }
    }

    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.deliver = deliver
        do throws(SystemFault) {
            port = try Port(descriptor, on: loop, isTerminal: true, pace: pace) { [weak self] in self?.handle($0) }
        } catch {
            descriptor = -1
            throw .device(address, error.number)
        }
        deliver(.opened)
    }

    private func prepare() throws(IngestError) {
        guard isatty(descriptor) == 1 else {
            throw IngestError(TransportFault.notASerialPort(address))
        }
        // TIOCEXCL does not stop root, and flock only stops programs that use it: both.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw .device(address, EBUSY) }
        isPty = clinux_is_pty(descriptor) == 1
        _ = ioctl(descriptor, UInt(TIOCEXCL), 0)
        try configure()
        raise()
        _ = clinux_low_latency(descriptor)
        // Bytes received before the line was set are noise at the wrong rate. CDC-ACM has no rate: bytes that its device kept
        // until the port was opened start the conversation, and an 11073 agent repeats them only after ten seconds.
        if !isPty && clinux_is_acm(descriptor) == 0 { tcflush(descriptor, TCIFLUSH) }
        errors = countErrors(descriptor)
    }

    private func configure() throws(IngestError) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { throw .device(address, errno) }
        cfmakeraw(&settings)
        settings.c_cflag &= ~tcflag_t(CSIZE | PARENB | PARODD | CSTOPB | HUPCL) & ~tcflag_t(CRTSCTS)
        // tcsetattr fails if the only remaining changes are ones that a pseudo terminal does not keep, as on a second opening.
        settings.c_cflag |= tcflag_t(CREAD | CLOCAL) | tcflag_t(line.dataBits == 7 && !isPty ? CS7 : CS8)
        if line.stopBits == 2 { settings.c_cflag |= tcflag_t(CSTOPB) }
        switch isPty ? .none : line.parity {
        case .none: break
        case .even: settings.c_cflag |= tcflag_t(PARENB)
        case .odd: settings.c_cflag |= tcflag_t(PARENB | PARODD)
        }
        if line.flow == .hardware { settings.c_cflag |= tcflag_t(CRTSCTS) }
        // A byte with a parity error arrives as NUL, which no frame check accepts; it is never used as sent.
        settings.c_iflag = line.parity == .none ? 0 : tcflag_t(INPCK)
        if line.flow == .software { settings.c_iflag |= tcflag_t(IXON | IXOFF) }
        withUnsafeMutableBytes(of: &settings.c_cc) {
            $0[Int(VMIN)] = 1
            $0[Int(VTIME)] = 0
            // DC1 and DC3.
            $0[Int(VSTART)] = 0x11
            $0[Int(VSTOP)] = 0x13
        }
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { throw .device(address, errno) }
        let result = clinux_set_rate(descriptor, UInt32(clamping: line.rate))
        guard result == 0 else { throw refused(-result) }
        try verify(settings)
    }

    /// tcsetattr succeeds if any change succeeded, so the settings are read back. A pseudo terminal keeps neither parity nor
    /// seven bits, and needs neither.
    private func verify(_ wanted: termios) throws(IngestError) {
        guard !isPty else { return }
        var settings = termios()
        var rate: UInt32 = 0
        guard tcgetattr(descriptor, &settings) == 0, clinux_get_rate(descriptor, &rate) == 0 else {
            throw .device(address, errno)
        }
        let mask = tcflag_t(CSIZE | PARENB | PARODD | CSTOPB) | tcflag_t(CRTSCTS)
        guard settings.c_cflag & mask == wanted.c_cflag & mask else { throw refused(EINVAL) }
        // Dividers give the nearest rate; UARTs tolerate 2 %.
        guard abs(Int(rate) - line.rate) * 50 <= line.rate else { throw refused(EINVAL) }
    }

    private func refused(_ number: Int32) -> IngestError {
        IngestError(TransportFault.lineRefused(address, line, errno: number))
    }

    private func raise() {
        var on: Int32 = (line.raisesDTR ? Int32(TIOCM_DTR) : 0) | (line.raisesRTS ? Int32(TIOCM_RTS) : 0)
        var off: Int32 = (line.raisesDTR ? 0 : Int32(TIOCM_DTR)) | (line.raisesRTS ? 0 : Int32(TIOCM_RTS))
        // With hardware flow control RTS is the kernel's.
        if line.flow == .hardware {
            on &= ~Int32(TIOCM_RTS)
            off &= ~Int32(TIOCM_RTS)
        }
        // Fails on pseudo terminals, which have no modem lines.
        if on != 0 { _ = ioctl(descriptor, UInt(TIOCMBIS), &on) }
        if off != 0 { _ = ioctl(descriptor, UInt(TIOCMBIC), &off) }
    }

    private func handle(_ event: TransportEvent) {
        switch event {
        case .received:
            reportErrors()
            deliver?(event)
        // A serial port has no end of file: read returns 0 when the device is gone.
        case .closed(let fault): end(fault as? TransportFault ?? .unplugged)
        case .opened, .sent, .line: deliver?(event)
        }
    }

    /// Reports line errors before the bytes of the same read.
    private func reportErrors() {
        guard let before = errors else { return }
        errors = countErrors(descriptor)
        guard let now = errors else { return }
        if now.framing != before.framing { deliver?(.line(.framingError)) }
        if now.parity != before.parity { deliver?(.line(.parityError)) }
        if now.overrun != before.overrun || now.lost != before.lost { deliver?(.line(.overrun)) }
        if now.line_break != before.line_break { deliver?(.line(.lineBreak)) }
    }

    func write(_ bytes: [UInt8]) { port?.write(bytes) }
    /// Always ends with a fault: there are no HID reports.
    func writeFeature(_ bytes: [UInt8]) { end(.failed(call: "HIDIOCSFEATURE", errno: ENOTTY)) }
    func pause() { port?.pause() }
    func resume() { port?.resume() }
    func close() { end(nil) }

    private func end(_ fault: TransportFault?) {
        guard let port, let deliver else { return }
        self.deliver = nil
        _ = ioctl(descriptor, UInt(TIOCNXCL), 0)
        let (me, told) = (LoopBound(self), LoopBound(deliver))
        port.close {
            me.value.lock = nil
            told.value(.closed(fault))
        }
    }
}
