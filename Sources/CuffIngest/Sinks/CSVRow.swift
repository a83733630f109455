import CuffClinical
import CuffCore

/// One reading as a row of an appended file, written by `CSVTable` and recognised here.
enum CSVRow {
    static let table = CSVTable()

    /// `hasDecoder`: the layout of files that were begun since there is a column for it, the last one.
    static func appendHeader(hasDecoder: Bool = true, to text: inout TextBuffer) {
        table.appendHeader(to: &text)
        if hasDecoder { text.append(",decoder") }
        text.append("\r\n")
    }

    static func append(_ reading: borrowing Reading, device: String, hasDecoder: Bool = true, to text: inout TextBuffer) {
        table.append(reading, device: device, to: &text)
        if hasDecoder {
            text.append(table.separator)
            // Always quoted, and without quotes in it: without its line end, the row shows whether it is whole.
            table.append(cell: reading.decoder?.replacing("\"", with: "'") ?? "", isQuoted: true, to: &text)
        }
        text.append("\r\n")
    }

    /// The number of cells and the last one; 0 if a cell is unterminated or contains an impossible character.
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

    /// The key of a row of this program: the first two cells, if the type is valid.
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
}

extension Reading.Content {
    var word: StaticString {
        switch self {
        case .bloodPressure: "blood_pressure"
        case .pulseRate: "pulse_rate"
        case .quantity: "quantity"
        case .failure(let failure): failure.reason == .withdrawn ? "deleted" : "measurement"
        }
    }
}

extension DeviceClock {
    /// The time of the cuff's clock. Impossible times are not stored here, only in the record's bytes.
    var printable: DeviceTime? { time }
}

extension Reading {
    /// The value of `clock`; always given for a clock that was never set or is impossible.
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
