import CuffCore

/// One layout of files that other programs write: its name, its recognition, and its reader. It turns bytes into readings; files,
/// databases and archives are opened elsewhere.
///
/// A program that embeds this library can create importers of its own and pass them with the built-in ones.
public struct Importer: Sendable, CustomStringConvertible {
    /// The container of a layout.
    public enum Form: Sendable {
        /// Bytes of a file or of a member of an archive.
        case bytes(@Sendable (_ options: ImportOptions, _ head: [UInt8]) throws(ImportFault) -> any ImportReader)
        /// Rows of an SQLite database.
        case database(ImportDatabase)
        /// Recognised and not read; the text says what is unknown.
        case unsupported(missing: String)
    }

    /// The driver id of its readings, `import-` and the name.
    public let driver: DriverID
    /// The program that writes such files.
    public let program: String
    /// A description in one line.
    public let help: String
    /// How a file is recognised, in one line.
    public let sign: String
    /// The container.
    public let form: Form
    private let recognises: @Sendable (_ head: [UInt8]) -> Bool

    /// `recognise` gets at most this many bytes of the beginning.
    public static let headLength = 65536

    /// Sets each property as given. `driver` begins with `import-`.
    public init(
        _ driver: DriverID, program: String, help: String, sign: String, form: Form,
        recognise: @escaping @Sendable (_ head: [UInt8]) -> Bool = { _ in false }
    ) {
        (self.driver, self.program, self.help, self.sign) = (driver, program, help, sign)
        (self.form, recognises) = (form, recognise)
    }

    /// The name on the command line.
    public var name: String { String(driver.description.dropFirst("import-".count)) }
    /// What decodes its readings. An importer has the version of its program.
    package func decoder(of program: String) -> String { String("\(program) \(driver)".prefix(Reading.longestDecoder)) }
    /// The name.
    public var description: String { name }

    /// Whether a file with this beginning (without a byte order mark) has this layout. Databases are recognised by their tables.
    public func recognise(_ head: [UInt8]) -> Bool { recognises(head) }
}

/// Reads one file of one layout. It gets the whole file `passes` times, in chunks of any size.
public protocol ImportReader {
    /// How often the whole file is read: 2 if the beginning cannot be interpreted without the end.
    var passes: Int { get }
    /// Takes the next bytes. Throws if the rest of the file cannot be read.
    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault)
    /// The file has ended, in this pass.
    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault)
}

extension ImportReader {
    /// 1.
    public var passes: Int { 1 }
}

/// What a reader has found since the output was last emptied.
public struct ImportOutput: Sendable {
    /// Readings, in the order of the file.
    public var readings: [ImportedReading] = []
    /// Records that did not become readings.
    public var complaints: [ImportComplaint] = []

    /// Empty.
    public init() {}

    /// Adds a reading, unless its values are implausible: these are refused.
    public mutating func add(_ reading: ImportedReading) {
        if let pressure = reading.pressure, !pressure.isPlausible, reading.original == nil {
            return refuse(reading.place, .implausible(Self.text(pressure)))
        }
        readings.append(reading)
    }

    /// Adds a complaint about a record.
    public mutating func refuse(_ place: ImportPlace, _ reason: ImportRefusal) { complaints.append(ImportComplaint(place, reason)) }

    private static func text(_ pressure: BloodPressure) -> String {
        var text = TextBuffer(capacity: 64)
        text.append(pressure.systolic.digits)
        text.append(0x2F)
        text.append(pressure.diastolic.digits)
        text.append(pressure.systolic.unit == .kPa ? " kPa" : " mmHg")
        if let pulse = pressure.pulse {
            text.append(", pulse ")
            text.append(pulse.digits)
        }
        if let mean = pressure.mean {
            text.append(", mean ")
            text.append(mean.digits)
        }
        return text.string
    }
}

/// A layout in a database: its tables, the query, and the interpretation of a row.
public struct ImportDatabase: Sendable {
    /// One value of a row.
    public enum Cell: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
    }

    /// Required tables with their required columns.
    public let tables: [String: [String]]
    /// The SQL; `columns` are the existing columns of each table.
    public let query: @Sendable (_ columns: [String: Set<String>]) -> String
    /// Interprets a row; throws if it is not a reading.
    public let row: @Sendable (_ cells: [Cell], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading

    /// Sets each property as given.
    public init(
        tables: [String: [String]], query: @escaping @Sendable (_ columns: [String: Set<String>]) -> String,
        row: @escaping @Sendable (_ cells: [Cell], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading
    ) {
        (self.tables, self.query, self.row) = (tables, query, row)
    }
}

/// Facts about a file that the user supplies.
public struct ImportOptions: Sendable {
    /// The name of the file without its folder.
    public var fileName = ""
    /// The columns of a table without a known layout.
    public var columns: ColumnMapping?
    /// The unit of the pressures, if the file does not say it.
    public var unit: PressureUnit?
    /// The order of numeric dates, if the file does not show it.
    public var dates: DateOrder?
    /// Finds a zone by its name, for layouts with zone names.
    public var zoneNamed: @Sendable (String) -> ZoneTable?

    /// Without any facts, and by default without zone names.
    public init(zoneNamed: @escaping @Sendable (String) -> ZoneTable? = { _ in nil }) { self.zoneNamed = zoneNamed }
}
