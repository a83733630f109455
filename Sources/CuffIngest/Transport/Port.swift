import CuffCore
import Glibc

/// Non-blocking input and output on an open descriptor, in order; all transports use it. It runs on the loop and delivers
/// `received`, `sent` and, on a hang-up or error, `closed`, after which the descriptor must still be closed.
final class Port {
    /// Replaces write(2).
    typealias Writer = @Sendable (Int32, UnsafeRawBufferPointer) -> Int

    /// More than any link leaves unsent: `LinkState.outputLimit` and the answers to one read of input.
    static let outputLimit = 8 << 20

    /// The bytes read from one port per turn of the loop. The work for each byte is limited to about 2 µs, so other links wait at
    /// most 16 ms.
    static let turnLimit = 8192

    private let descriptor: Int32
    private let loop: EventLoop
    private let readSize: Int
    /// A terminal reports its end as a hang-up, so a read that does not fill the buffer was the last one.
    private let isTerminal: Bool
    /// Time between bytes, for cuffs that lose bytes sent at full speed.
    private let pace: Duration?
    private let writer: Writer
    /// Writes may block and are done by a worker.
    private let writesBlock: Bool
    private var token: UInt64 = 0
    private var deliver: (TransportEvent) -> Void
    private var output: [(bytes: [UInt8], sent: Int)] = []
    private var unsent = 0
    private var isPaused = false
    private var isOpen = true
    private var isAwaitingOutput = false
    /// A worker is writing the first of `output`, or its time has not come yet.
    private var isWriting = false
    /// No more reads after an end, until `rearm`.
    private var hasEnded = false
    private var paceTimer: LoopTimer?
    private var buffer: UnsafeMutableRawBufferPointer

    /// Takes ownership of the descriptor, even if it throws.
    init(
        _ descriptor: Int32, on loop: EventLoop, readSize: Int = 4096, isTerminal: Bool = false, pace: Duration? = nil,
        writesBlock: Bool = false, writer: @escaping Writer = { Glibc.write($0, $1.baseAddress, $1.count) },
        deliver: @escaping (TransportEvent) -> Void
    ) throws(SystemFault) {
        self.descriptor = descriptor
        self.loop = loop
        self.readSize = readSize
        self.isTerminal = isTerminal
        self.pace = pace
        self.writesBlock = writesBlock
        self.writer = writer
        self.deliver = deliver
        buffer = .allocate(byteCount: readSize, alignment: 16)
        do throws(SystemFault) {
            token = try loop.add(descriptor) { [weak self] in self?.ready($0) }
        } catch {
            Glibc.close(descriptor)
            isOpen = false
            throw error
        }
        arm()
    }

    deinit { buffer.deallocate() }

    func write(_ bytes: [UInt8]) {
        guard isOpen, !bytes.isEmpty else { return }
        guard unsent + bytes.count <= Self.outputLimit else {
            discardOutput()
            return ended(.failed(call: "write", errno: ENOBUFS))
        }
        unsent += bytes.count
        output.append((bytes, 0))
        if output.count == 1 { drainOutput() }
    }

    /// For sockets: signals the end of the stream to the other side.
    func shutdownOutput() { if isOpen { _ = shutdown(descriptor, Int32(SHUT_WR)) } }

    func pause() { isPaused = true }

    func resume() {
        guard isPaused else { return }
        isPaused = false
        if isOpen { arm() }
    }

    /// Watches the descriptor again after a temporary end: a pseudo terminal without a client.
    func rearm() {
        hasEnded = false
        if isOpen { arm() }
    }

    func discardOutput() {
        output.removeAll()
        unsent = 0
        isAwaitingOutput = false
    }

    /// Nothing is delivered afterwards. `then` is called on the loop when the descriptor is closed, which can take a while.
    func close(then: @escaping @Sendable () -> Void = {}) {
        guard isOpen else { return }
        isOpen = false
        loop.remove(token, descriptor)
        paceTimer?.set(nil)
        discardOutput()
        deliver = { _ in }
        let descriptor = descriptor
        loop.offload({ _ = Glibc.close(descriptor) }, then: then)
    }

    /// Edge-triggered; the present state is reported again.
    private func arm() { loop.register(token, descriptor, isAwaitingOutput ? [.input, .output] : .input) }

    private func ready(_ readiness: EventLoop.Readiness) {
        guard isOpen else { return }
        if readiness.contains(.output) || isAwaitingOutput && readiness.contains(.error) {
            isAwaitingOutput = false
            drainOutput()
            if isOpen, !isAwaitingOutput { arm() }
        }
        // Unread input and a hang-up are reported again by `resume`.
        guard isOpen, !isPaused, !hasEnded, !readiness.isDisjoint(with: [.input, .hangup, .error]) else { return }
        readInput(isWhole: isTerminal && readiness == .input)
    }

    /// Reads up to the limit of a turn, so that a busy cuff does not delay the others.
    private func readInput(isWhole: Bool) {
        for _ in 0..<max(1, Self.turnLimit / readSize) {
            guard isOpen, !isPaused else { return }
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
        deliver(.closed(fault))
    }

    static func fault(_ error: SystemFault) -> TransportFault {
        switch error.number {
        // Once its device is gone, a tty fails with EIO, a hidraw node with EIO or ENODEV.
        case EIO, ENODEV, ENXIO: .unplugged
        default: .failed(call: error.call, errno: error.number)
        }
    }

    // MARK: Output

    private func drainOutput() {
        while isOpen, !isWriting, let first = output.first {
            let piece = pace == nil ? Array(first.bytes[first.sent...]) : [first.bytes[first.sent]]
            if writesBlock {
                isWriting = true
                let (descriptor, writer, me) = (descriptor, writer, LoopBound(self))
                loop.offload({ Self.call(writer, descriptor, piece) }) { result in
                    me.value.isWriting = false
                    if me.value.wrote(result) { me.value.drainOutput() }
                }
                return
            }
            guard wrote(Self.call(writer, descriptor, piece)) else { return }
        }
    }

    private static func call(_ writer: Writer, _ descriptor: Int32, _ bytes: [UInt8]) -> Result<Int, SystemFault> {
        while true {
            let count = bytes.withUnsafeBytes { writer(descriptor, $0) }
            if count >= 0 { return .success(count) }
            if errno != EINTR { return .failure(SystemFault("write")) }
        }
    }

    /// Returns whether the next piece may follow at once.
    private func wrote(_ result: Result<Int, SystemFault>) -> Bool {
        guard isOpen, !output.isEmpty else { return false }
        switch result {
        case .failure(let error) where error.number == EAGAIN:
            isAwaitingOutput = true
            arm()
            return false
        case .failure(let error):
            discardOutput()
            ended(Self.fault(error))
            return false
        case .success(let count):
            output[0].sent += count
            unsent -= count
            if output[0].sent >= output[0].bytes.count { deliver(.sent(output.removeFirst().bytes)) }
            guard let pace, isOpen, !output.isEmpty else { return true }
            isWriting = true
            let timer =
                paceTimer
                ?? LoopTimer(loop) { [weak self] in
                    self?.isWriting = false
                    self?.drainOutput()
                }
            paceTimer = timer
            timer.set(after: pace)
            return false
        }
    }
}
