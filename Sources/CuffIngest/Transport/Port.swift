import CuffCore
import Dispatch
import Glibc

/// An open descriptor as bytes in and out, in order, without ever blocking: what every transport is made of.
/// Everything happens on its queue.
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
    private let queue: DispatchQueue
    private let reactor: Reactor
    private let readSize: Int
    /// Time between bytes, for cuffs that lose bytes sent at full speed.
    private let pace: Duration?
    private let writer: Writer
    private var token: UInt64 = 0
    private var deliver: (Event) -> Void
    private var output: [(bytes: [UInt8], sent: Int)] = []
    private var isPaused = false
    private var isOpen = true
    private var isAwaitingOutput = false
    private var isPacing = false
    private var buffer: UnsafeMutableRawBufferPointer

    init(
        _ descriptor: Int32, on queue: DispatchQueue, reactor: Reactor = .shared, readSize: Int = 4096,
        pace: Duration? = nil, writer: @escaping Writer = { Glibc.write($0, $1.baseAddress, $1.count) },
        deliver: @escaping (Event) -> Void
    ) throws(SystemFault) {
        self.descriptor = descriptor
        self.queue = queue
        self.reactor = reactor
        self.readSize = readSize
        self.pace = pace
        self.writer = writer
        self.deliver = deliver
        buffer = .allocate(byteCount: readSize, alignment: 16)
        do throws(SystemFault) {
            token = try reactor.add(descriptor) { [weak self] readiness in
                guard let self else { return }
                queue.async { @Sendable in self.ready(readiness) }
            }
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
        if output.count == 1 { drainOutput() }
    }

    func pause() { isPaused = true }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        if isOpen { arm() }
    }

    /// Listens again after an end that may pass: a pseudo terminal whose client left.
    func rearm() { if isOpen { arm() } }

    /// Forgets what was to be written.
    func discardOutput() {
        output.removeAll()
        isAwaitingOutput = false
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        reactor.remove(token, descriptor)
        Glibc.close(descriptor)
        output.removeAll()
        deliver = { _ in }
    }

    private func arm() {
        var interest: Reactor.Readiness = isPaused ? [] : .input
        if isAwaitingOutput { interest.insert(.output) }
        reactor.arm(token, descriptor, interest)
    }

    private func ready(_ readiness: Reactor.Readiness) {
        guard isOpen else { return }
        if readiness.contains(.output) || isAwaitingOutput && readiness.contains(.error) {
            isAwaitingOutput = false
            drainOutput()
        }
        guard isOpen else { return }
        if isPaused {
            // A hang-up is not forgotten: `resume` asks again, and is told again after the last bytes.
            if readiness.isDisjoint(with: [.hangup, .error]) { arm() }
            return
        }
        if readiness.isDisjoint(with: [.input, .hangup, .error]) || readInput() { if isOpen { arm() } }
    }

    /// Takes what is there, up to a few buffers so that one talkative cuff does not hold its queue; answers whether the
    /// descriptor is still good.
    private func readInput() -> Bool {
        for _ in 0..<4 {
            guard isOpen, !isPaused else { return isOpen }
            do throws(SystemFault) {
                guard let count = try Descriptor.read(descriptor, into: buffer) else { return true }
                guard count > 0 else {
                    deliver(.ended(nil))
                    return false
                }
                deliver(.received(Array(UnsafeRawBufferPointer(rebasing: buffer[..<count]))))
            } catch {
                deliver(.ended(Self.fault(error)))
                return false
            }
        }
        return true
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
                return deliver(.ended(Self.fault(SystemFault("write"))))
            }
            output[0].sent += count
            if output[0].sent == first.bytes.count {
                output.removeFirst()
                deliver(.sent(first.bytes))
            }
            if let pace, !output.isEmpty { waitBeforeNext(pace) }
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
