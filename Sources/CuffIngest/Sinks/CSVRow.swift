import CuffCore
import Glibc

/// One reading as a row of CSV.
enum CSVRow {
    /// `type` is the JSON vocabulary's; `values` of other types leave the pressure columns empty. Flags are separated by
    /// blanks. `measured` is local with its zone, `received` is UTC, `device_time` is the cuff's own clock.
    static let columns: [StaticString] = [
        "id", "revision", "type", "driver", "device", "measured", "systolic_mmHg", "diastolic_mmHg", "mean_mmHg",
        "pulse_per_min", "user", "flags", "device_time", "clock", "received", "origin", "trigger", "sequence",
        "systolic_kPa", "diastolic_kPa", "mean_kPa", "reason", "code", "mdc", "value", "unit", "raw", "host_clock",
    ]

    static func appendHeader(to text: inout TextBuffer) {
        for (index, column) in columns.enumerated() {
            if index > 0 { text.append(0x2C) }
            text.append(column)
        }
        text.append("\r\n")
    }

    /// How many cells a row has, and the last of them; none where a cell does not end or holds what no cell does.
    static func cells(_ row: UnsafeRawBufferPointer) -> (count: Int, last: Slice<UnsafeRawBufferPointer>) {
        var count = 1
        var start = 0
        var isQuoted = false
        for (index, byte) in row.enumerated() {
            if byte < 0x20 { return (0, row[0..<0]) }
            if byte == 0x22 { isQuoted.toggle() }
            if byte == 0x2C && !isQuoted { (count, start) = (count + 1, index + 1) }
        }
        return isQuoted ? (0, row[0..<0]) : (count, row[start...])
    }

    /// The key of a row this program wrote: the first two cells and the type.
    static func key(of line: UnsafeRawBufferPointer) -> KnownReadings.Key? {
        let end = KnownReadings.Key.idLength
        guard line.count > end + 2, line[end] == 0x2C,
            let id = Reading.ID.parse(UnsafeRawBufferPointer(rebasing: line[..<end]).bindMemory(to: UInt8.self).span)
        else { return nil }
        var revision = 0
        var index = end + 1
        while index < line.count, line[index] &- 0x30 < 10, revision < 256 {
            revision = revision * 10 + Int(line[index] - 0x30)
            index += 1
        }
        let isPending = line.dropFirst(index + 1).starts(with: "pending,".utf8)
        return KnownReadings.Key(id, revision: UInt8(truncatingIfNeeded: revision), isPending: isPending)
    }

    static func append(_ reading: borrowing Reading, device: String, to text: inout TextBuffer) {
        text.append(reading.id)
        text.append(0x2C)
        text.append(decimal: Int64(reading.revision))
        text.append(0x2C)
        text.append(reading.isPending ? "pending" : reading.content.word)
        text.append(0x2C)
        text.append(word: reading.driver)
        text.append(0x2C)
        cell(device, to: &text)
        text.append(0x2C)
        if let measured = reading.measured { text.append(local: measured, offset: Int(reading.measuredOffset)) }
        text.append(0x2C)
        appendValues(reading.content, to: &text)
        appendContext(reading, to: &text)
        appendRest(reading.content, reading.text, to: &text)
        reading.raw.withBytes { text.append(hexOf: $0) }
        text.append(0x2C)
        if reading.isHostClockUnsynchronised { text.append("unsynchronised") }
        text.append("\r\n")
    }

    private static func appendValues(_ content: Reading.Content, to text: inout TextBuffer) {
        let pressure: BloodPressure? = if case .bloodPressure(let pressure) = content { pressure } else { nil }
        mmHg(pressure?.systolic, to: &text)
        mmHg(pressure?.diastolic, to: &text)
        mmHg(pressure?.mean, to: &text)
        let pulse: PulseRate? = if case .pulseRate(let pulse) = content { pulse } else { pressure?.pulse }
        if let pulse { text.append(pulse.digits) }
        text.append(0x2C)
    }

    private static func appendContext(_ reading: borrowing Reading, to text: inout TextBuffer) {
        if let user = reading.user { text.append(decimal: Int64(user)) }
        text.append(0x2C)
        reading.flags.append(to: &text, separator: 0x20)
        text.append(0x2C)
        if let time = reading.clock.printable { text.append(time) }
        text.append(0x2C)
        if let word = reading.clockWord { text.append(word) }
        text.append(0x2C)
        if let received = reading.received { text.append(utc: received) }
        text.append(0x2C)
        text.append(reading.origin.word)
        text.append(0x2C)
        if let word = reading.trigger.word { text.append(word) }
        text.append(0x2C)
        if let sequence = reading.sequence { text.append(decimal: Int64(sequence)) }
        text.append(0x2C)
    }

    private static func appendRest(_ content: Reading.Content, _ words: String?, to text: inout TextBuffer) {
        let pressure: BloodPressure? = if case .bloodPressure(let pressure) = content { pressure } else { nil }
        kPa(pressure?.systolic, to: &text)
        kPa(pressure?.diastolic, to: &text)
        kPa(pressure?.mean, to: &text)
        if case .failure(let failure) = content {
            text.append(failure.reason.word)
            text.append(0x2C)
            cell(failure.code.description, to: &text)
            text.append(0x2C)
        } else {
            text.append(",,")
        }
        if case .quantity(let quantity) = content {
            text.append(decimal: Int64(quantity.mdc))
            text.append(0x2C)
            if let value = quantity.value { text.append(value) } else if let words { cell(words, to: &text) }
            text.append(0x2C)
            if let unit = Nomenclature.unitText(quantity) { cell(unit, to: &text) }
            text.append(0x2C)
        } else {
            text.append(",,,")
        }
    }

    private static func mmHg(_ pressure: Pressure?, to text: inout TextBuffer) {
        if let pressure {
            if pressure.unit == .mmHg { text.append(pressure.digits) } else { text.append(rounded: pressure.inMmHg) }
        }
        text.append(0x2C)
    }

    private static func kPa(_ pressure: Pressure?, to text: inout TextBuffer) {
        if let pressure, pressure.unit == .kPa { text.append(pressure.digits) }
        text.append(0x2C)
    }

    /// A cell of text that came from a device: quoted where it must be, and opened by an apostrophe where a spreadsheet
    /// would take it for a formula.
    static func cell(_ value: String, to text: inout TextBuffer) {
        guard let first = value.utf8.first else { return }
        let isFormula = "=+-@\t\r".utf8.contains(first)
        let needsQuotes = value.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 < 0x20 }
        if needsQuotes { text.append(0x22) }
        if isFormula { text.append(0x27) }
        for scalar in value.unicodeScalars {
            // A line feed within a cell would make a row of two lines, which no crash recovery could tell apart; other control
            // characters, those above U+007F too, are commands to a terminal.
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

extension Reading.Content {
    /// The word of `type`.
    var word: StaticString {
        switch self {
        case .bloodPressure: "blood_pressure"
        case .pulseRate: "pulse_rate"
        case .quantity: "quantity"
        case .failure: "measurement"
        }
    }
}

extension DeviceClock {
    /// What the cuff's clock said. A time that no calendar has is not kept as one: the record's bytes have it.
    var printable: DeviceTime? { time }
}

extension Reading {
    /// The word of `clock`; a clock that was never set, or is impossible, is always named.
    var clockWord: StaticString? {
        switch clock {
        case .unset, .impossible: "unset"
        case .absent, .time, .derived: rule.word
        }
    }
}

extension MeasurementFlags {
    func append(to text: inout TextBuffer, separator: UInt8) {
        guard !isEmpty else { return }
        var isFirst = true
        for bit in 0..<Self.words.count where rawValue & (1 << UInt32(bit)) != 0 {
            if !isFirst { text.append(separator) }
            text.append(Self.words[bit])
            isFirst = false
        }
    }
}
