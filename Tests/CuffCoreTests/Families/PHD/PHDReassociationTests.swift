import Testing

@testable import CuffCore

/// One line that stays up, and an agent that associates on it repeatedly: each end, by release or by ABRT, is followed by an association
/// like the first.
@Suite struct PHDReassociationTests {
    /// A link and a simulated agent with virtual time. Writes are answered by `sent` only after the event that wrote them, as on a real
    /// line.
    private struct Line {
        var link: LinkState
        var agent: any CuffSimulator
        var readings: [Reading] = []
        var finished: [SessionCommand] = []
        var answers: [UInt8] = []
        private var toLink: [LinkEvent] = [.transport(.opened)]
        private var toAgent: [[UInt8]] = []
        private var timers: [TimerID: Duration] = [:]
        private var now = Duration.zero

        init(_ commands: [SessionCommand], count: Int, options: [String: String]) {
            link = LinkState(LinkState.Setup(.phd, commands: commands))
            let records = SimulatedRecord.sample(count: count, seed: 5)
            agent = CuffDriver.phd.makeSimulator(SimulatorScript(records: records, interval: .milliseconds(5), options: options))
            perform(agent.handle(.opened))
        }

        mutating func run(until limit: Duration) {
            while !link.isEnded {
                if !toLink.isEmpty {
                    handle(toLink.removeFirst())
                } else if !toAgent.isEmpty {
                    perform(agent.handle(.received(toAgent.removeFirst())))
                } else if !wait(limit) {
                    return
                }
            }
        }

        private mutating func wait(_ limit: Duration) -> Bool {
            let first = timers.min { ($0.value, $0.key.rawValue) < ($1.value, $1.key.rawValue) }
            guard let next = [first?.value, link.deadline].compactMap({ $0 }).min(), next <= limit else { return false }
            now = max(now, next)
            if let first, first.value <= now {
                timers[first.key] = nil
                perform(agent.handle(.timerFired(first.key)))
            } else {
                handle(.timePassed)
            }
            return true
        }

        private mutating func handle(_ event: LinkEvent) {
            var effects: [LinkEffect] = []
            link.handle(event, at: LinkTime(elapsed: now), into: &effects)
            link.flush(into: &effects)
            for effect in effects {
                switch effect {
                case .write(let bytes):
                    if bytes[0] == 0xE3 { answers.append(bytes[5]) }
                    toAgent.append(bytes)
                    toLink.append(.transport(.sent(bytes)))
                case .submit(let batch):
                    readings += batch.entries.readings
                    toLink.append(.committed(through: batch.through))
                case .notify(.finished(let command, _)): finished.append(command)
                default: break
                }
            }
        }

        private mutating func perform(_ actions: [SimulatorAction]) {
            for action in actions {
                switch action {
                case .write(let bytes): toLink.append(.transport(.received(bytes)))
                case .arm(let timer, let duration): timers[timer] = now + duration
                case .disarm(let timer): timers[timer] = nil
                case .note, .finish: break
                }
            }
        }
    }

    @Test(
        arguments: [[.readMemory(user: nil), .follow], [.follow]] as [[SessionCommand]],
        [[:], ["aborts": "3"], ["aborts": "1"], ["aborts": "2", "configuration": "extended", "report": "apart"]] as [[String: String]])
    func fiveHundredAssociations_GiveFiveHundredReadings(_ commands: [SessionCommand], _ options: [String: String]) {
        var options = options
        options["associations"] = "500"
        var line = Line(commands, count: 500, options: options)
        line.run(until: .seconds(600))
        #expect(line.answers.count == 500)
        let final = line.readings.filter { !$0.isPending }
        #expect(Set(final.map(\.id)).count == 500)
        #expect(final.compactMap { $0.bloodPressure?.pulse }.count == 500)
        // The finite command has ended, and the other has not.
        #expect(line.finished == Array(commands.dropLast()))
        #expect(!line.link.isEnded)
    }

    /// A store is fetched in each association, and released by the manager.
    @Test func anAgentWithAStore_IsReadInEachAssociation() {
        var line = Line(
            [.readMemory(user: nil), .readMemory(user: nil), .follow], count: 3, options: ["store": "yes", "associations": "3"])
        line.run(until: .seconds(60))
        #expect(line.finished == [.readMemory(user: nil), .readMemory(user: nil)])
        #expect(line.answers.count == 3)
        #expect(line.readings.count == 3)
        #expect(line.link.counters.duplicates == 6)
    }
}

/// A session does not receive `sent` events of another session's writes, in any family.
@Suite struct SentEventTests {
    /// Reports its `sent` events. `readMemory` writes closing messages and ends; `follow` writes and stays.
    private struct Talker: FinishingSession {
        var isFinished = false
        let capabilities: Capabilities = [.push, .storedReadings, .users]
        var name = ""
        mutating func opened(into actions: inout SessionActions) {}
        mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {}
        mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
            actions.append(.report(.note("\(name): \(bytes[0])")))
        }
        mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
            name = command == .follow ? "follow" : "read"
            actions += [.write([1]), .writeFeature([2])]
            if command != .follow { finish(.complete, into: &actions) }
        }
        mutating func lineEnded(into actions: inout SessionActions) { finish(.complete, into: &actions) }
    }

    private static let driver = CuffDriver(
        id: "talker", models: [], summary: "", grade: .a, testedOn: .recordedElsewhere("nothing"), framing: "", check: nil,
        capabilities: [.push, .storedReadings], sources: [], makeSession: { _ in Talker() }, makeSimulator: { PHDSimulator($0) })

    private func notes(_ effects: [LinkEffect]) -> [String] {
        effects.compactMap { if case .notify(.diagnostic(.note(let text))) = $0 { text } else { nil } }
    }

    @Test func sent_BelongsToTheSessionThatWrote() {
        var link = LinkState(LinkState.Setup(Self.driver, commands: [.readMemory(user: nil), .readMemory(user: 1), .follow]))
        var effects: [LinkEffect] = []
        link.handle(.transport(.opened), at: LinkTime(elapsed: .zero), into: &effects)
        let written = effects.compactMap(\.written)
        #expect(written == [[1], [2], [1], [2], [1], [2]])
        effects = []
        for bytes in written { link.handle(.transport(.sent(bytes)), at: LinkTime(elapsed: .zero), into: &effects) }
        #expect(notes(effects) == ["follow: 1", "follow: 2"])
        // From then on, all sent bytes belong to the present session, including writes of other software.
        effects = []
        link.handle(.transport(.sent([9])), at: LinkTime(elapsed: .zero), into: &effects)
        #expect(notes(effects) == ["follow: 9"])
    }

    /// The first session's writes were discarded, so all `sent` lines of the recording go to the receiving session.
    @Test func recordingOfBothSides_IsToldWhole() {
        var replay = Replay(LinkState.Setup(Self.driver, commands: [.readMemory(user: nil), .follow]))
        for byte in UInt8(1)...3 { replay.play(CaptureItem(.toCuff([byte]))) }
        #expect(notes(replay.effects) == ["follow: 1", "follow: 2", "follow: 3"])
    }
}
