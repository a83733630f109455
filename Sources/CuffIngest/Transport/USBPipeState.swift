import CuffCore
import Glibc

/// The state of the two bulk pipes of a PHDC device, without the device: which transfers to start, how to handle their results,
/// and when the connection has ended.
///
/// Each read has the length of one packet, so that every packet completes one. A longer read would include the next message if a
/// message's length is a multiple of the packet, because many devices do not send an empty packet then.
struct USBPipeState: Sendable {
    enum Event: Sendable {
        case opened
        /// A read has ended with status 0 or -errno. Its bytes are valid for any status.
        case read(slot: Int, status: Int32, bytes: [UInt8])
        /// `count` bytes of the write were sent.
        case written(status: Int32, count: Int)
        case write([UInt8])
        case pause, resume
        /// The result of `clearHalt`: 0 or -errno.
        case cleared(Int32)
        /// The time of `wait` has passed.
        case timePassed
    }

    enum Effect: Sendable, Equatable {
        case read(slot: Int)
        /// Write one message; `emptyPacket` ends one whose last packet is full.
        case write([UInt8], emptyPacket: Bool)
        /// Cancel every read.
        case discardReads
        /// Of both pipes, on a worker, because it waits for the device.
        case clearHalt
        case wait(Duration)
        case received([UInt8])
        case sent([UInt8])
        /// A transfer that is neither a message nor valid metadata.
        case line(CaptureEvent)
        case end(TransportFault)
    }

    /// Enough that one read is pending while another is handled (USB-PHDC practice: an agent without a pending read gives up).
    static let slots = 4
    /// An error is also the first sign of unplugging, which the kernel reports a moment later.
    static let pauseAfterError = Duration.milliseconds(100)
    /// Halts, and errors without bytes in between, before giving up.
    static let tries = 3

    private enum Phase { case closed, running, halting, clearing, ended }

    private let packet: Int
    private var phase = Phase.closed
    private var reading: Set<Int> = []
    private var isPaused = false
    /// Packets received while paused; at most one per slot.
    private var held: [[UInt8]] = []
    private var output: [[UInt8]] = []
    /// The transfers of the present message, starting with the preamble if there is one.
    private var pieces: [[UInt8]] = []
    private var isWriting = false
    private var halts = 0
    private var errors = 0
    /// The device sends metadata before its messages, and expects it before ours.
    private var hasPreambles = false

    /// `packet`: the maximum packet size of the outgoing pipe, in bytes.
    init(packet: Int) { self.packet = packet }

    mutating func handle(_ event: Event) -> [Effect] {
        guard phase != .ended else { return [] }
        var effects: [Effect] = []
        switch event {
        case .opened:
            phase = .running
            startReads(&effects)
        case .read(let slot, let status, let bytes): readEnded(slot, status, bytes, &effects)
        case .written(let status, let count): writeEnded(status, count, &effects)
        case .write(let bytes):
            output.append(bytes)
            startWrite(&effects)
        case .pause: isPaused = true
        case .resume:
            isPaused = false
            for bytes in held { take(bytes, &effects) }
            held = []
            startReads(&effects)
        case .cleared(let status):
            guard phase == .clearing else { break }
            if status != 0 { return end(fault("clear halt", status)) }
            phase = .running
            startReads(&effects)
            startWrite(&effects)
        case .timePassed:
            startReads(&effects)
            startWrite(&effects)
        }
        return effects
    }

    // MARK: Reads

    private mutating func startReads(_ effects: inout [Effect]) {
        guard phase == .running, !isPaused else { return }
        for slot in 0..<Self.slots where !reading.contains(slot) {
            reading.insert(slot)
            effects.append(.read(slot: slot))
        }
    }

    private mutating func readEnded(_ slot: Int, _ status: Int32, _ bytes: [UInt8], _ effects: inout [Effect]) {
        reading.remove(slot)
        if !bytes.isEmpty {
            errors = 0
            if status == 0 { halts = 0 }
            if isPaused { held.append(bytes) } else { take(bytes, &effects) }
        }
        switch -status {
        case 0: startReads(&effects)
        case ENOENT, ECONNRESET: break
        case EPIPE: halted(&effects)
        case ENODEV, ESHUTDOWN: return effects += end(.unplugged)
        default: failed(status, &effects)
        }
        if phase == .halting, reading.isEmpty {
            phase = .clearing
            effects.append(.clearHalt)
        }
    }

    /// The device halted a pipe: cancel all transfers, clear the halt, and start again.
    private mutating func halted(_ effects: inout [Effect]) {
        guard phase == .running else { return }
        halts += 1
        guard halts < Self.tries else { return effects += end(.failed(call: "read", errno: EPIPE)) }
        phase = reading.isEmpty ? .clearing : .halting
        effects.append(reading.isEmpty ? .clearHalt : .discardReads)
    }

    private mutating func failed(_ status: Int32, _ effects: inout [Effect]) {
        errors += 1
        // Every slot fails in turn; one round counts as one error.
        guard errors < Self.tries * Self.slots else { return effects += end(fault("read", status)) }
        effects.append(.wait(Self.pauseAfterError))
    }

    private mutating func take(_ bytes: [UInt8], _ effects: inout [Effect]) {
        guard PHDCPreamble.isOne(bytes) else { return effects.append(.received(bytes)) }
        if PHDCPreamble.isWhole(bytes) {
            hasPreambles = true
        } else {
            effects.append(.line(CaptureEvent("damaged metadata preamble")))
        }
    }

    // MARK: Writes

    private mutating func startWrite(_ effects: inout [Effect]) {
        guard phase == .running, !isWriting, let message = output.first else { return }
        if pieces.isEmpty { pieces = hasPreambles ? [PHDCPreamble.own, message] : [message] }
        isWriting = true
        effects.append(.write(pieces[0], emptyPacket: pieces[0].count % packet == 0))
    }

    private mutating func writeEnded(_ status: Int32, _ count: Int, _ effects: inout [Effect]) {
        guard isWriting, let piece = pieces.first else { return }
        isWriting = false
        switch -status {
        case 0 where count == piece.count:
            pieces.removeFirst()
            if pieces.isEmpty { effects.append(.sent(output.removeFirst())) }
            startWrite(&effects)
        case ENODEV, ESHUTDOWN: effects += end(.unplugged)
        // The device has the start of a message and would take the rest for another one.
        case _ where count > 0: effects += end(fault("write", status == 0 ? -EIO : status))
        case EPIPE: halted(&effects)
        default: failed(status, &effects)
        }
    }

    // MARK: The end

    private mutating func end(_ fault: TransportFault) -> [Effect] {
        phase = .ended
        return [.end(fault)]
    }

    private func fault(_ call: String, _ status: Int32) -> TransportFault {
        status == -ENODEV || status == -ESHUTDOWN ? .unplugged : .failed(call: call, errno: -status)
    }
}

/// The metadata that a PHDC device may send before its messages (PHDC 1.0): a transfer with `PhdcQoSSignature`, the number of
/// transfers that follow, the encoding version 1, one bit of quality of service, and opaque bytes with their length.
enum PHDCPreamble {
    private static let signature = Array("PhdcQoSSignature".utf8)
    /// One transfer follows, version 1, medium.best, which both descriptors of a cuff offer; no opaque bytes.
    static let own = signature + [1, 1, 0x08, 0]

    /// No message of IEEE 11073-20601 starts with this signature.
    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard isOne(bytes), bytes.count >= 20 else { return false }
        let quality = bytes[18]
        return bytes[16] > 0 && bytes[17] == 1 && quality.nonzeroBitCount == 1 && quality <= 0x20 && bytes.count == 20 + Int(bytes[19])
    }
}
