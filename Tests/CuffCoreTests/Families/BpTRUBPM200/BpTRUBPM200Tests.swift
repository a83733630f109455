import Testing

@testable import CuffCore

/// The BpTRU BPM-200's unknown check, and bytes that are a pressure or a reason.
@Suite struct BpTRUBPM200Tests {
    /// The CRC is unknown: any byte is used.
    private static func frame(_ id: UInt8, _ data: [UInt8]) -> [UInt8] {
        [2, id] + data + [UInt8](repeating: 0, count: 4 - data.count) + [0x5A, 3]
    }

    private static func actions(_ reports: [[UInt8]]) -> [SessionAction] {
        var session = CuffDriver.bptruBPM200.makeSession(SessionContext())
        return reports.flatMap { session.handle(.received($0)) }
    }

    private static func readings(_ reports: [[UInt8]]) -> [Reading] {
        actions(reports).compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    @Test func nothingCanBeSent() {
        for command in SessionCommand.all where command != .follow {
            let talk = Conversation(.bptruBPM200, command)
            #expect(talk.writes.isEmpty)
            #expect(talk.outcome?.isUnsupported == true)
        }
        #expect(CuffDriver.bptruBPM200.check == nil)
        #expect(CuffDriver.bptruBPM200.unverified.contains { $0.contains("polynomial of the CRC-8") }, "the sheet says why")
    }

    @Test func followed_ItTellsWhatTheCuffShows() {
        var records = SimulatedRecord.sample(count: 4, seed: 6)
        records[1].failure = .movement
        let talk = Conversation(.bptruBPM200, .follow, script: SimulatorScript(records: records), closesAfter: .seconds(20))
        #expect(
            talk.readings.compactMap(\.bloodPressure)
                == [0, 2, 3].map { .mmHg(records[$0].systolic, records[$0].diastolic, pulse: records[$0].pulse) })
        #expect(talk.readings.allSatisfy { $0.flags.contains(.noMeasurementCheck) && $0.origin == .measurement })
        #expect(
            talk.readings.compactMap { if case .failure(let failure) = $0.content { failure } else { nil } } == [
                MeasurementFailure(.movement, code: "81")
            ])
        #expect(talk.lives.count { $0 == .started } == 4 && talk.lives.count { $0 == .ended } == 4)
        #expect(talk.writes.isEmpty)
    }

    /// A driver that ignores the code would store a reason, 17 to 21 hexadecimal, as a pressure.
    @Test(arguments: 0..<256)
    func code_DecidesWhatAByteIs(_ code: Int) throws {
        let code = UInt8(code)
        let reading = try #require(Self.readings([Self.frame(0x42, [code, 128, 82, 71])]).first)
        switch reading.content {
        case .bloodPressure(let pressure):
            #expect(code & 0xE0 == 0)
            #expect(pressure.systolic == .mmHg(128) && pressure.diastolic == .mmHg(82))
            #expect((pressure.pulse == nil) == (code & 0x10 != 0))
            #expect(reading.flags.contains(.qualityNoted) == (code & 0x0F != 0))
        case .failure: #expect(code & 0xE0 != 0)
        default: Issue.record("\(code): \(reading.content)")
        }
        #expect(reading.flags.contains(.noMeasurementCheck))
    }

    private static let systemErrors: [(UInt8, FailureReason)] = [
        (0x80, .noPulse), (0x81, .movement), (0x82, .overPressure), (0x83, .unknown), (0x84, .inflationTooFast),
        (0x85, .deflationTooSlow), (0x86, .deflationTooFast), (0x87, .hardware), (0x88, .weakPulse), (0x89, .unknown),
        (0x8A, .overPressure), (0x8B, .residualPressure), (0x8C, .hardware), (0x8F, .batteryLow),
    ]

    @Test(arguments: systemErrors.indices)
    func systemErrors_HaveTheirReasons(_ index: Int) {
        let (code, reason) = Self.systemErrors[index]
        let readings = Self.readings([Self.frame(0x42, [code, 0, 0, 0])])
        #expect(readings.map(\.content) == [.failure(.init(reason, code: ShortText(Hex.text([code]))))])
    }

    @Test func reasonsOfSingleBytes() {
        let cases: [([UInt8], FailureReason)] = [
            ([0x40, 0x14, 82, 71], .systolicNotFound), ([0x40, 0x16, 82, 71], .systolicNotFound), ([0x40, 0x17, 82, 71], .outOfRange),
            ([0x40, 0x19, 82, 71], .outOfRange),
            ([0x40, 0x21, 82, 71], .noValue), ([0x20, 128, 0x15, 71], .diastolicNotFound), ([0x20, 128, 0x18, 71], .outOfRange),
            ([0x20, 128, 0x20, 71], .outOfRange), ([0x20, 128, 0x21, 71], .noValue), ([0, 0, 82, 71], .noValue),
        ]
        for (data, reason) in cases {
            let failures = Self.readings([Self.frame(0x42, data)]).compactMap { reading -> FailureReason? in
                if case .failure(let failure) = reading.content { failure.reason } else { nil }
            }
            #expect(failures == [reason], "\(Hex.text(data))")
        }
    }

    @Test func pressures_AreLittleEndian_AndBounded() {
        let lives = Self.actions([Self.frame(0x49, [0x2C, 0x01]), Self.frame(0x44, [90, 0]), Self.frame(0x49, [0xF6, 0xFF])]).compactMap {
            if case .live(let event) = $0 { event } else { nil }
        }
        #expect(lives == [.started, .cuffPressure(.mmHg(300)), .cuffPressure(.mmHg(90))])
    }

    @Test func lastResultAskedFor_IsNoSecondMeasurement() {
        var session = CuffDriver.bptruBPM200.makeSession(SessionContext())
        let result = Self.frame(0x42, [0, 128, 82, 71])
        func count(_ event: SessionEvent) -> Int { session.handle(event).count { if case .emit = $0 { true } else { false } } }
        #expect(count(.received(result)) == 1)
        #expect(count(.sent(Self.frame(0x11, [0x09]))) == 0)
        #expect(count(.received(result)) == 0)
        // Unrequested, it is another one with equal values.
        #expect(count(.received(result)) == 1)
    }

    @Test func damagedFrames_AreReported() {
        var cut = Self.frame(0x42, [0, 128, 82, 71])
        cut[7] = 0x13
        let actions = Self.actions([cut, Array(cut.prefix(5)), [0x42, 128, 82]])
        #expect(!actions.contains { if case .emit = $0 { true } else { false } })
        #expect(actions.count { if case .report(.skipped) = $0 { true } else { false } } == 3)
    }
}
