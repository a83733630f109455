import Testing

@testable import CuffCore

/// When nothing is read from a cuff, and how long the sinks were full.
@Suite struct ReadingPauseTests {
    private func isPause(_ effect: LinkEffect?) -> Bool? {
        switch effect {
        case .pauseReading?: true
        case .resumeReading?: false
        default: nil
        }
    }

    @Test func readingPauses_WhileEitherIsFull() {
        var pause = ReadingPause()
        #expect(isPause(pause.update(isOutputFull: false)) == nil)
        #expect(isPause(pause.update(isOutputFull: true)) == true)
        #expect(pause.setSinksFull(true, at: .seconds(1)))
        #expect(isPause(pause.update(isOutputFull: true)) == nil)
        #expect(isPause(pause.update(isOutputFull: false)) == nil && pause.isPaused)
        #expect(pause.setSinksFull(false, at: .seconds(3)))
        #expect(isPause(pause.update(isOutputFull: false)) == false && !pause.isPaused)
    }

    @Test func onlyTheSinksPauses_AreCounted() {
        var pause = ReadingPause()
        _ = pause.update(isOutputFull: true)
        #expect(pause.setSinksFull(true, at: .seconds(10)))
        #expect(!pause.setSinksFull(true, at: .seconds(11)))
        #expect(pause.setSinksFull(false, at: .seconds(14)))
        #expect(pause.setSinksFull(true, at: .seconds(20)))
        pause.end(at: .seconds(21))
        var counters = LinkCounters()
        pause.count(into: &counters)
        #expect(counters.pauses == 2 && counters.paused == .seconds(5))
    }
}
