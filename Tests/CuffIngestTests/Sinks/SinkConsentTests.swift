import CuffClinical
import CuffCore
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

/// `persons` and `types` of a sink's section: what a sink may not have never reaches it, nor its outbox.
@Suite(.timeLimit(.minutes(5))) struct SinkConsentTests {
    private static func reading(_ number: Int, _ person: String?, _ content: Reading.Content? = nil) -> Reading {
        var reading = Reading.sample(number)
        if let content { reading.content = content }
        reading.person = person
        return reading
    }

    private static let mass = Reading.Content.quantity(
        Quantity(partition: 2, term: 57664, value: Digits(72), unit: 1731))

    /// Two persons, one without a name, a failure, a weight and an alert.
    private static var batch: ReadingBatch {
        let alert = AlertNotice(
            id: Reading.sample(9).id, change: .raised, rule: "high", condition: "systolic >= 180", person: "Anna",
            time: Timestamp(seconds: 1_778_000_000), text: "high")
        let readings = [
            reading(1, "Anna"), reading(2, "Ben"), reading(3, nil), reading(4, "Anna", .failure(.init(.movement))),
            reading(5, "Anna", mass),
        ]
        var entries = BatchEntries(readings.map { .reading($0) })
        entries.append(.live(.alert(alert), driver: "and-std", elapsed: nil))
        entries.append(.live(.started, driver: "and-std", elapsed: nil))
        return ReadingBatch(source: 0, driver: "and-std", device: "dev-1", entries: entries)
    }

    private func consent(_ persons: [String]?, _ types: [String]?) -> SinkConsent {
        var consent = SinkConsent()
        (consent.persons, consent.types) = (persons, types)
        return consent
    }

    @Test(
        arguments: [
            (nil, nil, [1, 2, 3, 4, 5], 2), (["anna"], nil, [1, 4, 5], 1), (["Ben", "none"], nil, [2, 3], 0),
            (nil, ["blood_pressure"], [1, 2, 3], 0), (nil, ["body_mass", "alert"], [5], 1), (nil, ["quantity"], [5], 0),
            (["Anna"], ["measurement"], [4], 0), (["Anna"], ["alert"], [], 1), ([], nil, [], 0), (nil, [], [], 0),
        ] as [([String]?, [String]?, [Int], Int)])
    func aLimitedBatch_HoldsWhatTheSinkMayHave(_ persons: [String]?, _ types: [String]?, _ readings: [Int], _ live: Int) {
        let part = Self.batch.limited(to: consent(persons, types))
        #expect(part.entries.readings.map(\.id) == readings.map { Reading.sample($0).id })
        #expect(part.entries.count - part.readings == live)
    }

    @Test func aFile_IsLimitedInEverySpelling() throws {
        let folder = TestFolder()
        var configuration = CuffConfiguration()
        let path = folder.write("ben.jsonl", [])
        try configuration.read(
            "[sink.ben]\njsonl = \"\(path)\"\npersons = [\"none\"]\n", file: "c.toml", drivers: [], kinds: SinkKind.all)
        #expect(Glibc.symlink(path, folder.file("link.jsonl")) == 0)
        for spelling in [path, folder.file("../\(folder.path.split(separator: "/").last ?? "")/ben.jsonl"), folder.file("link.jsonl")] {
            #expect(configuration.limited([try SinkSpec("jsonl:\(spelling)")])[0].consent.persons == ["none"], "\(spelling)")
        }
        try configuration.read(
            "[sink.two]\nexec = \"/x/app.sh a\"\npersons = []\n[sink.three]\ntcp = \"127.0.0.1:4666\"\npersons = []\n", file: "d.toml",
            drivers: [], kinds: SinkKind.all)
        for spelling in ["exec: /x/app.sh  'a' ", "tcp:localhost:4666", "tcp:127.0.0.1:04666"] {
            #expect(configuration.limited([try SinkSpec(spelling)])[0].consent.persons == [], "\(spelling)")
            // What is queued, moved or listed is known by its name.
            #expect(configuration.redelivery.consents[SinkSpec.place(of: spelling)]?.persons == [], "\(spelling)")
        }
        #expect(configuration.limited([try SinkSpec("jsonl:\(folder.file("all.jsonl"))")])[0].consent.isUnlimited)
    }

    @Test func whatASinkMayNotHave_NeverReachesItsOutbox() async throws {
        let folder = TestFolder()
        for isLed in [false, true] {
            let database = folder.file("\(isLed).db")
            var context = SinkContext()
            context.outbox = database
            let leader = isLed ? try SQLiteSink(path: database) : nil
            context.database = leader
            // It never answers, so that everything stays in the outbox.
            var spec = try SinkSpec("exec+ack:sleep 60")
            spec.consent = consent(["Anna"], ["blood_pressure", "alert"])
            #expect(!spec.isDurable)
            let sink = try #require(try spec.open(context) as? OutgoingSink)
            #expect(!sink.isDurable, "a cuff must not forget what this sink does not get")
            if let leader { _ = try leader.write(Self.batch) } else { _ = try sink.write(Self.batch) }
            #expect(sink.withheld == 4)
            let store = try Store(database, access: .read)
            let lines = try store.read { try $0.rows("SELECT line FROM outbox") { $0.text(0) ?? "" } }
            #expect(lines.filter { $0.contains("\"type\":\"blood_pressure\"") }.count == 1)
            #expect(lines.allSatisfy { !$0.contains("Ben") && $0.contains("\"person\":\"Anna\"") })
            let own = Self.batch.entries.readings
            for reading in own.dropFirst() { #expect(!lines.contains { $0.contains("\"id\":\"\(reading.id.description)\"") }) }
            try await onThread { try sink.close() }
            try leader?.close()
        }
    }

    @Test func whatWaits_IsNotSent_OnceTheSinkMayNotHaveIt() async throws {
        let folder = TestFolder()
        var spec = try SinkSpec("exec+ack:sleep 60")
        var context = SinkContext()
        context.outbox = folder.file("outbox.db")
        let free = try spec.open(context)
        _ = try free.write(Self.batch)
        #expect(free.backlog?.waiting == 6)
        try await onThread { try free.close() }
        spec.consent = consent(["Anna"], ["body_mass", "measurement"])
        let limited = try spec.open(context)
        #expect(limited.backlog?.waiting == 2)
        let store = try Store(folder.file("outbox.db"), access: .read)
        let lines = try store.read { try $0.rows("SELECT line FROM outbox WHERE line IS NOT NULL") { $0.text(0) ?? "" } }
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"type\":\"quantity\"") || $0.contains("\"type\":\"measurement\"") })
        try await onThread { try limited.close() }
        // It did not get the others: they are no part of what it would be told to delete, and without the limit it gets them.
        #expect(try store.read { try $0.rows("SELECT id FROM outbox") { $0.text(0) } }.count == 2)
        let outbox = try Outbox(try Store(folder.file("outbox.db"), access: .write), spec: spec.name)
        #expect(try outbox.put([Self.batch], line: ReadingLine(), alerts: true).added == 4)
    }

    /// The notice names the person whose reading the sink has, and no other.
    @Test func aMovedReading_IsDeletedWhereItMayNoLongerBe_ByItsFormerPerson() async throws {
        let folder = TestFolder()
        let database = folder.file("bp.db")
        let leader = try SQLiteSink(path: database)
        var context = SinkContext()
        (context.outbox, context.database) = (database, leader)
        var spec = try SinkSpec("exec+ack:sleep 60")
        spec.consent = consent(["Anna"], nil)
        let sink = try spec.open(context)
        var batch = ReadingBatch(source: 1, driver: "and-std", device: "dev-1", entries: [.reading(Reading.sample(1))])
        batch.entries.updateReadings { $0.person = "Anna" }
        _ = try leader.write(batch)
        try await onThread { try sink.close() }
        try leader.close()
        let store = try Store(database, access: .write)
        for name in ["Anna", "Ben", "Carla"] { store.redelivery.household.bind(name) }
        store.redelivery.household.bind("Anna", to: "dev-1")
        store.redelivery.consents[spec.place] = spec.consent
        // As if it was delivered.
        try store.commit { try $0.run("UPDATE outbox SET line = NULL, sequence = NULL, queued = NULL") }
        func notices() throws -> [String] {
            try store.read { try $0.rows("SELECT line FROM outbox WHERE line IS NOT NULL") { $0.text(0) ?? "" } }
        }
        #expect(try store.move(Reading.sample(1).id, to: "Ben"))
        let first = try notices()
        #expect(first.count == 1 && first[0].hasPrefix(DeletionNotice.beginning) && first[0].contains(#""person":"Anna""#), "\(first)")
        #expect(try store.move(Reading.sample(1).id, to: "Carla"))
        #expect(try notices() == first)
    }

    @Test func aFile_GetsItsPart_AndTheReportCountsIt() throws {
        let folder = TestFolder()
        var options = IngestOptions()
        var limited = try SinkSpec("jsonl:\(folder.file("ben.jsonl"))")
        limited.consent = consent(["Ben"], nil)
        options.sinks = [try SinkSpec("sqlite:\(folder.file("bp.db"))"), limited]
        options.household.bind("Anna", to: "dev-1:1")
        options.household.bind("Ben", to: "dev-1:2")
        let pipeline = try Ingest.pipeline(options)
        var readings = (0..<6).map { Reading.sample($0) }
        for index in readings.indices { readings[index].user = Int32(1 + index % 2) }
        let source = pipeline.attach(Pipeline.Source(mayThin: false, committed: { _ in }, paused: { _ in }))
        pipeline.submit(
            ReadingBatch(source: source, driver: "and-std", device: "dev-1", entries: BatchEntries(readings.map { .reading($0) })))
        try pipeline.finish()
        #expect(folder.lines("ben.jsonl").count == 3)
        #expect(folder.lines("ben.jsonl").allSatisfy { $0.contains("\"person\":\"Ben\"") })
        #expect(pipeline.reports.map(\.stored) == [6, 3])
        #expect(try Store(folder.file("bp.db"), access: .read).count(ReadingSelection(zone: .utc)) == 6)
    }

    @Test func aLimitedSinkAlone_KeepsNothingForACuff() throws {
        var options = IngestOptions()
        options.sinks = [try SinkSpec("sqlite:/tmp/x.db")]
        #expect(options.keepsReadings)
        options.sinks[0].consent = consent(["Anna"], nil)
        #expect(!options.keepsReadings)
    }

    @Test func theConfiguration_SaysIt_AndSoDoesTheOverview() throws {
        let folder = TestFolder()
        func read(_ text: String) throws -> CuffConfiguration {
            var configuration = CuffConfiguration()
            try configuration.read(text, file: "c.toml", drivers: CuffFamilies.all)
            try configuration.checkPersons()
            return configuration
        }
        let configuration = try read(
            """
            [person.Anna]
            cuffs = ["kitchen:1"]
            [sink.clinic]
            exec = "/bin/to-clinic"
            persons = ["anna", "none"]
            types = ["blood_pressure", "body_mass"]
            [sink.all]
            jsonl = "/tmp/all.jsonl"
            """)
        #expect(configuration.sinks.map(\.spec.consent) == [consent(["anna", "none"], ["blood_pressure", "body_mass"]), SinkConsent()])
        #expect(configuration.limited([try SinkSpec("exec:/bin/to-clinic?")]).map(\.consent) == [configuration.sinks[0].spec.consent])
        #expect(configuration.redelivery.consents.keys.sorted() == ["exec:/bin/to-clinic"])
        let sink = try SQLiteSink(path: folder.file("bp.db"))
        try sink.close()
        let overview = try SinkOverview(database: folder.file("bp.db"), sinks: configuration.sinks.map(\.spec))
        #expect(overview.table().contains("exec:/bin/to-clinic may have only persons: anna, none; types: blood_pressure, body_mass\n"))
        #expect(overview.jsonLines.contains(#""persons":["anna","none"],"types":["blood_pressure","body_mass"]"#))
        for wrong in ["persons = [\"Ben\"]", "types = [\"pressure\"]", "persons = \"Anna\"", "types = [1]"] {
            #expect(throws: IngestError.self, "\(wrong)") {
                try read("[person.Anna]\ncuffs = []\n[sink.s]\nexec = \"/bin/x\"\n\(wrong)\n")
            }
        }
    }
}
