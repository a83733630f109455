import CuffCore
import Testing

@testable import CuffClinical

@Suite struct SeriesRecorderTests {
    private let begin = Timestamp(milliseconds: 1_777_966_200_000)

    private func reading(
        _ content: Reading.Content = .bloodPressure(.mmHg(120, 80)), origin: Reading.Origin = .measurement, hash: UInt64 = 7
    )
        -> Reading
    {
        var reading = Reading(content, driver: "x", origin: origin, raw: RawBytes([]))
        reading.id = Reading.ID(wallSeconds: 1_777_966_210, hash: hash)
        return reading
    }

    /// Events with their milliseconds since the start.
    private func play(_ recorder: inout SeriesRecorder, _ events: [(Int64, LiveEvent)]) -> [HealthSeries] {
        var finished: [HealthSeries] = []
        for (elapsed, event) in events {
            recorder.take(
                event, at: .milliseconds(elapsed), now: Timestamp(milliseconds: begin.milliseconds + elapsed), into: &finished)
        }
        return finished
    }

    private func recorder(isContinuous: Bool = false, keepsFailed: Bool = false) -> SeriesRecorder {
        SeriesRecorder(source: HealthSource(name: "cuff"), isContinuous: isContinuous, keepsFailed: keepsFailed)
    }

    private let inflating: [(Int64, LiveEvent)] = [
        (0, .started), (500, .cuffPressure(.mmHg(60))), (1000, .cuffPressure(.mmHg(160))), (1500, .cuffPressure(.mmHg(90))),
    ]

    @Test func aResult_OwnsTheSeriesOfItsMeasurement() throws {
        var recorder = recorder()
        #expect(play(&recorder, inflating).isEmpty)
        var finished: [HealthSeries] = []
        recorder.take(reading(), into: &finished)
        let series = try #require(quantities(finished).first)
        #expect(finished.count == 1)
        #expect(series.start == begin)
        #expect(series.end == Timestamp(milliseconds: begin.milliseconds + 1500))
        #expect(series.reading == reading().id)
        #expect(series.elements.map(\.start) == [500_000, 1_000_000, 1_500_000])
        #expect(series.minimum?.value == Digits(60))
        #expect(series.maximum?.value == Digits(160))
        #expect(series.mostRecent?.value == Digits(90))
        // Later events start a new series.
        #expect(recorder.count == 0)
    }

    @Test func theReading_MayComeBehindTheEnd_AsFromACuffThatSendsByItself() throws {
        var recorder = recorder()
        #expect(play(&recorder, inflating + [(1600, .ended)]).isEmpty)
        var finished: [HealthSeries] = []
        recorder.take(reading(origin: .push), into: &finished)
        #expect(quantities(finished).map(\.reading) == [reading().id])
    }

    @Test(arguments: [false, true]) func aFailure_LeavesASeriesOnlyWhenAsked(_ keeps: Bool) {
        for last: LiveEvent in [.failed(.init(.leak)), .aborted] {
            var recorder = recorder(keepsFailed: keeps)
            let finished = play(&recorder, inflating + [(1600, last)])
            #expect(finished.count == (keeps ? 1 : 0))
            #expect(finished.allSatisfy { $0.reading == nil })
        }
        var recorder = recorder(keepsFailed: keeps)
        var finished = play(&recorder, inflating)
        recorder.take(reading(.failure(.init(.cuffLoose))), into: &finished)
        #expect(finished.count == (keeps ? 1 : 0))
    }

    @Test func anotherMeasurement_ThrowsAwayOneWithoutResult() {
        var recorder = recorder()
        #expect(play(&recorder, inflating + [(1600, .ended)] + inflating.dropLast()).isEmpty)
        var finished: [HealthSeries] = []
        recorder.take(reading(), into: &finished)
        #expect(quantities(finished).map(\.count) == [2])
    }

    @Test func readingsFromMemory_HaveNothingToDoWithIt() {
        var recorder = recorder()
        var finished = play(&recorder, inflating)
        recorder.take(reading(origin: .memory), into: &finished)
        recorder.take(reading(.pulseRate(PulseRate(60))), into: &finished)
        #expect(finished.isEmpty)
        #expect(recorder.count == 3)
    }

    @Test func beats_BecomeOneSeries_OfAContinuousCuff() throws {
        var recorder = recorder(isContinuous: true)
        let pressure = BloodPressure.mmHg(120, 80)
        var finished = play(&recorder, [(0, .started), (700, .beat(pressure, interval: 900)), (1690, .beat(pressure, interval: 990))])
        recorder.take(reading(), into: &finished)
        // 3,000 ms after the previous one, a beat of 970 ms follows a lost one.
        finished += play(&recorder, [(2690, .beat(pressure, interval: 1000)), (5690, .beat(pressure, interval: 970)), (6000, .ended)])
        let beats = try #require(finished.compactMap { if case .heartbeats(let one) = $0 { one } else { nil } }.first)
        #expect(finished.count == 1)
        #expect(beats.reading == nil)
        #expect(beats.beats.map(\.time) == [700_000, 1_690_000, 2_690_000, 5_690_000])
        #expect(beats.beats.map(\.precededByGap) == [false, false, false, true])
        // The population standard deviation of 0.99 and 1.00 s is half of their difference.
        #expect(((beats.sdnn ?? 0) - 0.005).magnitude < 1e-9)
    }

    @Test func oscillations_OfAFastStream_BecomeBeats_AndOfASlowOneDoNot() throws {
        func stream(rate: Int) -> [(Int64, LiveEvent)] {
            // 20 s of deflation from 180 to 60 mmHg, a beat every 800 ms as a bump of 2 mmHg.
            (0..<(20 * rate)).map { index in
                let milliseconds = Int64(index) * 1000 / Int64(rate)
                let phase = Double(milliseconds % 800) / 800
                let bump = phase < 0.25 ? 20 * (1 - (phase / 0.125 - 1).magnitude) : 0
                return (milliseconds, .cuffPressure(.tenthsOfMmHg(1800 - Int(milliseconds) * 6 / 100 + Int(bump))))
            }
        }
        for (rate, hasBeats) in [(100, true), (10, false)] {
            var recorder = recorder()
            var finished = play(&recorder, [(0, .started)] + stream(rate: rate))
            recorder.take(reading(), into: &finished)
            let beats = finished.compactMap { if case .heartbeats(let one) = $0 { one } else { nil } }
            #expect(quantities(finished).map(\.count) == [20 * rate])
            #expect(beats.count == (hasBeats ? 1 : 0))
            guard let series = beats.first else { continue }
            #expect(series.reading == reading().id)
            let intervals = series.intervals
            #expect(intervals.count >= 15)
            #expect(intervals.allSatisfy { ($0 - 0.8).magnitude < 0.06 }, "\(intervals)")
        }
    }

    @Test func pressureWithoutAnEnd_FillsOneSeriesAfterTheOther() {
        var recorder = recorder(isContinuous: true)
        var finished: [HealthSeries] = []
        for index in 0...SeriesRecorder.maximumCount {
            recorder.take(.cuffPressure(.mmHg(80)), at: .milliseconds(Int64(index) * 5), now: begin, into: &finished)
        }
        #expect(quantities(finished).map(\.count) == [SeriesRecorder.maximumCount])
        #expect(recorder.count == 1)
    }

    private func quantities(_ series: [HealthSeries]) -> [QuantitySeries] {
        series.compactMap { if case .quantity(let one) = $0 { one } else { nil } }
    }
}

@Suite struct PressureBarTests {
    @Test func theBar_FollowsThePressure() {
        var bar = PressureBar(width: 40, isUnicode: false)
        // 40 columns: 14 before the brackets, 6 after them, 18 within for 200 mmHg.
        #expect(bar.line(.mmHg(100), elapsed: .seconds(7)) == "cuff 100 mmHg [#########         ]   7 s")
        #expect(bar.line(.mmHg(0), elapsed: .seconds(12)) == "cuff   0 mmHg [                  ]  12 s")
        #expect(bar.line(.mmHg(200), elapsed: nil) == "cuff 200 mmHg [########################]")
    }

    /// A cuff that sends systolic and diastolic pressure during the measurement.
    @Test func beats_StayBesideThePressure_AndAGapIsSaid() {
        var bar = PressureBar(width: 44, isUnicode: false)
        #expect(bar.line(.mmHg(128, 82), isAfterGap: false, elapsed: nil) == "cuff 128 mmHg beat 128/ 82 [##########     ]")
        #expect(bar.line(.mmHg(100), elapsed: nil) == "cuff 100 mmHg beat 128/ 82 [########       ]")
        #expect(bar.line(.mmHg(131, 84), isAfterGap: true, elapsed: nil).hasPrefix("cuff 131 mmHg  gap 131/ 84 ["))
    }

    @Test func aHighPressure_StretchesIt() {
        var bar = PressureBar(width: 24, isUnicode: true)
        #expect(bar.line(.mmHg(400), elapsed: nil) == "cuff 400 mmHg [████████]")
        #expect(bar.line(.mmHg(200), elapsed: nil) == "cuff 200 mmHg [████    ]")
        #expect(bar.line(.mmHg(25), elapsed: nil) == "cuff  25 mmHg [▌       ]")
    }

    @Test(arguments: [0, 1, 5, 20, 79, 200]) func noLine_IsWiderThanTheTerminal(_ width: Int) {
        for isUnicode in [false, true] {
            var bar = PressureBar(width: width, isUnicode: isUnicode)
            for pressure in stride(from: 0, through: 330, by: 7) {
                #expect(bar.line(.mmHg(pressure), elapsed: .seconds(9)).count <= width)
            }
        }
    }
}
