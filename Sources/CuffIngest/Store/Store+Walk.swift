import CuffClinical
import CuffCore
import SQLite

/// An intact row that cannot be read: of a version without checksums.
struct UnreadableRow: Error {}

/// Walks over the rows of readings. A damaged row is never used as a reading and never skipped silently: it is counted, whatever
/// its columns say.
extension Store {
    enum DamagedRows {
        case leftOut
        case included
    }

    /// SQL for whether a row can be trusted. Without checksums, required columns are checked.
    var isIntact: String {
        if hasChecksums { return RowChecksum.reading.isIntact }
        let kinds = (ReadingSelection.Kind.allCases.map(\.rawValue) + [Self.tombstone]).map { ReadingSelection.quoted($0) }
        return "(type IN (\(kinds.joined(separator: ","))) AND pending IN (0, 1) AND source IN (SELECT number FROM source))"
    }

    /// Passes the selected rows to `body` in order of id. The condition is a result column, not a WHERE clause, because damage
    /// may make a row look unselected. For a range of time, rows whose id shows that they are outside it are not read. With `latest`, rows
    /// whose id and time have different days come first and may come twice; it says for the others whether the walk may end before a row.
    func walk(
        _ selection: ReadingSelection, columns: String, damaged: DamagedRows = .leftOut, latest: ((Reading.ID) -> Bool)? = nil,
        _ body: (ReadingCursor, [Int64: StoredSource], Person) throws -> Bool
    ) throws(IngestError) {
        var found = 0
        defer { noteDamage(found) }
        try read { db in
            let sources = try Self.sources(db)
            var owners = RowOwners(selection.household, sources)
            found += try damagedSources(db)
            var isEnded = false
            for stretch in stretches(selection, othersFirst: latest != nil, in: db) where !isEnded {
                let sql = """
                    SELECT \(isIntact), \(columns), \(stretch.isPast), reading.person, \(selection.condition(sources))
                    FROM reading \(stretch.rows) ORDER BY id\(selection.last == nil ? "" : " DESC")
                    """
                found += try eachRow(sql, in: db) { statement in
                    let cursor = ReadingCursor(statement: statement, zone: selection.zone)
                    guard cursor.isIntact || damaged == .included && cursor.isSelected else { throw UnreadableRow() }
                    if cursor.isIntact, cursor.isPast { return false }
                    if stretch.mayEnd, let latest, latest(cursor.id) { return false }
                    guard cursor.isSelected else { return true }
                    let owner = owners.owner(of: cursor)
                    guard selection.person == nil || selection.person == owner else { return true }
                    isEnded = try !body(cursor, sources, owner)
                    return !isEnded
                }
            }
        }
    }

    /// Rows to walk over, and the condition, for an intact row, that the walk is past the last of them.
    private struct Stretch {
        var rows = ""
        var isPast = "0"
        /// Whether the rows of other days came before.
        var mayEnd = false
    }

    /// The rows that a selection may mean, in the order of the walk. A range of time is the ids that begin with its days, and before and
    /// after them the rows whose id begins with another day than their time.
    private func stretches(_ selection: ReadingSelection, othersFirst: Bool, in db: SQLiteConnection) -> [Stretch] {
        guard selection.ids.isEmpty else { return [Stretch(rows: "WHERE \(ReadingSelection.names(selection.ids))")] }
        let (first, end) = selection.idRange
        let ends = [first, end].compactMap(\.self)
        let isSound =
            connection.hasDays && (othersFirst || !ends.isEmpty) && ends.allSatisfy { isOrdered(at: $0, in: db) } && othersAreFound(db)
        guard isSound else { return [Stretch()] }
        func others(_ condition: String) -> Stretch {
            Stretch(rows: "INDEXED BY \(Schema.dayIndex) WHERE \(Schema.isOfAnotherDay) AND \(condition)")
        }
        let before = first.map { others("id < '\($0)'") }
        let after = end.map { others("id >= '\($0)'") }
        // A damaged id may look like the end of the range, so the walk ends at an intact row.
        if selection.last == nil {
            let days = Stretch(rows: first.map { "WHERE id >= '\($0)'" } ?? "", isPast: end.map { "id >= '\($0)'" } ?? "0")
            return [before, days, after].compactMap(\.self)
        }
        let days = Stretch(rows: end.map { "WHERE id < '\($0)'" } ?? "", isPast: first.map { "id < '\($0)'" } ?? "0")
        guard othersFirst else { return [after, days, before].compactMap(\.self) }
        return [others("1"), Stretch(rows: days.rows, isPast: days.isPast, mayEnd: true)]
    }

    /// Whether each entry of the index of other days leads to an intact row: SQLite skips one that leads to none.
    private func othersAreFound(_ db: SQLiteConnection) -> Bool {
        let others = "reading INDEXED BY \(Schema.dayIndex) WHERE \(Schema.isOfAnotherDay)"
        guard let entries = try? Self.count(db, others) else { return false }
        return (try? Self.count(db, "\(others) AND \(isIntact)")) == entries
    }

    /// Whether the rows on both sides of an id are intact. A search misled by a damaged id ends next to that id.
    private func isOrdered(at id: String, in db: SQLiteConnection) -> Bool {
        ["id < ? ORDER BY id DESC", "id >= ? ORDER BY id"].allSatisfy { side in
            (try? db.rows("SELECT \(isIntact) FROM reading WHERE \(side) LIMIT 1", id) { $0.flag(0) })?.allSatisfy(\.self) ?? false
        }
    }

    /// Whose the selected readings are.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func persons(_ selection: ReadingSelection) throws(IngestError) -> Persons {
        let isOfAnyTime = selection.since == nil && selection.until == nil && selection.isOfTime
        if isOfAnyTime, let persons = try personsOfAll(selection) { return persons }
        return try readingsOfPersons(selection).persons
    }

    /// The persons of readings of any time, without a walk over the rows. `nil` if a row is too large.
    private func personsOfAll(_ selection: ReadingSelection) throws(IngestError) -> Persons? {
        try read { db in
            let sources = try Self.sources(db)
            let owners = RowOwners(selection.household, sources)
            let rows = "FROM reading WHERE \(selection.condition(sources))"
            do {
                let places = try db.rows("SELECT DISTINCT source, user, person \(rows)") { ($0.number(0), $0.int(1), $0.text(2)) }
                // A damaged row adds no person.
                let isFound = "SELECT 1 \(rows) AND source = ? AND user IS ? AND person IS ? AND \(isIntact) LIMIT 1"
                let found = try places.filter { try db.hasRow(isFound, $0, $1, $2) }.map { owners.owner(source: $0, user: $1, said: $2) }
                return Persons(found.filter { selection.person == nil || selection.person == $0 })
            } catch let error as SQLiteError where error.code == .tooBig { return nil }
        }
    }

    /// The number of selected readings of each person.
    package func readingsOfPersons(_ selection: ReadingSelection) throws(IngestError) -> ByPerson<Int> {
        var found = ByPerson<Int>()
        var left = selection.last ?? .max
        try walk(selection, columns: ReadingColumn.ofPoints) { cursor, _, owner in
            guard selection.holds(cursor.time) else { return true }
            guard left > 0 else { return false }
            left -= 1
            found[owner, default: 0] += 1
            return true
        }
        return found
    }

    /// What decoded these readings, as far as it is known.
    func decoders(of ids: some Sequence<Reading.ID>) throws(IngestError) -> [Reading.ID: String] {
        try read { db in
            let statement = try db.cached("SELECT decoder FROM reading WHERE id = ? AND decoder IS NOT NULL AND \(isIntact)")
            var found: [Reading.ID: String] = [:]
            for id in ids {
                statement.bind(id.description)
                defer { statement.reset() }
                if try statement.step() { found[id] = statement.text(0) }
            }
            return found
        }
    }

    /// Steps through the rows of a query in the order of a key; `body` returns whether to continue. Returns how many rows could
    /// not be read: `body` threw `UnreadableRow`, or a cell is too large. SQLite ends a statement at such a cell; it is restarted
    /// after the row.
    func eachRow(_ sql: String, in db: SQLiteConnection, _ body: (SQLiteStatement) throws -> Bool) throws -> Int {
        var (stepped, unreadable) = (0, 0)
        while true {
            let statement = try db.prepare("\(sql) LIMIT -1 OFFSET \(stepped)")
            do {
                while try statement.step() {
                    stepped += 1
                    do { guard try body(statement) else { return unreadable } } catch is UnreadableRow { unreadable += 1 }
                }
                return unreadable
            } catch let error as SQLiteError where error.code == .tooBig {
                stepped += 1
                unreadable += 1
            }
        }
    }

    /// Sources with damaged rows. Their readings are intact and are shown.
    private func damagedSources(_ db: SQLiteConnection) throws -> Int {
        guard hasChecksums else { return 0 }
        return try Self.count(db, "source WHERE NOT \(RowChecksum.source.isIntact)")
    }

    /// Which of these readings are damaged.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func damaged(among ids: [Reading.ID]) throws(IngestError) -> [Reading.ID] {
        guard !ids.isEmpty else { return [] }
        return try read { db in
            try db.rows("SELECT id FROM reading WHERE \(ReadingSelection.names(ids)) AND NOT \(isIntact)") { $0.text(0) ?? "" }
                .compactMap { Reading.ID.parse($0) }
        }
    }

    // MARK: What was written

    enum Confirmation { case here, deleted }

    /// Checks that an inserted reading is in its row: a trigger in the file may have removed or changed it.
    func confirm(_ reading: Reading, isNew: Bool, in db: SQLiteConnection) throws -> Confirmation {
        let id = reading.id.description
        let row = try db.first("SELECT type, revision, \(RowChecksum.reading.isIntact) FROM reading WHERE id = ?", id) {
            (type: $0.text(0), revision: $0.int(1) ?? -1, isIntact: $0.flag(2))
        }
        guard let row else { throw keptOut(id, in: db) }
        if row.type == Self.tombstone { return .deleted }
        guard row.revision >= Int(reading.revision), !isNew || row.isIntact else { throw keptOut(id, in: db) }
        return .here
    }

    /// As `confirm`, for a line in the outbox.
    func confirmLine(_ sink: Int64, _ id: Reading.ID, _ revision: Int, _ isPending: Bool, in db: SQLiteConnection) throws {
        let sql = "SELECT 1 FROM outbox WHERE sink = ? AND id = ? AND revision = ? AND pending = ?"
        guard try db.hasRow(sql, sink, id.description, revision, isPending) else { throw keptOut(id.description, in: db) }
    }

    func keptOut(_ id: String, in db: SQLiteConnection) -> IngestError {
        let triggers = try? db.rows("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name") { $0.text(0) ?? "" }
        return IngestError(StoreFault.keptOut(path, id: id, triggers: triggers ?? []))
    }
}

/// Whose each row is. Nearly every row is of the cuff and the slot of the one before.
struct RowOwners {
    private let household: Household
    private let sources: [Int64: StoredSource]
    private var latest: (source: Int64, user: Int?, owner: Person)?

    init(_ household: Household, _ sources: [Int64: StoredSource]) { (self.household, self.sources) = (household, sources) }

    mutating func owner(of cursor: ReadingCursor) -> Person {
        let (source, user, said) = (cursor.source, cursor.user, cursor.person)
        if said == nil, let latest, latest.source == source, latest.user == user { return latest.owner }
        let owner = owner(source: source, user: user, said: said)
        if said == nil { latest = (source, user, owner) }
        return owner
    }

    func owner(source: Int64, user: Int?, said: String?) -> Person {
        let provenance = sources[source]?.provenance ?? Provenance(driver: "unknown")
        return household.person(cuff: provenance.cuff, slot: user, said: said)
    }
}

extension Provenance {
    /// The cuff's name in the places of a `Household`.
    var cuff: String { Household.cuff(device: device, driver: driver) }

    /// Whether a selection by `device`, the identity or the cuff's name in a place, and by `driver` includes it; `nil`: any.
    func isMeant(device: String?, driver: String?) -> Bool {
        (device.map { $0 == self.device || $0 == cuff } ?? true) && (driver.map { $0 == self.driver } ?? true)
    }
}

extension ReadingSelection {
    static func names(_ ids: [Reading.ID]) -> String { "id IN (\(ids.map { quoted($0.description) }.joined(separator: ",")))" }
}
