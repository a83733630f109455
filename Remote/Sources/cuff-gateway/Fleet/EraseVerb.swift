import Glibc
import PostgresStore
import RemoteSink

/// `cuff-gateway erase SUBJECT`: removes a person's readings, and keeps them from being stored again. It can be run again after it was
/// interrupted anywhere.
struct EraseVerb {
    let session: Session
    let isForced: Bool

    /// Seconds for a statement: a person has thousands of readings, and they are found by an index.
    private static let limit = 600

    func run(_ subject: String) throws(VerbFault) {
        do throws(ServerFault) {
            try session.open(limit: Self.limit)
            let audit = Audit(session)
            let machines = try session.rows(
                "SELECT DISTINCT coalesce(gateway, '') FROM cuff.reading WHERE line->>'person' = $1 ORDER BY 1", [subject]
            )
            .compactMap { $0.first ?? nil }
            // A name may be of several persons; the key of a subject is of one person of one machine.
            if machines.count > 1, !isForced {
                throw ServerFault(
                    .reading,
                    "`\(subject)` has readings of \(machines.count) machines (\(machines.prefix(10).joined(separator: ", "))), and a name may be of "
                        + "several persons: add --force to erase all of them")
            }
            try audit.note("erase", subject, "begun")
            try refuseFromNowOn(subject)
            print("erased of \(subject): \(try remove(subject, audit)). They are not stored again if they are delivered again")
        } catch {
            throw VerbFault(
                error.kind == .reading ? error.text : "the database: \(error.text)", error.kind == .later ? EX_TEMPFAIL : EX_CONFIG)
        }
    }

    /// After a restore: every person of `cuff.erased`, and nothing that was measured after that was noted.
    func runAgain() throws(VerbFault) {
        do throws(ServerFault) {
            try session.open(limit: Self.limit)
            let audit = Audit(session)
            let subjects = try session.rows("SELECT subject FROM cuff.erased ORDER BY 1").compactMap { $0.first ?? nil }
            for subject in subjects { print("erased again of \(subject): \(try remove(subject, audit))") }
            if subjects.isEmpty { print("nobody was erased") }
        } catch { throw VerbFault(error) }
    }

    private func remove(_ subject: String, _ audit: Audit) throws(ServerFault) -> String {
        try session.transaction { (session) throws(ServerFault) in
            let counts = try remove(subject, session)
            let amounts = Self.amounts(counts.0, counts.1)
            try audit.note("erase", subject, "erased: \(amounts)")
            return amounts
        }
    }

    /// Committed before anything is removed. The lock waits for statements that began before, and whose readings would otherwise come later.
    private func refuseFromNowOn(_ subject: String) throws(ServerFault) {
        try session.rows(
            """
            INSERT INTO cuff.erased AS e (subject, until) VALUES ($1, clock_timestamp())
            ON CONFLICT (subject) DO UPDATE SET until = greatest(e.until, excluded.until)
            """, [subject])
        _ = try session.transaction { (session) throws(ServerFault) in
            try session.rows("LOCK TABLE cuff.reading, cuff.refused IN SHARE ROW EXCLUSIVE MODE")
        }
    }

    private func remove(_ subject: String, _ session: Session) throws(ServerFault) -> (Int, Int) {
        let readings = try session.rows(
            """
            WITH gone AS (DELETE FROM cuff.reading WHERE line->>'person' = $1 AND measured <= (SELECT until FROM cuff.erased WHERE subject = $1)
              RETURNING id),
            noted AS (INSERT INTO cuff.erased_reading SELECT sha256(convert_to(id, 'UTF8')) FROM gone ON CONFLICT DO NOTHING)
            SELECT count(*) FROM gone
            """, [subject])
        let letters = try session.rows(
            """
            WITH gone AS (DELETE FROM cuff.refused WHERE position(convert_to($1, 'UTF8') IN body) > 0 RETURNING 1) SELECT count(*) FROM gone
            """, ["\"person\":\(JSONValue.quoted(subject))"])
        return (Self.count(readings), Self.count(letters))
    }

    static func amounts(_ readings: Int, _ letters: Int) -> String {
        "\(FleetRules.count(readings, "reading")), \(FleetRules.count(letters, "message")) set aside"
    }

    static func count(_ rows: [[String?]]) -> Int { rows.first?.first?.flatMap { Int($0) } ?? 0 }
}

/// `cuff-gateway prune --older-than 24months`: removes old readings, whole months at a time where the table is cut by month.
struct PruneVerb {
    let session: Session
    private static let rowsAtOnce = 10_000

    /// `90days`, `24months`, `5years`, as an interval of PostgreSQL; a month at least, so that a mistake does not empty the table.
    static func interval(_ text: String) throws(ConfigurationFault) -> String {
        for (word, days) in [("days", 1), ("months", 30), ("years", 365)] where text.hasSuffix(word) {
            guard let number = Int(text.dropLast(word.count)), number > 0, number <= 1200, number * days >= 30 else { continue }
            return "\(number) \(word)"
        }
        throw ConfigurationFault("--older-than \(text) is not an age of at least 30 days: write e.g. 90days, 24months or 5years")
    }

    func run(_ age: String) throws(VerbFault) {
        let interval: String
        do throws(ConfigurationFault) { interval = try Self.interval(age) } catch { throw VerbFault(error.description, EX_USAGE) }
        do throws(ServerFault) {
            try session.open(limit: 600)
            let audit = Audit(session)
            let cutoff = try session.rows("SELECT (now() - $1::interval)::text", [interval]).first?.first.flatMap { $0 } ?? ""
            try audit.note("prune", cutoff, "begun")
            var gone = try months(before: cutoff)
            gone += try rows(before: cutoff)
            let letters = EraseVerb.count(
                try session.rows(
                    "WITH gone AS (DELETE FROM cuff.refused WHERE arrived < $1 RETURNING 1) SELECT count(*) FROM gone", [cutoff]))
            let added = EraseVerb.count(try session.rows("SELECT cuff.add_months($1)", ["\(Schema.monthsAhead)"]))
            let result = "removed: \(EraseVerb.amounts(gone, letters))" + (added > 0 ? "; \(FleetRules.count(added, "month")) added" : "")
            try audit.note("prune", cutoff, result)
            print("before \(cutoff): \(result)")
        } catch { throw VerbFault(error) }
    }

    private func months(before cutoff: String) throws(ServerFault) -> Int {
        let parts = try session.rows(
            """
            SELECT relname FROM pg_class WHERE relnamespace = 'cuff'::regnamespace AND relkind = 'r' AND relispartition
              AND relname ~ '^reading_[0-9]{6}$' AND right(relname, 6) < to_char($1::timestamptz, 'YYYYMM') ORDER BY 1
            """, [cutoff])
        var gone = 0
        for part in parts { gone += EraseVerb.count(try session.rows("SELECT cuff.drop_month($1, $2)", [part[0], cutoff])) }
        return gone
    }

    /// Some thousands at a time, in the order of the key, so that the gateway is not held up.
    private func rows(before cutoff: String) throws(ServerFault) -> Int {
        var (gone, last) = (0, "")
        while true {
            let found = try session.rows(
                """
                WITH old AS (SELECT id FROM cuff.reading WHERE id > $1 AND id < to_char($2::timestamptz + interval '1 month', 'YYYYMM')
                  AND measured < $2::timestamptz ORDER BY id LIMIT \(Self.rowsAtOnce)),
                gone AS (DELETE FROM cuff.reading WHERE id IN (SELECT id FROM old)) SELECT count(*), max(id) FROM old
                """, [last, cutoff])
            let count = EraseVerb.count(found)
            gone += count
            guard count == Self.rowsAtOnce, let next = found.first?[1] else { return gone }
            last = next
        }
    }
}
