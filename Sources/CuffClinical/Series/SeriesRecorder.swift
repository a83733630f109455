import CuffCore

/// A series of any kind.
public enum HealthSeries: Sendable, Hashable {
    case quantity(QuantitySeries)
    case heartbeats(HeartbeatSeries)
    case waveform(WaveformSeries)

    /// The instant that the series counts from.
    public var start: Timestamp {
        switch self {
        case .quantity(let series): series.start
        case .heartbeats(let series): series.start
        case .waveform(let series): series.start
        }
    }

    /// The reading that owns the series; `nil` where there is none.
    public var reading: Reading.ID? {
        switch self {
        case .quantity(let series): series.reading
        case .heartbeats(let series): series.reading
        case .waveform: nil
        }
    }
}

/// Makes series of what one cuff shows while it measures: the cuff's pressure as one quantity series for each measurement,
/// and its beats, or the oscillations in pressures of at least 50 a second, as one heartbeat series.
///
/// Rules:
/// - The measurement's reading ends its series and owns them. A failed one throws them away, unless they are to be kept.
/// - A continuous cuff gives a reading for every beat: its series end with the measurement, and none of them owns them.
/// - An array of samples (RT-SA) is a series of its own, whatever else is measured; one with a piece missing is thrown away.
/// - A cuff that shows pressure without an end fills one series after the other.
public struct SeriesRecorder: Sendable {
    /// 20 minutes at 200 samples a second: as much as is held in memory for one cuff.
    public static let maximumCount = 240_000
    /// Fewer beats make no series.
    static let fewestBeats = 3

    private let source: HealthSource
    private let keepsFailed: Bool
    private let isContinuous: Bool
    private var pressures: QuantitySeriesBuilder?
    private var beats: HeartbeatSeriesBuilder?
    private var beatGap = BeatGap()
    private var wave = WaveformAssembly()
    /// The cuff has ended, and its reading has not come.
    private var isEnded = false

    /// `keepsFailed` keeps the series of measurements without a result.
    public init(source: HealthSource, isContinuous: Bool = false, keepsFailed: Bool = false) {
        self.source = source
        self.isContinuous = isContinuous
        self.keepsFailed = keepsFailed
    }

    /// Nothing is under way: the next event finds it as if it were new.
    public var isIdle: Bool { pressures == nil && beats == nil && beatGap == BeatGap() && !isEnded && wave.isEmpty }

    /// How many samples and beats are held.
    public var count: Int { (pressures?.count ?? 0) + (beats?.count ?? 0) + wave.count }

    /// Whether so many further pressures and beats are only kept: none of them can end a series.
    public func hasRoom(for samples: Int) -> Bool { !isEnded && count + samples < Self.maximumCount }

    /// A live event `elapsed` after the start of its measurement, which it tells at `now`.
    public mutating func take(
        _ event: LiveEvent, at elapsed: Duration?, now: Timestamp, device: DeviceIdentity? = nil, into finished: inout [HealthSeries]
    ) {
        let elapsed = max(.zero, elapsed ?? .zero)
        let start = Timestamp(milliseconds: now.milliseconds - elapsed.microseconds / 1000)
        switch event {
        case .started:
            close(into: &finished)
        case .cuffPressure(let pressure):
            if isEnded || count >= Self.maximumCount { close(into: &finished) }
            insert(pressure, elapsed, start, device)
        case .beat(_, let interval, let isAfterGap):
            if isEnded || count >= Self.maximumCount { close(into: &finished) }
            beat(interval, isAfterGap, elapsed, start, device)
        case .ended: if isContinuous { finish(nil, into: &finished) } else { isEnded = true }
        case .aborted, .recovered, .failed: close(into: &finished)
        case .waveform(let piece): wave.take(piece, now: now, device: device, source: source, into: &finished)
        case .oscillation, .alert: break
        }
    }

    /// A reading of the same cuff; one that was not just measured has nothing to do with it.
    public mutating func take(_ reading: Reading, into finished: inout [HealthSeries]) {
        guard reading.origin == .measurement || reading.origin == .push, !reading.isPending else { return }
        switch reading.content {
        case .bloodPressure: if !isContinuous { finish(reading.id, into: &finished) }
        case .failure: close(into: &finished)
        case .pulseRate, .quantity: break
        }
    }

    /// Ends without a result, or there is nothing more to come.
    public mutating func close(into finished: inout [HealthSeries]) {
        wave.finish(source, into: &finished)
        if isContinuous || keepsFailed { return finish(nil, into: &finished) }
        reset()
    }

    private mutating func reset() {
        pressures = nil
        beats = nil
        beatGap.reset()
        isEnded = false
    }

    private mutating func insert(_ pressure: Pressure, _ elapsed: Duration, _ start: Timestamp, _ device: DeviceIdentity?) {
        if pressures == nil { pressures = try? QuantitySeriesBuilder(.cuffPressure, start: start, source: source, device: device) }
        // What does not fit (a negative pressure of a badly zeroed cuff) is left out; the rest is worth keeping.
        try? pressures?.insert(HealthQuantity(pressure), at: elapsed)
    }

    private mutating func beat(_ interval: UInt16, _ isAfterGap: Bool, _ elapsed: Duration, _ start: Timestamp, _ device: DeviceIdentity?) {
        if beats == nil { beats = HeartbeatSeriesBuilder(start: start, source: source, device: device) }
        // Asked here as well: what was left out because a sink is slow, the link has seen.
        let isGap = beatGap.note(interval, at: elapsed) || isAfterGap && beats?.count ?? 0 > 0
        if isGap || beats?.count == 0 {
            try? beats?.add(at: elapsed, precededByGap: isGap)
        } else {
            try? beats?.add(interval: Int(interval))
        }
    }

    private mutating func finish(_ reading: Reading.ID?, into finished: inout [HealthSeries]) {
        defer { reset() }
        let quantity = try? pressures?.finish(reading: reading)
        if let quantity { finished.append(.quantity(quantity)) }
        if let beats, beats.count >= Self.fewestBeats {
            var builder = beats
            if let series = try? builder.finish(reading: reading) { finished.append(.heartbeats(series)) }
        } else if let quantity, let seen = try? Oscillations(quantity), seen.peaks.count >= Self.fewestBeats,
            let series = try? seen.heartbeats(start: quantity.start, source: source, device: quantity.device, reading: reading)
        {
            finished.append(.heartbeats(series))
        }
    }
}
