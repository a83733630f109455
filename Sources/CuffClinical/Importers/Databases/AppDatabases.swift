import CuffCore

// Sources: OBPM SQL, obpm @877800a mainwindow.cpp:1084, sql.cpp (A); Health Connect, schema and counts in three readers (A); derdilla's
// database, fixture v1.7.0.db (A): its pressures are kilopascals.

extension Importer {
    /// `U1` and `U2` of OBPM.
    static let obpmDatabase = Importer(
        driver: "import-obpm-sql", program: "OBPM", help: "SQLite file of OBPM (.sql)", sign: "SQLite with the tables U1 and U2",
        form: .database(
            ImportDatabase(
                tables: ["U1": ["uts", "sys", "dia", "bpm"], "U2": ["uts", "sys", "dia", "bpm"]],
                query: { tables in
                    ["U1", "U2"].map { table in
                        let message = tables[table]?.contains("msg") == true ? "msg" : "NULL"
                        return "SELECT uts, sys, dia, bpm, \(message), \(table.dropFirst()) FROM \(table)"
                    }.joined(separator: " UNION ALL ")
                }
            ) { cells, place throws(ImportRefusal) in
                guard case .integer(let user) = cells[5] else { throw .malformed("no user") }
                var reading = try ImportedReading.row(
                    systolic: cells[1], diastolic: cells[2], pulse: cells[3], seconds: cells[0], offset: nil, place)
                reading.user = Int32(truncatingIfNeeded: user)
                reading.remark(note: cells[4].text)
                return reading
            }))

    /// Android's Health Connect.
    static let healthConnect = Importer(
        driver: "import-health-connect", program: "Health Connect", help: "health_connect_export.db of Health Connect, or its ZIP file",
        sign: "SQLite with the table blood_pressure_record_table",
        form: .database(
            ImportDatabase(
                tables: ["blood_pressure_record_table": ["uuid", "time", "zone_offset", "systolic", "diastolic"]],
                query: { tables in
                    let has = { (column: String) in tables["blood_pressure_record_table"]?.contains(column) == true ? column : "NULL" }
                    let further = ["measurement_location", "body_position", "recording_method", "last_modified_time"].map(has)
                    return """
                        SELECT hex(uuid), time, zone_offset, systolic, diastolic, \(further.joined(separator: ", "))
                        FROM blood_pressure_record_table ORDER BY row_id
                        """
                }
            ) { cells, place throws(ImportRefusal) in
                var offset: Int16?
                if case .integer(let seconds) = cells[2], seconds.magnitude <= 14 * 3600 { offset = Int16(seconds / 60) }
                var reading = try ImportedReading.row(
                    systolic: cells[3], diastolic: cells[4], pulse: .null, milliseconds: cells[1], offset: offset, place)
                reading.key = cells[0].text
                // BloodPressureRecord of androidx.health.connect: left wrist 1, right wrist 2, left arm 3, right arm 4; standing 1,
                // sitting 2, lying down 3, reclining 4; recording method 3 is a manual entry.
                let arm = ["1": "left", "2": "right", "3": "left", "4": "right"][cells[5].text ?? ""]
                let posture = ["1": "standing", "2": "sitting", "3": "lying down", "4": "semi-recumbent"][cells[6].text ?? ""]
                reading.remark(note: nil, posture: posture, arm: arm)
                reading.isEntered = cells[7].text == "3"
                if case .integer(let version) = cells[8] { reading.version = version }
                return reading
            }))

    /// The database of derdilla's app: entries joined by their id, pressures in kPa.
    static let derdillaDatabase = Importer(
        driver: "import-derdilla-db", program: "Blood pressure monitor (derdilla)", help: "database of the app Blood pressure monitor",
        sign: "SQLite with the tables Timestamps, Systolic and Diastolic",
        form: .database(
            ImportDatabase(
                tables: ["Timestamps": ["entryID", "timestampUnixS"], "Systolic": ["entryID", "sys"], "Diastolic": ["entryID", "dia"]],
                query: { tables in
                    let join = { (table: String, column: String) -> (column: String, join: String) in
                        tables[table]?.contains(column) == true
                            ? ("\(table).\(column)", " LEFT JOIN \(table) USING (entryID)") : ("NULL", "")
                    }
                    let (pulse, note) = (join("Pulse", "pul"), join("Notes", "note"))
                    return """
                        SELECT timestampUnixS, sys, dia, \(pulse.column), \(note.column) FROM Timestamps \
                        LEFT JOIN Systolic USING (entryID) LEFT JOIN Diastolic USING (entryID)\(pulse.join)\(note.join) ORDER BY entryID
                        """
                }
            ) { cells, place throws(ImportRefusal) in
                var reading = try ImportedReading.row(
                    systolic: cells[1].fromKilopascals, diastolic: cells[2].fromKilopascals, pulse: cells[3], seconds: cells[0],
                    offset: nil,
                    place)
                reading.remark(note: cells[4].text)
                return reading
            }))
}

extension ImportedReading {
    /// A row with a count of seconds or milliseconds since 1970 and pressures in mmHg.
    static func row(
        systolic: ImportDatabase.Cell, diastolic: ImportDatabase.Cell, pulse: ImportDatabase.Cell, seconds: ImportDatabase.Cell = .null,
        milliseconds: ImportDatabase.Cell = .null, offset: Int16?, _ place: ImportPlace
    ) throws(ImportRefusal) -> ImportedReading {
        let count: Int64
        switch (seconds, milliseconds) {
        case (.integer(let seconds), _) where seconds.magnitude < 1 << 40: count = seconds * 1000
        case (_, .integer(let milliseconds)): count = milliseconds
        case (.null, .null): throw .noTime("")
        default: throw .unreadableTime(seconds.text ?? milliseconds.text ?? "")
        }
        guard let instant = ImportTime.instant(milliseconds: count) else { throw .impossibleTime("\(count)") }
        guard let high = try systolic.digits("systolic"), let low = try diastolic.digits("diastolic") else {
            throw systolic == .null && diastolic == .null ? .noPressures : .half
        }
        var pressure = BloodPressure(systolic: Pressure(high, .mmHg), diastolic: Pressure(low, .mmHg))
        pressure.pulse = try pulse.digits("pulse").map { PulseRate($0) }
        return ImportedReading(pressure, at: .instant(instant, offset: offset), place: place)
    }
}

extension ImportDatabase.Cell {
    /// The text; of a number its digits.
    var text: String? {
        switch self {
        case .text(let text): text
        case .integer(let value): String(value)
        case .real(let value): "\(value)"
        case .null, .blob: nil
        }
    }

    /// A number of at most three decimals.
    func digits(_ column: String) throws(ImportRefusal) -> Digits? {
        switch self {
        case .null: return nil
        case .integer(let value): return Digits(mantissa: value)
        case .real(let value):
            guard value.isFinite, value.magnitude < 1e9 else { throw .unreadableNumber(column: column, text: "\(value)") }
            var (mantissa, exponent) = (Int64((value * 1000).rounded()), Int8(-3))
            while exponent < 0, mantissa % 10 == 0 { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
            return Digits(mantissa: mantissa, exponent: exponent)
        case .text, .blob: throw .unreadableNumber(column: column, text: text ?? "bytes")
        }
    }

    /// Millimetres of mercury: the app multiplies what was typed in by 0.133322, and a whole number comes back whole.
    fileprivate var fromKilopascals: Self {
        let value: Double
        switch self {
        case .real(let number): value = number
        case .integer(let number): value = Double(number)
        default: return self
        }
        let mmHg = value / 0.133322
        guard mmHg.isFinite, mmHg.magnitude < 1e6 else { return self }
        return .real((mmHg * 1000).rounded() / 1000)
    }
}
