import CLinux
import CuffCore
import Glibc

extension TransportKind {
    static let usb = TransportKind(
        "usb", form: "/dev/bus/usb/001/002",
        help: "a cuff of the USB Personal Healthcare Device Class (IEEE 11073), or one that no kernel driver takes",
        example: "/dev/bus/usb/001/002", subsystem: "usb"
    ) { request in
        guard case .node(let path) = request.address, isUSB(path) else { return nil }
        return USBTransport(path: path, isHealthcare: request.medium != .usb)
    }

    static func isUSB(_ path: String) -> Bool { path.hasPrefix("/dev/bus/usb/") }
}

/// The two bulk pipes of a USB device, through usbfs (/dev/bus/usb/BBB/DDD): of the Personal Healthcare Device Class, or of a cuff
/// that no kernel driver takes. One descriptor in the loop's epoll set. `USBPipeState` decides.
///
/// usbfs rather than libusb: six kernel calls suffice, this program can lock the node and explain errors, and no library thread
/// for hotplug is started.
final class USBTransport: Transport {
    let address: String
    private var descriptor: Int32 = -1
    private let isHealthcare: Bool
    private var pipes: USBPipes?
    private var state = USBPipeState(packet: 64)
    private var reads: [OpaquePointer] = []
    private var writes: [OpaquePointer] = []
    private var token: UInt64?
    private var loop: EventLoop?
    private var deliver: ((TransportEvent) -> Void)?
    private var isPaused = false
    private var timer: LoopTimer?

    /// For a control request that the device does not answer, in milliseconds.
    private static let controlLimit: UInt32 = 500
    static let longestDescriptors = 4096

    init(path: String, isHealthcare: Bool) {
        address = path
        self.isHealthcare = isHealthcare
    }

    deinit {
        if descriptor >= 0 { Glibc.close(descriptor) }
        for request in reads + writes { clinux_usb_free(request) }
    }

    /// Opens and claims the interface. Throws if the node cannot be opened, has no such interface, or is in use.
    func open() throws(IngestError) {
        do throws(SystemFault) { descriptor = try Descriptor.open(address, O_RDWR | O_CLOEXEC) } catch {
            throw .device(address, error.number)
        }
        var bytes = [UInt8](repeating: 0, count: Self.longestDescriptors)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        let healthcare = isHealthcare ? PHDCInterface(Array(bytes.prefix(max(0, count)))) : nil
        guard let found = isHealthcare ? healthcare?.pipes : USBPipes(Array(bytes.prefix(max(0, count)))) else {
            throw IngestError(isHealthcare ? TransportFault.notHealthcare(address) : .noBulkPipes(address))
        }
        let claimed = clinux_usb_claim(descriptor, UInt32(found.number))
        guard claimed >= 0 else { throw .device(address, -claimed) }
        pipes = found
        if let healthcare { prepare(healthcare) }
    }

    /// Some devices wait until the host reads their status; and another program may have left metadata enabled. A device rejects
    /// unknown requests without harm.
    private func prepare(_ found: PHDCInterface) {
        var status: [UInt8] = [0, 0]
        _ = clinux_usb_control(descriptor, 0x80, 0, 0, 0, &status, 2, Self.controlLimit)
        _ = clinux_usb_control(descriptor, 0xA1, 0, 0, UInt16(found.pipes.number), &status, 2, Self.controlLimit)
        if found.hasMetadata { _ = clinux_usb_control(descriptor, 0x21, 1, 0x0101, UInt16(found.pipes.number), nil, 0, Self.controlLimit) }
    }

    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        guard let pipes else { return }
        self.loop = loop
        self.deliver = deliver
        state = USBPipeState(packet: pipes.outputPacket)
        timer = LoopTimer(loop) { [weak self] in self?.handle(.timePassed) }
        do throws(SystemFault) { token = try loop.add(descriptor) { [weak self] _ in self?.ready() } } catch {
            throw .device(address, error.number)
        }
        deliver(.opened)
        if isPaused { handle(.pause) }
        handle(.opened)
        arm()
    }

    /// usbfs reports a completed transfer as "writable".
    private func arm() { if let token { loop?.arm(token, descriptor, .output) } }

    private func ready() {
        var taken = 0
        while token != nil {
            // Other ports get their turn; remaining transfers are reported again.
            guard taken < Port.turnLimit else { return arm() }
            var request: OpaquePointer?
            var status: Int32 = 0
            var start: UnsafePointer<UInt8>?
            var count: Int32 = 0
            let result = clinux_usb_reap(descriptor, &request, &status, &start, &count)
            guard result >= 0, let request else {
                if result == -EAGAIN { arm() } else if result != -EINTR { end(Port.fault(SystemFault("reap", -result))) }
                if result == -EINTR { continue }
                return
            }
            if let slot = reads.firstIndex(of: request) {
                taken += max(1, Int(count))
                handle(.read(slot: slot, status: status, bytes: Array(UnsafeBufferPointer(start: start, count: Int(count)))))
            } else {
                writes.removeAll { $0 == request }
                clinux_usb_free(request)
                handle(.written(status: status, count: Int(count)))
            }
        }
    }

    func write(_ bytes: [UInt8]) { if !bytes.isEmpty { handle(.write(bytes)) } }
    /// Always ends with a fault: there are no HID reports.
    func writeFeature(_ bytes: [UInt8]) { end(.failed(call: "HIDIOCSFEATURE", errno: ENOTTY)) }

    /// Stops reading; pending transfers are kept.
    func pause() {
        isPaused = true
        handle(.pause)
    }

    func resume() {
        isPaused = false
        handle(.resume)
    }

    func close() { end(nil) }

    // MARK: Effects

    private func handle(_ event: USBPipeState.Event) {
        guard token != nil || loop != nil else { return }
        for effect in state.handle(event) { perform(effect) }
    }

    private func perform(_ effect: USBPipeState.Effect) {
        guard let pipes, token != nil else { return }
        switch effect {
        case .read(let slot): read(slot, pipes)
        case .write(let bytes, let emptyPacket): write(bytes, emptyPacket, pipes)
        case .discardReads: for request in reads { _ = clinux_usb_discard(descriptor, request) }
        case .clearHalt:
            let (descriptor, input, output) = (descriptor, UInt32(pipes.input), UInt32(pipes.output))
            let me = LoopBound(self)
            loop?.offload({ () -> Int32 in
                let first = clinux_usb_clear_halt(descriptor, input)
                return first < 0 ? first : min(0, clinux_usb_clear_halt(descriptor, output))
            }) { me.value.handle(.cleared($0)) }
        case .wait(let pause): timer?.set(after: pause)
        case .received(let bytes): deliver?(.received(bytes))
        case .sent(let bytes): deliver?(.sent(bytes))
        case .line(let event): deliver?(.line(event))
        case .end(let fault): end(fault)
        }
    }

    private func read(_ slot: Int, _ pipes: USBPipes) {
        while reads.count <= slot {
            guard let request = clinux_usb_request(Int32(pipes.packet)) else { return end(.failed(call: "read", errno: ENOMEM)) }
            reads.append(request)
        }
        let result = clinux_usb_submit(descriptor, reads[slot], pipes.input, nil, Int32(pipes.packet), 0)
        if result < 0 { handle(.read(slot: slot, status: result, bytes: [])) }
    }

    private func write(_ bytes: [UInt8], _ emptyPacket: Bool, _ pipes: USBPipes) {
        guard let request = clinux_usb_request(Int32(bytes.count)) else { return end(.failed(call: "write", errno: ENOMEM)) }
        let result = clinux_usb_submit(descriptor, request, pipes.output, bytes, Int32(bytes.count), emptyPacket ? 1 : 0)
        if result < 0 {
            clinux_usb_free(request)
            return handle(.written(status: result, count: 0))
        }
        writes.append(request)
    }

    private func end(_ fault: TransportFault?) {
        guard let deliver, let loop else { return }
        self.deliver = nil
        timer?.set(nil)
        if let token { loop.remove(token, descriptor) }
        token = nil
        let (descriptor, requests) = (descriptor, reads + writes)
        (self.descriptor, reads, writes) = (-1, [], [])
        let (told, freed) = (LoopBound(deliver), LoopBound(requests))
        // Closing cancels the pending transfers, whose memory may be freed only then.
        loop.offload({ _ = Glibc.close(descriptor) }) {
            for request in freed.value { clinux_usb_free(request) }
            told.value(.closed(fault))
        }
    }
}
