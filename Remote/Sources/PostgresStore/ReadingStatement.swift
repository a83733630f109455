import RemoteSink

/// The INSERT statement and its parameter, a JSON array of `[machine, line]`.
public enum ReadingStatement {
    /// The columns after the key, in table order, with the expression for each.
    private static let columns: [(name: String, value: String)] = [
        ("revision", "coalesce((l->>'revision')::smallint, 0)"),
        ("pending", "l->>'type' = 'pending'"),
        ("type", "l->>'type'"),
        ("driver", "coalesce(l->>'driver', '')"),
        ("device", "coalesce(l->>'device', '')"),
        ("gateway", "machine"),
        ("systolic_mmhg", "(l->>'systolic_mmHg')::numeric"),
        ("diastolic_mmhg", "(l->>'diastolic_mmHg')::numeric"),
        ("mean_mmhg", "(l->>'mean_mmHg')::numeric"),
        ("pulse_per_min", "(l->>'pulse_per_min')::numeric"),
        ("\"user\"", "(l->>'user')::integer"),
        ("flags", "CASE WHEN l ? 'flags' THEN ARRAY(SELECT jsonb_array_elements_text(l->'flags')) END"),
        ("device_time", "(l->>'device_time')::timestamp"),
        ("measured", "(l->>'measured')::timestamptz"),
        ("clock", "l->>'clock'"),
        ("received", "(l->>'received')::timestamptz"),
        ("origin", "coalesce(l->>'origin', '')"),
        ("trigger", "l->>'trigger'"),
        ("line", "l"),
    ]

    /// Idempotent; a higher revision or the completion of a pending reading replaces the row.
    public static let insert = """
        WITH sent AS MATERIALIZED (SELECT e->>0 AS machine, e->1 AS l FROM jsonb_array_elements($1::jsonb) AS e)
        INSERT INTO cuff.reading AS r (id, \(columns.map(\.name).joined(separator: ", ")))
        SELECT l->>'id', \(columns.map(\.value).joined(separator: ", ")) FROM sent
        ON CONFLICT (id) DO UPDATE SET \(columns.map { "\($0.name) = excluded.\($0.name)" }.joined(separator: ", "))
        WHERE (r.revision, NOT r.pending) < (excluded.revision, NOT excluded.pending)
        """

    public struct Item: Sendable, Equatable {
        public let reading: ReadingLine
        public let machine: String
        public init(_ reading: ReadingLine, machine: String) {
            self.reading = reading
            self.machine = machine
        }
    }

    /// Only the newest state of each id: one statement cannot update a row twice (SQLSTATE 21000). Sorted by id, so that two
    /// programs storing the same readings lock rows in the same order.
    public static func parameter(_ items: some Sequence<Item>) -> String {
        var newest: [String: Item] = [:]
        for item in items {
            if let other = newest[item.reading.id], !isNewer(item.reading, than: other.reading) { continue }
            newest[item.reading.id] = item
        }
        var text = "["
        for (_, item) in newest.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            text += text.utf8.count > 1 ? ",\n[" : "["
            text += JSONValue.quoted(item.machine)
            text += ","
            text += item.reading.json
            text += "]"
        }
        return text + "]"
    }

    private static func isNewer(_ one: ReadingLine, than other: ReadingLine) -> Bool {
        one.revision != other.revision ? one.revision > other.revision : other.isPending && !one.isPending
    }

    /// Why a reading can never be stored; `nil` if it can be tried.
    public static func objection(to reading: ReadingLine) -> String? {
        guard let measured = reading.measured else {
            return reading["clock"]?.string == "unset"
                ? "no usable time: the cuff's clock was not set" : "no usable time: the reading has no `measured`"
        }
        // PostgreSQL would accept `now` and `infinity`, and interpret a time without offset in its time zone.
        return Instant(measured) != nil ? nil : "no usable time: `measured` is not a date and time with an offset"
    }
}
