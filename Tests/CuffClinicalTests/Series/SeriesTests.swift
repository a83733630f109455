import CuffCore
import Testing

@testable import CuffClinical

/// The class of the error thrown; `nil` if none.
func refusal(_ body: () throws -> Void) -> HealthError.Code? {
    do { try body() } catch let error as HealthError { return error.code } catch { Issue.record("\(error)") }
    return nil
}

@Suite struct SeriesTests {
    private let source = HealthSource(name: "cuff")
    private let start = Timestamp(seconds: 1_777_959_180)

    private func series(_ values: [(Double, Int)], at start: Timestamp? = nil, _ type: SampleType = .heartRate) throws -> QuantitySeries {
        var builder = try QuantitySeriesBuilder(type, start: start ?? self.start, source: source)
        for (seconds, value) in values {
            try builder.insert(
                HealthQuantity(Digits(value), type == .heartRate ? .countPerMinute : .mmHg), at: .milliseconds(Int64(seconds * 1000)))
        }
        return try builder.finish()
    }

    /// The example of WWDC 2019, session 218.
    @Test func aSeries_KnowsItsExtremes() throws {
        let series = try series([(0, 64), (2, 66), (4, 67), (6, 65), (8, 63)])
        #expect(series.minimum?.value == Digits(63))
        #expect(series.maximum?.value == Digits(67))
        #expect(series.mostRecent?.value == Digits(63))
        #expect(series.end.seconds - series.start.seconds == 8)
        #expect(series.average == 65.375)  // (65 + 66.5 + 66 + 64) / 4 over equal steps
        #expect(series.sum == nil)
    }

    @Test func aBuilder_RefusesWhatDoesNotBelong() throws {
        var builder = try QuantitySeriesBuilder(.cuffPressure, start: start, source: source)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .countPerMinute), at: .zero) } == .invalidArgument)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .mmHg), at: .seconds(-1)) } == .invalidArgument)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .mmHg), at: .seconds(86400)) } == .invalidArgument)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .mmHg), at: .zero, lasting: .seconds(-1)) } == .invalidArgument)
        #expect(builder.count == 0)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .mmHg), at: .seconds(5)) } == nil)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .kPa), at: .seconds(6)) } == .invalidArgument)
        #expect(refusal { _ = try builder.finish(end: Timestamp(seconds: start.seconds + 4)) } == .invalidArgument)
        #expect(builder.state == .building)
        #expect(refusal { _ = try builder.finish() } == nil)
        #expect(refusal { try builder.insert(HealthQuantity(Digits(1), .mmHg), at: .seconds(7)) } == .invalidArgument)
        #expect(refusal { _ = try builder.finish() } == .invalidArgument)
        builder.discard()
        #expect(builder.state == .finished)
        var empty = try QuantitySeriesBuilder(.cuffPressure, start: start, source: source)
        empty.discard()
        #expect(empty.state == .discarded)
        #expect(refusal { try empty.insert(HealthQuantity(Digits(1), .mmHg), at: .zero) } == .invalidArgument)
        var nothing = try QuantitySeriesBuilder(.cuffPressure, start: start, source: source)
        #expect(refusal { _ = try nothing.finish() } == .noData)
    }

    /// Offsets are relative to the start, which has milliseconds.
    @Test func lines_TellTheStartExactly() throws {
        func line(_ milliseconds: Int64) throws -> String {
            var text = TextBuffer()
            try series([(0, 64), (0.5, 66)], at: Timestamp(milliseconds: milliseconds)).appendLine(to: &text, zone: BucketingTests.berlin)
            return text.string
        }
        #expect(
            try line(1_777_959_180_250).contains("\"start\":\"2026-05-05T07:33:00.250+02:00\",\"end\":\"2026-05-05T07:33:00.750+02:00\""))
        #expect(try line(1_777_959_180_000).contains("\"start\":\"2026-05-05T07:33:00+02:00\",\"end\":\"2026-05-05T07:33:00.500+02:00\""))
    }

    @Test func insertion_InAnyOrder_IsSorted() throws {
        let series = try series([(4, 67), (0, 64), (2, 66)])
        #expect(series.elements.map(\.value.mantissa) == [64, 66, 67])
    }

    @Test func aQuery_WalksByTime_OrBySeries() throws {
        let all = [try series([(2, 64), (6, 65)]), try series([(4, 67), (8, 63)])]
        let merged = QuantitySeries.values(of: all, bySeries: false)
        #expect(merged.map(\.value.mantissa) == [64, 67, 65, 63])
        #expect(merged.map(\.start.milliseconds).map { $0 - start.milliseconds } == [2000, 4000, 6000, 8000])
        let owned = QuantitySeries.values(of: all, bySeries: true)
        #expect(owned.map(\.value.mantissa) == [64, 65, 67, 63])
        #expect(owned.map(\.series) == [0, 0, 1, 1])
        #expect(QuantitySeries.values(of: [], bySeries: false).isEmpty)
    }

    /// Beats and result as on the slide of WWDC 2019, session 218.
    @Test func sdnn_IsThatOfTheSlide() throws {
        var builder = HeartbeatSeriesBuilder(start: start, source: source)
        for beat in [500, 1490, 2490, 3480, 4450] { try builder.add(at: .milliseconds(beat)) }
        let series = try builder.finish()
        #expect(series.intervals.map { ($0 * 100).rounded() } == [99, 100, 99, 97])
        let sdnn = try #require(series.sdnn)
        #expect((sdnn * 10000).rounded() == 109)
    }

    @Test func gaps_AreNoIntervals() throws {
        var builder = HeartbeatSeriesBuilder(start: start, source: source)
        try builder.add(interval: 900)
        try builder.add(interval: 800)
        try builder.add(interval: 5000, precededByGap: true)
        try builder.add(interval: 1000)
        #expect(refusal { try builder.add(at: .seconds(6)) } == .invalidArgument)
        let series = try builder.finish()
        #expect(series.beats.map(\.seconds) == [0, 0.8, 5.8, 6.8])
        #expect(series.intervals == [0.8, 1.0])
        let sdnn = try #require(series.sdnn)
        #expect(abs(sdnn - 0.1) < 1e-9)
        var text = TextBuffer()
        series.appendLine(to: &text, zone: BucketingTests.berlin)
        #expect(
            text.string
                == #"{"type":"heartbeat_series","schema":1,"code":"HKDataTypeIdentifierHeartbeatSeries","start":"2026-05-05T07:33:00+02:00","end":"2026-05-05T07:33:06.800+02:00","count":4,"sdnn_ms":100,"beats":[0,0.8,5.8,6.8],"gaps":[2]}"#
                + "\n")
    }

    @Test func codedSeries_ComeBackWhole_AndSmall() throws {
        var random = SplitMix64(seed: 3)
        var builder = try QuantitySeriesBuilder(.cuffPressure, start: start, source: source)
        for index in 0..<5000 {
            let value = Digits(mantissa: 1800 - Int64(index) / 4 + Int64(random.next() % 9), exponent: index % 50 == 0 ? 0 : -1)
            try builder.insert(
                HealthQuantity(index % 50 == 0 ? Digits(180) : value, .mmHg), at: .microseconds(Int64(index) * 5000),
                lasting: index == 7 ? .milliseconds(5) : .zero)
        }
        let series = try builder.finish()
        let bytes = try #require(SeriesCoding.encode(series.elements))
        #expect(bytes.count < 5000 * 6)
        let back = try #require(SeriesCoding.decodeElements(bytes))
        #expect(back.map(\.start) == series.elements.map(\.start))
        #expect(back.map(\.end) == series.elements.map(\.end))
        #expect(zip(back, series.elements).allSatisfy { $0.value.value == $1.value.value })
        for cut in stride(from: 0, to: bytes.count, by: 101) { #expect(SeriesCoding.decodeElements(Array(bytes[..<cut])) == nil) }
        #expect(
            SeriesCoding.encode([
                .init(start: 0, end: 0, value: Digits(mantissa: .max, exponent: 3)),
                .init(start: 1, end: 1, value: Digits(mantissa: 1, exponent: -3)),
            ]) == nil)

        let beats = (0..<300).map {
            HeartbeatSeries.Beat(time: Int64($0) * 812_345 + Int64(random.next() % 9000), precededByGap: $0 % 11 == 3)
        }
        let coded = SeriesCoding.encode(beats)
        #expect(SeriesCoding.decodeBeats(coded) == beats)
        for cut in 0..<coded.count { #expect(SeriesCoding.decodeBeats(Array(coded[..<cut])) == nil) }
    }

    @Test func damagedCodes_NeverTrap() {
        var random = SplitMix64(seed: 8)
        var read = 0
        for length in 0..<400 {
            let bytes = [1] + (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            read += SeriesCoding.decodeElements(bytes) == nil ? 0 : 1
            read += SeriesCoding.decodeBeats(bytes) == nil ? 0 : 1
        }
        #expect(read < 400)
        #expect(SeriesCoding.decodeElements([1, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0, 0]) == nil)
    }
}

@Suite struct OscillationTests {
    /// A cuff deflating from 180 mmHg at 3 mmHg/s, with pulses of a bell-shaped envelope around 95 mmHg.
    private func deflation(rate: Double, beats: [Double], noise: Double = 0.05) -> [(time: Double, pressure: Double)] {
        var random = SplitMix64(seed: 21)
        func bell(_ x: Double, _ width: Double) -> Double {
            // Close enough to a pulse, without a library.
            let t = x / width
            return t.magnitude < 1 ? (1 - t * t) * (1 - t * t) : 0
        }
        return (0..<Int(48 * rate)).map { index in
            let time = Double(index) / rate
            let line = 180 - 3 * time
            var pressure = line
            for beat in beats where (time - beat).magnitude < 0.3 { pressure += 2.5 * bell(line - 95, 75) * bell(time - beat, 0.22) }
            return (time, pressure + noise * (Double(random.next() % 1000) / 500 - 1))
        }
    }

    /// Beats with a respiratory swing of 5 %.
    private func heart(_ interval: Double) -> [Double] {
        var beats = [0.4]
        while let last = beats.last, last < 47 {
            let phase = (last / 4).truncatingRemainder(dividingBy: 1)
            let swing = phase < 0.5 ? 4 * phase - 1 : 3 - 4 * phase
            beats.append(last + interval * (1 + 0.05 * swing))
        }
        return beats
    }

    @Test(arguments: [50.0, 100, 200], [0.5, 0.8, 1.1])
    func beats_AreFoundWhereTheyAre(_ rate: Double, _ interval: Double) throws {
        let beats = heart(interval)
        let oscillations = try Oscillations(deflation(rate: rate, beats: beats))
        #expect(abs(oscillations.rate - rate) < 1)
        let middle = beats.filter { $0 > 12 && $0 < 45 }
        let missed = middle.filter { beat in !oscillations.peaks.contains { abs($0.time - beat) < 0.06 } }
        #expect(missed.isEmpty, "\(missed)")
        let invented = oscillations.peaks.filter { peak in !beats.contains { abs($0 - peak.time) < 0.06 } }
        #expect(invented.isEmpty, "\(invented)")
        let series = try oscillations.heartbeats(start: Timestamp(seconds: 0), source: HealthSource(name: "cuff"))
        let pairs = zip(middle, middle.dropFirst()).map { $1 - $0 }
        let mean = pairs.reduce(0, +) / Double(pairs.count)
        let expected = (pairs.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(pairs.count)).squareRoot()
        let sdnn = try #require(series.sdnn)
        #expect(abs(sdnn - expected) < 0.012)
    }

    @Test func missingSamples_AreAGap() throws {
        let samples = deflation(rate: 100, beats: heart(0.8)).filter { $0.time < 25 || $0.time > 28 }
        let peaks = try Oscillations(samples).peaks
        #expect(peaks.filter(\.precededByGap).count == 1)
        let gap = try #require(peaks.first { $0.precededByGap })
        #expect(gap.time > 28 && gap.time < 30)
        #expect(peaks.first?.precededByGap == false)
    }

    @Test func aMissingBeat_IsAGap() throws {
        var beats = heart(0.8)
        beats.removeAll { $0 > 28 && $0 < 28.8 }
        let peaks = try Oscillations(deflation(rate: 100, beats: beats)).peaks
        #expect(peaks.filter(\.precededByGap).count == 1)
    }

    @Test func tooFewSamples_AreRefused() {
        #expect(refusal { _ = try Oscillations(deflation(rate: 20, beats: heart(0.8))) } == .invalidArgument)
        #expect(refusal { _ = try Oscillations([]) } == .noData)
    }

    @Test func aStillCuff_HasNoBeats() throws {
        let peaks = try Oscillations((0..<500).map { (Double($0) / 50, 100.0) }).peaks
        #expect(peaks.isEmpty)
    }
}
