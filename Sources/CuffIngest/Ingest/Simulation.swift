import CLinux
import CuffCore
import Dispatch
import Glibc

/// A simulated cuff that programs can open: at a pseudo terminal, or behind a TCP port. Clients may come, go and come
/// back; the cuff keeps its memory meanwhile, as a cuff does that is unplugged. It runs until it is stopped.
public final class Simulation: @unchecked Sendable {
    public enum Place: Sendable {
        case pty
        /// Port 0 takes any free one.
        case tcp(host: String, port: Int)
    }

    /// What to open: `/dev/pts/7`, or `tcp://127.0.0.1:4001`.
    public let address: String
    private let queue = DispatchQueue(label: "cuff.simulation")
    private let note: @Sendable (String) -> Void
    private let speed: Double
    private let isPty: Bool
    /// The pseudo terminal's master, or the listening socket.
    private let descriptor: Int32
    private var isDescriptorOpen = true
    private var listening: UInt64 = 0
    private var simulator: any CuffSimulator
    private var timers: LinkTimers!
    private var port: Port?
    private var hasClient = false
    private var isStopped = false
    private let stopped = Gate(isOpen: false)

    /// How often an unopened pseudo terminal is looked at: there is no event for its being opened.
    private static let look = DispatchTimeInterval.milliseconds(10)

    /// `speed`: the cuff's time runs so many times as fast as the host's. `note` hears what happens, for whoever plays with it.
    public init(
        driver: CuffDriver, script: SimulatorScript = SimulatorScript(), on place: Place = .pty, speed: Double = 1,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(IngestError) {
        simulator = driver.makeSimulator(script)
        self.note = note
        self.speed = max(0.001, speed)
        switch place {
        case .pty:
            isPty = true
            (descriptor, address) = try Self.openPty()
        case .tcp(let host, let port):
            isPty = false
            let name = "tcp://\(host.contains(":") ? "[\(host)]" : host)"
            let (listener, bound) = try TCPTransport.listening(host, String(port), "\(name):\(port)")
            descriptor = listener
            address = "\(name):\(bound)"
        }
    }

    deinit { closeDescriptor() }

    private func closeDescriptor() {
        guard isDescriptorOpen else { return }
        isDescriptorOpen = false
        if isPty, let port { return port.close() }
        if listening != 0 { Reactor.shared.remove(listening, descriptor) }
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
        queue.async { @Sendable in
            self.timers = LinkTimers(queue: self.queue) { [weak self] in self?.timersFired() }
            if self.isPty {
                self.startPty()
            } else {
                self.startListening()
            }
        }
    }

    /// Ends it, as if the cuff were unplugged.
    public func stop() {
        queue.async { @Sendable in self.end() }
    }

    /// Blocks until `stop`, or until the cuff itself has finished.
    public func waitUntilStopped() { stopped.pass() }

    // MARK: Clients

    private func startPty() {
        port = try? Port(descriptor, on: queue) { [weak self] in self?.take($0) }
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
            queue.asyncAfter(deadline: .now() + Self.look) { @Sendable [weak self] in self?.lookForClient() }
        }
    }

    private func startListening() {
        do throws(SystemFault) {
            listening = try Reactor.shared.add(descriptor) { [weak self] _ in
                guard let self else { return }
                queue.async { @Sendable in self.accepted() }
            }
            Reactor.shared.arm(listening, descriptor, .input)
        } catch { end() }
    }

    private func accepted() {
        guard !isStopped, port == nil else { return }
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return Reactor.shared.arm(listening, descriptor, .input) }
        _ = fcntl(client, F_SETFL, O_NONBLOCK)
        _ = fcntl(client, F_SETFD, FD_CLOEXEC)
        port = try? Port(
            client, on: queue, writer: { send($0, $1.baseAddress, $1.count, Int32(MSG_NOSIGNAL)) }
        ) { [weak self] in self?.take($0) }
        clientCame()
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
            timers.removeAll()
            perform(simulator.handle(.closed))
        }
        port?.discardOutput()
        if isPty { return lookForClient() }
        port?.close()
        port = nil
        Reactor.shared.arm(listening, descriptor, .input)
    }

    private func take(_ event: Port.Event) {
        switch event {
        case .received(let bytes):
            // A client that opened and wrote within one look is seen here first.
            if !hasClient { clientCame() }
            perform(simulator.handle(.received(bytes)))
        case .sent: break
        case .ended: clientLeft()
        }
    }

    private func timersFired() {
        while !isStopped, let due = timers.takeDue() { perform(simulator.handle(.timerFired(due))) }
    }

    private func perform(_ actions: [SimulatorAction]) {
        for action in actions {
            switch action {
            case .write(let bytes): if hasClient { port?.write(bytes) }
            case .arm(let timer, let duration):
                timers.arm(timer, speed == 1 ? duration : .nanoseconds(Int64(Double(duration.nanoseconds) / speed)))
            case .disarm(let timer): timers.disarm(timer)
            case .note(let text): note(text)
            case .finish: end()
            }
        }
    }

    private func end() {
        guard !isStopped else { return }
        isStopped = true
        timers.cancel()
        if !isPty { port?.close() }
        closeDescriptor()
        stopped.set(open: true)
    }
}
