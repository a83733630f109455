import Testing

@testable import CuffCore

/// Stored records, decoded again by the present and by modified drivers.
@Suite struct RecordDecodingTests {
    private static func readings(_ capture: CaptureFile, _ driver: CuffDriver) -> [Reading] {
        var replay = Replay(LinkState.Setup(driver))
        for item in capture.items { replay.play(item) }
        replay.end()
        replay.flush()
        return replay.effects.flatMap { effect -> [Reading] in if case .submit(let batch) = effect { batch.entries.readings } else { [] } }
    }

    @Test(arguments: CaptureFile.own)
    func anUnchangedDriver_ReadsEveryRecordAsBefore(_ capture: CaptureFile) throws {
        let driver = try #require(capture.driver)
        for reading in Self.readings(capture, driver) {
            let verdict = RecordDecoding.verdict(on: reading, by: driver)
            #expect(verdict == .same || verdict == .undecided, "\(verdict)")
        }
    }

    /// The families whose records suffice by themselves, according to the captures.
    @Test func theFamiliesThatCanBeDecodedAnew() {
        var decided: Set<String> = []
        for capture in CaptureFile.own {
            guard let driver = capture.driver else { continue }
            if Self.readings(capture, driver).contains(where: { RecordDecoding.verdict(on: $0, by: driver) == .same }) {
                decided.insert("\(driver.id)")
            }
        }
        let expected: Set = [
            "ampall-bp868f", "and-std", "and-ua767pc", "beurer-hid", "beurer-serial", "contec-08a", "maibobo", "microlife-bpa100",
            "microlife-hid", "omron-hbp", "omron-hid", "paramatech-ft201", "r1", "sunrom-1437", "taidoc", "veroval-bpm25",
        ]
        #expect(decided.isSuperset(of: expected), "missing \(expected.subtracting(decided)), more \(decided.subtracting(expected))")
    }

    private static let record: [UInt8] = [0xAC, 100, 60, 70, 5, 5, 7, 31, 26]

    private func stored() throws -> Reading {
        let decoded = BeurerSerialSession.reading(Self.record.span)
        var reading = try #require(decoded)
        var ledger = ReadingLedger(device: "SN1", driver: "beurer-serial")
        _ = ledger.admit(&reading, received: Timestamp(milliseconds: 1_778_000_000_000))
        reading.measured = Timestamp(milliseconds: 1_777_966_260_000)
        return reading
    }

    private func driver(_ change: @escaping @Sendable (inout Reading) -> Void) -> CuffDriver {
        var driver = CuffDriver.beurerSerial
        driver.decodeRecord = { record, _ in
            guard var reading = BeurerSerialSession.reading(record.span) else { return nil }
            change(&reading)
            return reading
        }
        return driver
    }

    @Test func anotherValue_KeepsIDAndTimes_AndGetsTheNextRevision() throws {
        let stored = try stored()
        let fixed = driver { $0.content = .bloodPressure(.mmHg(120, 80, pulse: 70)) }
        guard case .changed(let corrected) = RecordDecoding.verdict(on: stored, by: fixed) else {
            Issue.record("not changed")
            return
        }
        #expect(corrected.content == .bloodPressure(.mmHg(120, 80, pulse: 70)))
        #expect(corrected.revision == 1 && corrected.id == stored.id)
        #expect(corrected.measured == stored.measured && corrected.received == stored.received && corrected.raw == stored.raw)
        #expect(RecordDecoding.verdict(on: corrected, by: fixed) == .same)
    }

    @Test func anotherTimeOrUser_IsAnotherReading() throws {
        let stored = try stored()
        let later = driver { $0.clock = .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 8, minute: 31)) }
        let owned = driver { $0.user = 2 }
        for driver in [later, owned] {
            guard case .otherIdentity = RecordDecoding.verdict(on: stored, by: driver) else {
                Issue.record("it would be changed under its old id")
                continue
            }
        }
    }

    @Test func whatCannotBeDecided_Stays() throws {
        var reading = try stored()
        let fixed = driver { $0.content = .bloodPressure(.mmHg(120, 80, pulse: 70)) }
        reading.revision = 254
        #expect(RecordDecoding.verdict(on: reading, by: fixed) == .undecided)
        reading.revision = 0
        reading.isPending = true
        #expect(RecordDecoding.verdict(on: reading, by: fixed) == .undecided)
        reading.isPending = false
        // The driver now decodes the record as something else, or not at all.
        #expect(RecordDecoding.verdict(on: reading, by: driver { $0.raw = RawBytes([1]) }) == .undecided)
        reading.raw = RawBytes([])
        #expect(RecordDecoding.verdict(on: reading, by: fixed) == .undecided)
    }
}
