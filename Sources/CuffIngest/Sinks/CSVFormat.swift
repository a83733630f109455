import CuffClinical
import CuffCore

extension SinkKind {
    /// Rows appended to a CSV file.
    public static let csv = SinkKind(
        "csv", help: "rows appended to a CSV file", example: "csv:bp.csv", durability: .onRegularFiles,
        latest: { path in
            guard let line = LineFile.lastLine(of: path), !line.starts(with: "id,".utf8) else { return nil }
            return String(decoding: line.prefix { $0 != 0x2C }, as: UTF8.self)
        }
    ) { (spec, context) throws(IngestError) in
        try CSVSink(path: spec.path) { context.onFault(spec.name, $0) }
    }
}

/// A CSV file (RFC 4180, one header row, CRLF) with the columns of `CSVTable` and `decoder`, named as in JSON. A pending reading that is
/// completed later becomes another row with the same id and a higher revision. Without live events.
typealias CSVSink = FileSink<CSVFormat>

extension FileSink<CSVFormat> {
    convenience init(path: String, onFault: @escaping @Sendable (IngestError) -> Void = { _ in }) throws(IngestError) {
        try self.init(path: path, format: CSVFormat(), onFault: onFault)
    }
}

struct CSVFormat: LineFormat {
    var scheme: String { "csv" }
    var takesLiveEvents: Bool { false }
    var refusal: String { "its first row is not the header of this program" }
    var lineEnd: [UInt8] { [0x0D, 0x0A] }
    private static let header = header(hasDecoder: true)
    private static let formerHeader = header(hasDecoder: false)
    /// Whether the file has the column, which came later than others: it is continued as it is.
    private(set) var hasDecoder = true
    private var columns: Int { CSVTable.columns.count + (hasDecoder ? 1 : 0) }

    private static func header(hasDecoder: Bool) -> [UInt8] {
        var text = TextBuffer(capacity: 512)
        CSVRow.appendHeader(hasDecoder: hasDecoder, to: &text)
        return text.array.dropLast(2)
    }

    func continuing(_ firstLine: [UInt8]) -> CSVFormat {
        CSVFormat(hasDecoder: firstLine.prefix { $0 != 0x0D } != Self.formerHeader[...])
    }

    /// No other program's header starts with these names.
    private static let distinctive = Array("id,revision,type,".utf8)

    func appendHeader(to text: inout TextBuffer) { CSVRow.appendHeader(hasDecoder: hasDecoder, to: &text) }

    func append(_ entry: borrowing BatchEntry, device: String, to text: inout TextBuffer) {
        if case .reading(let reading) = copy entry { CSVRow.append(reading, device: device, hasDecoder: hasDecoder, to: &text) }
    }

    func kind(of line: UnsafeRawBufferPointer, isFirst: Bool, isWhole: Bool) -> LineKind {
        if line.contains(0) { return .damaged }
        let row = line.last == 0x0D ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
        if isFirst {
            if row.elementsEqual(hasDecoder ? Self.header : Self.formerHeader) { return .header }
            return !isWhole && begins(line) ? .damaged : .foreign
        }
        if let key = key(of: row, isWhole: isWhole) { return .own(key) }
        if isWhole {
            return CSVRow.key(of: row) != nil || salvage(line) != nil ? .damaged : .added
        }
        return CSVRow.key(of: row) != nil ? .damaged : .foreign
    }

    private func key(of row: UnsafeRawBufferPointer, isWhole: Bool) -> KnownReadings.Key? {
        guard let key = CSVRow.key(of: row) else { return nil }
        let (cells, last) = CSVRow.cells(row)
        // Users append their cells at the end; a torn row is followed by the next row. The header of a file without `decoder` may be damaged.
        guard cells >= CSVTable.columns.count, cells == columns || wholeRow(in: row) == nil else { return nil }
        // Without a line end the last cell may be incomplete, unless its value shows otherwise.
        let isEnded = hasDecoder ? cells >= columns && last.last == 0x22 : last.isEmpty || last.elementsEqual("unsynchronised".utf8)
        guard isWhole || isEnded else { return nil }
        return key
    }

    func begins(_ line: UnsafeRawBufferPointer) -> Bool {
        let row = line.prefix { $0 != 0 && $0 != 0x0D }
        return row.starts(with: Self.distinctive) && Self.header.starts(with: row)
    }

    func mayBegin(_ line: UnsafeRawBufferPointer) -> Bool {
        // YYYYMMDDTHHMMSS-, sixteen hexadecimal digits, and a comma.
        line.enumerated().allSatisfy { index, byte in
            switch index {
            case 8: byte == 0x54
            case 15: byte == 0x2D
            case 0..<15: byte &- 0x30 < 10
            case 16..<KnownReadings.Key.idLength: byte &- 0x30 < 10 || byte &- 0x61 < 6
            case KnownReadings.Key.idLength: byte == 0x2C
            default: true
            }
        }
    }

    func salvage(_ line: UnsafeRawBufferPointer) -> Int? {
        let row = line.last == 0x0D ? UnsafeRawBufferPointer(rebasing: line.dropLast()) : line
        return wholeRow(in: row)
    }

    private func wholeRow(in row: UnsafeRawBufferPointer) -> Int? {
        guard row.count > KnownReadings.Key.idLength else { return nil }
        for start in (1..<row.count - KnownReadings.Key.idLength).reversed()
        where row[start + KnownReadings.Key.idLength] == 0x2C && row[start + 15] == 0x2D {
            if key(of: UnsafeRawBufferPointer(rebasing: row[start...]), isWhole: false) != nil { return start }
        }
        return nil
    }
}
