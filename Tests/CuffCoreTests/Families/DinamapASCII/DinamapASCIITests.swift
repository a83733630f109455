import Testing

@testable import CuffCore

@Suite struct DinamapASCIITests {
    @Test(arguments: [
        (" NA", " NA!2"), (" NC0", " NC0!E"), (" ND", " ND!5"), (" RA", " RA!6"), (" RC", " RC!8"), (" OA", " OA!3"),
        (" TC", " TC!:"), (" TD", " TD!;"),
    ])
    func check_HoldsOnThePublishedCommands(_ text: String, _ whole: String) {
        #expect(DinamapLine.encode(Array(text.utf8)) == Array(whole.utf8) + [0x0D])
    }

    @Test func measure_BelievesOnlyAYoungerDetermination() {
        let talk = Conversation(.dinamapASCII, .measure)
        #expect(talk.outcome == .complete)
        let record = SimulatedRecord.sample(count: 3, seed: 1)[1]
        #expect(talk.readings.map(\.bloodPressure) == [.mmHg(record.systolic, record.diastolic, mean: record.mean, pulse: record.pulse)])
        #expect(talk.readings.first?.origin == .measurement)
        #expect(talk.lives.contains(.started) && talk.lives.contains(.ended))
    }

    @Test func measure_OfAMonitorThatNeverFinishes_IsCancelled() {
        // Always busy: every answer to NA has status 0.
        struct Busy: CuffSimulator {
            var isStarted = false
            mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
                guard case .received(let bytes) = event else { return [] }
                if bytes.starts(with: " NC".utf8) { isStarted = true }
                guard bytes.starts(with: " NA".utf8) else { return [] }
                return [.write(DinamapLine.encode(Array(" NA\(isStarted ? 0 : 1)100042128082097".utf8)))]
            }
        }
        var driver = CuffDriver.dinamapASCII
        driver.makeSimulator = { _ in Busy() }
        let talk = Conversation(driver, .measure)
        #expect(talk.readings.isEmpty)
        #expect(talk.writes.last == DinamapCommand.cancel.bytes)
        guard case .noAnswer = talk.outcome else {
            Issue.record("\(String(describing: talk.outcome))")
            return
        }
    }

    /// A monitor that ignored the start shows its old, ageing values.
    @Test func measure_IgnoredByTheMonitor_GivesNoStaleReading() {
        struct Deaf: CuffSimulator {
            var age = 42
            mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
                guard case .received(let bytes) = event, bytes.starts(with: " NA".utf8) else { return [] }
                age += 1
                return [.write(DinamapLine.encode(Array(" NA110\(Decimal.text(age, 4))128082097".utf8)))]
            }
        }
        var driver = CuffDriver.dinamapASCII
        driver.makeSimulator = { _ in Deaf() }
        let talk = Conversation(driver, .measure)
        #expect(talk.readings.isEmpty && talk.outcome != .complete)
    }

    @Test func withoutCheckCharacters_TheReadingSaysSo_AndIsAskedForTwice() {
        let talk = Conversation(.dinamapASCII, .readMemory(user: nil), script: SimulatorScript(options: ["check": "no"]))
        #expect(talk.readings.map(\.flags) == [.noMeasurementCheck])
        #expect(talk.writes.count { $0 == DinamapCommand.status.bytes } == 2)
        FaultyLineTests.expectTrue(talk.readings, .dinamapASCII)
    }

    @Test func failedDetermination_IsAFailure() {
        let good = SimulatedRecord(128, 82, mean: 97, pulse: 71, time: DeviceTime(year: 2026, month: 5, day: 5))
        let bad = SimulatedRecord(128, 82, mean: 97, pulse: 71, time: DeviceTime(year: 2026, month: 5, day: 5), failure: .movement)
        let talk = Conversation(.dinamapASCII, .measure, script: SimulatorScript(records: [good, bad]))
        #expect(talk.readings.map(\.content) == [.failure(.init(.unknown, code: "3"))])
    }

    @Test(arguments: [
        (" NA31100421280820970", false), (" NA1100042128082097", true), (" NA110004212808209", false), (" NA1100042 28082097", true),
        (" NB1100042128082097", false),
    ])
    func answers_HaveOneLength(_ text: String, _ isRead: Bool) {
        #expect((DinamapLine.find(in: Array(text.utf8) + [0x0D]).frames == 1) == isRead)
    }

    @Test func stop_Cancels() {
        let talk = Conversation(.dinamapASCII, .stop)
        #expect(talk.writes.first == DinamapCommand.cancel.bytes && talk.outcome == .complete)
        // Its status shows whether it has stopped.
        #expect(talk.writes.dropFirst().allSatisfy { $0 == DinamapCommand.status.bytes })
    }

    /// The monitor still shows it, but a follower would not get it otherwise.
    @Test(arguments: [SessionCommand.follow, .readMemory(user: nil)])
    func aResultThatWaitsForItsPulse_IsGivenWhenTheLineEnds(_ command: SessionCommand) {
        var session = CuffDriver.dinamapASCII.makeSession(SessionContext())
        _ = session.handle(.opened) + session.handle(.command(command))
        let heard = session.handle(.received(DinamapLine.encode(Array(" NA1100042128082097".utf8))))
        #expect(heard.emitted.isEmpty)
        let closed = session.handle(.closed)
        #expect(closed.emitted.map(\.bloodPressure?.systolic) == [.mmHg(128)])
        // No answer to RA: nothing is known of the pulse.
        #expect(closed.emitted.map(\.bloodPressure) == [.mmHg(128, 82, mean: 97)])
        #expect(closed.contains { if case .finish(.complete) = $0 { true } else { false } })
    }
}
