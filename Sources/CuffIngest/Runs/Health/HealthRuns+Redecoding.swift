import CuffClinical
import CuffCore

extension HealthRuns {
    package struct RedecodeReport: Sendable, Hashable {
        package var same = 0
        /// Those of `same` that were decoded by another version, and with `applies` now name this one.
        package var renewed = 0
        /// Readings with other values; with `applies`, stored with a higher revision.
        package var changed = 0
        /// Readings that would get another time, user or number; not changed.
        package var otherIdentity = 0
        /// Readings whose bytes are not sufficient, by driver.
        package var undecided: [String: Int] = [:]
        /// Readings without record bytes, or of an unknown driver.
        package var withoutDriver = 0
    }

    /// A reading that the present driver decodes differently.
    package struct Redecoded: Sendable {
        package var stored: Reading
        package var decoded: Reading
        /// It would get another id, and is not changed.
        package var isOtherIdentity: Bool

        /// The fields that differ, named as in JSON; `nil` for an absent value.
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

    /// Decodes every selected reading again and reports those that differ. `applies`: those with the same identity are stored
    /// with the next revision, `round` per transaction. A reading that another program changed meanwhile is not changed. `program` is this
    /// program with its version, as in `IngestOptions.program`.
    package static func redecode(
        _ store: Store, _ selection: ReadingSelection, options: [String: String] = [:], applies: Bool, program: String? = nil,
        drivers: [CuffDriver] = CuffFamilies.all, _ body: (Redecoded) throws -> Void
    ) throws(IngestError) -> RedecodeReport {
        var report = RedecodeReport()
        var waiting: [(Reading, Int64)] = []
        var renewed: [String: [(Reading.ID, UInt8)]] = [:]
        // Collected first: the walk would meet rows that are written during it.
        try store.walk(selection, columns: ReadingColumn.all, damaged: .included) { cursor, sources, _ in
            guard selection.holds(cursor.time) else { return true }
            guard let source = sources[cursor.source], let reading = cursor.reading(driver: source.driver) else { throw UnreadableRow() }
            let isIntact = cursor.isIntact
            // The bytes of a damaged row are trusted if they match the id.
            guard isIntact || isNamed(reading, after: source.provenance) else { throw UnreadableRow() }
            guard reading.raw.count > 0, let driver = drivers.first(where: { $0.id == source.driver }) else {
                report.withoutDriver += 1
                return true
            }
            let decoder = program.map { driver.decoder(of: $0) }
            switch RecordDecoding.verdict(on: reading, by: driver, options: options) {
            // The damage is in another column.
            case .same where !isIntact, .undecided where !isIntact, .otherIdentity where !isIntact: throw UnreadableRow()
            case .same:
                report.same += 1
                guard let decoder, reading.decoder != decoder else { break }
                report.renewed += 1
                if applies { renewed[decoder, default: []].append((reading.id, reading.revision)) }
            case .undecided: report.undecided[driver.id.description, default: 0] += 1
            case .otherIdentity(let decoded):
                report.otherIdentity += 1
                try body(Redecoded(stored: reading, decoded: decoded, isOtherIdentity: true))
            case .changed(let decoded):
                report.changed += 1
                try body(Redecoded(stored: reading, decoded: decoded, isOtherIdentity: false))
                guard applies else { return true }
                // The row counts the cuff's revisions and the person's changes separately.
                var row = decoded
                row.decoder = decoder
                row.revision -= min(row.revision, UInt8(clamping: cursor.noted))
                waiting.append((row, cursor.source))
            }
            return true
        }
        for start in stride(from: 0, to: waiting.count, by: round) {
            try store.replace(waiting[start..<min(start + round, waiting.count)])
        }
        for (decoder, ids) in renewed {
            for start in stride(from: 0, to: ids.count, by: round) {
                try store.set(decoder: decoder, of: ids[start..<min(start + round, ids.count)])
            }
        }
        return report
    }

    /// Whether the id matches the record, one of several equal ones of a cuff with a clock.
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

    /// Rows per transaction: fast, without delaying other writers for long.
    private static let round = 1000
}

extension Store {
    /// Stores readings with their revisions; rows of an equal or higher revision are not changed.
    func replace(_ readings: some Sequence<(Reading, Int64)>) throws(IngestError) {
        try commit { db in
            let row = try ReadingRow(db)
            for (reading, source) in readings {
                try row.write(reading, source: source)
                // Rows of a higher revision and remarks are kept.
                if db.changes > 0 { try seal(reading.id, in: db) }
            }
        }
    }

    /// Names what decodes these readings to the stored values. Their revisions stay, because no value changes. A row that was damaged or
    /// replaced meanwhile stays as it is.
    func set(decoder: String, of readings: some Sequence<(Reading.ID, UInt8)>) throws(IngestError) {
        try commit { db in
            for (id, revision) in readings {
                let text = id.description
                let isSame = try db.hasRow(
                    """
                    SELECT 1 FROM reading WHERE id = ? AND revision + coalesce(noted, 0) = ? AND \(isIntact)
                    AND type <> '\(Self.tombstone)'
                    """, text, Int64(revision))
                guard isSame else { continue }
                try db.run("UPDATE reading SET decoder = ? WHERE id = ?", decoder, text)
                try seal(id, in: db)
            }
        }
    }
}
