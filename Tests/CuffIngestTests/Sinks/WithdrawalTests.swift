import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// Results that are corrected or withdrawn by their sender.
@Suite(.timeLimit(.minutes(5))) struct WithdrawalTests {
    private func reading(_ systolic: Int, revision: UInt8 = 0) -> Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(systolic, 99, pulse: 66)), driver: "hl7-oru", origin: .push, raw: RawBytes(Array("OBX \(systolic)".utf8)))
        reading.measured = Timestamp(seconds: 1_777_968_060)
        reading.id = Reading.ID(wallSeconds: 1_777_975_260, hash: 7)
        reading.revision = revision
        return reading
    }

    private var withdrawal: Reading {
        var reading = Reading(.failure(.init(.withdrawn)), driver: "hl7-oru", origin: .push, raw: RawBytes(Array("OBX 177".utf8)))
        reading.id = self.reading(177).id
        reading.revision = Reading.lastRevision
        return reading
    }

    private func batch(_ readings: [Reading]) -> ReadingBatch {
        ReadingBatch(source: 1, driver: "hl7-oru", device: "Monitor", entries: readings.map { .reading($0) })
    }

    private func stored(_ store: Store) throws -> [Int64] {
        var found: [Int64] = []
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            found.append(reading.bloodPressure?.systolic.digits.mantissa ?? 0)
            return true
        }
        return found
    }

    @Test func aCorrection_ReplacesTheRow_AndOfAWithdrawnReadingTheIdStays() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        let store = try Store(path, access: .write)
        let outbox = try Outbox(store, spec: "exec+ack:./to-server")
        func write(_ reading: Reading) throws {
            _ = try sink.write(batch([reading]))
            _ = try outbox.put([batch([reading])], line: ReadingLine())
        }
        try write(reading(177))
        try write(reading(137, revision: 1))
        #expect(try stored(store) == [137])
        try write(withdrawal)
        #expect(try stored(store).isEmpty && store.deletedCount() == 1)
        // Sending earlier results again does not bring it back.
        _ = try sink.write(batch([reading(177), reading(137, revision: 1), withdrawal]))
        #expect(try stored(store).isEmpty && store.deletedCount() == 1)
        // The receiver gets one notice of a deletion; earlier queued lines are not sent.
        let lines = try outbox.next(10)
        #expect(lines.map(\.isDeletion) == [true])
        #expect(lines.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("177") })
        let found = try store.check()
        #expect(found.problems.isEmpty, "\(found.problems)")
    }

    @Test func aWithdrawalThatComesFirst_KeepsTheReadingOut() throws {
        let folder = TestFolder()
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        let store = try Store(folder.file("bp.db"), access: .write)
        _ = try sink.write(batch([withdrawal]))
        _ = try sink.write(batch([reading(177)]))
        #expect(try stored(store).isEmpty && store.deletedCount() == 1)
    }
}
