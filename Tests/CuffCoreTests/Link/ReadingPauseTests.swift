import Testing

@testable import CuffCore

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
        let answer1 = pause.setSinksFull(true, at: .seconds(1))
        #expect(answer1)
        #expect(isPause(pause.update(isOutputFull: true)) == nil)
        #expect(isPause(pause.update(isOutputFull: false)) == nil && pause.isPaused)
        let answer2 = pause.setSinksFull(false, at: .seconds(3))
        #expect(answer2)
        #expect(isPause(pause.update(isOutputFull: false)) == false && !pause.isPaused)
    }

    @Test func onlyTheSinksPauses_AreCounted() {
        var pause = ReadingPause()
        _ = pause.update(isOutputFull: true)
        let answer3 = pause.setSinksFull(true, at: .seconds(10))
        #expect(answer3)
        let answer4 = pause.setSinksFull(true, at: .seconds(11))
        #expect(!answer4)
        let answer5 = pause.setSinksFull(false, at: .seconds(14))
        #expect(answer5)
        let answer6 = pause.setSinksFull(true, at: .seconds(20))
        #expect(answer6)
        pause.end(at: .seconds(21))
        var counters = LinkCounters()
        pause.count(into: &counters)
        #expect(counters.pauses == 2 && counters.paused == .seconds(5))
    }
}
