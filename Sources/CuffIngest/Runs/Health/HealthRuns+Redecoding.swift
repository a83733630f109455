import CuffClinical
import CuffCore

extension HealthRuns {
    package struct RedecodeReport: Sendable, Hashable {
        package var same = 0
        /// Readings that say something else, and have a higher revision where that was applied.
        package var changed = 0
        /// Readings that would get another time, user or number, and stay as they are.
        package var otherIdentity = 0
        /// Readings whose bytes alone are not enough, by driver.
        package var undecided: [String: Int] = [:]
        /// Readings without record bytes: typed in, or of a driver that is not known here.
        package var withoutDriver = 0
    }

    /// One reading that the present driver reads otherwise.
    package struct Redecoded: Sendable {
        package var stored: Reading
        package var decoded: Reading
        /// It would get another id, and stays as it is.
        package var isOtherIdentity: Bool

        /// The fields that differ, in the words of the JSON vocabulary; `nil` where a value is absent.
        package var differences: [(field: String, before: String?, after: String?)] {
            let (old, new) = (Self.fields(stored), Self.fields(decoded))
            var names = old.map(\.0)
            for (name, _) in new where !names.contains(name) { names.append(name) }
            return names.compactMap { name in
                let before = old.first { $0.0 == name }?.1
                let after = new.first { $0.0 == name }?.1
                return before == after ? nil : (name, before, after)
            }
        }

        private static func fields(_ reading: Reading) -> [(String, String)] {
            var found: [(String, String)] = []
            func add(_ name: String, _ append: (inout TextBuffer) -> Void) {
                var text = TextBuffer(capacity: 64)
                append(&text)
                if text.count > 0 { found.append((name, text.string)) }
            }
            switch reading.content {
            case .bloodPressure(let pressure):
                let values = [("systolic", pressure.systolic), ("diastolic", pressure.diastolic), ("mean", pressure.mean)]
                for case (let name, let value?) in values as [(String, Pressure?)] {
                    add("\(name)_\(value.unit == .kPa ? "kPa" : "mmHg")") { $0.append(value.digits) }
                }
                if let pulse = pressure.pulse { add("pulse_per_min") { $0.append(pulse.digits) } }
            case .pulseRate(let pulse): add("pulse_per_min") { $0.append(pulse.digits) }
            case .failure(let failure):
                add("reason") { $0.append(failure.reason.word) }
                add("code") { $0.append(short: failure.code) }
            case .quantity(let quantity):
                add("mdc") { $0.append(decimal: Int64(quantity.mdc)) }
                if let value = quantity.value { add("value") { $0.append(value) } }
                if let bits = quantity.bits { add("bits") { $0.append(decimal: Int64(bits)) } }
                if let unit = quantity.unitCode { add("unit_mdc") { $0.append(decimal: Int64(unit)) } }
            }
            add("flags") { reading.flags.append(to: &$0, separator: 0x2C) }
            if let user = reading.user { add("user") { $0.append(decimal: Int64(user)) } }
            if let time = reading.clock.printable { add("device_time") { $0.append(time) } }
            if let sequence = reading.sequence { add("sequence") { $0.append(decimal: Int64(sequence)) } }
            if let trigger = reading.trigger.word { add("trigger") { $0.append(trigger) } }
            return found
        }
    }

    /// Decodes every selected reading anew and hands over those that differ. `applies`: those that keep their identity are stored
    /// under their id with the next revision, at most `round` in one transaction. A reading that another program changed meanwhile
    /// stays as that program left it.
    package static func redecode(
        _ store: Store, _ selection: ReadingSelection, options: [String: String] = [:], applies: Bool,
        drivers: [CuffDriver] = CuffFamilies.all, _ body: (Redecoded) throws -> Void
    ) throws(IngestError) -> RedecodeReport {
        var report = RedecodeReport()
        var waiting: [(Reading, Int64)] = []
        // In memory: what is written under a walk would be met by it again.
        try store.walk(selection, columns: ReadingColumn.all, damaged: .included) { cursor, sources, _ in
            guard selection.holds(cursor.time) else { return true }
            guard let source = sources[cursor.source], let reading = cursor.reading(driver: source.driver) else { throw UnreadableRow() }
            let isIntact = cursor.isIntact(last: 2)
            // The bytes of a damaged row are believed where the id was made of them.
            guard isIntact || isNamed(reading, after: source.provenance) else { throw UnreadableRow() }
            guard reading.raw.count > 0, let driver = drivers.first(where: { $0.id == source.driver }) else {
                report.withoutDriver += 1
                return true
            }
            switch RecordDecoding.verdict(on: reading, by: driver, options: options) {
            // The damage is elsewhere.
            case .same where !isIntact, .undecided where !isIntact, .otherIdentity where !isIntact: throw UnreadableRow()
            case .same: report.same += 1
            case .undecided: report.undecided[driver.id.description, default: 0] += 1
            case .otherIdentity(let decoded):
                report.otherIdentity += 1
                try body(Redecoded(stored: reading, decoded: decoded, isOtherIdentity: true))
            case .changed(let decoded):
                report.changed += 1
                try body(Redecoded(stored: reading, decoded: decoded, isOtherIdentity: false))
                guard applies else { return true }
                // The row counts the cuff's revisions and the person's changes apart.
                var row = decoded
                row.revision -= min(row.revision, UInt8(clamping: cursor.noted))
                waiting.append((row, cursor.source))
            }
            return true
        }
        for start in stride(from: 0, to: waiting.count, by: round) {
            try store.replace(waiting[start..<min(start + round, waiting.count)])
        }
        return report
    }

    /// Whether the reading's id is that of its record: a record of a cuff with a clock, among so many equal ones in its memory.
    private static func isNamed(_ reading: Reading, after provenance: Provenance) -> Bool {
        guard reading.clock.time != nil else { return false }
        var copy = reading
        for occurrence in 0..<16 as Range<UInt16> {
            var ledger = ReadingLedger(device: provenance.device, driver: reading.driver)
            copy.occurrence = occurrence
            _ = ledger.admit(&copy, received: reading.received)
            if copy.id == reading.id { return true }
        }
        return false
    }

    /// Rows in one transaction: large enough to be fast, small enough for other writers to wait for.
    private static let round = 1000
}

extension Store {
    /// Stores readings with the revisions they have; a row of that revision or a higher one stays.
    func replace(_ readings: some Sequence<(Reading, Int64)>) throws(IngestError) {
        try commit { db in
            let row = try ReadingRow(db)
            for (reading, source) in readings {
                try row.write(reading, source: source)
                // A row of a higher revision, and a person's remarks, stayed.
                if db.changes > 0 { try seal(reading.id, in: db) }
            }
        }
    }
}
