import CuffCore

/// One array of samples of a signal (a pleth, an ECG), put together from the pieces in which it was told. No reading owns it.
public struct WaveformSeries: Sendable, Hashable {
    /// When its first sample was taken: the array's arrival, less its length.
    public let start: Timestamp
    /// The program that made the series.
    public let source: HealthSource
    /// The agent; `nil` where it is unknown.
    public let device: DeviceIdentity?
    /// Nomenclature partition of the metric, and the term within it.
    public let partition: UInt16
    /// The term within `partition`.
    public let term: UInt16
    /// Unit term of the nomenclature's dimension partition; 0 when there is none.
    public let unit: UInt16
    /// From one sample to the next, in microseconds; 0 where the device does not say.
    public let period: Int64
    /// How samples map to values; `nil`: they are the values.
    public let scale: Waveform.Scale?
    /// The device's own integers; never empty, at most `maximumCount`.
    public let samples: [Int32]

    /// As many samples as a device may put into one array.
    public static let maximumCount = 8000

    /// Sets each property as given; `nil` without samples, or with too many.
    public init?(
        start: Timestamp, source: HealthSource, device: DeviceIdentity?, partition: UInt16, term: UInt16, unit: UInt16, period: Int64,
        scale: Waveform.Scale?, samples: [Int32]
    ) {
        guard !samples.isEmpty, samples.count <= Self.maximumCount, period >= 0 else { return nil }
        self.start = start
        self.source = source
        self.device = device
        self.partition = partition
        self.term = term
        self.unit = unit
        self.period = period
        self.scale = scale
        self.samples = samples
    }

    /// The end of the last sample.
    public var end: Timestamp { Timestamp(milliseconds: start.milliseconds + Self.milliseconds(samples.count, period)) }

    /// The nomenclature's name of the metric, else its context-free code as text.
    public var code: String {
        Nomenclature.name(partition: partition, term: term)?.description ?? "MDC \(UInt32(partition) << 16 | UInt32(term))"
    }

    /// The unit's name; `nil` for none, or one without a name here.
    public var unitName: String? { Nomenclature.unit(unit)?.description }

    static func milliseconds(_ count: Int, _ period: Int64) -> Int64 {
        let (product, overflow) = period.multipliedReportingOverflow(by: Int64(count))
        return overflow ? 0 : product / 1000
    }
}

/// Puts the pieces of one array together. Pieces may be missing where a sink was slow: then the array is thrown away.
struct WaveformAssembly: Sendable {
    private var first: Waveform?
    private var samples: [Int32] = []
    private var arrival = Timestamp(milliseconds: 0)
    private var device: DeviceIdentity?
    /// By metric: where the array before began. Several may arrive at once, and each has a place of its own.
    private var starts: [UInt32: Int64] = [:]
    /// Far more signals than an agent has.
    private static let mostSignals = 64

    var count: Int { samples.count }
    var isEmpty: Bool { first == nil }

    /// The next piece. The array before it is whole when this one begins another.
    mutating func take(
        _ piece: Waveform, now: Timestamp, device: DeviceIdentity?, source: HealthSource, into finished: inout [HealthSeries]
    ) {
        if piece.first == 0 { finish(source, into: &finished) }
        let continues = first.map { $0.mdc == piece.mdc && $0.unit == piece.unit && $0.scale == piece.scale && $0.period == piece.period }
        guard piece.first == 0 || continues == true && piece.first == samples.count,
            samples.count + piece.samples.count <= WaveformSeries.maximumCount
        else {
            return drop()
        }
        if first == nil { (first, arrival, self.device) = (piece, now, device) }
        samples += piece.samples
    }

    /// No more pieces come.
    mutating func finish(_ source: HealthSource, into finished: inout [HealthSeries]) {
        defer { drop() }
        guard let first else { return }
        let parts = first.period.components
        let period = parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
        let begun = arrival.milliseconds - WaveformSeries.milliseconds(samples.count, period)
        let start = Timestamp(milliseconds: max(begun, starts[first.mdc].map { $0 + 1 } ?? begun))
        if starts.count >= Self.mostSignals { starts.removeAll() }
        starts[first.mdc] = start.milliseconds
        let series = WaveformSeries(
            start: start, source: source, device: device, partition: first.partition, term: first.term, unit: first.unit, period: period,
            scale: first.scale, samples: samples)
        if let series { finished.append(.waveform(series)) }
    }

    private mutating func drop() {
        first = nil
        samples = []
        device = nil
    }
}

extension WaveformSeries {
    /// `{"type":"waveform_series",…,"period_us":5000,"sample_range":[0,800],"value_range":[-2,2],"samples":[0,400]}`: the samples as
    /// sent, and two points of the line that maps them to values.
    public func appendLine(to text: inout TextBuffer, zone: ZoneTable, user: Int? = nil) {
        text.append("{\"type\":\"waveform_series\",\"schema\":1,\"code\":")
        text.append(jsonString: code)
        text.append(",\"mdc\":")
        text.append(decimal: Int64(UInt32(partition) << 16 | UInt32(term)))
        if let unitName {
            text.append(",\"unit\":")
            text.append(jsonString: unitName)
        } else if unit != 0 {
            text.append(",\"unit_mdc\":")
            text.append(decimal: Int64(Nomenclature.dimensions << 16 | UInt32(unit)))
        }
        text.appendSeriesHead(start: start, end: end, reading: nil, user: user, count: samples.count, zone: zone)
        if period > 0 {
            text.append(",\"period_us\":")
            text.append(decimal: period)
        }
        if let scale {
            text.append(",\"sample_range\":[")
            text.append(decimal: Int64(scale.samples.lowerBound))
            text.append(0x2C)
            text.append(decimal: Int64(scale.samples.upperBound))
            text.append("],\"value_range\":[")
            text.append(scale.lower)
            text.append(0x2C)
            text.append(scale.upper)
            text.append(0x5D)
        }
        text.append(",\"samples\":[")
        for (index, sample) in samples.enumerated() {
            if index > 0 { text.append(0x2C) }
            text.append(decimal: Int64(sample))
        }
        text.append("]}\n")
    }
}

extension SeriesCoding {
    /// The stored form of a waveform: what its samples are, then the samples as differences.
    /// 1 partition term unit period hasScale [low high, mantissa and exponent of both values] count, then the differences.
    public static func encode(_ series: WaveformSeries) -> [UInt8] {
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
    public static func decodeWaveform(
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
