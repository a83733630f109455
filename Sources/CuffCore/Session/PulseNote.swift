/// The pulse and finality that `ReadingLedger` keeps for a reading whose bytes do not contain its pulse.
struct PulseNote: Sendable, Hashable {
    // bit 63: there is a pulse; 62: it is no part of the id; 49…56 the revision, 48: it was final; 32…39 the pulse's exponent,
    // 0…31 its mantissa
    private(set) var bits: UInt64 = 0

    private static let pulse: UInt64 = 1 << 63 | 0xFF_FFFF_FFFF
    private static let withoutPulseInID: UInt64 = 1 << 62

    init(bits: UInt64) { self.bits = bits }

    @inline(__always)
    init(_ reading: borrowing Reading) {
        bits = UInt64(reading.revision) << 49 | (reading.isPending ? 0 : 1 << 48)
        guard case .bloodPressure(let pressure) = reading.content, let digits = pressure.pulse?.digits else { return }
        // 60 and 60.0 are equal.
        var (mantissa, exponent) = (digits.mantissa, digits.exponent)
        while mantissa != 0, exponent < 0, mantissa % 10 == 0 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
        bits |= 1 << 63 | UInt64(UInt8(bitPattern: exponent)) << 32 | UInt64(UInt32(truncatingIfNeeded: mantissa))
    }

    var hasPulse: Bool { bits >> 63 == 1 }
    var revision: UInt8 {
        get { UInt8(truncatingIfNeeded: bits >> 49) }
        set { bits = bits & ~(0xFF << 49) | UInt64(newValue) << 49 }
    }
    /// The reading was first stored without its pulse, and keeps that id.
    var isWithoutPulseInID: Bool {
        get { bits & Self.withoutPulseInID != 0 }
        set { bits = newValue ? bits | Self.withoutPulseInID : bits & ~Self.withoutPulseInID }
    }
    /// Combines the hash of the pressures with the pulse. The factor is odd, so that different pulses give different hashes.
    func hash(_ pressures: UInt64) -> UInt64 { hasPulse ? pressures ^ (bits & Self.pulse) &* 0xE703_7ED1_A0B4_28DB : pressures }
    /// Of two notes with the same pulse, the higher one wins.
    var order: UInt64 { bits >> 48 & 0x1FF }
    /// Two different pulses: two measurements.
    func contradicts(_ other: PulseNote) -> Bool { hasPulse && other.hasPulse && (bits ^ other.bits) & Self.pulse != 0 }
}
