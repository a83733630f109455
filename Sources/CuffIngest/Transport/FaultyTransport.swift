import CuffCore

/// Damages what passes, the same way for the same seed: for tests of what bad lines do.
///
/// Single bytes suffer on their way from the device. Whole pieces - what one read brought, what one write sent - suffer
/// both ways, where these faults are asked for; the session is told that it sent what it meant to send.
final class FaultyTransport: Transport {
    /// Probabilities, each in 0…1.
    struct Faults: Sendable {
        /// A delivery is cut in two.
        var split = 0.0
        /// A byte is lost.
        var drop = 0.0
        /// A bit of a byte is wrong.
        var flip = 0.0
        /// A byte comes twice.
        var double = 0.0
        /// A whole piece is lost, comes twice, or loses its end.
        var lose = 0.0
        /// A whole piece comes twice.
        var repeated = 0.0
        /// A whole piece loses its end.
        var truncate = 0.0
        /// A piece is held up for a time up to `delay`, and everything behind it.
        var hold = 0.0
        /// The longest that a piece is held up.
        var delay = Duration.seconds(4)
        /// The faults of single bytes; those of whole pieces are 0.
        init(split: Double = 0, drop: Double = 0, flip: Double = 0, double: Double = 0) {
            self.split = split
            self.drop = drop
            self.flip = flip
            self.double = double
        }
    }

    private let inner: any Transport
    private let faults: Faults
    private var random: SplitMix64
    private var loop: EventLoop?
    private var holdTimer: LoopTimer?
    private var deliver: ((TransportEvent) -> Void)?
    /// What the session will hear of each write that is under way; `nil` for one too many.
    private var meant: [[UInt8]?] = []
    /// Events behind one that is held up.
    private var held: [TransportEvent] = []
    private var isHolding = false
    private var isPaused = false

    /// Damages what passes through `inner`, the same way for the same seed.
    init(_ inner: any Transport, _ faults: Faults, seed: UInt64) {
        self.inner = inner
        self.faults = faults
        random = SplitMix64(seed: seed)
    }

    /// The address of the inner transport.
    var address: String { inner.address }
    /// As the inner transport does.
    var checksBytes: Bool { inner.checksBytes }

    /// Opens the inner transport.
    func open() throws(IngestError) { try inner.open() }

    /// Delivers events on the loop, `opened` first and `closed` last.
    func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
        self.loop = loop
        self.deliver = deliver
        holdTimer = LoopTimer(loop) { [weak self] in
            self?.isHolding = false
            self?.flush()
        }
        try inner.start(on: loop) { [self] event in
            switch event {
            case .opened: deliver(event)
            case .received(let bytes): receive(bytes)
            case .sent(let bytes):
                let known = meant.isEmpty ? bytes : meant.removeFirst()
                if let known { deliver(.sent(known)) }
            case .line: pass(event)
            // The end is told at once: nobody waits for what a dead line holds.
            case .closed:
                held.removeAll()
                holdTimer?.set(nil)
                deliver(event)
            }
        }
    }

    private func receive(_ bytes: [UInt8]) {
        for piece in pieces(damage(bytes)) where !piece.isEmpty {
            if piece.count > 1, chance(faults.split) {
                let cut = Int.random(in: 1..<piece.count, using: &random)
                pass(.received(Array(piece[..<cut])))
                pass(.received(Array(piece[cut...])))
            } else {
                pass(.received(piece))
            }
        }
    }

    private func pass(_ event: TransportEvent) {
        if isHolding || isPaused {
            held.append(event)
        } else if chance(faults.hold) {
            held.append(event)
            isHolding = true
            holdTimer?.set(after: .nanoseconds(Int64(Double.random(in: 0..<1, using: &random) * Double(faults.delay.nanoseconds))))
        } else {
            deliver?(event)
        }
    }

    private func flush() {
        while !held.isEmpty, !isHolding, !isPaused { deliver?(held.removeFirst()) }
    }

    private func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    private func damage(_ bytes: [UInt8]) -> [UInt8] {
        guard faults.drop > 0 || faults.flip > 0 || faults.double > 0 else { return bytes }
        var damaged: [UInt8] = []
        for byte in bytes {
            if chance(faults.drop) { continue }
            let wrong = chance(faults.flip) ? byte ^ 1 << UInt8.random(in: 0..<8, using: &random) : byte
            damaged.append(wrong)
            if chance(faults.double) { damaged.append(wrong) }
        }
        return damaged
    }

    /// What becomes of a whole piece.
    private func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        if bytes.isEmpty || chance(faults.lose) { return [] }
        if chance(faults.truncate) { return [Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))] }
        return chance(faults.repeated) ? [bytes, bytes] : [bytes]
    }

    /// Writes the bytes, damaged as `faults` says.
    func write(_ bytes: [UInt8]) {
        let sent = pieces(bytes).filter { !$0.isEmpty }
        guard !sent.isEmpty else {
            // Nothing reaches the device, and the session cannot know.
            loop?.atTurnEnd { [self] in deliver?(.sent(bytes)) }
            return
        }
        for (index, piece) in sent.enumerated() {
            meant.append(index == sent.count - 1 ? bytes : nil)
            inner.write(piece)
        }
    }

    /// Writes one feature report through the inner transport.
    func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    /// Reads nothing more until `resume`.
    func pause() {
        isPaused = true
        inner.pause()
    }
    /// Reads again.
    func resume() {
        isPaused = false
        flush()
        inner.resume()
    }
    /// Closes the device; `closed` follows. A second call does nothing.
    func close() { inner.close() }
}
