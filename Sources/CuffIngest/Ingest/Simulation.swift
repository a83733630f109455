import CLinux
import CuffCore
import Glibc

/// A simulated cuff that programs can open: at a pseudo terminal, or behind a TCP port. Clients may come, go and come
/// back; the cuff keeps its memory meanwhile, as a cuff does that is unplugged. It runs until it is stopped.
public final class Simulation: @unchecked Sendable {
    public enum Place: Sendable {
        case pty
        /// Port 0 takes any free one.
        case tcp(host: String, port: Int)
        /// The cuff calls a program that listens, and calls again a second after a connection that failed or ended.
        case connect(host: String, port: Int)
        /// As a HID device of this machine, for families that speak over HID: `/dev/uhid`, which only root may open, or a
        /// socket that speaks its messages.
        case uhid(String)

        var keepsReportsApart: Bool { if case .uhid = self { true } else { false } }

        /// As a command names it: a port to listen on, an address to call, or neither.
        public init(tcp port: Int?, connect address: String?, uhid path: String?) throws(IngestError) {
            if let path {
                guard port == nil, address == nil else {
                    throw IngestError(
                        .usage, "a simulated cuff is in one place", why: "a HID device of this machine has no TCP port",
                        cure: "give one of --tcp, --connect and --uhid")
                }
                self = .uhid(path)
            } else if let address {
                guard port == nil, case .tcp(let host, let port) = try TransportAddress(address) else {
                    throw IngestError(
                        .usage, "a simulated cuff calls one address", why: "`\(address)` is none, or it was also told to listen",
                        cure: "write --connect tcp://HOST:PORT, without --tcp")
                }
                self = .connect(host: host, port: port)
            } else {
                self = port.map { .tcp(host: "127.0.0.1", port: $0) } ?? .pty
            }
        }
    }

    /// What to open: `/dev/pts/7`, or `tcp://127.0.0.1:4001`.
    public let address: String
    private let loop = EventLoop.shared
    private let note: @Sendable (String) -> Void
    private let speed: Double
    private let isPty: Bool
    private let isHID: Bool
    /// The pseudo terminal's master, or the listening socket.
    private let descriptor: Int32
    private var isDescriptorOpen = true
    private var listening: UInt64 = 0
    private var simulator: any CuffSimulator
    private var deadlines = SimulatorDeadlines()
    private var timer: LoopTimer!
    private var port: Port?
    /// Whom the cuff calls, where it is the one that calls; and the call.
    private let remote: (host: String, port: Int)?
    private var call: TCPTransport?
    /// The next look for a client, or the next call.
    private var delay: LoopTimer!
    private static let redial = Duration.seconds(1)
    private var hasClient = false
    private var isStopped = false
    private let stopped = Gate(isOpen: false)

    /// How often an unopened pseudo terminal is looked at: there is no event for its being opened.
    private static let look = Duration.milliseconds(10)

    /// `capture` is a recorded conversation whose cuff speaks in place of the driver's own simulator. `speed`: the cuff's
    /// time runs so many times as fast as the host's. `note` hears what happens, for whoever plays with it.
    public init(
        driver: CuffDriver, script: SimulatorScript = SimulatorScript(), playing capture: String? = nil, on place: Place = .pty,
        speed: Double = 1,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(IngestError) {
        if driver.medium == .hidraw, !place.keepsReportsApart {
            throw IngestError(
                .usage, "a simulated cuff of \(driver.id) needs --uhid",
                why: "it speaks in HID reports; a pseudo terminal or a TCP port does not keep them apart, so nothing could read it there",
                cure: "as root: `modprobe uhid`, then `cuff simulate \(driver.id) --uhid /dev/uhid`, which makes a /dev/hidraw node")
        }
        try driver.permit(options: script.options, ofSimulator: true)
        guard speed.isFinite, speed > 0 else {
            throw IngestError(.usage, "a cuff's time cannot run \(speed) times as fast", cure: "give --speed a number above 0, e.g. 5")
        }
        simulator = try capture.map { (path) throws(IngestError) in try Self.player(path) } ?? driver.makeSimulator(script)
        self.note = note
        isHID = if case .uhid = place { true } else { false }
        self.speed = max(0.001, speed)
        switch place {
        case .connect(let host, let port):
            isPty = false
            descriptor = -1
            isDescriptorOpen = false
            remote = (host, port)
            address = "\(TransportAddress.tcp(host: host, port: port))"
        case .uhid(let path):
            isPty = false
            remote = nil
            descriptor = try Self.openHID(path, driver)
            address = "\(driver.id) at \(path)"
        case .pty:
            isPty = true
            remote = nil
            (descriptor, address) = try Self.openPty()
        case .tcp(let host, let port):
            isPty = false
            remote = nil
            let name = "tcp://\(host.contains(":") ? "[\(host)]" : host)"
            let (listener, bound) = try TCPTransport.listening(host, String(port), "\(name):\(port)")
            descriptor = listener
            address = "\(name):\(bound)"
        }
    }

    private static func player(_ path: String) throws(IngestError) -> CaptureSimulator {
        var input = try CaptureInput(path)
        var items: [CaptureItem] = []
        let stop = StopSignal()
        while try input.read(into: &items, stop) {
            // A day of a talkative cuff; the whole is held in memory.
            guard items.count < 1_000_000 else { throw IngestError(.badData, "\(path) is too long to be spoken again") }
        }
        return CaptureSimulator(items)
    }

    private func closeDescriptor() {
        guard isDescriptorOpen else { return }
        isDescriptorOpen = false
        if isPty || isHID, let port { return port.close() }
        if listening != 0 { loop.remove(listening, descriptor) }
        close(descriptor)
    }

    private static func openPty() throws(IngestError) -> (Int32, String) {
        var path = [CChar](repeating: 0, count: 64)
        let master = clinux_open_pty(&path, 64)
        guard master >= 0 else {
            throw IngestError(.osError, "cannot make a pseudo terminal", why: IngestError.lowercased(-master))
        }
        let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // Opened once and closed again, the slave begins raw, without echo, and its being unopened can be seen.
        do throws(SystemFault) {
            let slave = try Descriptor.open(name, O_RDWR | O_NOCTTY)
            var settings = termios()
            if tcgetattr(slave, &settings) == 0 {
                cfmakeraw(&settings)
                tcsetattr(slave, TCSANOW, &settings)
            }
            close(slave)
        } catch {
            close(master)
            throw .device(name, error.number)
        }
        return (master, name)
    }

    public func start() {
        loop.async {
            self.timer = LoopTimer(self.loop) { [weak self] in self?.timersFired() }
            self.delay = LoopTimer(self.loop) { [weak self] in self?.delayed() }
            if self.isPty {
                self.startPty()
            } else if self.remote != nil {
                self.dial()
            } else if self.isHID {
                self.startHID()
            } else {
                self.startListening()
            }
        }
    }

    /// Ends it, as if the cuff were unplugged.
    public func stop() {
        loop.async { self.end() }
    }

    /// Blocks until `stop`, or until the cuff itself has finished.
    public func waitUntilStopped() { stopped.pass() }

    // MARK: Clients

    private func startPty() {
        port = try? Port(descriptor, on: loop) { [weak self] in self?.handle($0) }
        guard port != nil else { return end() }
        // A client may have opened it already, and then there is no hang-up to tell that nobody has.
        lookForClient()
    }

    private func lookForClient() {
        guard !isStopped, !hasClient else { return }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 0) >= 0, entry.revents & Int16(POLLHUP) == 0 {
            clientCame()
            port?.rearm()
        } else {
            delay.set(after: Self.look)
        }
    }

    private func startListening() {
        do throws(SystemFault) {
            listening = try loop.add(descriptor) { [weak self] _ in self?.accepted() }
            loop.arm(listening, descriptor, .input)
        } catch { end() }
    }

    private func dial() {
        guard !isStopped, let remote else { return }
        let call = TCPTransport(host: remote.host, port: remote.port, role: .connect)
        self.call = call
        let me = LoopBound(self)
        loop.offload({ () -> IngestError? in
            do throws(IngestError) { try me.value.call?.open() } catch { return error }
            return nil
        }) { error in
            if error == nil { me.value.dialled() } else { me.value.hungUp() }
        }
    }

    private func dialled() {
        guard !isStopped, let call else { return }
        do throws(IngestError) {
            try call.start(on: loop) { [weak self] event in
                guard let self else { return }
                switch event {
                case .opened: clientCame()
                case .received(let bytes): perform(simulator.handle(.received(bytes)))
                case .closed: hungUp()
                case .sent, .line: break
                }
            }
        } catch { hungUp() }
    }

    private func hungUp() {
        call = nil
        if hasClient {
            hasClient = false
            note("closed")
            deadlines.removeAll()
            perform(simulator.handle(.closed))
        }
        delay.set(after: Self.redial)
    }

    private func delayed() {
        if isPty { lookForClient() } else { dial() }
    }

    private func accepted() {
        guard !isStopped, port == nil else { return }
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return loop.arm(listening, descriptor, .input) }
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        port = try? Port(
            client, on: loop, writer: { send($0, $1.baseAddress, $1.count, Int32(MSG_NOSIGNAL)) }
        ) { [weak self] in self?.handle($0) }
        clientCame()
    }

    // MARK: HID

    private static func openHID(_ path: String, _ driver: CuffDriver) throws(IngestError) -> Int32 {
        guard let device = SimulatedHID(driver) else {
            throw IngestError(.usage, "a cuff of \(driver.id) is no HID device", cure: "leave out --uhid: it gets a pseudo terminal")
        }
        let descriptor = clinux_uhid_open(path)
        guard descriptor >= 0 else { throw .device(path, -descriptor) }
        let result = clinux_uhid_create(
            descriptor, device.name, "", device.id.vendor, device.id.product, device.release, device.descriptor,
            Int32(device.descriptor.count))
        guard result >= 0 else {
            close(descriptor)
            throw .device(path, -result)
        }
        return descriptor
    }

    private func startHID() {
        port = try? Port(
            descriptor, on: loop, readSize: Int(clinux_uhid_size), writesBlock: true,
            writer: { descriptor, report in
                let result = clinux_uhid_input(
                    descriptor, report.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(report.count))
                if result < 0 { errno = -result }
                return Int(result)
            }
        ) { [weak self] in self?.handle($0) }
        if port == nil { end() }
    }

    /// One message of the kernel's: who has the node open, and what was written to it.
    private func handleHID(_ bytes: [UInt8]) {
        bytes.withUnsafeBufferPointer { buffer in
            let message = clinux_uhid_take(buffer.baseAddress, Int32(buffer.count))
            let report = message.report.map { Array(UnsafeBufferPointer(start: $0, count: Int(message.length))) } ?? []
            switch UInt32(message.kind) {
            case clinux_uhid_opened.rawValue: clientCame()
            case clinux_uhid_closed.rawValue:
                hasClient = false
                note("closed")
                deadlines.removeAll()
                perform(simulator.handle(.closed))
            case clinux_uhid_output.rawValue:
                if message.request != 0 { _ = clinux_uhid_confirm(descriptor, message.request) }
                perform(simulator.handle(.received(report)))
            case clinux_uhid_feature.rawValue:
                _ = clinux_uhid_confirm(descriptor, message.request)
                perform(simulator.handle(.receivedFeature(report)))
            default: break
            }
        }
    }

    private func clientCame() {
        hasClient = true
        note("opened")
        perform(simulator.handle(.opened))
    }

    private func clientLeft() {
        guard hasClient || isPty else { return }
        if hasClient {
            hasClient = false
            note("closed")
            deadlines.removeAll()
            perform(simulator.handle(.closed))
        }
        port?.discardOutput()
        if isPty { return lookForClient() }
        port?.close()
        port = nil
        loop.arm(listening, descriptor, .input)
    }

    private func handle(_ event: Port.Event) {
        switch event {
        case .received(let message) where isHID: handleHID(message)
        case .received(let bytes):
            // A client that opened and wrote within one look is seen here first.
            if !hasClient { clientCame() }
            perform(simulator.handle(.received(bytes)))
        case .sent: break
        case .ended where isHID: end()
        case .ended: clientLeft()
        }
    }

    private func timersFired() {
        while !isStopped, let due = deadlines.takeDue(at: HostClock.monotonic()) { perform(simulator.handle(.timerFired(due))) }
        timer.set(isStopped ? nil : deadlines.next)
    }

    private func perform(_ actions: [SimulatorAction]) {
        for action in actions {
            switch action {
            case .write(let bytes):
                guard hasClient else { continue }
                if let call { call.write(bytes) } else { port?.write(bytes) }
            case .arm(let timer, let duration):
                let wait = Int64(Double(max(0, duration.nanoseconds)) / speed)
                deadlines.arm(timer, HostClock.monotonic() + wait)
            case .disarm(let timer): deadlines.disarm(timer)
            case .note(let text): note(text)
            case .finish: end()
            }
        }
        if !isStopped { self.timer.set(deadlines.next) }
    }

    private func end() {
        guard !isStopped else { return }
        isStopped = true
        timer.set(nil)
        delay.set(nil)
        if !isPty && !isHID { port?.close() }
        call?.close()
        closeDescriptor()
        stopped.set(open: true)
    }
}

/// A simulated cuff's timers, in nanoseconds of `HostClock.monotonic`.
private struct SimulatorDeadlines {
    private var armed: [TimerID: Int64] = [:]

    var next: Int64? { armed.values.min() }
    mutating func arm(_ timer: TimerID, _ due: Int64) { armed[timer] = due }
    mutating func disarm(_ timer: TimerID) { armed[timer] = nil }
    mutating func removeAll() { armed.removeAll() }

    mutating func takeDue(at now: Int64) -> TimerID? {
        let first = armed.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
        guard let first, first.value <= now else { return nil }
        armed[first.key] = nil
        return first.key
    }
}
