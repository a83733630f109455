import Testing

@testable import CuffCore

@Suite struct BeatGapTests {
    /// A gap is more than 1.6 of the interval and a quarter of a second.
    @Test func aGap_IsMoreTimeThanTheIntervalExplains() {
        var gap = BeatGap()
        #expect(gap.note(1000, at: .seconds(5)) == false, "the first")
        #expect(gap.note(1000, at: .seconds(6)) == false)
        #expect(gap.note(1000, at: .milliseconds(7850)) == false, "1.85 s are 1.6 intervals and the delays of the host")
        #expect(gap.note(1000, at: .milliseconds(9701)) == true)
        #expect(gap.note(1000, at: .milliseconds(10_700)) == false)
        gap.reset()
        #expect(gap.note(1000, at: .seconds(60)) == false, "another measurement")
    }

    private func line(_ event: LiveEvent) -> String {
        var text = TextBuffer()
        ReadingLine().append(.live(event, driver: "nibp-nano", elapsed: .seconds(3)), device: "", to: &text)
        return text.string
    }

    @Test func theLineOfABeat_SaysSo() {
        let head = "{\"type\":\"beat\",\"schema\":1,\"driver\":\"nibp-nano\",\"elapsed_s\":3,\"systolic_mmHg\":128,\"diastolic_mmHg\":82"
        #expect(line(.beat(.mmHg(128, 82), interval: 990)) == head + ",\"interval_ms\":990}\n")
        #expect(
            line(.beat(.mmHg(128, 82), interval: 990, precededByGap: true)) == head + ",\"interval_ms\":990,\"preceded_by_gap\":true}\n")
    }

    /// Two seconds without a beat in a live conversation, and in a recording, which has no arrival times.
    @Test func aLink_FindsGaps_AndARecordingHasNone() {
        for isRecorded in [false, true] {
            var life = MeasurementLife()
            let events = [1, 2, 5, 6].map { second in
                life.note(.beat(.mmHg(128, 82), interval: 1000), at: .seconds(second), isRecorded: isRecorded).event
            }
            let gaps = events.compactMap { event -> Bool? in
                if case .beat(_, _, let isAfterGap) = event { isAfterGap } else { nil }
            }
            #expect(gaps == (isRecorded ? [false, false, false, false] : [false, false, true, false]))
        }
    }
}
