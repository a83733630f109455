import CuffCore
import Dispatch

/// Damages what comes from the device, the same way for the same seed: for tests of what bad lines do.
public final class FaultyTransport: Transport, @unchecked Sendable {
    /// Probabilities, each in 0…1.
    public struct Faults: Sendable {
        /// A delivery is cut in two.
        public var split = 0.0
        /// A byte is lost.
        public var drop = 0.0
        /// A bit of a byte is wrong.
        public var flip = 0.0
        /// A byte comes twice.
        public var double = 0.0
        public init(split: Double = 0, drop: Double = 0, flip: Double = 0, double: Double = 0) {
            self.split = split
            self.drop = drop
            self.flip = flip
            self.double = double
        }
    }

    private let inner: any Transport
    private let faults: Faults
    private var random: SplitMix64

    public init(_ inner: any Transport, _ faults: Faults, seed: UInt64) {
        self.inner = inner
        self.faults = faults
        random = SplitMix64(seed: seed)
    }

    public var address: String { inner.address }

    public func start(
        on queue: DispatchQueue, deliver: @escaping @Sendable (TransportEvent) -> Void
    ) throws(IngestError) {
        try inner.start(on: queue) { [self] event in
            guard case .received(let bytes) = event else { return deliver(event) }
            let damaged = damage(bytes)
            guard !damaged.isEmpty else { return }
            if damaged.count > 1, chance(faults.split) {
                let cut = Int.random(in: 1..<damaged.count, using: &random)
                deliver(.received(Array(damaged[..<cut])))
                deliver(.received(Array(damaged[cut...])))
            } else {
                deliver(.received(damaged))
            }
        }
    }

    private func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &random) < probability
    }

    private func damage(_ bytes: [UInt8]) -> [UInt8] {
        var damaged: [UInt8] = []
        for byte in bytes {
            if chance(faults.drop) { continue }
            let wrong = chance(faults.flip) ? byte ^ 1 << UInt8.random(in: 0..<8, using: &random) : byte
            damaged.append(wrong)
            if chance(faults.double) { damaged.append(wrong) }
        }
        return damaged
    }

    public func write(_ bytes: [UInt8]) { inner.write(bytes) }
    public func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
    public func pause() { inner.pause() }
    public func resume() { inner.resume() }
    public func close() { inner.close() }
}
