/// What `ReadingLedger` keeps of a reading whose bytes do not hold its pulse: the pulse, and how final the reading was.
struct PulseNote: Sendable, Hashable {
    // bit 63: there is a pulse; 49…56 the revision, 48: it was final; 32…39 the pulse's exponent, 0…31 its mantissa
    private(set) var bits: UInt64 = 0

    private static let pulse: UInt64 = 1 << 63 | 0xFF_FFFF_FFFF

    init(bits: UInt64) { self.bits = bits }

    init(_ reading: borrowing Reading) {
        bits = UInt64(reading.revision) << 49 | (reading.isPending ? 0 : 1 << 48)
        guard case .bloodPressure(let pressure) = reading.content, let digits = pressure.pulse?.digits else { return }
        // 60 and 60.0 are one pulse.
        var (mantissa, exponent) = (digits.mantissa, digits.exponent)
        while mantissa != 0, exponent < 0, mantissa % 10 == 0 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
        bits |= 1 << 63 | UInt64(UInt8(bitPattern: exponent)) << 32 | UInt64(UInt32(truncatingIfNeeded: mantissa))
    }

    var hasPulse: Bool { bits >> 63 == 1 }
    var revision: UInt8 { UInt8(truncatingIfNeeded: bits >> 49) }
    /// Of two with the same pulse, the one that stands.
    var order: UInt64 { bits >> 48 & 0x1FF }
    /// Both have a pulse, and not the same: two measurements.
    func contradicts(_ other: PulseNote) -> Bool { hasPulse && other.hasPulse && (bits ^ other.bits) & Self.pulse != 0 }
}
