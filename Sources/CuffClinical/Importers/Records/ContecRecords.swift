import CuffCore

// Source: one reader of ABPM50 files (B). Positions count after the `=`: year 4, month 2, day 2, hour 2, minute 2, unknown 4,
// systolic 2 at 16, unknown 2, diastolic 2 at 20, unknown 2, mean 2 at 24, unknown 2, rate 2 at 28; hexadecimal.

extension Importer {
    /// `.awp` files of Contec's recorders. The patient's name in them is not read.
    static let contec = Importer(
        driver: "import-contec", program: "Contec ABPM50", help: ".awp files of Contec's 24 hour recorders",
        sign: "lines ID=, Name= and N= with 30 hexadecimal digits or more",
        form: .bytes { (_, _) throws(ImportFault) in ContecImport() },
        recognise: { head in
            let lines = ImportText.lines(head, 40).map { String(decoding: $0, as: UTF8.self) }
            return lines.contains { $0.hasPrefix("ID=") } && lines.contains { ContecImport.record($0) != nil }
        })
}

struct ContecImport: RowReader {
    // No separator occurs: a line is one cell.
    var lines = TableLines(separator: 0)
    private var hasRecord = false

    /// The digits of a numbered record.
    static func record(_ line: String) -> String? {
        guard let mark = line.firstIndex(of: "="), (1...3).contains(line.distance(from: line.startIndex, to: mark)),
            line[..<mark].allSatisfy({ $0.isASCII && $0.isNumber }), line.distance(from: mark, to: line.endIndex) > 30
        else { return nil }
        return String(line[line.index(after: mark)...])
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        for row in lines.end() { take(row, &output) }
        guard hasRecord else { throw .damaged("it holds no record of this layout") }
    }

    mutating func take(_ row: TableLines.Row, _ output: inout ImportOutput) {
        switch row {
        case .empty: break
        case .refused(let reason, let line): output.refuse(ImportPlace(.line, line), reason)
        case .cells(let cells, let line):
            let place = ImportPlace(.line, line)
            let text = cells.joined()
            // `ID=`, `Name=`, `C1=`: the patient and the settings.
            guard let first = text.utf8.first, first &- 0x30 < 10 else {
                // A record whose number is damaged, or that has lost its line end, is longer than any setting.
                let parts = text.split(separator: "=", omittingEmptySubsequences: false)
                let isRecord = (parts.last?.reversed().prefix { $0.isHexDigit }.count ?? 0) > 12
                if parts.count != 2 || parts[0].isEmpty || isRecord && parts[0] != "ID" {
                    output.refuse(place, .malformed("neither a setting nor a record"))
                }
                return
            }
            hasRecord = true
            do throws(ImportRefusal) {
                guard let digits = Self.record(text), digits.utf8.count % 2 == 0, let bytes = Hex.bytes(digits) else {
                    throw .malformed("not a record of hexadecimal digits")
                }
                output.add(try Self.reading(bytes, place))
            } catch { output.refuse(place, error) }
        }
    }

    private static func reading(_ bytes: [UInt8], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading {
        let values = bytes[8...]
        let systolic = Int(values[8]), diastolic = Int(values[10]), mean = Int(values[12]), rate = Int(values[14])
        if bytes[6...].allSatisfy({ $0 == 0 }) { throw .zeros }
        // Probably the high bytes of the values, so the reading is uncertain if one is not 0.
        for index in [6, 7, 9, 11, 13] + bytes.indices.dropFirst(15) where bytes[index] != 0 {
            throw .unknownBytes(Hex.text(bytes[index...index]))
        }
        let time = DeviceTime(
            year: Int(bytes[0]) << 8 | Int(bytes[1]), month: Int(bytes[2]), day: Int(bytes[3]), hour: Int(bytes[4]), minute: Int(bytes[5]))
        guard time.isPossible, ImportTime.years.contains(Int(time.year)) else { throw .impossibleTime(Hex.text(bytes[0..<6])) }
        let pressure = BloodPressure.mmHg(systolic, diastolic, meanOrZero: mean, pulseOrZero: rate)
        return ImportedReading(pressure, at: .wall(time), place: place)
    }
}
