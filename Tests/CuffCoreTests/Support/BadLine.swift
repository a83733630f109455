import CuffCore

/// The faults of a line, drawn from a seed: writes lost, doubled, cut, beheaded, delayed or preceded by noise, and single bytes lost,
/// doubled or changed.
final class BadLine: @unchecked Sendable {
    enum Fault: CaseIterable, Sendable { case lost, doubled, truncated, beheaded, split, late, noise }

    private var random: SplitMix64
    let faults: [Fault]
    /// One write in this many is damaged; 0: none.
    var every: UInt64
    /// The share of damaged bytes, a third of it in each way.
    var byteRate: Double
    /// Bytes are only lost.
    var losesOnly = false
    private var delay = Duration.zero

    init(seed: UInt64, every: UInt64 = 0, faults: [Fault] = Fault.allCases, byteRate: Double = 0) {
        random = SplitMix64(seed: seed &* 0x9E37_79B9 &+ 1)
        self.every = every
        self.faults = faults
        self.byteRate = byteRate
    }

    func mend() {
        every = 0
        byteRate = 0
    }

    private func below(_ count: Int) -> Int { count < 1 ? 0 : Int(random.next() % UInt64(count)) }

    /// A write as it arrives; `latency` then returns the delay.
    func pass(_ bytes: [UInt8]) -> [[UInt8]] {
        delay = .zero
        let worn = byteRate > 0 ? wear(bytes) : bytes
        guard every > 0, random.next() % every == 0, !faults.isEmpty else { return worn.isEmpty ? [] : [worn] }
        switch faults[below(faults.count)] {
        case .lost: return []
        case .doubled: return [worn, worn]
        case .truncated: return [Array(worn.prefix(below(worn.count)))]
        case .beheaded: return [Array(worn.dropFirst(below(worn.count)))]
        case .split:
            let place = below(worn.count)
            return [Array(worn.prefix(place)), Array(worn.dropFirst(place))].filter { !$0.isEmpty }
        case .late:
            delay = .milliseconds(Int64(below(8000)))
            return [worn]
        case .noise: return [[UInt8(truncatingIfNeeded: random.next())], worn]
        }
    }

    func latency() -> Duration { delay }

    private func wear(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in bytes {
            guard Double(random.next() % 1_000_000) < byteRate * 1_000_000 else {
                result.append(byte)
                continue
            }
            switch losesOnly ? 0 : below(3) {
            case 0: break
            case 1: result += [byte, byte]
            default: result.append(byte ^ 1 << UInt8(below(8)))
            }
        }
        return result
    }
}

extension PHDConversation {
    /// Uses the line for both directions.
    mutating func use(_ line: BadLine) {
        fault = { _, _, bytes in line.pass(bytes) }
        latency = { _, _ in line.latency() }
    }
}
