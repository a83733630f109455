import CuffCore

/// Records the live values of one cuff: the cuff's pressure as one quantity series for each measurement, and its beats, or the
/// oscillations in pressures of at least 50 a second, as one heartbeat series.
///
/// Rules:
/// - The measurement's reading ends its series and owns them. Those of a failed measurement are discarded, unless `keepsFailed`.
/// - A continuous cuff sends a reading for every beat: its series end with the measurement and belong to no reading.
/// - An array of samples (RT-SA) is a separate series; it is discarded if a piece is missing.
/// - A cuff that sends pressures without an end fills one series after the other.
package struct SeriesRecorder: Sendable {
    /// The most samples in memory for one cuff: 20 minutes at 200 a second.
    package static let maximumCount = 240_000
    /// The least number of beats in a series.
    static let fewestBeats = 3

    private let source: HealthSource
    private let keepsFailed: Bool
    private let isContinuous: Bool
    private var pressures: QuantitySeriesBuilder?
    private var beats: HeartbeatSeriesBuilder?
    private var beatGap = BeatGap()
    private var wave = WaveformAssembly()
    /// The measurement has ended, and its reading has not arrived.
    private var isEnded = false

    /// `keepsFailed` keeps the series of measurements without a result.
    package init(source: HealthSource, isContinuous: Bool = false, keepsFailed: Bool = false) {
        self.source = source
        self.isContinuous = isContinuous
        self.keepsFailed = keepsFailed
    }

    /// Nothing is being recorded.
    package var isIdle: Bool { pressures == nil && beats == nil && beatGap == BeatGap() && !isEnded && wave.isEmpty }

    /// The number of samples and beats in memory.
    package var count: Int { (pressures?.count ?? 0) + (beats?.count ?? 0) + wave.count }

    /// Whether this many further pressures and beats fit without ending a series.
    package func hasRoom(for samples: Int) -> Bool { !isEnded && count + samples < Self.maximumCount }

    /// A live event at the time `now`, `elapsed` after the start of its measurement.
    package mutating func take(
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

    /// A reading of the same cuff; ignored unless it was just measured.
    package mutating func take(_ reading: Reading, into finished: inout [HealthSeries]) {
        guard reading.origin == .measurement || reading.origin == .push, !reading.isPending else { return }
        switch reading.content {
        case .bloodPressure: if !isContinuous { finish(reading.id, into: &finished) }
        case .failure: close(into: &finished)
        case .pulseRate, .quantity: break
        }
    }

    package mutating func close(into finished: inout [HealthSeries]) {
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
        // A value that does not fit (a negative pressure of a badly zeroed cuff) is left out.
        try? pressures?.insert(HealthQuantity(pressure), at: elapsed)
    }

    private mutating func beat(_ interval: UInt16, _ isAfterGap: Bool, _ elapsed: Duration, _ start: Timestamp, _ device: DeviceIdentity?) {
        if beats == nil { beats = HeartbeatSeriesBuilder(start: start, source: source, device: device) }
        // Checked here as well: events may have been dropped for a slow sink after the link saw them.
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
