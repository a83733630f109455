import CuffCore
import GRDB
import GRDBSQLite

/// Binds a reading to the one insert that is done a million times, on SQLite's own statement: no `String`, no
/// allocation. Texts stand in one scratch buffer until the row is stepped.
final class ReadingRow {
    static let columns = [
        "id", "revision", "pending", "type", "source", "systolic_mmHg", "diastolic_mmHg", "mean_mmHg", "pulse_per_min",
        "user", "flags", "device_time", "measured", "clock", "received", "origin", "trigger", "sequence", "raw",
        "systolic_kPa", "diastolic_kPa", "mean_kPa", "mean_absent", "pulse_absent", "reason", "code", "mdc", "component",
        "value", "value_absent", "bits", "unit", "host_clock", "digits", "unit_mdc", "text",
    ]

    /// The same reading again changes nothing; a higher revision, or the completion of a pending one, replaces the row.
    static let insert: String = {
        let places = columns.indices.map { "?\($0 + 1)" }.joined(separator: ",")
        let updates = columns.dropFirst().map { "\($0)=excluded.\($0)" }.joined(separator: ",")
        return """
            INSERT INTO reading (\(columns.joined(separator: ","))) VALUES (\(places))
            ON CONFLICT (id) DO UPDATE SET \(updates)
            WHERE excluded.revision > reading.revision
              OR excluded.revision = reading.revision AND reading.pending AND NOT excluded.pending
            """
    }()

    /// SQLite's statement for `insert`; to be set in each transaction, for it goes with its connection.
    var statement: OpaquePointer?
    private var text = TextBuffer(capacity: 1024)
    private var marks: [(column: Int32, start: Int, end: Int)] = []

    init() { marks.reserveCapacity(16) }

    /// Binds everything and steps; answers SQLite's result code.
    func step(_ reading: borrowing Reading, source: Int64) -> Int32 {
        sqlite3_clear_bindings(statement)
        text.removeAll()
        marks.removeAll(keepingCapacity: true)
        mark(1) { $0.append(reading.id) }
        sqlite3_bind_int64(statement, 2, Int64(reading.revision))
        sqlite3_bind_int64(statement, 3, reading.isPending ? 1 : 0)
        word(4, reading.content.word)
        sqlite3_bind_int64(statement, 5, source)
        bind(reading.content)
        if let user = reading.user { sqlite3_bind_int64(statement, 10, Int64(user)) }
        if !reading.flags.isEmpty { mark(11) { reading.flags.append(to: &$0, separator: 0x2C) } }
        if let time = reading.clock.printable { mark(12) { $0.append(time) } }
        if let measured = reading.measured {
            mark(13) { $0.append(local: measured, offset: Int(reading.measuredOffset)) }
        }
        if let clock = reading.clockWord { word(14, clock) }
        if let received = reading.received { mark(15) { $0.append(utc: received) } }
        word(16, reading.origin.word)
        if let trigger = reading.trigger.word { word(17, trigger) }
        if reading.isHostClockUnsynchronised { word(33, "unsynchronised") }
        if let words = reading.text { mark(36) { $0.append(string: words) } }
        if let sequence = reading.sequence { sqlite3_bind_int64(statement, 18, Int64(sequence)) }
        return reading.raw.withBytes { raw in
            raw.withUnsafeBufferPointer { raw in
                // A null pointer would bind NULL.
                sqlite3_bind_blob64(statement, 19, raw.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(raw.count), nil)
                return stepTexts()
            }
        }
    }

    /// The marked texts are bound last: the buffer does not move any more.
    private func stepTexts() -> Int32 {
        text.withBytes { bytes in
            for mark in marks {
                let start = bytes.baseAddress?.advanced(by: mark.start).assumingMemoryBound(to: CChar.self)
                sqlite3_bind_text(statement, mark.column, start, Int32(mark.end - mark.start), nil)
            }
            let result = sqlite3_step(statement)
            sqlite3_reset(statement)
            return result
        }
    }

    private func mark(_ column: Int32, _ append: (inout TextBuffer) -> Void) {
        let start = text.count
        append(&text)
        marks.append((column, start, text.count))
    }

    private func word(_ column: Int32, _ word: StaticString) {
        word.utf8Start.withMemoryRebound(to: CChar.self, capacity: word.utf8CodeUnitCount) { start in
            _ = sqlite3_bind_text(statement, column, start, Int32(word.utf8CodeUnitCount), nil)
        }
    }

    private func bind(_ content: Reading.Content) {
        switch content {
        case .bloodPressure(let pressure):
            bind(pressure.systolic, mmHg: 6, kPa: 20)
            bind(pressure.diastolic, mmHg: 7, kPa: 21)
            if let mean = pressure.mean { bind(mean, mmHg: 8, kPa: 22) }
            if let pulse = pressure.pulse { bind(9, pulse.digits) }
            if let absent = pressure.meanAbsence.word { word(23, absent) }
            if let absent = pressure.pulseAbsence.word { word(24, absent) }
            let values = [pressure.systolic.digits, pressure.diastolic.digits, pressure.mean?.digits, pressure.pulse?.digits]
            if values.contains(where: { $0.map(Self.losesDigits) ?? false }) { bind(all: values) }
        case .pulseRate(let pulse):
            bind(9, pulse.digits)
            if Self.losesDigits(pulse.digits) { bind(all: [nil, nil, nil, pulse.digits]) }
        case .failure(let failure):
            word(25, failure.reason.word)
            if !failure.code.isEmpty { mark(26) { $0.append(short: failure.code) } }
        case .quantity(let quantity): bind(quantity)
        }
    }

    private func bind(_ quantity: Quantity) {
        if let name = Nomenclature.name(partition: quantity.partition, term: quantity.term) { word(26, name) }
        sqlite3_bind_int64(statement, 27, Int64(quantity.mdc))
        if quantity.component > 0 { sqlite3_bind_int64(statement, 28, Int64(quantity.component)) }
        if let value = quantity.value { mark(29) { $0.append(value) } }
        if let absent = quantity.absence.word { word(30, absent) }
        if let bits = quantity.bits { sqlite3_bind_int64(statement, 31, Int64(bits)) }
        if let unit = Nomenclature.unit(quantity.unit) { word(32, unit) }
        if let code = quantity.unitCode { sqlite3_bind_int64(statement, 35, Int64(code)) }
    }

    /// Whether a number column gives back other digits than the cuff wrote: it knows no zeros at the end.
    private static func losesDigits(_ digits: Digits) -> Bool {
        digits.exponent < 0 && (digits.mantissa.isMultiple(of: 10) || digits.exponent < -4 || digits.mantissa.magnitude > 1 << 53)
    }

    private func bind(all values: [Digits?]) {
        mark(34) { text in
            for (index, value) in values.enumerated() {
                if index > 0 { text.append(0x2C) }
                if let value { text.append(value) }
            }
        }
    }

    private func bind(_ pressure: Pressure, mmHg: Int32, kPa: Int32) {
        if pressure.unit == .mmHg {
            bind(mmHg, pressure.digits)
        } else {
            bind(kPa, pressure.digits)
            sqlite3_bind_double(statement, mmHg, (pressure.inMmHg * 100).rounded() / 100)
        }
    }

    private func bind(_ column: Int32, _ digits: Digits) {
        if digits.exponent == 0 {
            sqlite3_bind_int64(statement, column, digits.mantissa)
        } else {
            sqlite3_bind_double(statement, column, digits.value)
        }
    }
}
