import Testing

@testable import CuffCore

/// What is particular to the Omron cuffs whose memory is read by address: two models behind one USB id, and a memory that
/// must never be written.
@Suite struct OmronEEPROMTests {
    private static func script(_ first: Int, _ second: Int, model: OmronEEPROMLayout, named: String? = nil) -> SimulatorScript {
        let all = SimulatedRecord.sample(count: first + second, seed: 21)
        let records = all.enumerated().map { index, record in
            var record = record
            record.user = index < first ? 1 : 2
            return record
        }
        return SimulatorScript(records: records, options: named.map { ["model": $0] } ?? [:])
    }

    /// The simulated cuff is of one model, whatever the session was told.
    private static func talk(
        _ first: Int, _ second: Int, on model: OmronEEPROMLayout, named: String? = nil, user: Int? = nil
    ) -> HIDConversation {
        var driver = CuffDriver.omronEEPROM
        let real = model == .sixty ? "hem-7131u" : "hem-7322u"
        driver.makeSimulator = { script in
            var script = script
            script.options["model"] = real
            return OmronEEPROMSimulator(script)
        }
        return HIDConversation(driver, .readMemory(user: user), script(first, second, model: model, named: named))
    }

    private static func said(_ readings: [Reading]) -> [String] { readings.map { "\(HIDConversation.summary($0)) u\($0.user ?? 0)" } }

    private static func held(_ first: Int, _ second: Int, _ model: OmronEEPROMLayout) -> [String] {
        script(first, second, model: model).records.map { "\(HIDConversation.summary($0)) u\($0.user)" }
    }

    /// Without the model's name nothing is ever given to the wrong user, and `complete` means that everything was read.
    @Test(arguments: OmronEEPROMLayout.allCases)
    func unnamedModel_GivesNoRecordToTheWrongUser(_ model: OmronEEPROMLayout) {
        let counts = [0, 1, 2, 39, 40, 41, 59, 60, 61, 99, 100].filter { $0 <= model.rawValue }
        for first in counts {
            for second in counts {
                let talk = Self.talk(first, second, on: model)
                let held = Self.held(first, second, model)
                let said = Self.said(talk.readings)
                #expect(Set(said).isSubset(of: held), "\(first) and \(second)")
                if talk.outcome == .complete {
                    #expect(said == held, "\(first) and \(second)")
                } else {
                    #expect(talk.outcome?.sentence?.contains("name the model") == true, "\(first) and \(second): \(talk.outcome as Any)")
                    // In doubt is only a memory that user 1 has filled beyond doubt.
                    #expect(first >= 60)
                    #expect(said == Array(held.prefix(60)))
                }
            }
        }
    }

    @Test(arguments: OmronEEPROMLayout.allCases)
    func namedModel_IsReadWhole(_ model: OmronEEPROMLayout) {
        let name = model == .sixty ? "HEM-7131U" : "hem-7322u"
        for (first, second) in [(0, 0), (3, 2), (0, 5), (model.rawValue, 7), (model.rawValue, model.rawValue)] {
            let talk = Self.talk(first, second, on: model, named: name)
            #expect(talk.outcome == .complete)
            #expect(Self.said(talk.readings) == Self.held(first, second, model), "\(first) and \(second)")
            for user in 1...2 {
                let alone = Self.talk(first, second, on: model, named: name, user: user)
                #expect(alone.outcome == .complete)
                #expect(Self.said(alone.readings) == Self.held(first, second, model).filter { $0.hasSuffix("u\(user)") })
            }
        }
    }

    @Test func wronglyNamedModel_IsSeen_AndUser2IsNotRead() {
        for (model, name) in [(OmronEEPROMLayout.sixty, "hem-7322u"), (.hundred, "hem-7131u")] {
            let talk = Self.talk(3, 2, on: model, named: name)
            guard case .failed? = talk.outcome else {
                // Beyond the smaller memory the simulated cuff answers nothing.
                guard case .noAnswer? = talk.outcome, model == .sixty else {
                    Issue.record("\(name): \(talk.outcome as Any)")
                    continue
                }
                #expect(Self.said(talk.readings) == Array(Self.held(3, 2, model).prefix(3)))
                continue
            }
            #expect(Self.said(talk.readings) == Array(Self.held(3, 2, model).prefix(3)))
        }
        let unknown = Self.talk(3, 2, on: .sixty, named: "m10")
        #expect(unknown.outcome?.isUnsupported == true && unknown.writes.isEmpty)
    }

    /// Open, read, end and given-up; `01 C0` would write to the memory.
    @Test func nothingButReadsIsEverWritten() {
        for command in SessionCommand.all {
            for seed in 0..<12 as Range<UInt64> {
                let talk = Conversation(.omronEEPROM, command, faultRate: seed == 0 ? 0 : 0.1, seed: seed, closesAfter: .seconds(120))
                for write in talk.writes {
                    let kind = Array(write.dropFirst(2).prefix(2))
                    #expect(write.count == 9 && write[0] == 2 && write[1] == 8, "\(Hex.text(write))")
                    #expect([[0x00, 0x00], [0x01, 0x00], [0x0F, 0x00], [0x0F, 0x0F]].contains(kind), "\(Hex.text(write))")
                    #expect(Array(write.dropFirst()).xor8 == 0)
                }
            }
        }
    }

    /// The four constants of LazyT/obpm.
    @Test func questions_AreThoseOfTheReader() {
        #expect(OmronEEPROMFrame.open.report(number: 2) == Hex.bytes("02 08 00 00 00 00 10 00 18"))
        #expect(OmronEEPROMFrame.read(0x02AC, 40).report(number: 2) == Hex.bytes("02 08 01 00 02 AC 28 00 8F"))
        #expect(OmronEEPROMFrame.end.report(number: 2) == Hex.bytes("02 08 0F 00 00 00 00 00 07"))
        #expect(OmronEEPROMFrame.giveUp.report(number: 2) == Hex.bytes("02 08 0F 0F 0F 0F 00 00 08"))
    }

    /// The documented record, and the bits around it.
    @Test func record_IsTheWorkedExample() throws {
        let record = try #require(Hex.bytes("52 67 10 42 16 27 0A 5E 00 00 00 00 00 00"))
        let reading = try #require(OmronEEPROMRecord.reading(record, user: 2))
        #expect(reading.bloodPressure == .mmHg(128, 82, pulse: 66))
        #expect(reading.clock == .time(DeviceTime(year: 2016, month: 5, day: 17, hour: 7, minute: 41, second: 30)))
        #expect(reading.user == 2 && reading.flags.isEmpty)
        var bits = record
        bits[4] |= 0xC0
        bits[6] |= 0xF0
        bits[7] |= 0x3F
        let marked = try #require(OmronEEPROMRecord.reading(bits, user: 1))
        #expect(marked.flags == [.bodyMovement, .irregularPulse])
        // 63 seconds are 59, and the four unknown bits say nothing.
        #expect(marked.clock == .time(DeviceTime(year: 2016, month: 5, day: 17, hour: 7, minute: 41, second: 59)))
    }

    // MARK: Other software's conversations

    /// A whole reading of both users' memories by other software, in blocks of this size; each user's part by itself where asked.
    private static func replay(
        _ first: Int, _ second: Int, _ model: OmronEEPROMLayout, block: Int, apart: Bool, showsHost: Bool = true,
        options: [String: String] = [:], beyond: Bool? = nil
    ) -> [Reading] {
        var script = script(first, second, model: model)
        script.options["model"] = model == .sixty ? "hem-7131u" : "hem-7322u"
        var simulator = OmronEEPROMSimulator(script)
        var session = CuffDriver.omronEEPROM.makeSession(SessionContext(options: options))
        var readings: [Reading] = []
        func say(_ question: OmronEEPROMFrame) {
            let report = question.report(number: 2)
            var actions = showsHost ? session.handle(.sent(report)) : []
            for case .write(let answer) in simulator.handle(.received(report)) { actions += session.handle(.received(answer)) }
            for case .emit(let reading) in actions { readings.append(reading) }
        }
        say(.open)
        let users = apart ? [model.slots(of: 1), model.slots(of: 2)] : [0..<2 * model.rawValue]
        for slots in users {
            let end = OmronEEPROMMemory.start + slots.upperBound * 14
            for address in stride(from: OmronEEPROMMemory.start + slots.lowerBound * 14, to: end, by: block) {
                say(.read(address, min(block, end - address)))
            }
        }
        if let beyond {
            let question = OmronEEPROMFrame.read(OmronEEPROMMemory.smallEnd, 14)
            _ = session.handle(.sent(question.report(number: 2)))
            var answer = OmronEEPROMFrame(kind: 0x81, subkind: 0, address: question.address, count: 14)
            answer.data = [UInt8](repeating: 0xFF, count: 14)
            if beyond { readings += Self.emitted(session.handle(.received(answer.report(number: 2)))) }
        } else {
            say(.end)
        }
        for case .emit(let reading) in session.handle(.closed) { readings.append(reading) }
        return readings
    }

    private static func emitted(_ actions: [SessionAction]) -> [Reading] {
        actions.compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    /// What was read tells the model, also where the memory alone would not.
    @Test(arguments: [14, 16, 40, 0x38], [true, false])
    func anySoftwaresReads_TellTheModel(_ block: Int, _ apart: Bool) {
        for model in OmronEEPROMLayout.allCases {
            for (first, second) in [(3, 2), (60, 5), (model.rawValue, model.rawValue), (0, 4)] {
                let readings = Self.replay(first, second, model, block: block, apart: apart)
                #expect(Self.said(readings) == Self.held(first, second, model), "\(model) \(first) \(second)")
                let oneSided = Self.replay(first, second, model, block: block, apart: apart, showsHost: false)
                #expect(Self.said(oneSided) == Self.held(first, second, model), "\(model) \(first) \(second)")
            }
        }
    }

    /// Other software had been told the larger model, or the user of the replay names the wrong one: user 2's records are not user 1's.
    @Test(arguments: OmronEEPROMLayout.allCases) func aWrongModel_GivesNoRecordToTheWrongUser(_ model: OmronEEPROMLayout) {
        let wrong = model == .sixty ? "hem-7322u" : "hem-7131u"
        let held = Self.held(3, 2, model)
        let named = Self.replay(3, 2, model, block: 40, apart: false, options: ["model": wrong])
        #expect(Self.said(named) == Array(held.prefix(3)))
        guard model == .sixty else { return }
        // The cuff answers beyond its records, or not.
        for isAnswered in [true, false] {
            let beyond = Self.replay(3, 2, model, block: 40, apart: false, beyond: isAnswered)
            #expect(Self.said(beyond) == held, "\(isAnswered)")
        }
    }

    /// The xor agrees without the zero too, because another one of the report takes its place.
    @Test func anAnswerThatLostAZero_IsNotRead() {
        let data: [UInt8] = [0x50, 0x5F, 0x14, 0x46, 0x04, 0x28, 0x00, 0x00, 0xF1, 0xC2, 0x6B, 0x30, 0xF9, 0x0E]
        let report = OmronEEPROMFrame(kind: 0x81, subkind: 0, address: 0x02AC, count: 14, data: data).report(number: 1)
        #expect(OmronEEPROMFrame.judge(report + [0, 0]) != .damaged(.badLength))
        var short = report + [0, 0]
        short.remove(at: 12 + 1)
        #expect(OmronEEPROMFrame.judge(short) == .damaged(.badLength))
    }

    @Test func anAnswerToAnotherAddress_IsNotRead() throws {
        var session = CuffDriver.omronEEPROM.makeSession(SessionContext())
        let record = try #require(Hex.bytes("52 67 10 42 16 27 0A 5E 00 00 00 00 00 00"))
        let answer = OmronEEPROMFrame(kind: 0x81, subkind: 0, address: 0x02AC, count: 14, data: record).report(number: 1)
        func count(_ question: OmronEEPROMFrame) -> Int {
            _ = session.handle(.sent(question.report(number: 2)))
            return session.handle(.received(answer)).count { if case .emit = $0 { true } else { false } }
        }
        #expect(count(.read(0x02BA, 14)) == 0)
        #expect(count(.read(0x02AC, 28)) == 0)
        #expect(count(.end) == 0)
        #expect(count(.read(0x02AC, 14)) == 1)
        // The same again is the same record.
        #expect(count(.read(0x02AC, 14)) == 0)
    }

    // MARK: The clock

    @Test func clock_IsRead_WhereItsSumAgrees() {
        for command in [SessionCommand.readClock, .information] {
            let talk = HIDConversation(.omronEEPROM, command)
            #expect(talk.outcome == .complete)
            #expect(talk.clocks == [DeviceTime(year: 2026, month: 5, day: 5, hour: 11, minute: 18, second: 18)])
        }
        // month, year, hour, day, second, minute behind two unknown bytes, sum of the eight.
        let block: [UInt8] = [1, 2, 5, 26, 7, 5, 10, 31, 0, 87]
        #expect(
            OmronEEPROMClock.time(block, at: 0x0274) == DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10))
        for index in [0, 1, 2, 3, 4, 5, 6, 7, 9] {
            var damaged = block
            damaged[index] ^= 1
            #expect(OmronEEPROMClock.time(damaged, at: 0x0274) == nil, "byte \(index)")
        }
        #expect(OmronEEPROMClock.time(block, at: 0x0275) == nil)
        #expect(OmronEEPROMClock.time(Array(block.dropLast()), at: 0x0274) == nil)
    }

    @Test func startStopPressedLate_IsWaitedFor() {
        let talk = HIDConversation(.omronEEPROM, .readMemory(user: nil), SimulatorScript(options: ["asleep": "4"]))
        #expect(talk.outcome == .complete)
        #expect(talk.readings.count == 3)
        let never = HIDConversation(.omronEEPROM, .readMemory(user: nil), SimulatorScript(options: ["asleep": "99"]))
        #expect(never.outcome == .noAnswer("the cuff does not answer: press START/STOP on it and try again"))
    }

    @Test func brokenOff_ItIsTold() {
        var session = CuffDriver.omronEEPROM.makeSession(SessionContext())
        var simulator = OmronEEPROMSimulator(SimulatorScript())
        _ = session.handle(.command(.readMemory(user: nil)))
        for case .write(let answer) in simulator.handle(.received(OmronEEPROMFrame.open.report(number: 2))) {
            _ = session.handle(.received(answer))
        }
        var actions = SessionActions()
        let hasWords = session.endInOrder(into: &actions)
        #expect(hasWords)
        #expect(actions.contains { if case .write([2, 8, 0x0F, 0x0F, 0x0F, 0x0F, 0, 0, 8]) = $0 { true } else { false } })
        #expect(session.handle(.timerFired(.response)).contains { if case .finish(.aborted) = $0 { true } else { false } })
    }

    @Test func identity_OfTheFamilyIsItsOwn() {
        #expect(CuffDriver.omronEEPROM.claims == [.usb(vendor: 0x0590, product: 0x0090)])
        #expect(!CuffDriver.omronHID.claims.contains { $0.id == USBID(vendor: 0x0590, product: 0x0090) })
        #expect(CuffDriver.omronEEPROM.reports.areNumbered && !CuffDriver.omronHID.reports.areNumbered)
    }
}
