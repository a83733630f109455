import CuffClinical
import CuffCore
import SQLite

extension Store {
    /// The sources by row number.
    package func sources() throws(IngestError) -> [Int64: StoredSource] {
        try read { try Self.sources($0) }
    }

    /// What may select the readings of one cuff: identities, and the names of cuffs without one.
    package func cuffNames() throws(IngestError) -> [String] {
        Set(try sources().values.flatMap { [$0.provenance.device, $0.provenance.cuff] }).filter { !$0.isEmpty }.sorted()
    }

    /// How many readings of a cuff have a time by its clock that was taken to be of another zone than this.
    package func readingsOfAnotherZone(_ zone: ZoneTable, device: String, driver: DriverID) throws(IngestError) -> Int {
        var selection = ReadingSelection(zone: zone)
        (selection.device, selection.driver) = (device, driver.description)
        var count = 0
        try forEach(selection) { reading, _ in
            if reading.clock.time != nil, reading.isOfAnotherZone(than: zone) { count += 1 }
            return true
        }
        return count
    }

    static func sources(_ db: SQLiteConnection) throws -> [Int64: StoredSource] {
        let sources = try db.rows("SELECT number, driver, device, manufacturer, model, serial, firmware, details FROM source") { row in
            let (number, name, device) = (row.number(0), row.text(1) ?? "", row.text(2) ?? "")
            let known = CuffFamilies.named(name)?.id
            var identity = DeviceIdentity(
                id: device, manufacturer: row.text(3), model: row.text(4), serial: row.text(5), firmware: row.text(6))
            identity.restoreDetails(row.text(7))
            return StoredSource(
                number: number,
                driver: known ?? Importer.driver(named: name) ?? "unknown",
                provenance: Provenance(driver: name, device: device, identity: identity))
        }
        return Dictionary(sources.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
    }

    /// Hands over the selected readings one by one in the order of their ids, without keeping any; the latest in the order of their times.
    /// Each has the name of its person in the selection's household. The body answers whether to go on.
    /// - Throws: An `IngestError` of reading, as ``Store`` says; an `IngestError` of `body`. Any other error of `body` comes as
    ///   `StoreFault.failed`.
    public func forEach(_ selection: ReadingSelection, _ body: (Reading, Provenance) throws -> Bool) throws(IngestError) {
        guard let last = selection.last else {
            return try walk(selection, columns: ReadingColumn.all) { cursor, sources, owner in
                guard selection.holds(cursor.time) else { return true }
                guard let (reading, provenance) = try whole(cursor, sources, owner, selection) else { return true }
                return try body(reading, provenance)
            }
        }
        // The latest are found backwards and passed on forwards.
        var latest = LatestRows<(Reading, Provenance)>(last)
        try walk(selection, columns: ReadingColumn.all, latest: { latest.isComplete(at: $0) }) { cursor, sources, owner in
            let (time, id) = (cursor.timeOfOrder, cursor.id)
            guard selection.holds(cursor.time), latest.takes(time, id) else { return true }
            if let one = try whole(cursor, sources, owner, selection) { latest.add(one, at: time, id) }
            return true
        }
        do {
            for (reading, provenance) in latest.sorted { guard try body(reading, provenance) else { return } }
        } catch { throw Self.translated(error, path) }
    }

    /// The reading of a row; `nil` if it does not fulfil the condition.
    private func whole(
        _ cursor: ReadingCursor, _ sources: [Int64: StoredSource], _ owner: Person, _ selection: ReadingSelection
    ) throws -> (Reading, Provenance)? {
        guard let source = sources[cursor.source], var reading = cursor.reading(driver: source.driver) else { throw UnreadableRow() }
        guard selection.condition?.holds(reading) ?? true else { return nil }
        reading.person = owner.name
        return (reading, source.provenance)
    }

    /// The latest selected readings of each of these persons, the latest last; with a rule, of those that count.
    func latest(
        _ count: Int, of persons: Set<Person>, _ selection: ReadingSelection, by rule: InclusionRule? = nil
    ) throws(IngestError) -> [Person: [(reading: Reading, provenance: Provenance)]] {
        var selection = selection
        selection.last = count
        var found = Dictionary(uniqueKeysWithValues: persons.map { ($0, LatestRows<(reading: Reading, provenance: Provenance)>(count)) })
        try walk(selection, columns: ReadingColumn.all, latest: { id in found.values.allSatisfy { $0.isComplete(at: id) } }) {
            cursor, sources, owner in
            let (time, id) = (cursor.timeOfOrder, cursor.id)
            guard found[owner]?.takes(time, id) ?? false else { return true }
            if let one = try whole(cursor, sources, owner, selection), rule?.counts(one.0) ?? true { found[owner]?.add(one, at: time, id) }
            return true
        }
        return found.mapValues(\.sorted).filter { !$0.value.isEmpty }
    }

    /// The selected blood pressures as statistics see them: what counts, and what does not with the reason. Much faster than
    /// whole readings. The body gets also the number of the source and the person.
    package func forEachPoint(
        _ selection: ReadingSelection, rule: InclusionRule, _ body: (InclusionRule.Verdict, Int64, Person) -> Void
    ) throws(IngestError) {
        try walkPressures(selection, columns: ReadingColumn.ofPoints) { cursor, time, owner in
            if let reason = rule.reason(cursor.flags) {
                body(.excluded(reason), cursor.source, owner)
            } else if let time, let point = cursor.point(time) {
                body(.counts(point), cursor.source, owner)
            } else {
                body(.excluded(cursor.timeExclusion), cursor.source, owner)
            }
            return true
        }
    }

    /// Passes the rows of the selected blood pressures to `body`, each with its time; those of an implausible time, too.
    func walkPressures(
        _ selection: ReadingSelection, columns: String, _ body: (ReadingCursor, Timestamp?, Person) throws -> Bool
    ) throws(IngestError) {
        var selection = selection
        selection.kinds = [.bloodPressure]
        var left = selection.last ?? .max
        try walk(selection, columns: columns) { cursor, _, owner in
            let time = cursor.time
            guard selection.holds(time) || cursor.hasImplausibleTime else { return true }
            if let condition = selection.condition {
                guard let point = cursor.point(time ?? Timestamp(milliseconds: 0)), condition.holds(point) else { return true }
            }
            guard left > 0 else { return false }
            left -= 1
            return try body(cursor, time, owner)
        }
    }

    /// As `forEachPoint`, but the inflations in a cuff's averages do not count; `part` gets each of these.
    func forEachOwnPoint(
        _ selection: ReadingSelection, rule: InclusionRule, part: (ReadingPoint) -> Void = { _ in },
        _ body: (InclusionRule.Verdict, Int64, Person) -> Void
    ) throws(IngestError) {
        typealias Own = (owner: HomeAverages.Owner, source: Int64, point: ReadingPoint)
        var parts: [HomeAverages.Owner: AverageParts<Own>] = [:]
        func pass(_ own: Own, _ isPart: Bool) {
            if isPart { part(own.point) }
            body(isPart ? .excluded(.partOfAverage) : .counts(own.point), own.source, own.owner.person)
        }
        try forEachPoint(selection, rule: rule) { verdict, source, person in
            guard case .counts(let point) = verdict else { return body(verdict, source, person) }
            let owner = HomeAverages.Owner(person: person, source: Int(source))
            parts[owner, default: AverageParts()].add(
                (owner, source, point), at: point.time, source: Int(source), flags: point.flags, pass: pass)
        }
        // In a fixed order: sums of floating-point numbers depend on it.
        for owner in parts.keys.sorted(by: { $0.source ?? 0 < $1.source ?? 0 }) { parts[owner]?.finish(pass: pass) }
    }

    /// The inflations in a cuff's averages, among all readings of the selection's persons, cuffs and times.
    func partsOfAverages(_ selection: ReadingSelection) throws(IngestError) -> Set<Reading.ID> {
        var selection = selection
        // The average itself may have been delivered earlier, or not be selected.
        (selection.newFor, selection.last, selection.condition, selection.ids) = (nil, nil, nil, [])
        var found: Set<Reading.ID> = []
        try forEachOwnPoint(selection, rule: InclusionRule(zone: selection.zone), part: { found.insert($0.id) }) { _, _, _ in }
        return found
    }

    /// How many of the selected readings are in no range, because their time is unknown or implausible. Of the implausible ones all that
    /// are marked so, and those of earlier versions, which are not marked, where the range has their time.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func withoutTime(_ selection: ReadingSelection) throws(IngestError) -> (implausible: Int, unknown: Int) {
        var selection = selection
        selection.last = nil
        var found = (implausible: 0, unknown: 0)
        try walk(selection, columns: ReadingColumn.ofPoints) { cursor, _, _ in
            if cursor.hasImplausibleTime { found.implausible += 1 } else if cursor.time == nil { found.unknown += 1 }
            return true
        }
        return found
    }

    /// Changes whenever another connection has changed the database.
    func changeCounter() throws(IngestError) -> Int64 {
        try read { try $0.first("PRAGMA data_version") { $0.integer(0) } ?? 0 }
    }

    /// The number of selected readings.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func count(_ selection: ReadingSelection) throws(IngestError) -> Int {
        var count = 0
        try forEach(selection) { _, _ in
            count += 1
            return true
        }
        return count
    }
}

extension Reading {
    /// Whether its time was taken to be of a zone with another offset.
    func isOfAnotherZone(than zone: ZoneTable) -> Bool {
        measured.map { zone.offset(at: $0.seconds) / 60 != Int(measuredOffset) } ?? false
    }
}
