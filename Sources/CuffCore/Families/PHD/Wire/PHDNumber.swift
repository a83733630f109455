/// A FLOAT or SFLOAT as sent: digits, or one of the five special values, which are never numbers. SFLOAT u16: signed exponent (4 bits),
/// signed mantissa (12 bits). FLOAT u32: exponent (8), mantissa (24). Special values have exponent 0: SFLOAT 07FF NaN, 0800 NRes, 07FE
/// +INF, 0802 -INF, 0801 reserved.
enum PHDNumber: Sendable, Hashable {
    case digits(Digits)
    case absent(Absence)

    @inline(__always)
    init(sfloat word: UInt16) {
        switch word {
        case 0x07FF: self = .absent(.notANumber)
        case 0x0800: self = .absent(.notAtThisResolution)
        case 0x07FE: self = .absent(.positiveInfinity)
        case 0x0802: self = .absent(.negativeInfinity)
        case 0x0801: self = .absent(.reserved)
        default:
            let mantissa = Int16(bitPattern: word << 4) >> 4
            let exponent = Int16(bitPattern: word) >> 12
            self = .digits(Digits(mantissa: Int64(mantissa), exponent: Int8(truncatingIfNeeded: exponent)))
        }
    }

    init(float word: UInt32) {
        let absence = Absence(float: word)
        let mantissa = Int64(Int32(bitPattern: word << 8) >> 8)
        self = absence == .none ? .digits(Digits(mantissa: mantissa, exponent: Int8(bitPattern: UInt8(word >> 24)))) : .absent(absence)
    }

    /// The value at `offset`, in two or four bytes; not a number beyond the end.
    @inline(__always)
    init(_ bytes: Span<UInt8>, _ offset: Int, width: Int) {
        if width == 2 {
            self = bytes.bigEndian16(offset).map { PHDNumber(sfloat: $0) } ?? .absent(.notANumber)
        } else {
            self = bytes.bigEndian32(offset).map { PHDNumber(float: $0) } ?? .absent(.notANumber)
        }
    }

    @inline(__always)
    var digits: Digits? { if case .digits(let digits) = self { digits } else { nil } }
    @inline(__always)
    var absence: Absence { if case .absent(let absence) = self { absence } else { .none } }

    /// The SFLOAT of these digits; `nil` if they do not fit into twelve bits and four.
    static func sfloat(_ digits: Digits) -> UInt16? {
        guard digits.mantissa.magnitude <= 2045, digits.exponent >= -8, digits.exponent <= 7 else { return nil }
        return UInt16(bitPattern: Int16(digits.exponent) << 12) | UInt16(truncatingIfNeeded: digits.mantissa) & 0x0FFF
    }
}
