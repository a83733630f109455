import CuffClinical
import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// Random cuffs, slots, names and moved readings. Each person has one systolic pressure of their own, so that any number that is made of
/// two persons' readings shows.
private struct RandomHome {
    let folder = TestFolder()
    var household = Household()
    /// Who each place is of, by this test's own rule: a name, or the place.
    private(set) var truth: [String: String] = [:]
    /// How many readings each person has, and the systolic pressure of all of them.
    private(set) var counts: [String: Int] = [:]
    private(set) var values: [String: Int] = [:]
    /// Readings by the person that a user said, and by cuff.
    private var waiting: [String?: [String: [Reading]]] = [:]
    var database: String { folder.file("bp.db") }

    init(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        func draw(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
        let cuffs = ["kitchen", "wrist", "usb:0403:6001:7", "00091ffffe000101"].prefix(1 + draw(4))
        let places = cuffs.flatMap { cuff in
            draw(2) == 0 ? [(cuff, Int?.none)] : (1...(1 + draw(3))).map { (cuff, Int?($0)) } + (draw(3) == 0 ? [(cuff, nil)] : [])
        }
        let names = ["Anna", "Ben", "Grandpa O'Hara <1>"]
        for (cuff, slot) in places {
            let place = slot.map { "\(cuff):\($0)" } ?? cuff
            truth[place] = place
            guard draw(2) == 0 else { continue }
            let name = names[draw(names.count)]
            truth[place] = name
            household.bind(draw(2) == 0 ? name : name.uppercased(), to: place)
        }
        // The household keeps the first spelling.
        for (place, name) in truth where household.name(name) != nil { truth[place] = household.name(name) }
        // The page has averages of the last days; 43 readings cover at most 20 days.
        var time = HostClock.now().seconds - 21 * 86400
        for _ in 0..<(3 + draw(40)) {
            time += Int64(60 + draw(40_000))
            let (cuff, slot) = places[draw(places.count)]
            let place = slot.map { "\(cuff):\($0)" } ?? cuff
            let said = draw(6) == 0 ? household.names.randomElement(using: &random) : nil
            add(said ?? truth[place] ?? place, cuff, slot, said, time)
        }
        try store()
    }

    private mutating func add(_ person: String, _ cuff: String, _ slot: Int?, _ said: String?, _ time: Int64) {
        let value = values[person] ?? 101 + 9 * values.count
        values[person] = value
        counts[person, default: 0] += 1
        var reading = Reading(
            .bloodPressure(.mmHg(value, 60, pulse: 60)), driver: "r1", user: slot.map { Int32($0) }, origin: .memory, raw: RawBytes([1]))
        reading.measured = Timestamp(seconds: time)
        reading.id = Reading.ID(wallSeconds: time, hash: UInt64(value))
        waiting[said, default: [:]][cuff, default: []].append(reading)
    }

    private func store() throws {
        for (said, cuffs) in waiting {
            let sink = try SQLiteSink(path: database, person: said)
            for (cuff, readings) in cuffs {
                _ = try sink.write(ReadingBatch(driver: "r1", device: cuff, entries: BatchEntries(readings.map { .reading($0) })))
            }
            try sink.close()
        }
    }

    var selection: ReadingSelection {
        var selection = ReadingSelection(zone: .utc)
        selection.household = household
        return selection
    }

    /// A person as this test calls them.
    func key(_ person: Person) -> String {
        switch person {
        case .named(let name): name
        case .unnamed(let slot, let cuff): slot.map { "\(cuff ?? "?"):\($0)" } ?? cuff ?? "?"
        }
    }

    /// The person that a line of JSON names.
    func key(_ line: [String: Any]) -> String {
        if let name = line["person"] as? String { return name }
        let cuff = line["cuff"] as? String ?? line["device"] as? String ?? "?"
        return (line["user"] as? Int).map { "\(cuff):\($0)" } ?? cuff
    }
}

private func objects(_ text: String) -> [[String: Any]] {
    text.split(separator: "\n").compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
}

@Suite(.timeLimit(.minutes(5))) struct HouseholdPropertyTests {
    private static let seeds = Array(UInt64(1)...20)

    @Test(arguments: seeds) func statistics_AreOfOnePersonEach(_ seed: UInt64) throws {
        let home = try RandomHome(seed)
        let store = try Store(home.database, access: .read)
        let cut = CalendarCut(.month, zone: .utc)
        for style in [AggregationStyle.discreteArithmetic, .discreteTemporallyWeighted] {
            let lines = objects(
                HealthRuns.text(try HealthRuns.statisticsOfEach(store, home.selection, by: cut, style: style), isTable: false))
            var counts: [String: Int] = [:]
            for line in lines {
                let person = home.key(line)
                counts[person, default: 0] += line["count"] as? Int ?? 0
                let systolic = try #require(line["systolic_mmHg"] as? [String: Any])
                for key in ["min", "max", "last", "avg"] { #expect(systolic[key] as? Int == home.values[person], "\(person) \(key)") }
            }
            #expect(counts == home.counts)
        }
        let selected = try store.persons(home.selection)
        #expect(Set(selected.all.map(home.key)) == Set(home.counts.keys))
        #expect(try store.readingsOfPersons(home.selection).persons == selected)
        let latest = try store.latest(3, of: Set(selected.all), home.selection)
        for person in selected.all {
            var own = home.selection
            own.person = person
            #expect(try store.count(own) == home.counts[home.key(person)])
            own.last = 3
            var ids: [Reading.ID] = []
            try store.forEach(own) { reading, _ in
                ids.append(reading.id)
                return true
            }
            #expect(ids.count == min(3, home.counts[home.key(person)] ?? 0) && latest[person]?.map(\.reading.id) == ids)
        }
    }

    @Test(arguments: seeds) func averages_AreOfOnePersonEach(_ seed: UInt64) throws {
        let home = try RandomHome(seed)
        let store = try Store(home.database, access: .read)
        for joins in [false, true] {
            var selection = home.selection
            selection.household.joinsCuffs = joins
            let run = try HealthRuns.average(store, selection, AverageRequest(.everything))
            var counts: [String: Int] = [:]
            for (owner, average) in run.averages.each {
                // Joined, slots without a name are no person of this test's.
                if joins, owner.person.name == nil { continue }
                let person = home.key(owner.person)
                counts[person, default: 0] += average.all.count
                #expect(average.all.systolic?.text == "\(try #require(home.values[person]))", "\(person)")
            }
            #expect(counts == (joins ? home.counts.filter { home.household.name($0.key) != nil } : home.counts))
        }
    }

    @Test(arguments: seeds) func aReport_HasAPartForEachPerson(_ seed: UInt64) throws {
        let home = try RandomHome(seed)
        let store = try Store(home.database, access: .read)
        let output = try OutputFile(home.folder.file("r.html"))
        var request = ReportRequest(AverageRequest(.everything))
        request.explains = true
        _ = try HealthRuns.report(store, home.selection, request, to: output) { (report, own) throws(IngestError) in
            let value = own.person.flatMap { home.values[home.key($0)] }
            #expect(!report.averages.isEmpty && report.averages.allSatisfy { $0.average.all.systolic?.text == "\(value ?? 0)" })
            #expect(report.entries.allSatisfy { Int($0.point.systolic) == value })
            #expect(report.explained.allSatisfy { Int($0.reading.systolic) == value } && report.explained.count == report.count)
        }
        let page = try String(contentsOfFile: home.folder.file("r.html"), encoding: .utf8)
        let parts = page.components(separatedBy: "<section class=\"person p").dropFirst()
        #expect(parts.count == home.counts.count)
        let persons = try store.persons(home.selection)
        for (part, person) in zip(parts, persons.all) {
            let value = try #require(home.values[home.key(person)])
            #expect(part.contains("<b>\(value)/60</b>"))
            for other in home.values.values where other != value { #expect(!part.contains("\(other)/60")) }
            if let heading = persons.neededHeading(person) { #expect(part.contains("<div class=\"who\">\(escaped(heading))</div>")) }
        }
    }

    @Test(arguments: seeds) func thePage_ItsReportAndItsTable_AreOfOnePersonEach(_ seed: UInt64) throws {
        let home = try RandomHome(seed)
        let household = home.household
        let site = WebSite(
            WebBoard(onNews: {}), database: home.database, zone: .utc, generator: "cuff",
            .init(counters: { nil }, settings: { PageSettings(household: household) }))
        func get(_ target: String, status: String = "200 OK") throws -> String {
            let request = try HTTPRequest(Array("GET \(target) HTTP/1.0\r\n\r\n".utf8), ownHost: "")
            guard case .response(let response) = site.answer(request) else { return "" }
            #expect(response.status == status, "\(target)")
            return String(decoding: response.body, as: UTF8.self)
        }
        let persons = try Store(home.database, access: .read).persons(home.selection)
        func check(_ text: String, _ person: Person, _ own: (Int) -> [String]) throws {
            let value = try #require(home.values[home.key(person)])
            for words in own(value) { #expect(text.contains(words), "\(person): \(words)") }
            for other in home.values.values where other != value { #expect(!text.contains("\(other)/60")) }
        }
        for days in [0, 30] {
            let parts = try get("/?days=\(days)").components(separatedBy: "<section id=\"person-").dropFirst()
            #expect(parts.count == home.counts.count)
            for (part, person) in zip(parts, persons.all) {
                let own = part.components(separatedBy: "</section>")[0]
                if !persons.isOne { #expect(own.contains(">\(escaped(persons.heading(person)))</h2>")) }
                // The table, the latest reading and the average of 30 days.
                try check(own, person) { ["<td>\($0)/60</td>", "<p><b>\($0)/60</b> mmHg"] }
                let rows = own.components(separatedBy: "<tr data-key=").count - 1
                #expect(rows == min(LivePage.rows, home.counts[home.key(person)] ?? 0))
            }
        }
        for person in persons.all {
            let key = PageContents.key(person)
            let page = try get("/?days=0&person=\(key)").components(separatedBy: "<section id=\"person-").dropFirst()
            #expect(page.count == 1 && page.first?.hasPrefix(key) == true)
            let report = try get("/report?days=0&person=\(key)").components(separatedBy: "<section class=\"person p").dropFirst()
            #expect(report.count == 1)
            for text in page + report { try check(text, person) { ["<b>\($0)/60</b>"] } }
            let rows = try get("/readings.csv?days=0&person=\(key)").split(whereSeparator: \.isNewline)
            let place = try #require(rows.first?.split(separator: ",").firstIndex(of: "systolic_mmHg"))
            let found = rows.dropFirst().map { Int($0.split(separator: ",", omittingEmptySubsequences: false)[place]) }
            #expect(Set(found) == [home.values[home.key(person)]] && found.count == home.counts[home.key(person)])
        }
        #expect(try get("/report?days=0").components(separatedBy: "<section class=\"person p").count - 1 == home.counts.count)
        // The key of a person who has been renamed is not that of all.
        for path in ["/report", "/readings.csv"] { #expect(try !get("\(path)?days=0&person=0", status: "404 Not Found").contains("/60")) }
    }

    @Test(arguments: seeds, ["jsonl", "csv", "influx", "fhir", "omh", "apple-health"])
    func anExport_SaysWhoseEachValueIs_OrRefuses(_ seed: UInt64, _ format: String) throws {
        let home = try RandomHome(seed)
        let store = try Store(home.database, access: .read)
        func export(_ selection: ReadingSelection, _ choices: [(String, String)] = []) throws -> String {
            try self.export(home, store, selection, format, choices)
        }
        switch format {
        case "jsonl":
            let lines = objects(try export(home.selection))
            #expect(lines.count == home.counts.values.reduce(0, +))
            for line in lines { #expect(line["systolic_mmHg"] as? Int == home.values[home.key(line)]) }
        case "csv":
            let rows = try export(home.selection).split(whereSeparator: \.isNewline).map {
                $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            }
            let head = try #require(rows.first)
            func cell(_ row: [String], _ name: String) -> String { head.firstIndex(of: name).map { row[$0] } ?? "" }
            for row in rows.dropFirst() {
                let (name, user, device) = (cell(row, "person"), cell(row, "user"), cell(row, "device"))
                let person = !name.isEmpty ? name : user.isEmpty ? device : "\(device):\(user)"
                #expect(Int(cell(row, "systolic_mmHg")) == home.values[person])
            }
        case "influx":
            for line in try export(home.selection).split(separator: "\n") {
                func field(_ key: String) -> String? {
                    line.components(separatedBy: "\(key)=").dropFirst().first.map {
                        $0.hasPrefix("\"") ? $0.components(separatedBy: "\"")[1] : String($0.prefix { $0 != "," && $0 != " " })
                    }
                }
                let person = field("person") ?? (field("user").map { "\(field("device") ?? ""):\($0)" } ?? field("device") ?? "")
                #expect(field("systolic_mmHg") == home.values[person].map { "\($0)" })
            }
        case "fhir": try checkPatients(home, store, export)
        default:
            #expect((home.counts.count > 1) == ((try? export(home.selection)) == nil), "a format without names is of one person")
            for person in try store.persons(home.selection).all {
                var own = home.selection
                own.person = person
                let text = try export(own)
                for (name, value) in home.values {
                    // `value="128"` of Apple's XML, `"value":128` of Open mHealth.
                    let isThere = text.contains(try Regex("value\"?[:=] ?\"?\(value)\\b"))
                    #expect(isThere == (name == home.key(person)))
                }
            }
        }
    }

    private func export(
        _ home: RandomHome, _ store: Store, _ selection: ReadingSelection, _ format: String, _ choices: [(String, String)]
    ) throws -> String {
        let path = home.folder.file(UUID().uuidString)
        var chosen = ExportChoices()
        for (name, value) in choices { chosen.choose(name, value) }
        _ = try HealthRuns.export(
            store, .only(.bloodPressure), selection, as: try Exporter.named(format), choices: chosen,
            context: HealthRuns.exportContext(.utc, version: "1"), to: try OutputFile(path))
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    private func checkPatients(
        _ home: RandomHome, _ store: Store, _ export: (ReadingSelection, [(String, String)]) throws -> String
    ) throws {
        // Slots by number: what would give one patient the readings of two persons is refused.
        let numbers = [("subject", "1=Patient/s1"), ("subject", "2=Patient/s2"), ("subject", "0=Patient/s0")]
        let unnamed = try store.persons(home.selection).all.filter { $0.name == nil }
        let isMixed = [1, 2, nil].contains { slot in unnamed.count { $0.slot == slot } > 1 }
        #expect(isMixed == ((try? export(home.selection, numbers)) == nil))
        let places = unnamed.compactMap { person in person.cuff.map { Household.place(cuff: $0, slot: person.slot) } }
        let references = Dictionary(uniqueKeysWithValues: (places + home.household.names).enumerated().map { ($1, "Patient/p\($0)") })
        let text = try export(home.selection, references.map { ("subject", "\($0.key)=\($0.value)") })
        var found = 0
        for line in objects(text) {
            for entry in line["entry"] as? [[String: Any]] ?? [] {
                guard let resource = entry["resource"] as? [String: Any], let parts = resource["component"] as? [[String: Any]],
                    let systolic = (parts.first?["valueQuantity"] as? [String: Any])?["value"] as? Int
                else { continue }
                found += 1
                let reference = (resource["subject"] as? [String: Any])?["reference"] as? String
                #expect(reference == home.values.first { $0.value == systolic }.flatMap { references[$0.key] })
            }
        }
        #expect(found == home.counts.values.reduce(0, +))
    }

    @Test(arguments: seeds) func linesOfTheTable_AreNamed(_ seed: UInt64) throws {
        let home = try RandomHome(seed)
        let store = try Store(home.database, access: .read)
        let path = home.folder.file("lines")
        try HealthRuns.list(store, home.selection, as: .plain, to: try OutputFile(path))
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            let (whose, device) = (cells[5], cells[8])
            let person = home.household.name(whose) ?? (whose.isEmpty ? device : "\(device):\(whose)")
            #expect(Int(cells[1]) == home.values[person])
        }
    }

    @Test(arguments: seeds) func aLimitedSink_HoldsNobodyElse(_ seed: UInt64) throws {
        let home = try RandomHome(seed)
        let store = try Store(home.database, access: .read)
        for names in home.household.names.map({ [$0] }) + [["none"], home.household.names] {
            var consent = SinkConsent()
            consent.persons = names
            var held: [String: Int] = [:]
            try store.forEach(home.selection) { reading, provenance in
                let batch = ReadingBatch(driver: reading.driver, device: provenance.device, entries: [.reading(reading)])
                for one in batch.limited(to: consent).entries.readings { held[one.person ?? "none", default: 0] += 1 }
                return true
            }
            var expected: [String: Int] = [:]
            for (person, count) in home.counts {
                let name = home.household.name(person) ?? "none"
                if names.contains(name) { expected[name, default: 0] += count }
            }
            #expect(held == expected)
        }
    }

    private func escaped(_ text: String) -> String {
        text.replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing("'", with: "&#39;")
    }
}
