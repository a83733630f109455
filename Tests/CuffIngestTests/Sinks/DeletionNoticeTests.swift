import CuffClinical
import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct DeletionNoticeTests {
    private func reading(_ number: UInt64) -> Reading {
        var reading = Reading(
            .bloodPressure(.mmHg(177, 99, pulse: 66)), driver: "r1", user: 2, flags: .irregularPulse, origin: .push, raw: RawBytes([1]))
        reading.measured = Timestamp(seconds: 1_777_968_000 + Int64(number) * 60)
        reading.measuredOffset = 120
        reading.id = Reading.ID(wallSeconds: 1_777_975_200 + Int64(number) * 60, hash: number)
        return reading
    }

    private func batch(_ readings: [Reading]) -> ReadingBatch {
        ReadingBatch(source: 1, driver: "r1", device: "hall \"1\"", entries: readings.map { .reading($0) })
    }

    private func delete(_ reading: Reading, in store: Store) throws {
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [reading.id]
        #expect(try store.delete(selection) == 1)
    }

    @Test func theLine_HasNoValue_AndWhatAServerNeedsToFindIt() throws {
        let folder = TestFolder()
        let store = try Store(folder.file("bp.db"), access: .write)
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sink.write(batch([reading(1)]))
        let outbox = try Outbox(store, spec: "exec+ack:./to-server")
        _ = try outbox.put([batch([reading(1)])], line: ReadingLine())
        try outbox.acknowledge(try outbox.next(10)[...])
        try delete(reading(1), in: store)
        let lines = try outbox.next(10)
        #expect(lines.count == 1 && lines.first?.isDeletion == true && lines.first?.revision == 255)
        // 1777968060 is 2026-05-05T08:01:00Z.
        #expect(
            lines.first.map { String(decoding: $0.bytes, as: UTF8.self) }
                == #"{"type":"deleted","schema":1,"id":"20260505T100100-0000000000000001","revision":255,"of":"blood_pressure","#
                + #""driver":"r1","device":"hall \"1\"","user":2,"measured":"2026-05-05T10:01:00+02:00","parts":["pulse_rate","flags"]}"#
                + "\n")
        let owed = try store.owedDeletions()
        #expect(owed.map(\.sink) == ["exec+ack:./to-server"] && owed.map(\.count) == [1])
        try outbox.acknowledge(lines[...])
        #expect(try store.owedDeletions().isEmpty)
    }

    @Test func onlySinksThatAnswer_AndMayHaveIt_AreTold() throws {
        let folder = TestFolder()
        let store = try Store(folder.file("bp.db"), access: .write)
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        let (first, second) = (reading(1), reading(2))
        _ = try sink.write(batch([first, second]))
        let waiting = try Outbox(store, spec: "postgres://cuff@db.example/bp")
        let refusing = try Outbox(store, spec: "fhir+https://h.example/fhir?subject=Patient/1")
        let silent = try Outbox(store, spec: "exec:./notify")
        let other = try Outbox(store, spec: "mqtts://h.example/")
        for outbox in [waiting, refusing, silent] { _ = try outbox.put([batch([first])], line: ReadingLine()) }
        _ = try other.put([batch([second])], line: ReadingLine())
        try refusing.setAside(try #require(try refusing.next(1).first), reason: "no")
        try delete(first, in: store)
        #expect(try waiting.next(10).map(\.isDeletion) == [true], "it may have been sent already")
        #expect(try refusing.next(10).isEmpty && silent.next(10).isEmpty)
        #expect(try other.next(10).map(\.isDeletion) == [false])
        #expect(try store.owedDeletions().map(\.sink) == ["postgres://cuff@db.example/bp"])
    }

    // MARK: The conversation

    private func carrying(_ greeting: String, _ lines: [Outbox.Line]) -> [OutboxState.Effect] {
        var state = OutboxState(name: "exec+ack:x")
        _ = state.handle(.waiting(lines.count), at: .zero)
        _ = state.handle(.opened, at: .zero)
        _ = state.handle(.received(Array((greeting + "\n").utf8)), at: .zero)
        return state.handle(.loaded(lines), at: .zero)
    }

    @Test func aHelperThatDoesNotKnowThem_GetsNone() {
        let notice = DeletionNotice(id: "a", type: "blood_pressure").line
        let lines = [
            Outbox.Line(sequence: 1, id: "a", revision: 255, bytes: Array(notice.utf8)),
            Outbox.Line(sequence: 2, id: "b", bytes: Array("{}\n".utf8)),
        ]
        #expect(carrying("ready 1 deletions", lines) == [.send(Array((notice + "{}\n").utf8))])
        #expect(carrying("ready 1 later words deletions", lines) == [.send(Array((notice + "{}\n").utf8))])
        for greeting in ["ready 1", "ready 1 later-word"] {
            let effects = carrying(greeting, lines)
            #expect(effects.count == 2 && effects.last == .send(Array("{}\n".utf8)))
            guard case .setAside(let line, let reason)? = effects.first else {
                Issue.record("\(effects)")
                continue
            }
            #expect(line.id == "a" && reason.contains("does not accept deletions"))
        }
    }

    /// With a real program, which announces deletions because it was offered them.
    @Test(arguments: [true, false]) func aProgram_IsOfferedDeletions(_ isKnowing: Bool) async throws {
        let folder = TestFolder()
        let script = folder.file("helper")
        let greeting = isKnowing ? "echo ready 1 $CUFF_SINK_OFFERS" : "echo ready 1"
        let text = """
            #!/bin/sh
            \(greeting)
            while read -r line; do
              echo "$line" >> \(folder.file("got"))
              id=${line#*\\"id\\":\\"}; id=${id%%\\"*}
              case $line in *'"revision":255'*) echo ok $id 255 ;; *) echo ok $id 0 ;; esac
            done

            """
        try TestProgram.write(text, to: script)
        var context = SinkContext()
        context.outbox = folder.file("bp.db")
        let store = try Store(folder.file("bp.db"), access: .write)
        let database = try SQLiteSink(path: folder.file("bp.db"))
        _ = try database.write(batch([reading(1)]))
        for round in 0..<2 {
            let sink = try SinkSpec("exec+ack:\(script)").open(context)
            _ = try sink.write(batch([reading(1)]))
            try await onThread { try sink.close() }
            if round == 0 { try delete(reading(1), in: store) }
        }
        let got = folder.lines("got")
        #expect(got.first?.contains("\"systolic_mmHg\":177") == true)
        #expect(got.count == (isKnowing ? 2 : 1) && (got.last?.hasPrefix("{\"type\":\"deleted\"") == true) == isKnowing)
        let state = try store.outboxes().first
        #expect(state?.waiting == 0 && state?.refused == (isKnowing ? 0 : 1))
    }

    // MARK: Exports

    @Test func anExportToFHIR_SaysThatItWasAnError() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let store = try Store(path, access: .write)
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(batch([reading(1), reading(2)]))
        func export(_ subject: String) throws -> (HealthRuns.ExportReport, [String]) {
            var selection = ReadingSelection(zone: .utc)
            selection.newFor = "clinic"
            var choices = ExportChoices()
            choices.choose("subject", subject)
            let report = try HealthRuns.export(
                store, .everything, selection, as: .fhir, choices: choices,
                context: HealthRuns.exportContext(.utc, version: "1"), to: try OutputFile(folder.file("out"), replaces: true))
            return (report, folder.lines("out"))
        }
        #expect(try export("Patient/p1").0.written == 2)
        try delete(reading(1), in: store)
        let (report, lines) = try export("Patient/p1")
        #expect(report.written == 0 && report.deleted == [reading(1).id] && report.saysDeleted && lines.count == 1)
        let bundle = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        let entries = try #require(bundle["entry"] as? [[String: Any]])
        let resources = entries.compactMap { $0["resource"] as? [String: Any] }
        #expect(resources.count == 3 && resources.allSatisfy { $0["status"] as? String == "entered-in-error" })
        #expect(!lines[0].contains("valueQuantity") && !lines[0].contains("\"effectiveDateTime\""), "the time is known no more")
        #expect(
            lines[0].contains(
                "\"_effectiveDateTime\":{\"extension\":[{\"url\":\"http://hl7.org/fhir/StructureDefinition/data-absent-reason\""))
        let urls = entries.compactMap { ($0["request"] as? [String: Any])?["url"] as? String }
        #expect(urls.map { $0.suffix(12) } == ["000000000001", "000001:pulse", "00001:status"])
        #expect(try export("Patient/p1").1.isEmpty, "it is said once")

        // The cuff delivers it again: a conditional create would find what was an error, and change nothing.
        #expect(try store.purge().tombstones == 1)
        _ = try SQLiteSink(path: path).write(batch([reading(1)]))
        let restored = try export("Patient/p1")
        #expect(restored.0.written == 1 && restored.0.deleted.isEmpty && restored.1.count == 1)
        #expect(restored.1[0].contains("\"status\":\"final\"") && !restored.1[0].contains("entered-in-error"))
        #expect(restored.1[0].contains("\"method\":\"PUT\",\"url\":\"Observation?identifier="))
        #expect(!restored.1[0].contains("\"method\":\"POST\",\"url\":\"Observation\""))
        #expect(try export("Patient/p1").1.isEmpty)
        // Deleted again, it is an error again.
        try delete(reading(1), in: store)
        #expect(try export("Patient/p1").0.deleted == [reading(1).id])
        // The subject is no longer known.
        try delete(reading(2), in: store)
        let second = try export("2=Patient/p2")
        #expect(second.0.deleted == [reading(2).id] && !second.0.saysDeleted && second.1.isEmpty)
    }

    /// The deleted reading may be of a person, a cuff or a type that this export leaves out: its patient is not known.
    @Test(
        arguments: [
            { $0.person = .unnamed(slot: 2, cuff: nil) }, { $0.user = 2 }, { $0.isWithoutUser = true }, { $0.device = "hall" },
            { $0.driver = "r1" }, { $0.kinds = [.bloodPressure] },
        ] as [@Sendable (inout ReadingSelection) -> Void])
    func aPartialExportToFHIR_DoesNotSayWhoseTheErrorWas(_ restrict: @Sendable (inout ReadingSelection) -> Void) throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let store = try Store(path, access: .write)
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(batch([reading(1), reading(2)]))
        func export(_ exporter: Exporter, _ restrict: (inout ReadingSelection) -> Void) throws -> (HealthRuns.ExportReport, [String]) {
            var selection = ReadingSelection(zone: .utc)
            selection.newFor = "clinic"
            restrict(&selection)
            var choices = ExportChoices()
            if exporter.name == "fhir" { choices.choose("subject", "Patient/a") }
            let report = try HealthRuns.export(
                store, .everything, selection, as: exporter, choices: choices,
                context: HealthRuns.exportContext(.utc, version: "1"), to: try OutputFile(folder.file("out"), replaces: true))
            return (report, folder.lines("out"))
        }
        #expect(try export(.fhir) { _ in }.0.written == 2)
        try delete(reading(1), in: store)
        let partial = try export(.fhir, restrict)
        #expect(partial.0.deleted == [reading(1).id] && !partial.0.saysDeleted && partial.1.isEmpty)
        // A line of JSON has only the id.
        try delete(reading(2), in: store)
        let lines = try export(.jsonl, restrict)
        #expect(lines.0.saysDeleted && lines.1.count == 1 && lines.1.first?.contains("deleted") == true)
    }
}
