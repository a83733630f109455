import CuffCore
import Testing

/// Stopping a cuff: the session continues until the cuff is known to be at rest, within a time limit.
@Suite struct StopTests {
    static let able = CuffFamilies.all.filter { $0.capabilities.contains(.stop) }.map(\.id.description)

    private func driver(_ id: String) throws -> CuffDriver { try #require(CuffFamilies.named(id)) }

    @Test(arguments: able) func whileItMeasures_TheCuffLetsGo_AndNoOldResultIsTaken(_ id: String) throws {
        let driver = try driver(id)
        let script = SimulatorScript(pushes: false, interval: .seconds(30))
        let alone = Conversation(driver, .measure, script: script)
        #expect(alone.readings.contains { $0.bloodPressure != nil }, "a measurement without a stop gives a result")
        for delay in [1500, 2200, 3100] {
            let talk = Conversation(driver, .measure, script: script, then: (.stop, .milliseconds(delay)))
            // evgmolt's simulated run ends that soon.
            guard !talk.readings.contains(where: { $0.bloodPressure != nil }) || id == "nibp-nano" else { continue }
            #expect(talk.outcome != nil, "\(id) does not end")
            if id == "and-std" {
                // No answer to SP is documented, so it is not awaited.
                #expect(talk.writes.last == Hex.bytes("16 16 01 30 30 02 53 50 03 03"))
            } else {
                #expect(talk.cuffNotes.contains { $0 == "deflated" || $0 == "cancelled" } || id == "nibp-nano", "\(id) \(talk.cuffNotes)")
            }
            #expect(talk.lives.contains(.aborted))
            #expect(talk.elapsed < (Int64(delay) + 3000) * 1000, "\(id) took \(talk.elapsed) µs")
        }
    }

    @Test(arguments: able) func aloneItIsConfirmed(_ id: String) throws {
        let talk = Conversation(try driver(id), .stop, script: SimulatorScript(pushes: false))
        #expect(talk.outcome == .complete, "\(id): \(String(describing: talk.outcome))")
        #expect(talk.elapsed < 3_000_000)
    }

    @Test(arguments: able) func aCuffThatSaysNothing_IsNotWaitedForLongerThanTheProgramWaits(_ id: String) throws {
        let talk = Conversation(Self.deaf(try driver(id)), .stop)
        #expect(talk.outcome != nil)
        #expect(talk.writes.count >= 1)
        #expect(talk.elapsed < MeasurementState.deflationWait.components.seconds * 1_000_000, "\(id) took \(talk.elapsed) µs")
    }

    /// The same driver with a silent cuff.
    private static func deaf(_ driver: CuffDriver) -> CuffDriver {
        var deaf = driver
        deaf.makeSimulator = { _ in DeafCuff() }
        return deaf
    }

    private struct DeafCuff: CuffSimulator {
        mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] { [] }
    }

    @Test func parCycles_AreTold_AndMarkWhatIsAutomatic() throws {
        #expect(Conversation(.parNIBP, .schedule(.every(15))).cycles == [15])
        #expect(Conversation(.parNIBP, .schedule(.off)).cycles == [0])
        #expect(Conversation(.parNIBP, .schedule(.get)).cycles == [0])
        let refused = Conversation(.parNIBP, .schedule(.every(7)))
        #expect(refused.outcome?.isUnsupported == true)
        #expect(refused.writes.isEmpty)
    }
}
