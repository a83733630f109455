import CuffCore

/// Joins the pieces of one array. If a piece is missing because a sink was slow, the array is discarded.
struct WaveformAssembly: Sendable {
    private var first: Waveform?
    private var samples: [Int32] = []
    private var arrival = Timestamp(milliseconds: 0)
    private var device: DeviceIdentity?
    /// The start of the previous array, by metric. Several may arrive at once and need different times.
    private var starts: [UInt32: Int64] = [:]
    /// Far more signals than an agent has.
    private static let mostSignals = 64

    var count: Int { samples.count }
    var isEmpty: Bool { first == nil }

    /// The next piece. The previous array is complete if this piece begins another.
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

    mutating func finish(_ source: HealthSource, into finished: inout [HealthSeries]) {
        defer { drop() }
        guard let first else { return }
        let period = first.period.microseconds
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
