import CuffClinical
import CuffCore
import SQLite
import Testing

@testable import CuffIngest

/// `cuff edit ID --user NAME`: whose a reading is, stored beside the record.
@Suite(.timeLimit(.minutes(5))) struct MovedReadingTests {
    private let folder = TestFolder()
    private var path: String { folder.file("bp.db") }
    private let id = Reading.sample(1).id

    private func fill(_ numbers: Range<Int> = 1..<3) throws {
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(.sample(numbers))
        try sink.close()
    }

    private var household: Household {
        var household = Household()
        for name in ["Anna", "Ben"] { household.bind(name) }
        household.bind("Anna", to: "dev-1")
        return household
    }

    private func store() throws -> Store {
        let store = try Store(path, access: .write)
        store.redelivery.household = household
        return store
    }

    /// Ids by the name of the person.
    private func persons(_ household: Household) throws -> [String?: [Reading.ID]] {
        var selection = ReadingSelection(zone: .utc)
        selection.household = household
        var found: [String?: [Reading.ID]] = [:]
        try Store(path, access: .read).forEach(selection) { reading, _ in
            found[reading.person, default: []].append(reading.id)
            return true
        }
        return found
    }

    @Test func aMovedReading_IsThatPersons_AndItsRecordStays() throws {
        try fill()
        let other = Reading.sample(2).id
        let store = try store()
        let before = try store.storedReading(id)
        #expect(try persons(household) == ["Anna": [id, other]])
        #expect(try store.move(id, to: "Ben"))
        #expect(try !store.move(id, to: "Ben"), "nothing is different")
        #expect(try persons(household) == ["Ben": [id], "Anna": [other]])
        #expect(try persons(Household()) == ["Ben": [id], nil: [other]], "without a configuration too")
        var after = try store.storedReading(id)
        #expect(after.revision == before.revision + 1)
        (after.person, after.revision) = (nil, before.revision)
        #expect(after == before)
        #expect(try store.check().count == 0)
        // The cuff is read again.
        try fill()
        #expect(try persons(household) == ["Ben": [id], "Anna": [other]])
        #expect(try store.move(id, to: nil))
        #expect(try persons(household) == ["Anna": [id, other]])
    }

    @Test func readAgain_ItKeepsItsPerson_ForEverySinkOfTheRun() throws {
        try fill()
        #expect(try store().move(id, to: "Ben"))
        var options = IngestOptions()
        options.household = household
        options.sinks = [try SinkSpec("sqlite:\(path)"), try SinkSpec("jsonl:\(folder.file("all.jsonl"))")]
        let pipeline = try Ingest.pipeline(options)
        let source = pipeline.attach(Pipeline.Source(mayThin: false, committed: { _ in }, paused: { _ in }))
        var batch = ReadingBatch.sample(1..<3)
        batch.source = source
        pipeline.submit(batch)
        try pipeline.finish()
        let lines = folder.lines("all.jsonl")
        #expect(lines.count == 2)
        #expect(lines.first?.contains("\"person\":\"Ben\"") == true && lines.last?.contains("\"person\":\"Anna\"") == true)
    }

    @Test func sinksThatHaveIt_GetItWithTheNewName() throws {
        try fill()
        let store = try store()
        let had = try Outbox(store, spec: "tcp:a:1")
        _ = try had.put([.sample(1..<2)], line: ReadingLine())
        try had.acknowledge(try had.next(10)[...])
        #expect(try store.move(id, to: "Ben"))
        _ = try store.remark([id], [(.note, "cold")])
        #expect(try store.move(id, to: nil))
        let names = try had.next(10).map { line -> String in
            let text = String(decoding: line.bytes, as: UTF8.self)
            return text.contains("\"person\":\"Ben\"") ? "Ben" : text.contains("\"person\":\"Anna\"") ? "Anna" : "none"
        }
        #expect(names == ["Ben", "Ben", "Anna"], "a note keeps the name, and a name that is bound comes back")
    }

    @Test func aSinkThatMayNotHaveIt_IsToldThatItIsDeleted_AndOneThatMayGetsIt() throws {
        try fill()
        let store = try store()
        let annas = "fhir+https://h/?subject.Anna=Patient/a"
        let bens = "fhir+https://h/?subject.Ben=Patient/b"
        for (spec, name) in [(annas, "Anna"), (bens, "Ben")] {
            var consent = SinkConsent()
            consent.persons = [name]
            store.redelivery.consents[spec] = consent
        }
        let (had, other) = (try Outbox(store, spec: annas), try Outbox(store, spec: bens))
        _ = try had.put([.sample(1..<3)], line: ReadingLine())
        #expect(try store.move(id, to: "Ben"))
        func texts(_ outbox: Outbox) throws -> [String] { try outbox.next(10).map { String(decoding: $0.bytes, as: UTF8.self) } }
        // The line that was not sent yet is not sent any more.
        let first = try texts(had)
        #expect(first.count == 2)
        // For the patient under whom the receiver has it.
        #expect(first.contains { $0.contains("\"type\":\"deleted\"") && $0.contains(id.description) && $0.contains("\"person\":\"Anna\"") })
        #expect(!first.contains { $0.contains("blood_pressure\",\"schema\"") && $0.contains(id.description) })
        let second = try texts(other)
        #expect(second.count == 1 && second.first?.contains("\"person\":\"Ben\"") == true)
    }

    @Test func aDeletion_NamesThePerson() throws {
        try fill()
        let store = try store()
        let had = try Outbox(store, spec: "fhir+https://h/?subject.Anna=Patient/a")
        _ = try had.put([.sample(1..<2)], line: ReadingLine())
        try had.acknowledge(try had.next(10)[...])
        var gone = ReadingSelection(zone: .utc)
        gone.ids = [id]
        #expect(try store.delete(gone) == 1)
        let line = try #require(try had.next(10).first)
        #expect(String(decoding: line.bytes, as: UTF8.self).contains("\"person\":\"Anna\""))
    }

    @Test func aPersonWithAnotherName_TakesTheMovedReadingsAlong() throws {
        try fill()
        let store = try store()
        #expect(try store.move(id, to: "Ben"))
        #expect(try store.rename("BEN", to: "Benjamin") == 1)
        #expect(try store.rename("Ben", to: "Benjamin") == 0)
        #expect(try store.storedReading(id).person == "Benjamin")
    }

    /// An export of the person goes on under the new name: what is bound to another later is withdrawn.
    @Test func aPersonWithAnotherName_HasTheReadingsOfExports() throws {
        try fill()
        let store = try store()
        var given = GivenAway()
        (given.person, given.readings) = ("ben", [(id, 0)])
        try store.remember(given, for: "clinic")
        _ = try store.rename("Ben", to: "Benjamin")
        var selection = ReadingSelection(zone: .utc)
        for (name, moved) in [("Ben", []), ("Benjamin", [id])] {
            selection.person = .named(name)
            #expect(try store.movedSince("clinic", from: selection) == moved, "\(name)")
        }
    }
}
