import CuffCore

/// The layout of a table of readings (RFC 4180, CRLF), for `csv:` sinks and, followed by further columns, for `cuff export`.
/// The columns are named as in the JSON vocabulary; an empty cell means unknown.
package struct CSVTable: Sendable {
    /// What separates cells and marks decimals.
    package enum Dialect: String, Sendable, Hashable, CaseIterable {
        /// Comma between cells, point in numbers.
        case rfc4180
        /// Semicolon between cells, comma in numbers: the format of spreadsheets in much of Europe.
        case semicolon
    }

    package let dialect: Dialect

    package init(_ dialect: Dialect = .rfc4180) { self.dialect = dialect }

    /// Every column with its meaning, in order. `id` is first: a sink recognises its own rows by it.
    package static let columns: [(name: StaticString, meaning: StaticString)] = [
        ("id", "name of the reading; the same wherever it is written"),
        ("revision", "0, or higher where the reading was completed later"),
        (
            "type",
            "blood_pressure, pulse_rate, quantity, measurement for a failed one, pending for one that is completed later; deleted: see --new"
        ),
        ("driver", "which driver read it"),
        ("device", "identity of the cuff"),
        ("measured", "when it was measured, ISO 8601 with offset"),
        ("systolic_mmHg", "systolic pressure; converted and rounded to 2 decimals where the cuff sent kPa"),
        ("diastolic_mmHg", "diastolic pressure"),
        ("mean_mmHg", "mean pressure, only where the cuff sent one"),
        ("pulse_per_min", "pulse rate"),
        ("user", "user slot of the cuff"),
        ("flags", "words of the cuff and of this program, separated by blanks"),
        ("device_time", "what the cuff's clock showed, without zone"),
        ("clock", "what `measured` rests on: synced, corrected, device_time, receive_time, unset, implausible"),
        ("received", "when this program received it, UTC"),
        ("origin", "memory, push, measurement, entered for values typed in by a person, or import for those of another program"),
        ("trigger", "manual or automatic, where the cuff says so"),
        ("sequence", "the cuff's own number of the record, where it has one"),
        ("systolic_kPa", "what a cuff sent that measures in kPa"),
        ("diastolic_kPa", "the same"),
        ("mean_kPa", "the same"),
        ("reason", "why a measurement failed"),
        ("code", "the cuff's own error code, or the name of a quantity"),
        ("mdc", "the number of a quantity in IEEE 11073-10101"),
        ("value", "value of a quantity, with the digits that were sent"),
        ("unit", "its unit"),
        ("raw", "the record's own bytes as hex; only in the file of a sink"),
        ("host_clock", "unsynchronised, where this computer's clock was not set by a time server"),
    ]

    package var separator: UInt8 { dialect == .rfc4180 ? 0x2C : 0x3B }

    /// Appends the names of the columns, without a line end.
    package func appendHeader(to text: inout TextBuffer) {
        text.append(each: Self.columns, separator: separator) { $1.append($0.name) }
    }

    /// Appends the cells of one reading, without a line end. `measured` is in the reading's own offset.
    package func append(_ reading: borrowing Reading, device: String, hasRaw: Bool = true, to text: inout TextBuffer) {
        text.append(reading.id)
        text.append(separator)
        text.append(decimal: Int64(reading.revision))
        text.append(separator)
        text.append(reading.isPending ? "pending" : reading.content.type)
        text.append(separator)
        text.append(word: reading.driver)
        text.append(separator)
        append(cell: device, to: &text)
        text.append(separator)
        if let measured = reading.measured { text.append(local: measured, offset: Int(reading.measuredOffset)) }
        text.append(separator)
        appendValues(reading.content, to: &text)
        appendContext(reading, to: &text)
        appendRest(reading.content, reading.text, to: &text)
        if hasRaw { reading.raw.withBytes { text.append(hexOf: $0) } }
        text.append(separator)
        if reading.isHostClockUnsynchronised { text.append("unsynchronised") }
    }

    private func appendValues(_ content: Reading.Content, to text: inout TextBuffer) {
        let pressure: BloodPressure? = if case .bloodPressure(let pressure) = content { pressure } else { nil }
        append(mmHg: pressure?.systolic, to: &text)
        append(mmHg: pressure?.diastolic, to: &text)
        append(mmHg: pressure?.mean, to: &text)
        let pulse: PulseRate? = if case .pulseRate(let pulse) = content { pulse } else { pressure?.pulse }
        if let pulse { append(number: pulse.digits, to: &text) }
        text.append(separator)
    }

    private func appendContext(_ reading: borrowing Reading, to text: inout TextBuffer) {
        if let user = reading.user { text.append(decimal: Int64(user)) }
        text.append(separator)
        text.append(each: reading.flags.list, separator: 0x20) { $1.append($0) }
        text.append(separator)
        if let time = reading.clock.time { text.append(time) }
        text.append(separator)
        switch reading.clock {
        case .unset, .impossible: text.append("unset")
        case .absent, .time, .derived: if let word = reading.rule.word { text.append(word) }
        }
        text.append(separator)
        if let received = reading.received { text.append(utc: received) }
        text.append(separator)
        text.append(reading.origin.word)
        text.append(separator)
        if let word = reading.trigger.word { text.append(word) }
        text.append(separator)
        if let sequence = reading.sequence { text.append(decimal: Int64(sequence)) }
        text.append(separator)
    }

    private func appendRest(_ content: Reading.Content, _ words: String?, to text: inout TextBuffer) {
        let pressure: BloodPressure? = if case .bloodPressure(let pressure) = content { pressure } else { nil }
        append(kPa: pressure?.systolic, to: &text)
        append(kPa: pressure?.diastolic, to: &text)
        append(kPa: pressure?.mean, to: &text)
        if case .failure(let failure) = content { text.append(failure.reason.word) }
        text.append(separator)
        guard case .quantity(let quantity) = content else {
            if case .failure(let failure) = content { append(cell: failure.code.description, to: &text) }
            for _ in 0..<4 { text.append(separator) }
            return
        }
        if let name = Nomenclature.name(partition: quantity.partition, term: quantity.term) { text.append(name) }
        text.append(separator)
        text.append(decimal: Int64(quantity.mdc))
        text.append(separator)
        if let value = quantity.value { append(number: value, to: &text) } else if let words { append(words: words, to: &text) }
        text.append(separator)
        if let unit = Nomenclature.unitText(quantity) { append(cell: unit, to: &text) }
        text.append(separator)
    }

    // MARK: Cells

    private func append(mmHg pressure: Pressure?, to text: inout TextBuffer) {
        if let pressure {
            if pressure.unit == .mmHg {
                append(number: pressure.digits, to: &text)
            } else {
                append(number: TextBuffer.rounded(pressure.inMmHg), to: &text)
            }
        }
        text.append(separator)
    }

    private func append(kPa pressure: Pressure?, to text: inout TextBuffer) {
        if let pressure, pressure.unit == .kPa { append(number: pressure.digits, to: &text) }
        text.append(separator)
    }

    private func append(number digits: Digits, to text: inout TextBuffer) {
        guard dialect == .semicolon else { return text.append(digits) }
        append(number: digits.text, to: &text)
    }

    private func append(number: String, to text: inout TextBuffer) {
        for byte in number.utf8 { text.append(dialect == .semicolon && byte == 0x2E ? 0x2C : byte) }
    }

    /// A text in the column of numbers: an apostrophe in front of one that begins like a number.
    private func append(words: String, to text: inout TextBuffer) {
        let isLikeNumber = words.utf8.first.map { (0x30...0x39).contains($0) } ?? false
        append(cell: isLikeNumber ? "'" + words : words, to: &text)
    }

    /// Appends a cell of text from a device: quoted if necessary, and with an apostrophe in front if a spreadsheet would read it as a
    /// formula, or if it would be one without its own apostrophe.
    package func append(cell value: String, isQuoted: Bool = false, to text: inout TextBuffer) {
        let isFormula = value.utf8.first { $0 != 0x27 }.map("=+-@\t\r".utf8.contains) ?? false
        let needsQuotes =
            isQuoted || value.utf8.first == 0x20 || value.utf8.last == 0x20
            || value.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x3B || $0 < 0x20 }
        if needsQuotes { text.append(0x22) }
        if isFormula { text.append(0x27) }
        for scalar in value.unicodeScalars {
            // A line feed within a cell would split the row, which crash recovery could not detect; other control characters, including
            // those above U+007F, are commands to a terminal.
            if scalar.properties.generalCategory == .control {
                text.append(0x20)
            } else {
                for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { text.append(byte) }
            }
            if scalar == "\"" { text.append(0x22) }
        }
        if needsQuotes { text.append(0x22) }
    }
}
