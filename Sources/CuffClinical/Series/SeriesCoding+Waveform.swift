import CuffCore

extension SeriesCoding {
    /// The stored form of a waveform: the description of its samples, then the samples as differences.
    /// 1 partition term unit period hasScale [low high, mantissa and exponent of both values] count, then the differences.
    package static func encode(_ series: WaveformSeries) -> [UInt8] {
        var bytes: [UInt8] = [version]
        for word in [series.partition, series.term, series.unit] { append(UInt64(word), to: &bytes) }
        append(UInt64(series.period), to: &bytes)
        bytes.append(series.scale == nil ? 0 : 1)
        if let scale = series.scale {
            for end in [scale.samples.lowerBound, scale.samples.upperBound] { append(fold(Int64(end)), to: &bytes) }
            for value in [scale.lower, scale.upper] {
                append(fold(value.mantissa), to: &bytes)
                bytes.append(UInt8(bitPattern: value.exponent))
            }
        }
        append(UInt64(series.samples.count), to: &bytes)
        var last: Int64 = 0
        for sample in series.samples {
            append(fold(Int64(sample) - last), to: &bytes)
            last = Int64(sample)
        }
        return bytes
    }

    /// `nil` for anything that `encode` does not write.
    package static func decodeWaveform(
        _ bytes: [UInt8], start: Timestamp, source: HealthSource, device: DeviceIdentity?
    ) -> WaveformSeries? {
        var reader = Reader(bytes)
        func word() -> UInt16? { reader.number().flatMap { UInt16(exactly: $0) } }
        guard reader.byte() == version, let partition = word(), let term = word(), let unit = word(),
            let period = reader.number().flatMap({ Int64(exactly: $0) }), let hasScale = reader.byte(), hasScale <= 1
        else { return nil }
        var scale: Waveform.Scale?
        if hasScale == 1 {
            guard let low = signed(&reader), let high = signed(&reader), low <= high, let lower = digits(&reader),
                let upper = digits(&reader)
            else { return nil }
            scale = Waveform.Scale(samples: low...high, lower: lower, upper: upper)
        }
        guard let count = reader.number(), count <= UInt64(WaveformSeries.maximumCount) else { return nil }
        var samples: [Int32] = []
        samples.reserveCapacity(Int(count))
        var last: Int64 = 0
        for _ in 0..<count {
            guard let number = reader.number() else { return nil }
            last &+= unfold(number)
            guard let sample = Int32(exactly: last) else { return nil }
            samples.append(sample)
        }
        guard reader.isAtEnd else { return nil }
        return WaveformSeries(
            start: start, source: source, device: device, partition: partition, term: term, unit: unit, period: period, scale: scale,
            samples: samples)
    }

    private static func signed(_ reader: inout Reader) -> Int32? { reader.number().flatMap { Int32(exactly: unfold($0)) } }

    private static func digits(_ reader: inout Reader) -> Digits? {
        guard let mantissa = reader.number(), let exponent = reader.byte() else { return nil }
        return Digits(mantissa: unfold(mantissa), exponent: Int8(bitPattern: exponent))
    }
}
