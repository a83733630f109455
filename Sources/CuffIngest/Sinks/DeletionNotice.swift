import CuffClinical
import CuffCore
import SQLite

/// The line that reports a deleted reading to a sink that received it. It contains no values, only what a server needs to find
/// the reading.
///
///     {"type":"deleted","schema":1,"id":"…","revision":255,"of":"blood_pressure","driver":"…","device":"…","user":1,
///      "person":"…","measured":"…","parts":["pulse_rate","flags"]}
struct DeletionNotice: Sendable, Equatable {
    var id: String
    var type: String
    var driver = ""
    var device = ""
    var user: Int?
    var person: String?
    var measured: String?
    /// Of a quantity: its code in the nomenclature, as a number and as a name.
    var mdc: Int64?
    var code: String?
    var hasPulse = false, hasFlags = false

    /// The highest revision, so that no later copy of the reading replaces the notice.
    static let revision = 255
    static let beginning = "{\"type\":\"deleted\","

    var line: String {
        func word(_ value: String?) -> JSONOutput? { value.flatMap { $0.isEmpty ? nil : .text($0) } }
        let parts: [JSONOutput] = [hasPulse ? "pulse_rate" : nil, hasFlags ? "flags" : nil].compactMap { $0 }
        return JSONOutput.line(
            "deleted", ("id", .text(id)), ("revision", .number(Self.revision)), ("of", word(type)), ("driver", word(driver)),
            ("device", word(device)), ("user", user.map { .number($0) }), ("person", word(person)), ("measured", word(measured)),
            ("code", word(code)), ("mdc", mdc.map { .number(Int($0)) }), ("parts", parts.isEmpty ? nil : .list(parts)))
    }

    /// The facts of a stored reading, before its deletion; `nil` if it does not exist.
    static func find(_ id: String, _ household: Household, in db: SQLiteConnection) throws -> DeletionNotice? {
        try db.first(
            """
            SELECT type, user, measured, mdc, code, pulse_per_min IS NOT NULL, flags IS NOT NULL, driver, device, person
            FROM reading LEFT JOIN source ON source.number = reading.source WHERE id = ?
            """, id
        ) { row in
            let type = row.text(0) ?? ""
            let (driver, device) = (row.text(7) ?? "", row.text(8) ?? "")
            let person = household.person(cuff: Household.cuff(device: device, driver: driver), slot: row.int(1), said: row.text(9))
            return DeletionNotice(
                id: id, type: type, driver: driver, device: device, user: row.int(1), person: person.name, measured: row.text(2),
                mdc: row.integer(3), code: type == "quantity" ? row.text(4) : nil, hasPulse: row.flag(5), hasFlags: row.flag(6))
        }
    }
}

/// Queues notices for the sinks that received a reading. Used within the deleting transaction.
struct DeletionNotices {
    /// The sinks that have or may have the reading `?1`; not those that refused it.
    private let had: String
    private let household: Household

    /// Only sinks that answer: it is unknown what others do with a line.
    init(_ db: SQLiteConnection, _ household: Household) throws {
        self.household = household
        let sinks = try db.rows("SELECT number, spec FROM sink ORDER BY number") { row -> String? in
            let spec = try? SinkSpec(row.text(1) ?? "")
            guard let kind = spec?.kind, kind.durability == .acknowledged, kind.traits.contains(.outbox) else { return nil }
            return row.text(0)
        }
        let numbers = sinks.compactMap { $0 }.joined(separator: ",")
        had = "SELECT sink FROM outbox WHERE id = ?1 AND refused IS NULL AND sink IN (\(numbers))"
    }

    /// `person`: whose the reading was, if it was moved since. `limits`: an SQL condition on the sinks.
    func put(_ id: String, of person: Person? = nil, only limits: String = "", in db: SQLiteConnection) throws {
        let had = had + limits
        guard try db.hasRow(had, id), var notice = try DeletionNotice.find(id, household, in: db) else { return }
        if let person { notice.person = person.name }
        try Store.queue(notice.line, id, DeletionNotice.revision, for: had, in: db)
    }
}

extension Outbox.Line {
    var isDeletion: Bool { revision == DeletionNotice.revision && bytes.starts(with: DeletionNotice.beginning.utf8) }
}
