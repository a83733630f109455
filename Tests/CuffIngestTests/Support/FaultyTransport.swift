import CuffCore

@testable import CuffIngest

/// Damages data reproducibly, by a seed, to test the effects of bad lines. Faults of bytes affect input only. Faults of whole
/// pieces (one read or one write) affect both directions, if enabled; the session is told that its writes succeeded.
final class FaultyTransport: Transport {
    /// Probabilities, each in 0…1.
    struct Faults: Sendable {
        var split = 0.0
        var drop = 0.0
        var flip = 0.0
        var double = 0.0
        /// A whole piece is lost.
        var lose = 0.0
        var repeated = 0.0
        var truncate = 0.0
        /// A piece and everything after it is delayed by up to `delay`.
        var hold = 0.0
        var delay = Duration.seconds(4)
        /// Faults of single bytes only.
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
    /// The bytes that the session expects in `sent`, per write; `nil` for a duplicated write.
    private var meant: [[UInt8]?] = []
    /// Events queued behind a delayed one.
    private var held: [TransportEvent] = []
    private var isHolding = false
    private var isPaused = false

    init(_ inner: any Transport, _ faults: Faults, seed: UInt64) {
        self.inner = inner
        self.faults = faults
        random = SplitMix64(seed: seed)
    }

    var address: String { inner.address }
    var checksBytes: Bool { inner.checksBytes }

    func open() throws(IngestError) { try inner.open() }

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
            // Not delayed: input held back is lost with the line.
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

    private func pieces(_ bytes: [UInt8]) -> [[UInt8]] {
        if bytes.isEmpty || chance(faults.lose) { return [] }
        if chance(faults.truncate) { return [Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &random)))] }
        return chance(faults.repeated) ? [bytes, bytes] : [bytes]
    }

    func write(_ bytes: [UInt8]) {
        let sent = pieces(bytes).filter { !$0.isEmpty }
        guard !sent.isEmpty else {
            // Nothing reaches the device, but the session is told so.
            loop?.atTurnEnd { [self] in deliver?(.sent(bytes)) }
            return
        }
        for (index, piece) in sent.enumerated() {
            meant.append(index == sent.count - 1 ? bytes : nil)
            inner.write(piece)
        }
    }

    func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    func pause() {
        isPaused = true
        inner.pause()
    }
    func resume() {
        isPaused = false
        flush()
        inner.resume()
    }
    func close() { inner.close() }
}
