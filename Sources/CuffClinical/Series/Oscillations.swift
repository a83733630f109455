import CuffCore

/// The heart beats in the pressure of a deflating cuff: small oscillations on a falling line.
///
/// It requires at least 50 samples a second and steady deflation; deflation in steps looks like beats. It finds the times of beats, and
/// computes no blood pressure.
///
/// Method: from the highest pressure on, down to 20 mmHg, the line is taken off with a centred moving average of one
/// second and the noise with one of a tenth. A peak is a local maximum of at least half the largest within 1.5 s and a
/// fifth of the largest of all, 0.3 s (200 beats a minute) away from any larger. Its time is that of the parabola through
/// the three samples around it. Where samples are missing, or an interval is longer than 1.6 times the median (a beat was
/// too small to be seen), the beat is marked as preceded by a gap.                                           guess
struct Oscillations: Sendable, Hashable {
    struct Peak: Sendable, Hashable {
        /// Seconds on the scale of the samples.
        var time: Double
        /// The falling line under the peak, in mmHg.
        var pressure: Double
        /// From the line to the peak, in mmHg.
        var amplitude: Double
        /// Beats may be missing before it, so the time since the previous peak is not an interval.
        var precededByGap: Bool
    }

    /// The required samples a second.
    static let minimumRate = 50.0
    let peaks: [Peak]
    /// Samples a second, by the median distance of the samples.
    let rate: Double

    /// `samples` in mmHg with their seconds, ascending.
    init(_ samples: [(time: Double, pressure: Double)]) throws(HealthError) {
        guard samples.count >= 100 else { throw HealthError(.noData, "there are too few pressure samples to see beats") }
        let steps = zip(samples, samples.dropFirst()).map { $1.time - $0.time }
        let step = Self.median(steps)
        guard step > 0, steps.allSatisfy({ $0 > 0 }) else { throw .invalid("the samples are not in the order of time") }
        rate = 1 / step
        // With a clock of whole milliseconds, 50 Hz may appear as 49.
        guard rate >= Self.minimumRate * 0.98 else {
            throw .invalid("beats cannot be seen in \(Int(rate.rounded())) samples a second; it takes 50")
        }
        var found: [Peak] = []
        for segment in Self.segments(samples, step: step) {
            found += Self.peaks(samples, segment, rate: rate)
        }
        peaks = Self.pruned(found)
    }

    /// The beats of a stored series; throws `invalidArgument` if its values are not pressures.
    init(_ series: QuantitySeries) throws(HealthError) {
        guard series.unit.isConvertible(to: .mmHg) else { throw .invalid("\(series.unit) is not a unit of pressure") }
        try self.init(
            series.elements.map {
                (Double($0.start) / 1_000_000, HealthQuantity($0.value, series.unit).value(in: .mmHg) ?? 0)
            })
    }

    /// The beats as a series that starts when the samples do (time 0 is `start`).
    func heartbeats(start: Timestamp, source: HealthSource, device: DeviceIdentity? = nil, reading: Reading.ID? = nil)
        throws(HealthError) -> HeartbeatSeries
    {
        var builder = HeartbeatSeriesBuilder(start: start, source: source, device: device)
        for peak in peaks {
            try builder.add(at: .microseconds(Int64((peak.time * 1_000_000).rounded())), precededByGap: peak.precededByGap)
        }
        return try builder.finish(reading: reading)
    }

    /// The segments without missing samples, from the highest pressure on.
    private static func segments(_ samples: [(time: Double, pressure: Double)], step: Double) -> [Range<Int>] {
        let top = samples.indices.max { samples[$0].pressure < samples[$1].pressure } ?? 0
        let end = samples.indices.first { $0 > top && samples[$0].pressure < 20 } ?? samples.count
        var segments: [Range<Int>] = []
        var start = top
        for index in (top + 1)..<max(end, top + 1) where samples[index].time - samples[index - 1].time > 1.75 * step {
            segments.append(start..<index)
            start = index
        }
        segments.append(start..<max(end, start))
        return segments
    }

    private static func peaks(_ samples: [(time: Double, pressure: Double)], _ segment: Range<Int>, rate: Double) -> [Peak] {
        let values = samples[segment].map(\.pressure)
        guard Double(values.count) > rate else { return [] }
        let line = smoothed(values, halfWidth: Int(rate / 2))
        let wave = zip(smoothed(values, halfWidth: max(1, Int(rate / 20))), line).map { $0 - $1 }
        let largest = slidingMaximum(wave, halfWidth: Int(rate * 1.5))
        let refractory = slidingMaximum(wave, halfWidth: max(1, Int(rate * 0.3)))
        let highest = wave.max() ?? 0
        var peaks: [Peak] = []
        for index in 1..<(wave.count - 1)
        where wave[index] > wave[index - 1] && wave[index] >= wave[index + 1] && wave[index] == refractory[index]
            && wave[index] >= largest[index] * 0.5 && wave[index] >= highest * 0.2 && wave[index] > 0
        {
            let (before, at, after) = (wave[index - 1], wave[index], wave[index + 1])
            let bend = before - 2 * at + after
            let shift = bend < 0 ? (before - after) / (2 * bend) : 0
            peaks.append(
                Peak(
                    time: samples[segment.lowerBound + index].time + shift / rate, pressure: line[index], amplitude: at,
                    precededByGap: peaks.isEmpty))
        }
        return peaks
    }

    /// Marks beats after a gap; the first beat is not after a gap.
    private static func pruned(_ peaks: [Peak]) -> [Peak] {
        guard var last = peaks.first else { return [] }
        let usual = median(zip(peaks, peaks.dropFirst()).filter { !$1.precededByGap }.map { $1.time - $0.time })
        var kept: [Peak] = []
        for var peak in peaks {
            if kept.isEmpty {
                peak.precededByGap = false
            } else if usual > 0 && peak.time - last.time > 1.6 * usual {
                peak.precededByGap = true
            }
            kept.append(peak)
            last = peak
        }
        return kept
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    /// A centred moving average; near the ends the window shrinks but stays centred, so that a straight line is not changed.
    private static func smoothed(_ values: [Double], halfWidth: Int) -> [Double] {
        var sums = [0.0]
        for value in values { sums.append((sums.last ?? 0) + value) }
        return values.indices.map { index in
            let half = min(halfWidth, index, values.count - 1 - index)
            return (sums[index + half + 1] - sums[index - half]) / Double(2 * half + 1)
        }
    }

    private static func slidingMaximum(_ values: [Double], halfWidth: Int) -> [Double] {
        var result = [Double](repeating: 0, count: values.count)
        var candidates: [Int] = []  // descending values; the first is the maximum of the window
        var head = 0
        for right in 0..<(values.count + halfWidth) {
            if right < values.count {
                while candidates.count > head, let last = candidates.last, values[last] <= values[right] {
                    candidates.removeLast()
                }
                candidates.append(right)
            }
            let center = right - halfWidth
            guard center >= 0 else { continue }
            while head < candidates.count, candidates[head] < center - halfWidth { head += 1 }
            if head < candidates.count { result[center] = values[candidates[head]] }
        }
        return result
    }
}
