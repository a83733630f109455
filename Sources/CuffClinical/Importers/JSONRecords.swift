import CuffCore

/// Splits a JSON text, or a sequence of them, into its records: objects at a certain path. The rest is skipped, so memory does not
/// grow with the file.
struct JSONRecords {
    /// A record, or why it cannot be read, with its number.
    enum Found: Hashable {
        case record([UInt8], path: [String], number: Int)
        case refused(ImportRefusal, number: Int)
    }

    /// A Bundle's longest documented Observation is a few kilobytes.
    static let longestRecord = 1 << 18
    /// Longer names are cut; no record is below them.
    private static let longestName = 256

    /// Whether the object at this path is a record; the elements of a list have the name of the list. An object that contains a record
    /// is not one itself.
    private let isRecord: @Sendable (_ path: [String]) -> Bool
    /// The open objects and lists, each with its member name.
    private var path: [String] = []
    private var areLists: [Bool] = []
    private var name: [UInt8] = []
    private var lastName = ""
    private var isInString = false
    private var isEscaped = false
    /// The string is a member name.
    private var isName = false
    private var mayName = false
    private var record: [UInt8]?
    private var recordDepth = 0
    private var isTooLong = false
    private var number = 0
    /// The last byte that is neither a blank nor within a string.
    private var previous: UInt8 = 0
    private var isLineStart = true
    /// A line that begins with a brace begins a record, as in JSON Lines.
    private var isByLine = false
    /// The value at the top has no line end so far.
    private var isOneLine = true
    /// Within a record whose brackets do not match: all is skipped up to a line that begins with a brace.
    private var isLost = false
    /// Text outside of all values was reported on this line.
    private var isStray = false

    init(isRecord: @escaping @Sendable (_ path: [String]) -> Bool) { self.isRecord = isRecord }

    /// Whether it is the path of a whole text or of an element of a list that is one.
    static func isTop(_ path: some BidirectionalCollection<String>) -> Bool { path.count == 1 || path.count == 2 && path.last == "" }

    mutating func read(_ bytes: Span<UInt8>, _ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        for index in bytes.indices {
            let byte = bytes[index]
            let startsLine = isLineStart && byte == 0x7B
            while startsLine, isTorn { try tear(take) }
            isLineStart = byte == 0x0A
            if isLost, !startsLine { continue }
            isLost = false
            if isLineStart { isOneLine = false }
            if record != nil {
                record?.append(byte)
                if let length = record?.count, length > Self.longestRecord {
                    isTooLong = true
                    record?.removeAll(keepingCapacity: true)
                }
            }
            if isInString {
                readString(byte)
            } else if path.isEmpty, byte != 0x7B, byte != 0x5B {
                try readOutside(byte, take)
            } else {
                try readMark(byte, take)
                if byte > 0x20 { previous = byte }
            }
        }
    }

    /// Whether the open record cannot go on with a line that begins with a brace.
    private var isTorn: Bool {
        guard !path.isEmpty, !isLost else { return false }
        // A list around the records may lack a comma.
        let mayFollow = areLists.last == false ? previous == 0x3A : record == nil || previous == 0x5B || previous == 0x2C
        return isInString || isByLine && record != nil || !mayFollow
    }

    /// Gives up the open record. The lines that it took for its own are read again.
    private mutating func tear(_ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        let bytes = record ?? []
        let next = isByLine ? nil : bytes.indices.dropFirst().first { bytes[$0] == 0x7B && bytes[$0 - 1] == 0x0A }
        isByLine = true
        try drop("its line ends within it", take)
        if let next { try read(Array(bytes[next...]).span, take) }
    }

    /// Gives up the open record, or all that is open around the records.
    private mutating func drop(_ reason: String, _ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        let depth = record == nil ? 0 : recordDepth - 1
        path.removeLast(path.count - depth)
        areLists.removeLast(areLists.count - depth)
        (record, lastName, isInString, isEscaped, isName, mayName) = (nil, "", false, false, false, false)
        try take(.refused(.malformed(reason), number: max(1, number)))
    }

    /// The end of the open record is not known.
    private mutating func lose(_ reason: String, _ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        guard record != nil else { throw .damaged("\(reason) behind record \(number)") }
        try drop(reason, take)
        isLost = true
    }

    private mutating func readString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == 0x5C {
            isEscaped = true
        } else if byte == 0x22 {
            isInString = false
            if isName { lastName = String(decoding: name, as: UTF8.self) }
            return
        }
        if isName, name.count < Self.longestName { name.append(byte) }
    }

    /// Allowed are blanks, the commas of a list without its brackets, and the separators of RFC 7464.
    private mutating func readOutside(_ byte: UInt8, _ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        if byte == 0x0A { isStray = false }
        guard !isStray, ![0x09, 0x0A, 0x0D, 0x1E, 0x20, 0x2C].contains(byte) else { return }
        (isStray, number) = (true, number + 1)
        try take(.refused(.malformed("text outside of a record"), number: number))
    }

    private mutating func readMark(_ byte: UInt8, _ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        switch byte {
        case 0x22:
            isInString = true
            isName = mayName
            if isName { name.removeAll(keepingCapacity: true) }
            mayName = false
        case 0x7B, 0x5B:
            guard path.count < 2 * JSONReader.deepest else {
                return try lose("nested deeper than \(2 * JSONReader.deepest) levels", take)
            }
            if path.isEmpty { isOneLine = true }
            path.append(areLists.last == true ? path.last ?? "" : lastName)
            areLists.append(byte == 0x5B)
            lastName = ""
            mayName = byte == 0x7B
            if byte == 0x7B, isRecord(path) {
                if record == nil { number += 1 }
                (record, recordDepth, isTooLong) = ([byte], path.count, false)
            }
        case 0x7D, 0x5D:
            guard areLists.last == (byte == 0x5D) else { return try lose("brackets do not match", take) }
            try close(take)
        case 0x2C: mayName = areLists.last == false
        default: break
        }
    }

    private mutating func close(_ take: (Found) throws(ImportFault) -> Void) throws(ImportFault) {
        if let bytes = record, path.count == recordDepth {
            record = nil
            try take(isTooLong ? .refused(.tooLong(limit: Self.longestRecord), number: number) : .record(bytes, path: path, number: number))
        }
        path.removeLast()
        areLists.removeLast()
        mayName = false
        guard path.isEmpty else { return }
        lastName = ""
        if isOneLine { isByLine = true }
    }

    mutating func end() throws(ImportFault) {
        defer {
            (path, areLists, record, number) = ([], [], nil, 0)
            (lastName, isInString, isEscaped, isName, mayName) = ("", false, false, false, false)
            (previous, isLineStart, isByLine, isLost, isStray) = (0, true, false, false, false)
        }
        guard !isLost else { throw .damaged("brackets do not match in record \(number)") }
        guard path.isEmpty else { throw .damaged("it ends within record \(max(1, number))") }
        guard number > 0 else { throw .damaged("it holds no record of this layout") }
    }
}

/// Reads the records of a JSON layout, each on its own.
struct RecordImport<Judge: RecordJudge>: ImportReader {
    private var judge: Judge
    private var records: JSONRecords
    private var pass = 1
    let passes: Int

    init(_ judge: Judge, isRecord: @escaping @Sendable (_ path: [String]) -> Bool) {
        self.judge = judge
        passes = judge.passes
        records = JSONRecords(isRecord: isRecord)
    }

    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault) {
        var found: [JSONRecords.Found] = []
        let isPreparing = pass < passes
        // Records before damage are kept.
        defer { take(found, isPreparing, &output) }
        try records.read(bytes) { (record) throws(ImportFault) in found.append(record) }
    }

    private mutating func take(_ found: [JSONRecords.Found], _ isPreparing: Bool, _ output: inout ImportOutput) {
        for one in found {
            switch one {
            case .refused(let reason, let number): if !isPreparing { output.refuse(ImportPlace(.record, number), reason) }
            case .record(let bytes, let path, let number):
                let place = ImportPlace(.record, number)
                guard let tree = JSONValue(bytes[...]) else {
                    if !isPreparing { output.refuse(place, .malformed("not JSON")) }
                    continue
                }
                do throws(ImportRefusal) {
                    if isPreparing {
                        judge.prepare(tree)
                    } else if let reading = try judge.reading(tree, path, place) {
                        output.add(reading)
                    }
                } catch { output.refuse(place, error) }
            }
        }
    }

    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault) {
        try records.end()
        if judge.isFull { throw .tooMany(what: "heart rates", limit: judge.most) }
        if judge.isOfSeveralPersons { throw .severalPersons }
        if pass == passes { judge.end(&output) }
        pass += 1
    }
}

/// Interprets the records of one layout.
protocol RecordJudge {
    var passes: Int { get }
    /// More companion records than `most`.
    var isFull: Bool { get }
    var most: Int { get }
    /// The readings name several persons, known before the last pass.
    var isOfSeveralPersons: Bool { get }
    /// Takes a record in the passes before the last.
    mutating func prepare(_ record: JSONValue)
    /// `nil` for a record that is part of another reading.
    mutating func reading(_ record: JSONValue, _ path: [String], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading?
    /// Called after the last record.
    mutating func end(_ output: inout ImportOutput)
}

extension RecordJudge {
    var passes: Int { 1 }
    var isFull: Bool { false }
    var most: Int { 0 }
    var isOfSeveralPersons: Bool { false }
    mutating func prepare(_ record: JSONValue) {}
    mutating func end(_ output: inout ImportOutput) {}
}

extension JSONValue {
    /// The text of a number, also of one written as a string.
    var numeral: String? {
        switch self {
        case .number(let text), .text(let text): text
        default: nil
        }
    }
    var integer: Int64? { numeral.flatMap { Int64($0) } }

    /// A number as digits; `nil` if it is missing or null.
    func digits(_ name: String, keepsZeros: Bool = false) throws(ImportRefusal) -> Digits? {
        guard let value = self[name], value != .null else { return nil }
        guard let text = value.numeral, let digits = ImportText.jsonDigits(text, keepsZeros: keepsZeros) else {
            throw .unreadableNumber(column: name, text: value.numeral ?? "")
        }
        return digits
    }

    /// Two pressures in mmHg and a pulse.
    func pressure(_ systolic: String, _ diastolic: String, pulse: String) throws(ImportRefusal) -> BloodPressure {
        let (high, low) = (try digits(systolic), try digits(diastolic))
        var pressure = try BloodPressure(high.map { Pressure($0, .mmHg) }, low.map { Pressure($0, .mmHg) })
        pressure.pulse = try digits(pulse).map { PulseRate($0) }
        return pressure
    }
}
