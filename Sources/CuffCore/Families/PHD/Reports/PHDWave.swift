/// The coding of real-time sample arrays (RT-SA objects). Layouts: documented [1] of PHD.swift.
/// Sa-Specification 096D           u16 samples in an array, u8 bits of a sample (8, 16, 32), u8 significant bits (255: signed),
///                                 u16 flags (1000: other bits than the significant ones may be set)
/// Scale-and-Range 0971, 096F, 0970  FLOAT and FLOAT, the values of two samples; then these samples, in 1, 2 or 4 bytes each
/// Sample-Period 098D              u32 ticks of 125 µs between samples
/// Simple-Sa-Observed-Value 0A48   octet string of the samples; with its u16 length, or in a map without, of the array's size
struct PHDWave: Sendable {
    var handle: UInt16
    var count = 0
    var width = 0
    var significantBits = 0
    var isSigned = false
    var period: UInt32 = 0
    private var ends: (lower: Digits, upper: Digits, low: UInt32, high: UInt32)?

    /// Limit of samples in one array: a second of the fastest signal that Sample-Period can express.
    static let ceiling = 8000

    init(handle: UInt16) { self.handle = handle }

    var isReadable: Bool { count > 0 && count <= Self.ceiling && (width == 1 || width == 2 || width == 4) }

    mutating func take(_ id: UInt16, _ bytes: Span<UInt8>, _ at: Int, _ length: Int) {
        switch (id, length) {
        case (PHDAttribute.sampleSpecification, 6):
            count = Int(bytes.bigEndian16(at) ?? 0)
            let bits = Int(bytes.byte(at + 2) ?? 0)
            width = bits % 8 == 0 ? bits / 8 : 0
            significantBits = Int(bytes.byte(at + 3) ?? 0)
            isSigned = significantBits == 255
        case (PHDAttribute.samplePeriod, 4): period = bytes.bigEndian32(at) ?? 0
        case (PHDAttribute.scale8, 10): takeScale(bytes, at, width: 1)
        case (PHDAttribute.scale16, 12): takeScale(bytes, at, width: 2)
        case (PHDAttribute.scale32, 16): takeScale(bytes, at, width: 4)
        default: break
        }
    }

    private mutating func takeScale(_ bytes: Span<UInt8>, _ at: Int, width: Int) {
        guard let lower = PHDNumber(bytes, at, width: 4).digits, let upper = PHDNumber(bytes, at + 4, width: 4).digits,
            let low = Self.word(bytes, at + 8, width), let high = Self.word(bytes, at + 8 + width, width)
        else { return }
        ends = (lower, upper, low, high)
    }

    private static func word(_ bytes: Span<UInt8>, _ at: Int, _ width: Int) -> UInt32? {
        switch width {
        case 1: bytes.byte(at).map { UInt32($0) }
        case 2: bytes.bigEndian16(at).map { UInt32($0) }
        default: bytes.bigEndian32(at)
        }
    }

    /// A sample as a number: its significant bits, or all of them with their sign. `nil` beyond 31 bits of an unsigned one.
    private func number(_ word: UInt32) -> Int32? {
        if isSigned {
            return width == 1
                ? Int32(Int8(truncatingIfNeeded: word)) : width == 2 ? Int32(Int16(truncatingIfNeeded: word)) : Int32(bitPattern: word)
        }
        let mask: UInt32 = significantBits > 0 && significantBits < 32 ? (1 << UInt32(significantBits)) &- 1 : .max
        return Int32(exactly: word & mask)
    }

    /// The linear mapping by the two points; `nil` if they are missing or equal.
    private var scale: Waveform.Scale? {
        guard let ends, let low = number(ends.low), let high = number(ends.high), low < high else { return nil }
        return Waveform.Scale(samples: low...high, lower: ends.lower, upper: ends.upper)
    }

    /// The samples of an observed value, in parts of at most `Waveform.ceiling`; `nil` if its length does not fit the array.
    func waveforms(
        _ object: PHDConfiguration.Object, _ bytes: Span<UInt8>, _ value: Range<Int>, clock: DeviceClock
    ) -> [Waveform]? {
        guard isReadable else { return nil }
        let size = count * width
        var at = value.lowerBound
        if value.count == size + 2, Int(bytes.bigEndian16(at) ?? 0) == size { at += 2 } else if value.count != size { return nil }
        var samples: [Int32] = []
        samples.reserveCapacity(count)
        for index in 0..<count {
            guard let word = Self.word(bytes, at + index * width, width), let sample = number(word) else { return nil }
            samples.append(sample)
        }
        return stride(from: 0, to: count, by: Waveform.ceiling).map { first in
            Waveform(
                partition: object.partition, term: object.term, unit: object.unit, period: .microseconds(Int64(period) * 125), scale: scale,
                first: first, clock: clock, samples: samples[first..<min(count, first + Waveform.ceiling)])
        }
    }
}
