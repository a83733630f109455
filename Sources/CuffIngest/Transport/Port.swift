import CuffCore
import Dispatch
import Glibc

/// An open descriptor as bytes in and out, in order, without ever blocking: what every transport is made of.
/// Everything happens on its queue; bytes that arrive while that is idle, in place on the reactor's thread.
final class Port: @unchecked Sendable {
    enum Event {
        case received([UInt8])
        /// The kernel took the whole of what was once given to `write`.
        case sent([UInt8])
        /// The other side ended; `nil` is an end in order. The port is still to be closed.
        case ended(TransportFault?)
    }

    /// How bytes reach the kernel, where it is not `write`.
    typealias Writer = @Sendable (Int32, UnsafeRawBufferPointer) -> Int

    private let descriptor: Int32
    private let queue: CuffQueue
    private let reactor: Reactor
    private let readSize: Int
    /// Its end is a hang-up, so that a read which did not fill the buffer was the last.
    private let isTerminal: Bool
    /// Time between bytes, for cuffs that lose bytes sent at full speed.
    private let pace: Duration?
    private let writer: Writer
    private var token: UInt64 = 0
    /// What the reactor told and nobody has looked at yet.
    private let noticed = Locked<Reactor.Readiness>([])
    private var deliver: (Event) -> Void
    private var output: [(bytes: [UInt8], sent: Int)] = []
    private(set) var unsent = UnsentOutput()
    private let patience: Duration
    /// A look is due at whether the peer takes anything.
    private var isSupervised = false
    private var isPaused = false
    private var isOpen = true
    private var isAwaitingOutput = false
    /// Nothing more is read after an end, until `rearm`.
    private var hasEnded = false
    private var isPacing = false
    private var buffer: UnsafeMutableRawBufferPointer

    init(
        _ descriptor: Int32, on queue: CuffQueue, reactor: Reactor = .shared, readSize: Int = 4096, isTerminal: Bool = false,
        pace: Duration? = nil, patience: Duration = UnsentOutput.patience,
        writer: @escaping Writer = { Glibc.write($0, $1.baseAddress, $1.count) },
        deliver: @escaping (Event) -> Void
    ) throws(SystemFault) {
        self.descriptor = descriptor
        self.queue = queue
        self.reactor = reactor
        self.readSize = readSize
        self.isTerminal = isTerminal
        self.pace = pace
        self.patience = patience
        self.writer = writer
        self.deliver = deliver
        buffer = .allocate(byteCount: readSize, alignment: 16)
        do throws(SystemFault) {
            token = try reactor.add(descriptor) { [weak self] in self?.notice($0) }
        } catch {
            Glibc.close(descriptor)
            isOpen = false
            throw error
        }
        arm()
    }

    deinit {
        if isOpen {
            reactor.remove(token, descriptor)
            Glibc.close(descriptor)
        }
        buffer.deallocate()
    }

    func write(_ bytes: [UInt8]) {
        guard isOpen, !bytes.isEmpty else { return }
        output.append((bytes, 0))
        unsent.add(bytes.count)
        if output.count == 1 { drainOutput() }
        if isOpen, unsent.isFull, !isSupervised { supervise() }
    }

    func pause() { isPaused = true }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        if isOpen { arm() }
    }

    /// Listens again after an end that may pass: a pseudo terminal whose client left.
    func rearm() {
        hasEnded = false
        if isOpen { arm() }
    }

    /// Forgets what was to be written.
    func discardOutput() {
        output.removeAll()
        unsent.forget()
        isAwaitingOutput = false
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        reactor.remove(token, descriptor)
        Glibc.close(descriptor)
        output.removeAll()
        unsent.forget()
        deliver = { _ in }
    }

    /// Once for every change; what is ready now is told again.
    private func arm() { reactor.keep(token, descriptor, isAwaitingOutput ? [.input, .output] : .input) }

    /// On the reactor's thread.
    private func notice(_ readiness: Reactor.Readiness) {
        let isFirst = noticed.withLock { noticed in
            defer { noticed.formUnion(readiness) }
            return noticed.isEmpty
        }
        if isFirst { queue.enter { self.look() } }
    }

    private func look() {
        let readiness = noticed.withLock { noticed in
            defer { noticed = [] }
            return noticed
        }
        // What follows of an end, or of the last words being written, may block.
        if readiness == .input { ready(.input) } else { queue.patiently { self.ready(readiness) } }
    }

    private func ready(_ readiness: Reactor.Readiness) {
        guard isOpen else { return }
        if readiness.contains(.output) || isAwaitingOutput && readiness.contains(.error) {
            isAwaitingOutput = false
            drainOutput()
            if isOpen, !isAwaitingOutput { arm() }
        }
        // What stays unread, a hang-up too, is told again by `resume`.
        guard isOpen, !isPaused, !unsent.isFull, !hasEnded, !readiness.isDisjoint(with: [.input, .hangup, .error]) else { return }
        readInput(isWhole: isTerminal && readiness == .input)
    }

    /// Takes what is there, up to a few buffers so that one talkative cuff does not hold its queue.
    private func readInput(isWhole: Bool) {
        for _ in 0..<4 {
            guard isOpen, !isPaused, !unsent.isFull else { return }
            if queue.hasRest { break }
            do throws(SystemFault) {
                guard let count = try Descriptor.read(descriptor, into: buffer) else { return }
                guard count > 0 else { return ended(nil) }
                deliver(.received(Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))))
                if isWhole && count < readSize { return }
            } catch { return ended(Self.fault(error)) }
        }
        if isOpen { arm() }
    }

    private func ended(_ fault: TransportFault?) {
        hasEnded = true
        queue.patiently { self.deliver(.ended(fault)) }
    }

    static func fault(_ error: SystemFault) -> TransportFault {
        switch error.number {
        // A tty answers EIO, a hidraw node EIO or ENODEV, once its device is gone.
        case EIO, ENODEV, ENXIO: .unplugged
        default: .failed(call: error.call, errno: error.number)
        }
    }

    private func drainOutput() {
        while isOpen, !isPacing, let first = output.first {
            let rest = first.bytes.count - first.sent
            let count = first.bytes.withUnsafeBytes { bytes in
                writer(descriptor, UnsafeRawBufferPointer(rebasing: bytes[first.sent..<(first.sent + (pace == nil ? rest : 1))]))
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    isAwaitingOutput = true
                    arm()
                    return
                }
                output.removeAll()
                unsent.forget()
                return ended(Self.fault(SystemFault("write")))
            }
            let wasFull = unsent.isFull
            output[0].sent += count
            unsent.take(count)
            // What the peer said meanwhile is told again.
            if wasFull, !unsent.isFull { arm() }
            if output[0].sent == first.bytes.count {
                output.removeFirst()
                deliver(.sent(first.bytes))
            }
            if let pace, !output.isEmpty { waitBeforeNext(pace) }
        }
    }

    /// The peer is not read until it takes what is written to it; when it takes nothing any more, that is its end.
    private func supervise() {
        isSupervised = true
        let taken = unsent.taken
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(patience.nanoseconds))) { @Sendable [weak self] in
            guard let self else { return }
            isSupervised = false
            guard isOpen, !hasEnded, unsent.isFull else { return }
            guard unsent.taken == taken else { return supervise() }
            discardOutput()
            ended(.failed(call: "write", errno: ETIMEDOUT))
        }
    }

    private func waitBeforeNext(_ pace: Duration) {
        isPacing = true
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pace.nanoseconds))) { @Sendable [weak self] in
            guard let self else { return }
            isPacing = false
            drainOutput()
        }
    }
}
