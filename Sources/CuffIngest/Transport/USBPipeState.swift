import CuffCore
import Glibc

/// Two bulk pipes of a PHDC device, without the device: which transfers to keep under way, what to make of their ends, and when
/// the line is over.
///
/// Reads have the length of one packet each, so that every packet ends one. A longer read would wait for the next message
/// behind one whose length is a multiple of the packet, because many devices send no empty packet there.
struct USBPipeState: Sendable {
    enum Event: Sendable {
        case opened
        /// A read has ended with 0 or -errno. Its bytes count whatever the status says.
        case read(slot: Int, status: Int32, bytes: [UInt8])
        /// The write under way has ended; `count` bytes went out.
        case written(status: Int32, count: Int)
        case write([UInt8])
        case pause, resume
        /// What `clearHalt` led to: 0 or -errno.
        case cleared(Int32)
        /// The time of `wait` is over.
        case timePassed
    }

    enum Effect: Sendable, Equatable {
        /// Read one packet into this slot.
        case read(slot: Int)
        /// Write one message; with `emptyPacket` the last packet is a whole one and does not end it.
        case write([UInt8], emptyPacket: Bool)
        /// Take back every read that is under way; each ends as a cancelled one.
        case discardReads
        /// Both pipes, on a worker: it waits for the device.
        case clearHalt
        case wait(Duration)
        case received([UInt8])
        case sent([UInt8])
        /// A transfer that is no message and no whole metadata.
        case line(CaptureEvent)
        case end(TransportFault)
    }

    /// Enough that one is always waiting while another is handled (USB-PHDC practice: the agent that finds no read gives up).
    static let slots = 4
    /// An error is also the first sign of unplugging, of which the kernel tells a moment later.
    static let pauseAfterError = Duration.milliseconds(100)
    /// Halts, and errors without a byte between them, before the line is given up.
    static let tries = 3

    private enum Phase { case closed, running, halting, clearing, ended }

    private let packet: Int
    private var phase = Phase.closed
    private var reading: Set<Int> = []
    private var isPaused = false
    /// Packets that came while paused; at most one for each slot.
    private var held: [[UInt8]] = []
    private var output: [[UInt8]] = []
    /// The transfers of the message under way; the preamble comes first where there is one.
    private var pieces: [[UInt8]] = []
    private var isWriting = false
    private var halts = 0
    private var errors = 0
    /// The device puts metadata before its messages, and expects it before ours.
    private var hasPreambles = false

    /// `packet`: the largest packet of the pipe to the device, in bytes.
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

    /// The device halted a pipe: what is under way is taken back, then the halt is cleared, and everything starts again.
    private mutating func halted(_ effects: inout [Effect]) {
        guard phase == .running else { return }
        halts += 1
        guard halts < Self.tries else { return effects += end(.failed(call: "read", errno: EPIPE)) }
        phase = .halting
        if !reading.isEmpty { effects.append(.discardReads) }
    }

    private mutating func failed(_ status: Int32, _ effects: inout [Effect]) {
        errors += 1
        // Every slot fails in its turn; one round of them is one error.
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
        // The device has the beginning of a message: the rest alone would be read as another one.
        case _ where count > 0: effects += end(fault("write", status == 0 ? -EIO : status))
        case EPIPE:
            halted(&effects)
            if phase == .halting, reading.isEmpty {
                phase = .clearing
                effects.append(.clearHalt)
            }
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

/// The metadata that a PHDC device may put before its messages (PHDC 1.0): a transfer of its own with `PhdcQoSSignature`, the
/// number of transfers that follow, the encoding version 1, one bit of quality of service, and opaque bytes behind their length.
enum PHDCPreamble {
    private static let signature = Array("PhdcQoSSignature".utf8)
    /// One transfer follows, version 1, medium.best: what both descriptors of a cuff offer; no opaque bytes.
    static let own = signature + [1, 1, 0x08, 0]

    /// It begins as one does. No message of IEEE 11073-20601 begins with these letters.
    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: signature) }

    /// Its fields are those that the class allows.
    static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard isOne(bytes), bytes.count >= 20 else { return false }
        let quality = bytes[18]
        return bytes[16] > 0 && bytes[17] == 1 && quality.nonzeroBitCount == 1 && quality <= 0x20 && bytes.count == 20 + Int(bytes[19])
    }
}
