import CuffCore
import Testing

/// Readings that arrive during another command are emitted, or the cuff still has them.
@Suite struct PassingReadingTests {
    private static let commands: [SessionCommand] = [
        .information, .readClock, .setClock(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10)), .stop,
        .schedule(.get), .schedule(.off), .schedule(.every(30)),
    ]

    @Test(arguments: CuffFamilies.all) func otherCommands_TakeNoReadingAway(_ driver: CuffDriver) {
        // In these tests, bytes in transit at the end of a conversation are lost, so that a push comes between answers.
        let script = SimulatorScript(interval: .milliseconds(200))
        let held = Self.values(Self.read(driver, script, from: nil))
        for command in Self.commands {
            let talk = Conversation(driver, command, script: script)
            let left = held.subtracting(Self.values(talk.readings)).subtracting(
                Self.values(Self.read(driver, script, from: talk.simulator)))
            #expect(left.isEmpty, "\(command) of \(driver.id) took away \(left.sorted())")
        }
    }

    @Test func informationOfEvgmolt_GivesTheResultThatItsAnswersMarkAsNew() throws {
        let board = try #require(CuffFamilies.named("evgmolt-oem"))
        let held = Conversation(board, .readMemory(user: nil)).readings
        #expect(held.count == 1)
        for command in [SessionCommand.information, .stop] {
            let talk = Conversation(board, command)
            #expect(talk.readings.map(\.bloodPressure) == held.map(\.bloodPressure), "\(command)")
            #expect(talk.readings.map(\.origin) == [.memory])
            #expect(talk.outcome == .complete)
            // The simulated board marks it in one answer: it cannot be read again.
            #expect(Conversation(board, .readMemory(user: nil), with: talk.simulator).readings.isEmpty)
        }
    }

    /// The readings of a read, and those pushed in the time after it.
    private static func read(_ driver: CuffDriver, _ script: SimulatorScript, from cuff: (any CuffSimulator)?) -> [Reading] {
        let stored = Conversation(driver, .readMemory(user: nil), script: script, with: cuff)
        return stored.readings
            + Conversation(driver, .follow, script: script, closesAfter: .seconds(30), with: stored.simulator).readings
    }

    private static func values(_ readings: [Reading]) -> Set<String> {
        Set(readings.compactMap { reading in reading.bloodPressure.map { "\($0.systolic.inMmHg)/\($0.diastolic.inMmHg)" } })
    }
}
