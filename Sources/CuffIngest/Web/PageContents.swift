import CuffClinical
import CuffCore
import Glibc

/// The readings of the live page, of its report and of its table, by person: from the database, else those of this run.
final class PageContents: Sendable {
    typealias Stored = (reading: Reading, provenance: Provenance)

    struct View: Sendable {
        /// The key of the only person that is shown; `nil`: all. An unknown key: the page shows all, a file does not exist.
        var person: String?
        /// One of `LivePage.ranges`.
        var days: Int
        var request: ReportRequest
        var zone: ZoneTable
        var settings: PageSettings
        var now: Timestamp

        var household: Household { settings.household }

        /// Which readings count.
        var rule: InclusionRule { InclusionRule(zone: zone, excludesDisturbed: request.average.excludesDisturbed) }

        /// The beginning of the first day; the last one is today. `nil` for all.
        func since(_ days: Int) -> Timestamp? {
            guard days > 0 else { return nil }
            let today = WallTime.floor(zone.wall(at: now.seconds), 86400)
            return Timestamp(seconds: zone.firstInstant(fromWall: (today - Int64(days) + 1) * 86400))
        }
    }

    /// The averages of the page, in days.
    private static let averaged = [7, 30]
    /// The newest readings in a table; a line has about 150 bytes.
    static let mostOfTable = 20_000

    /// The persons of a view as long as neither the database nor the minute changes.
    private struct Kept {
        var state: [Int64]
        var view: (person: String?, days: Int, settings: PageSettings, minute: Int64)
        var persons: [LivePage.Person]
    }

    private let board: WebBoard?
    private let path: String?
    private let names: Set<String>
    private let kept = Locked<Kept?>(nil)
    /// The state of the database at the last call of `hasChanged`.
    private let seen = Locked<[Int64]>([])

    init(_ board: WebBoard?, database: String?, names: Set<String>) {
        (self.board, path, self.names) = (board, database, names)
    }

    /// `nil` without a database, or before its first reading.
    private func store() throws(IngestError) -> Store? {
        guard let path else { return nil }
        do throws(IngestError) { return try Store(path, access: .read) } catch {
            guard error.status == .noInput else { throw error }
            return nil
        }
    }

    /// Letters and digits in an address, which do not show the name.
    static func key(_ person: Person) -> String { String(XXHash64.hash(Array("\(person)".utf8).span), radix: 36) }

    func persons(_ view: View) throws(IngestError) -> [LivePage.Person] {
        guard let path else { return persons(heard(view), view) }
        let now = (person: view.person, days: view.days, settings: view.settings, minute: view.now.seconds / 60)
        let state = Self.state(of: path)
        if let kept = kept.withLock({ $0 }), kept.state == state, kept.view == now { return kept.persons }
        guard let store = try store() else { return persons(heard(view), view) }
        let found = persons(try stored(view, in: store), view)
        kept.withLock { $0 = Kept(state: state, view: now, persons: found) }
        return found
    }

    /// Whether readings were stored or changed since the last call, by this program or another one.
    func hasChanged() -> Bool {
        guard let path else { return false }
        let state = Self.state(of: path)
        return seen.withLock { seen in
            defer { seen = state }
            return !seen.isEmpty && seen != state
        }
    }

    /// Sizes and times of the database and its log: a change of the readings changes one of them.
    private static func state(of database: String) -> [Int64] {
        ["", "-wal"].flatMap { suffix -> [Int64] in
            var status = stat()
            guard stat(database + suffix, &status) == 0 else { return [0, 0, 0] }
            return [Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec)]
        }
    }

    // MARK: The page

    /// What a page needs, of all persons or of those that it shows.
    private struct Found {
        var persons: Persons
        var averages: [(days: Int, run: AverageRun)] = []
        var reports = ByPerson<Report>()
        /// Oldest first.
        var latest: [Person: [Stored]] = [:]
        /// The latest that counts, of those of whose latest none does.
        var newest: [Person: [Stored]] = [:]
    }

    private func persons(_ found: Found, _ view: View) -> [LivePage.Person] {
        let shown = shown(found.persons, view)
        return found.persons.all.map { owner in
            var person = LivePage.Person(name: view.request.language.heading(owner, among: found.persons), key: Self.key(owner))
            guard shown.contains(owner) else { return person }
            person.report = found.reports[owner, default: view.request.empty(view.zone)]
            for (days, run) in found.averages {
                person.averages += HealthRuns.averages(of: owner, in: run).map { (days, $0.cuff, $0.average) }
            }
            person.latest = (found.latest[owner] ?? []).reversed().map(named)
            person.newest = person.latest.first { view.rule.counts($0.reading) } ?? found.newest[owner]?.last.map(named)
            return person
        }
    }

    /// With the user's name of the cuff, else make and model, else its identity.
    private func named(_ one: Stored) -> (reading: Reading, cuff: String) {
        (one.reading, names.contains(one.provenance.device) ? one.provenance.device : one.provenance.name)
    }

    private func shown(_ persons: Persons, _ view: View) -> [Person] {
        let chosen = persons.all.filter { Self.key($0) == view.person }
        return chosen.isEmpty ? persons.all : chosen
    }

    private func stored(_ view: View, in store: Store) throws(IngestError) -> Found {
        var selection = selection(view)
        let known = try store.sources()
        let numbers = known.keys.sorted()
        var found = Found(persons: try store.persons(selection))
        found.latest = try store.latest(LivePage.rows, of: Set(shown(found.persons, view)), selection)
        let others = shown(found.persons, view).filter { !(found.latest[$0] ?? []).contains { view.rule.counts($0.reading) } }
        if !others.isEmpty { found.newest = try store.latest(1, of: Set(others), selection, by: view.rule) }
        selection.since = view.since(Self.averaged.max() ?? 0)
        var readings: [HomeReading] = []
        try store.forEachHomeReading(selection, rule: view.rule, withIDs: false) { reading in
            readings.append(reading)
            return true
        }
        for index in readings.indices { readings[index].source = numbers.firstIndex(of: Int64(readings[index].source)) ?? numbers.count }
        found.averages = Self.averages(of: HealthRuns.inOrder(readings), numbers.compactMap { known[$0]?.provenance }, view)
        selection.since = view.since(view.days)
        found.reports = try store.reports(selection, like: view.request.empty(view.zone))
        return found
    }

    /// The averages of the page; the readings are in the order of their times, and a reading's source is an index into `sources`.
    private static func averages(of readings: [HomeReading], _ sources: [Provenance], _ view: View) -> [(days: Int, run: AverageRun)] {
        averaged.map { days in
            var averages = HomeAverages(
                view.request.average.rule, zone: view.zone, windows: view.request.average.windows, joinsSources: view.household.joinsCuffs)
            let since = view.since(days) ?? Timestamp(milliseconds: .min)
            for reading in readings where reading.time.map({ $0 >= since }) ?? true { averages.add(reading) }
            averages.finish()
            return (days, AverageRun(averages: averages, sources: sources))
        }
    }

    private static func readings(_ store: Store, _ selection: ReadingSelection) throws(IngestError) -> [Stored] {
        var found: [Stored] = []
        try store.forEach(selection) { reading, provenance in
            found.append((reading, provenance))
            return true
        }
        return found
    }

    /// The readings of this run.
    private func heard(_ view: View) -> Found {
        let readings = (board?.latest(.max) ?? []).filter {
            switch $0.reading.content {
            case .bloodPressure, .failure: true
            case .pulseRate, .quantity: false
            }
        }.map { one in (one, view.household.person(of: one.reading, device: one.provenance.device), one.reading.bestTime(in: view.zone)) }
        var found = Found(persons: Persons(readings.map(\.1)))
        // The memory of a cuff may begin with the newest.
        let inOrder = readings.sorted { ($0.2?.milliseconds ?? .min) < ($1.2?.milliseconds ?? .min) }
        let sources = Array(Set(readings.map(\.0.provenance)))
        let home = inOrder.compactMap { one, person, time -> HomeReading? in
            guard let time, case .counts(let point) = view.rule.verdict(on: one.reading) else { return nil }
            return HomeReading(
                id: point.id, time: time, systolic: point.systolic, diastolic: point.diastolic, pulse: point.pulse, flags: point.flags,
                person: person, source: sources.firstIndex(of: one.provenance) ?? 0)
        }
        found.averages = Self.averages(of: home, sources, view)
        var parts: [Person: AverageParts<(Stored, Person)>] = [:]
        func add(_ one: (Stored, Person), _ isPart: Bool) {
            found.reports[one.1, default: view.request.empty(view.zone)].add(
                one.0.reading, from: one.0.provenance, exclusion: isPart ? .partOfAverage : nil)
        }
        for (one, person, time) in inOrder {
            if view.since(view.days).map({ since in time.map { $0 >= since } ?? false }) ?? true {
                if let time, case .counts(let point) = view.rule.verdict(on: one.reading) {
                    parts[person, default: AverageParts()].add(
                        (one, person), at: time, source: sources.firstIndex(of: one.provenance) ?? 0, flags: point.flags, pass: add)
                } else {
                    add((one, person), false)
                }
            }
            if view.rule.counts(one.reading) { found.newest[person] = [one] }
            found.latest[person, default: []] = Array((found.latest[person, default: []] + [one]).suffix(LivePage.rows))
        }
        for person in parts.keys { parts[person]?.finish(pass: add) }
        return found
    }

    private func selection(_ view: View) -> ReadingSelection {
        var selection = ReadingSelection(kinds: [.bloodPressure, .measurement], zone: view.zone)
        selection.household = view.household
        return selection
    }

    // MARK: Files

    /// The selection of a report or a table; `nil` for an unknown key.
    private func selection(_ view: View, in store: Store) throws(IngestError) -> ReadingSelection? {
        var selection = selection(view)
        if let key = view.person {
            guard let person = try store.persons(selection).all.first(where: { Self.key($0) == key }) else { return nil }
            selection.person = person
        }
        selection.since = view.since(view.days)
        return selection
    }

    /// Returns `false` without a database, and for an unknown person.
    func appendReport(_ view: View, to text: inout TextBuffer) throws(IngestError) -> Bool {
        guard let store = try store(), let selection = try selection(view, in: store) else { return false }
        let reports = try HealthRuns.reports(store, selection, view.request)
        HealthRuns.append(reports.map(\.report), view.request, to: &text)
        return true
    }

    /// The newest readings as CSV; returns `false` for an unknown person.
    func appendTable(_ view: View, to text: inout TextBuffer) throws -> Bool {
        let found: [Stored]
        var context = HealthRuns.exportContext(view.zone, version: view.request.generator)
        if let store = try store() {
            guard var selection = try selection(view, in: store) else { return false }
            selection.last = Self.mostOfTable
            context.partsOfAverages = try store.partsOfAverages(selection)
            found = try Self.readings(store, selection)
        } else {
            found = (board?.latest(.max) ?? []).filter { one in
                view.person.map { $0 == Self.key(view.household.person(of: one.reading, device: one.provenance.device)) } ?? true
            }
            guard view.person == nil || !found.isEmpty else { return false }
        }
        var writer = try Exporter.named("csv").writer(ExportChoices(), context)
        writer.begin(to: &text)
        for (reading, provenance) in found {
            do throws(ExportOmission) { try writer.append(reading, from: provenance, parts: .values, to: &text) } catch { continue }
        }
        writer.end(to: &text)
        return true
    }

    /// The latest readings, oldest first.
    func latest(_ count: Int, _ zone: ZoneTable, _ household: Household) throws(IngestError) -> [Stored] {
        guard let store = try store() else { return board?.latest(count) ?? [] }
        var selection = ReadingSelection(zone: zone)
        (selection.last, selection.household) = (count, household)
        return try Self.readings(store, selection)
    }
}
