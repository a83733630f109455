import CuffCore

/// The compact form in which series are stored: a byte for the version, then numbers of 7 bits a byte, each element as
/// its difference from the previous one. A pressure sample usually takes three to four bytes.
///
/// Quantities  1 count exponent hasDurations, then start value [duration]     value = mantissa at that exponent
/// Waveforms   `SeriesCoding+Waveform.swift`
/// Heartbeats  1 count, then twice the time, plus 1 where a gap precedes
/// Signed numbers are folded (0, -1, 1, -2 … are 0, 1, 2, 3 …). Differences are from the previous element.
package enum SeriesCoding {
    static let version: UInt8 = 1

    /// `nil` if the values do not fit one exponent without losing digits.
    package static func encode(_ elements: [QuantitySeries.Element]) -> [UInt8]? {
        let exponent = elements.map(\.value.exponent).min() ?? 0
        let hasDurations = elements.contains { $0.end != $0.start }
        var bytes: [UInt8] = [version]
        append(UInt64(elements.count), to: &bytes)
        bytes.append(UInt8(bitPattern: exponent))
        bytes.append(hasDurations ? 1 : 0)
        var last: (time: Int64, value: Int64) = (0, 0)
        for element in elements {
            var mantissa = element.value.mantissa
            for _ in 0..<(Int(element.value.exponent) - Int(exponent)) {
                let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
                guard !overflow else { return nil }
                mantissa = product
            }
            append(fold(element.start &- last.time), to: &bytes)
            append(fold(mantissa &- last.value), to: &bytes)
            if hasDurations { append(fold(element.end &- element.start), to: &bytes) }
            last = (element.start, mantissa)
        }
        return bytes
    }

    /// `nil` for anything that `encode` does not write.
    package static func decodeElements(_ bytes: [UInt8]) -> [QuantitySeries.Element]? {
        var reader = Reader(bytes)
        guard reader.byte() == version, let count = reader.number(), count <= UInt64(QuantitySeriesBuilder.maximumCount),
            let exponent = reader.byte().map({ Int8(bitPattern: $0) }), let durations = reader.byte(), durations <= 1
        else { return nil }
        var elements: [QuantitySeries.Element] = []
        elements.reserveCapacity(min(Int(count), bytes.count))
        var last: (time: Int64, value: Int64) = (0, 0)
        for _ in 0..<count {
            guard let time = reader.number(), let value = reader.number() else { return nil }
            var duration: UInt64? = 0
            if durations == 1 { duration = reader.number() }
            guard let duration else { return nil }
            last = (last.time &+ unfold(time), last.value &+ unfold(value))
            elements.append(
                .init(
                    start: last.time, end: last.time &+ unfold(duration),
                    value: Digits(mantissa: last.value, exponent: exponent)))
        }
        return reader.isAtEnd ? elements : nil
    }

    /// The stored form of the beats, which must ascend in time.
    package static func encode(_ beats: [HeartbeatSeries.Beat]) -> [UInt8] {
        var bytes: [UInt8] = [version]
        append(UInt64(beats.count), to: &bytes)
        var last: Int64 = 0
        for beat in beats {
            append(UInt64(bitPattern: beat.time &- last) << 1 | (beat.precededByGap ? 1 : 0), to: &bytes)
            last = beat.time
        }
        return bytes
    }

    package static func decodeBeats(_ bytes: [UInt8]) -> [HeartbeatSeries.Beat]? {
        var reader = Reader(bytes)
        guard reader.byte() == version, let count = reader.number(), count <= UInt64(HeartbeatSeriesBuilder.maximumCount)
        else { return nil }
        var beats: [HeartbeatSeries.Beat] = []
        beats.reserveCapacity(min(Int(count), bytes.count))
        var last: Int64 = 0
        for _ in 0..<count {
            guard let number = reader.number() else { return nil }
            last &+= Int64(bitPattern: number >> 1)
            beats.append(.init(time: last, precededByGap: number & 1 == 1))
        }
        return reader.isAtEnd ? beats : nil
    }

    static func fold(_ value: Int64) -> UInt64 { UInt64(bitPattern: value << 1 ^ value >> 63) }
    static func unfold(_ value: UInt64) -> Int64 { Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1) }

    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    struct Reader {
        private let bytes: [UInt8]
        private var index = 0
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        var isAtEnd: Bool { index == bytes.count }

        mutating func byte() -> UInt8? {
            guard index < bytes.count else { return nil }
            index += 1
            return bytes[index - 1]
        }

        mutating func number() -> UInt64? {
            var value: UInt64 = 0
            for shift in stride(from: UInt64(0), to: 64, by: 7) {
                guard let byte = byte() else { return nil }
                value |= UInt64(byte & 0x7F) << shift
                if byte < 0x80 { return value }
            }
            return nil
        }
    }
}
