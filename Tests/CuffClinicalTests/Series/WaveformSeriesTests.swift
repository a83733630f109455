import CuffCore
import Testing

@testable import CuffClinical

/// Arrays of samples as series, complete and unchanged.
@Suite struct WaveformSeriesTests {
    private static let now = Timestamp(milliseconds: 1_778_000_000_000)
    private static let scale = Waveform.Scale(samples: 0...800, lower: Digits(-2), upper: Digits(2))

    /// A piece of an ECG of lead I in mV, a sample each 5 ms.
    private static func piece(_ first: Int, _ samples: [Int32], term: UInt16 = 257) -> LiveEvent {
        .waveform(
            Waveform(partition: 2, term: term, unit: 4274, period: .milliseconds(5), scale: scale, first: first, samples: samples))
    }

    private static func recorded(_ events: [LiveEvent]) -> [WaveformSeries] {
        var recorder = SeriesRecorder(source: HealthSource(name: "cuff"))
        var finished: [HealthSeries] = []
        for event in events { recorder.take(event, at: .zero, now: now, into: &finished) }
        recorder.close(into: &finished)
        #expect(recorder.isIdle)
        return finished.compactMap { if case .waveform(let one) = $0 { one } else { nil } }
    }

    @Test func pieces_MakeOneArray_ThatEndsAtItsArrival() throws {
        let samples = (0..<150).map { Int32($0 * 7 % 801) }
        let series = Self.recorded([
            Self.piece(0, Array(samples[0..<64])), Self.piece(64, Array(samples[64..<128])), Self.piece(128, Array(samples[128...])),
        ])
        let one = try #require(series.first)
        #expect(series.count == 1 && one.samples == samples && one.scale == Self.scale && one.period == 5000)
        // 150 samples of 5 ms.
        #expect(one.start.milliseconds == Self.now.milliseconds - 750 && one.end == Self.now)
        #expect(one.code == "MDC_ECG_ELEC_POTL_I" && one.unitName == "mV")
    }

    @Test func aMissingPiece_ThrowsTheArrayAway_AndTheNextOneIsKept() {
        let rest: [Int32] = [1, 2]
        let whole = [Int32](repeating: 5, count: 64)
        let series = Self.recorded([
            Self.piece(0, whole), Self.piece(128, rest), Self.piece(0, whole), Self.piece(64, rest), Self.piece(64, whole, term: 258),
            Self.piece(64, rest),
        ])
        #expect(series.isEmpty)
        #expect(Self.recorded([Self.piece(64, rest), Self.piece(0, [9])]).map(\.samples) == [[9]])
    }

    /// Several arrays in one batch do not replace each other.
    @Test func arraysOfOneMoment_HaveStartsOfTheirOwn() {
        let series = Self.recorded([Self.piece(0, [1, 2]), Self.piece(0, [3, 4]), Self.piece(0, [5, 6], term: 258)])
        #expect(series.map(\.samples) == [[1, 2], [3, 4], [5, 6]])
        #expect(series[0].start < series[1].start && series[2].start == series[0].start)
    }

    @Test func coding_GivesBackWhatWasStored() throws {
        for samples in [[Int32.min, .max, 0, -1], [0], [Int32](repeating: 7, count: WaveformSeries.maximumCount)] {
            for scale in [
                nil, Self.scale, Waveform.Scale(samples: .min ... .max, lower: Digits(mantissa: -15, exponent: -1), upper: Digits(7)),
            ] {
                let series = try #require(
                    WaveformSeries(
                        start: Self.now, source: HealthSource(name: "cuff"), device: nil, partition: 2, term: 257, unit: 4274, period: 5000,
                        scale: scale, samples: samples))
                let bytes = SeriesCoding.encode(series)
                func decoded(_ bytes: [UInt8]) -> WaveformSeries? {
                    SeriesCoding.decodeWaveform(bytes, start: Self.now, source: HealthSource(name: "cuff"), device: nil)
                }
                #expect(decoded(bytes) == series)
                for count in 0..<min(bytes.count, 60) { #expect(decoded(Array(bytes.prefix(count))) == nil) }
                #expect(decoded(bytes + [0]) == nil)
            }
        }
    }

    @Test func line_HasTheSamplesAndTheirRange() throws {
        let one = try #require(Self.recorded([Self.piece(0, [0, 400, 800])]).first)
        var text = TextBuffer()
        one.appendLine(to: &text, zone: .utc)
        // 2::257 is 131329, as IEEE 11073-10101 counts: 2 x 65536 + 257; 2026-05-05T16:53:20Z less 15 ms.
        #expect(
            text.string
                == #"{"type":"waveform_series","schema":1,"code":"MDC_ECG_ELEC_POTL_I","mdc":131329,"unit":"mV","#
                + #""start":"2026-05-05T16:53:19.985+00:00","end":"2026-05-05T16:53:20+00:00","count":3,"period_us":5000,"#
                + #""sample_range":[0,800],"value_range":[-2,2],"samples":[0,400,800]}"# + "\n")
    }
}
