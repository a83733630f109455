import CLinux
import CuffCore
import Glibc

/// A simulated cuff at a pseudo terminal or a TCP port. Clients may disconnect and connect again; the cuff keeps its memory, as
/// an unplugged cuff does. Runs until stopped.
package final class Simulation: @unchecked Sendable {
    /// The address to open: `/dev/pts/7`, or `tcp://127.0.0.1:4001`.
    package let address: String
    let loop = EventLoop.shared
    let note: @Sendable (String) -> Void
    let speed: Double
    let isPty: Bool
    let isHID: Bool
    /// The pseudo terminal's master, or the listening socket.
    let descriptor: Int32
    var isDescriptorOpen = true
    var listening: UInt64 = 0
    var simulator: any CuffSimulator
    var deadlines = SimulatorDeadlines()
    var timer: LoopTimer!
    var port: Port?
    /// Where the cuff connects to.
    let remote: (host: String, port: Int)?
    var call: TCPTransport?
    /// The next check for a client, or the next connection attempt.
    var delay: LoopTimer!
    static let redial = Duration.seconds(1)
    var hasClient = false
    var isStopped = false
    let stopped = Gate(isOpen: false)

    /// How often a closed pseudo terminal is checked: opening it causes no event.
    static let look = Duration.milliseconds(10)

    /// `capture` is a recorded conversation that replaces the driver's simulator. `speed`: the cuff's time relative to the
    /// host's. `note` receives messages.
    package init(
        driver: CuffDriver, script: SimulatorScript = SimulatorScript(), playing capture: String? = nil, on place: Place = .pty,
        speed: Double = 1,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(IngestError) {
        if driver.medium == .hidraw, !place.keepsReportsApart {
            throw IngestError(SimulationFault.needsUHID(driver: driver.id.description))
        }
        try driver.permit(options: script.options, ofSimulator: true)
        guard speed.isFinite, speed > 0 else {
            throw IngestError(SimulationFault.speed(speed))
        }
        simulator = try capture.map { (path) throws(IngestError) in try Self.player(path) } ?? driver.makeSimulator(script)
        self.note = note
        isHID = place.keepsReportsApart
        isPty = if case .pty = place { true } else { false }
        remote = if case .connect(let host, let port) = place { (host, port) } else { nil }
        self.speed = max(0.001, speed)
        switch place {
        case .connect(let host, let port):
            descriptor = -1
            isDescriptorOpen = false
            address = "\(DeviceAddress.tcp(host: host, port: port))"
        case .uhid(let path):
            descriptor = try Self.openHID(path, driver)
            address = "\(driver.id) at \(path)"
        case .pty: (descriptor, address) = try Self.openPty()
        case .tcp(let host, let port):
            let (listener, bound) = try TCPTransport.listening(host, String(port), "\(DeviceAddress.tcp(host: host, port: port))")
            descriptor = listener
            address = "\(DeviceAddress.tcp(host: host, port: bound))"
        }
    }

    static func player(_ path: String) throws(IngestError) -> CaptureSimulator {
        var input = try CaptureInput(path)
        var items: [CaptureItem] = []
        let stop = StopSignal()
        while try input.read(into: &items, stop) {
            // A day of a busy cuff; all of it is held in memory.
            guard items.count < 1_000_000 else { throw IngestError(InputFault.tooLong(path)) }
        }
        return CaptureSimulator(items)
    }

    func closeDescriptor() {
        guard isDescriptorOpen else { return }
        isDescriptorOpen = false
        if isPty || isHID, let port { return port.close() }
        if listening != 0 { loop.remove(listening, descriptor) }
        close(descriptor)
    }

    static func openPty() throws(IngestError) -> (Int32, String) {
        var path = [CChar](repeating: 0, count: 64)
        let master = clinux_open_pty(&path, 64)
        guard master >= 0 else {
            throw IngestError(SimulationFault.noPseudoTerminal(errno: -master))
        }
        let name = String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // The slave is opened and closed once, so that it is raw, without echo, and reports a hang-up while it is closed.
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

    package func start() {
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
    package func stop() {
        loop.async { self.end() }
    }

    // MARK: Clients

    func startPty() {
        port = try? Port(descriptor, on: loop) { [weak self] in self?.handle($0) }
        guard port != nil else { return end() }
        // A client may have opened it already, and then there is no hang-up to show that none has.
        lookForClient()
    }

    func lookForClient() {
        guard !isStopped, !hasClient else { return }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 0) >= 0, entry.revents & Int16(POLLHUP) == 0 {
            clientCame()
            port?.rearm()
        } else {
            delay.set(after: Self.look)
        }
    }

    func startListening() {
        do throws(SystemFault) {
            listening = try loop.add(descriptor) { [weak self] _ in self?.accepted() }
            loop.arm(listening, descriptor, .input)
        } catch { end() }
    }

    func dial() {
        guard !isStopped, let remote else { return }
        let call = TCPTransport(host: remote.host, port: remote.port, role: .connect)
        self.call = call
        let me = LoopBound(self)
        loop.offload({ Result { () throws(IngestError) in try me.value.call?.open() } }) { result in
            if case .success = result { me.value.dialled() } else { me.value.hungUp() }
        }
    }

    func dialled() {
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

    func hungUp() {
        call = nil
        if hasClient { clientClosed() }
        delay.set(after: Self.redial)
    }

    func delayed() {
        if isPty { lookForClient() } else { dial() }
    }

    func accepted() {
        guard !isStopped, port == nil else { return }
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return loop.arm(listening, descriptor, .input) }
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        // A message does not wait until the client has acknowledged the one before.
        TCPTransport.setOption(client, Int32(IPPROTO_TCP), TCP_NODELAY)
        port = try? Port(
            client, on: loop, writer: { send($0, $1.baseAddress, $1.count, Int32(MSG_NOSIGNAL)) }
        ) { [weak self] in self?.handle($0) }
        clientCame()
    }

    func clientCame() {
        hasClient = true
        note("opened")
        perform(simulator.handle(.opened))
    }

    func clientClosed() {
        hasClient = false
        note("closed")
        deadlines.removeAll()
        perform(simulator.handle(.closed))
    }

    /// Of a terminal or a socket, which is then prepared for the next client.
    func clientLeft() {
        guard hasClient || isPty else { return }
        if hasClient { clientClosed() }
        port?.discardOutput()
        if isPty { return lookForClient() }
        port?.close()
        port = nil
        loop.arm(listening, descriptor, .input)
    }

    func handle(_ event: TransportEvent) {
        switch event {
        case .received(let message) where isHID: handleHID(message)
        case .received(let bytes):
            // A client that opened and wrote between two checks is first noticed here.
            if !hasClient { clientCame() }
            perform(simulator.handle(.received(bytes)))
        case .opened, .sent, .line: break
        case .closed where isHID: end()
        case .closed: clientLeft()
        }
    }

    func timersFired() {
        while !isStopped, let due = deadlines.takeDue(at: HostClock.monotonic()) { perform(simulator.handle(.timerFired(due))) }
        timer.set(isStopped ? nil : deadlines.next)
    }

    func perform(_ actions: [SimulatorAction]) {
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

    func end() {
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
