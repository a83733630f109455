import Testing

@testable import CuffCore

/// The Beurer BM 96's ECG recordings among the pressures, and the missing check.
@Suite struct BeurerBM96Tests {
    private static let record: [UInt8] = [0, 1, 0, 1, 7, 30, 5, 11, 22, 2, 0, 127, 81, 64]

    /// The readings in an answer to the request of record 1 of user 0.
    private static func readings(_ record: [UInt8]) -> [Reading] {
        var session = CuffDriver.beurerBM96.makeSession(SessionContext())
        _ = session.handle(.sent(BeurerBM96Report.record(user: 0, index: 1)))
        let report = record + [UInt8](repeating: 0xF4, count: 64 - record.count)
        return session.handle(.received(report)).compactMap { if case .emit(let reading) = $0 { reading } else { nil } }
    }

    private static func changed(_ place: Int, _ value: UInt8) -> [UInt8] {
        var record = record
        record[place] = value
        return record
    }

    @Test func record_IsReadByteByByte() throws {
        let reading = try #require(Self.readings(Self.record).first)
        #expect(reading.bloodPressure == .mmHg(127, 81, pulse: 64))
        #expect(reading.clock == .time(DeviceTime(year: 2022, month: 11, day: 5, hour: 7, minute: 30)))
        #expect(reading.user == 1 && reading.flags.isEmpty && reading.raw.array == Self.record)
    }

    private static let marks: [(UInt8, MeasurementFlags)] = [
        (0, []), (2, []), (3, .qualityNoted), (9, .irregularPulse), (13, .irregularPulse), (8, .qualityNoted),
    ]

    @Test(arguments: marks.indices)
    func flags_AreThoseOfTheReader(_ index: Int) {
        let (value, flags) = Self.marks[index]
        #expect(Self.readings(Self.changed(9, value)).map(\.flags) == [flags])
    }

    /// Another user's or another record, an ECG, another sensor, no pressures, padding, a truncated report.
    @Test func everythingElse_IsNoReading() {
        for (place, value) in [(0, 1), (1, 0), (1, 2), (3, 2), (3, 0), (3, 3), (11, 0), (12, 0), (0, 0xF4)] as [(Int, UInt8)] {
            #expect(Self.readings(Self.changed(place, value)).isEmpty, "\(place) = \(value)")
        }
        #expect(Self.readings([0, 1, 0, 1, 7, 30, 5, 11, 22, 2, 0, 127, 81].dropLast(13).map { $0 }).isEmpty)
        #expect(Self.readings([]).isEmpty)
    }

    @Test func ecgs_ArePassedOver_AndTheRestIsComplete() {
        let talk = HIDConversation(.beurerBM96, .readMemory(user: 1), SimulatorScript(records: SimulatedRecord.sample(count: 8, seed: 2)))
        #expect(talk.outcome == .complete)
        #expect(talk.readings.count == 4)
        // Two of the six records of user 1 are ECGs.
        #expect(talk.writes.count { $0.first == 0xA3 } == 6)
    }

    @Test func itSaysItsName_AndWhenItIsNotInPCMode() {
        #expect(HIDConversation(.beurerBM96, .information).identities.map(\.model) == ["BM96"])
        let talk = HIDConversation(.beurerBM96, .readMemory(user: nil), SimulatorScript(options: ["pc-mode": "no"]))
        #expect(talk.outcome == .noAnswer("the cuff is not in PC mode: unplug it and plug it in again"))
        #expect(talk.writes == [[UInt8]](repeating: [0xAA] + [UInt8](repeating: 0xF4, count: 7), count: 3))
    }

    /// After leaving the PC mode the cuff would have to be reconnected.
    @Test func itIsNotSentAway() {
        for command in SessionCommand.all {
            let talk = HIDConversation(.beurerBM96, command)
            #expect(!talk.writes.contains { $0.first == 0xF7 || $0.first == 0xF6 })
            #expect(talk.writes.allSatisfy { $0.count == 8 })
        }
    }
}
