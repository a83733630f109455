import CuffCore
import SQLite

/// Binds a reading to the insert statement, which may run a million times: no `String`, no allocation. Texts are kept in one
/// scratch buffer until the row is stepped.
final class ReadingRow {
    /// An equal reading changes nothing; a higher revision, or the completion of a pending reading, replaces the row. Remarks of
    /// a person are kept.
    static let insert = insert { "reading.\($0)" }
    /// The same, but a later revision in a file also has the remarks and the person, unless they were changed here.
    static let insertOfImport = insert { column in
        column == .noted ? "reading.noted" : "iif(reading.noted IS NULL,excluded.\(column),coalesce(reading.\(column),excluded.\(column)))"
    }

    /// `remark` is SQL for the value of a column in `ReadingColumn.notOfCuffs` after an update.
    private static func insert(_ remark: (ReadingColumn) -> String) -> String {
        let places = ReadingColumn.allCases.map { "?\($0.place)" }.joined(separator: ",")
        let values = ReadingColumn.allCases.map { column -> String in
            if ReadingColumn.notOfCuffs.contains(column) { return remark(column) }
            // A stored patient is kept: a later run may not store patients.
            return column == .patient ? "coalesce(excluded.patient,reading.patient)" : "excluded.\(column.name)"
        }
        let updates = zip(ReadingColumn.allCases, values).dropFirst().compactMap { column, value in
            value == "reading.\(column)" ? nil : "\(column)=\(value)"
        }.joined(separator: ",")
        // An update must not give a damaged row a valid checksum.
        let checksum =
            "checksum=iif(\(RowChecksum.reading.isIntact), \(RowChecksum.function)(\(values.joined(separator: ","))), reading.checksum)"
        return """
            INSERT INTO reading (\(ReadingColumn.all),checksum) VALUES (\(places),\(RowChecksum.function)(\(places)))
            ON CONFLICT (id) DO UPDATE SET \(updates),\(checksum)
            WHERE excluded.revision > reading.revision
              OR excluded.revision = reading.revision AND reading.pending AND NOT excluded.pending
            """
    }

    private let statement: SQLiteStatement
    private var text = TextBuffer(capacity: 1024)
    private var marks: [(column: Int32, start: Int, end: Int)] = []

    init(_ db: SQLiteConnection, _ insert: String = ReadingRow.insert) throws(SQLiteError) {
        statement = try db.cached(insert)
        marks.reserveCapacity(16)
    }

    /// Binds everything and steps. `person` is whose a person said it is; the name in the reading may only be bound to its cuff and slot.
    func write(
        _ reading: borrowing Reading, source: Int64, patient: String? = nil, person: String? = nil
    ) throws(SQLiteError) {
        statement.clearBindings()
        text.removeAll()
        marks.removeAll(keepingCapacity: true)
        mark(.id) { $0.append(reading.id) }
        bind(.revision, Int64(reading.revision))
        bind(.pending, reading.isPending ? 1 : 0)
        word(.type, reading.content.word)
        bind(.source, source)
        bind(reading.content)
        if let user = reading.user { bind(.user, Int64(user)) }
        if !reading.flags.isEmpty { mark(.flags) { reading.flags.append(to: &$0, separator: 0x2C) } }
        if let time = reading.clock.printable { mark(.device_time) { $0.append(time) } }
        if let measured = reading.measured {
            mark(.measured) { $0.append(local: measured, offset: Int(reading.measuredOffset)) }
        }
        if let clock = reading.clockWord { word(.clock, clock) }
        if let received = reading.received { mark(.received) { $0.append(utc: received) } }
        word(.origin, reading.origin.word)
        if let trigger = reading.trigger.word { word(.trigger, trigger) }
        if reading.isHostClockUnsynchronised { word(.host_clock, "unsynchronised") }
        if let words = reading.text { mark(.text) { $0.append(string: words) } }
        if let duration = reading.duration { bind(.duration_s, duration.components.seconds) }
        if let remarks = reading.remarks {
            for (key, text) in remarks.all { mark(ReadingColumn(key)) { $0.append(string: text) } }
        }
        if !reading.metadata.isEmpty { mark(.metadata) { JSONOutput(reading.metadata).append(to: &$0) } }
        if let sequence = reading.sequence { bind(.sequence, Int64(sequence)) }
        if let patient { mark(.patient) { $0.append(string: patient) } }
        if let decoder = reading.decoder { mark(.decoder) { $0.append(string: decoder) } }
        if let person { mark(.person) { $0.append(string: person) } }
        let result: Result<Void, SQLiteError> = reading.raw.withBytes { raw in
            statement.bind(blob: raw, at: ReadingColumn.raw.place, copies: false)
            return text.withBytes { text in
                // The marked texts are bound last: the buffer no longer moves.
                text.withMemoryRebound(to: UInt8.self) { text in
                    for mark in marks {
                        statement.bind(text: text.span.extracting(mark.start..<mark.end), at: mark.column, copies: false)
                    }
                }
                return Result { () throws(SQLiteError) in _ = try statement.step() }
            }
        }
        try result.get()
    }

    private func mark(_ column: ReadingColumn, _ append: (inout TextBuffer) -> Void) {
        let start = text.count
        append(&text)
        marks.append((column.place, start, text.count))
    }

    private func word(_ column: ReadingColumn, _ word: StaticString) {
        statement.bind(word: word, at: column.place)
    }

    private func bind(_ content: Reading.Content) {
        switch content {
        case .bloodPressure(let pressure):
            bind(pressure.systolic, mmHg: .systolic_mmHg, kPa: .systolic_kPa)
            bind(pressure.diastolic, mmHg: .diastolic_mmHg, kPa: .diastolic_kPa)
            if let mean = pressure.mean { bind(mean, mmHg: .mean_mmHg, kPa: .mean_kPa) }
            if let pulse = pressure.pulse { bind(.pulse_per_min, pulse.digits) }
            if let absent = pressure.meanAbsence.word { word(.mean_absent, absent) }
            if let absent = pressure.pulseAbsence.word { word(.pulse_absent, absent) }
            let values = [pressure.systolic.digits, pressure.diastolic.digits, pressure.mean?.digits, pressure.pulse?.digits]
            if values.contains(where: { $0.map(Self.losesDigits) ?? false }) { bind(all: values) }
        case .pulseRate(let pulse):
            bind(.pulse_per_min, pulse.digits)
            if Self.losesDigits(pulse.digits) { bind(all: [nil, nil, nil, pulse.digits]) }
        case .failure(let failure):
            word(.reason, failure.reason.word)
            if !failure.code.isEmpty { mark(.code) { $0.append(short: failure.code) } }
        case .quantity(let quantity): bind(quantity)
        }
    }

    private func bind(_ quantity: Quantity) {
        if let name = Nomenclature.name(partition: quantity.partition, term: quantity.term) { word(.code, name) }
        bind(.mdc, Int64(quantity.mdc))
        if quantity.component > 0 { bind(.component, Int64(quantity.component)) }
        if let value = quantity.value { mark(.value) { $0.append(value) } }
        if let absent = quantity.absence.word { word(.value_absent, absent) }
        if let bits = quantity.bits { bind(.bits, Int64(bits)) }
        if let unit = Nomenclature.unit(quantity.unit) { word(.unit, unit) }
        if let code = quantity.unitCode { bind(.unit_mdc, Int64(code)) }
    }

    /// Whether a number column would lose digits, such as trailing zeros.
    private static func losesDigits(_ digits: Digits) -> Bool {
        digits.exponent < 0 && (digits.mantissa.isMultiple(of: 10) || digits.exponent < -4 || digits.mantissa.magnitude > 1 << 53)
    }

    private func bind(all values: [Digits?]) {
        mark(.digits) { text in
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(0x2C) }
                if let value { text.append(value) }
            }
        }
    }

    private func bind(_ pressure: Pressure, mmHg: ReadingColumn, kPa: ReadingColumn) {
        if pressure.unit == .mmHg {
            bind(mmHg, pressure.digits)
        } else {
            bind(kPa, pressure.digits)
            statement.bind((pressure.inMmHg * 100).rounded() / 100, at: mmHg.place)
        }
    }

    private func bind(_ column: ReadingColumn, _ number: Int64) {
        statement.bind(number, at: column.place)
    }

    private func bind(_ column: ReadingColumn, _ digits: Digits) {
        if digits.exponent == 0 {
            bind(column, digits.mantissa)
        } else {
            statement.bind(digits.value, at: column.place)
        }
    }
}
