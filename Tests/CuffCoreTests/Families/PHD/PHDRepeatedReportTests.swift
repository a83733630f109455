import TestSupport
import Testing

@testable import CuffCore

/// A report recognised by the form of the last one gives the same as the plain route, also when damaged.
@Suite struct PHDRepeatedReportTests {
    private typealias Manager = PHDVectorTests.Manager

    /// The agent's writes in a conversation without faults.
    private static func writes(_ options: [String: String], count: Int, seed: UInt64) -> [[UInt8]] {
        var records = SimulatedRecord.sample(count: count, seed: seed)
        records[count / 2].failure = .noValue
        records[count / 3].flags = [.irregularPulse]
        var talk = PHDConversation(SimulatorScript(records: records, options: options))
        talk.start(.follow)
        talk.run(until: .seconds(200))
        return talk.agentWrites
    }

    /// Two managers with the same input, one of which reads every report in the plain way.
    private struct Pair {
        var quick = Manager()
        var thorough = Manager()

        /// Whether both gave the same output.
        mutating func play(_ event: SessionEvent) -> Bool {
            quick.play(event)
            thorough.session.reports.repeated.forget()
            thorough.play(event)
            return quick.readings == thorough.readings && quick.writes == thorough.writes
        }
    }

    private static func check(_ writes: ArraySlice<[UInt8]>, from start: Pair = Pair(), _ name: String) {
        var pair = start
        for (number, bytes) in zip(writes.indices, writes) where !pair.play(.received(bytes)) {
            Issue.record("\(name), write \(number): \(Hex.text(bytes))")
            return
        }
        if !pair.play(.closed) { Issue.record("\(name), at the end") }
    }

    static let variants: [[String: String]] =
        PHDLineTests.variants + [
            ["unit": "kPa"], ["time": "base-offset"], ["time": "relative"], ["time": "impossible", "batch": "2"], ["time": "unset"],
            ["confirm": "no"], ["report": "variable", "persons": "yes", "status": "yes"],
        ]

    @Test(arguments: variants)
    func reportsOfOneForm_GiveWhatEachAloneGives(_ options: [String: String]) {
        let writes = Self.writes(options, count: 24, seed: 7)
        #expect(writes.count > 3)
        Self.check(writes[...], "undamaged")
    }

    /// One to four bytes of one report changed, anywhere in it.
    @Test(arguments: variants)
    func damagedReports_AreNotTakenForTheLastOnes(_ options: [String: String]) {
        let writes = Self.writes(options, count: 8, seed: 9)
        let reports = writes.indices.filter { writes[$0].count > 20 && writes[$0][8] == 1 && writes[$0][18] == 0x0D }
        // The part before the damaged report is played once.
        var before = [Pair()]
        for bytes in writes {
            var next = before[before.count - 1]
            _ = next.play(.received(bytes))
            before.append(next)
        }
        var random = SplitMix64(seed: 5)
        for round in 0..<Effort.choose(100, exhaustive: 400) {
            guard let number = reports.isEmpty ? writes.indices.last : reports[Int(random.next() % UInt64(reports.count))] else { return }
            var damaged = writes
            for _ in 0...(random.next() % 4) {
                let place = 4 + Int(random.next() % UInt64(damaged[number].count - 4))
                // Small numbers are lengths, counts and handles; single bits turn one into another.
                damaged[number][place] ^= 1 << UInt8(random.next() % 8)
            }
            // The damaged one twice: it may become the form.
            damaged.insert(damaged[number], at: number)
            Self.check(damaged[number...], from: before[number], "round \(round)")
        }
    }
}
