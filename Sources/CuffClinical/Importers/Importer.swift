import CuffCore

/// One layout of files that other programs write: its name, its recognition, and its reader. It turns bytes into readings; files,
/// databases and archives are opened elsewhere.
package struct Importer: Sendable, CustomStringConvertible {
    package enum Form: Sendable {
        /// Bytes of a file or of a member of an archive.
        case bytes(@Sendable (_ options: ImportOptions, _ head: [UInt8]) throws(ImportFault) -> any ImportReader)
        /// Rows of an SQLite database.
        case database(ImportDatabase)
        /// Recognised and not read; the text says what is unknown.
        case unsupported(missing: String)
    }

    /// The driver id of its readings, `import-` and the name.
    package let driver: DriverID
    /// The program that writes such files.
    package let program: String
    package let help: String
    /// How a file is recognised, in one line.
    package let sign: String
    package let form: Form
    /// Whether a file with this beginning (decoded by `TextStream`) has this layout. Databases are recognised by their tables.
    package var recognise: @Sendable (_ head: [UInt8]) -> Bool = { _ in false }

    /// `recognise` gets at most this many bytes of the beginning.
    package static let headLength = 65536

    /// The name on the command line.
    package var name: String { String(driver.description.dropFirst("import-".count)) }
    /// What decodes its readings. An importer has the version of its program.
    package func decoder(of program: String) -> String { String("\(program) \(driver)".prefix(Reading.longestDecoder)) }
    package var description: String { name }

    /// A reader of a file with this beginning; `nil` for a layout that is not text.
    package func reader(_ options: ImportOptions, head: [UInt8]) throws(ImportFault) -> (any ImportReader)? {
        guard case .bytes(let make) = form else { return nil }
        let text = TextStream(head)
        let reader = try make(options, text.head)
        return text.isPlain ? reader : DecodedImport(reader, text)
    }
}

/// Reads one file of one layout. It gets the whole file `passes` times, in chunks of any size.
package protocol ImportReader {
    /// How often the whole file is read: 2 if the beginning cannot be interpreted without the end.
    var passes: Int { get }
    /// Takes the next bytes. Throws if the rest of the file cannot be read.
    mutating func read(_ bytes: Span<UInt8>, _ output: inout ImportOutput) throws(ImportFault)
    /// The file has ended, in this pass.
    mutating func endPass(_ output: inout ImportOutput) throws(ImportFault)
}

extension ImportReader {
    package var passes: Int { 1 }
}

/// What a reader has found since the output was last emptied.
package struct ImportOutput: Sendable {
    package var readings: [ImportedReading] = []
    package var complaints: [ImportComplaint] = []
    /// Titles of columns that are not read.
    package var unused: [String] = []

    package init() {}

    /// Adds a reading, unless its values are implausible or in several units: these are refused. Other programs write 0 for what was not
    /// measured.
    package mutating func add(_ read: ImportedReading) {
        var reading = read
        if var pressure = read.pressure, read.original == nil {
            let missing = [pressure.systolic, pressure.diastolic].count { $0.digits.mantissa == 0 }
            guard missing == 0 else { return refuse(read.place, missing == 2 ? .noPressures : .half) }
            if pressure.pulse?.digits.mantissa == 0 {
                (pressure.pulse, pressure.pulseAbsence) = (nil, .notMeasured)
                reading.content = .bloodPressure(pressure)
            }
            let units = Set([pressure.systolic, pressure.diastolic, pressure.mean ?? pressure.systolic].map(\.unit))
            guard units.count == 1 else { return refuse(reading.place, .malformed("pressures in different units")) }
            guard pressure.isPlausible else { return refuse(reading.place, .implausible(Self.text(pressure))) }
        }
        if read.isNoteCut { refuse(read.place, .longNote) }
        readings.append(reading)
    }

    package mutating func refuse(_ place: ImportPlace, _ reason: ImportRefusal) { complaints.append(ImportComplaint(place, reason)) }

    private static func text(_ pressure: BloodPressure) -> String {
        let unit = pressure.systolic.unit == .kPa ? "kPa" : "mmHg"
        let pulse = pressure.pulse.map { ", pulse \($0.digits.text)" } ?? ""
        let mean = pressure.mean.map { ", mean \($0.digits.text)" } ?? ""
        return "\(pressure.systolic.digits.text)/\(pressure.diastolic.digits.text) \(unit)\(pulse)\(mean)"
    }
}

/// A layout in a database: its tables, the query, and the interpretation of a row.
package struct ImportDatabase: Sendable {
    package enum Cell: Sendable, Hashable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob([UInt8])
    }

    /// Required tables with their required columns.
    package let tables: [String: [String]]
    /// The SQL; `columns` are the existing columns of each table.
    package let query: @Sendable (_ columns: [String: Set<String>]) -> String
    /// Interprets a row; throws if it is not a reading.
    package let row: @Sendable (_ cells: [Cell], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading
}

/// Facts about a file that the user supplies.
package struct ImportOptions: Sendable {
    /// The name of the file without its folder.
    package var fileName = ""
    /// The columns of a table without a known layout.
    package var columns: ColumnMapping?
    /// The unit of the pressures, if the file does not say it.
    package var unit: PressureUnit?
    /// The order of numeric dates, if the file does not show it.
    package var dates: DateOrder?
    /// Whether the user of the program says that all readings are of one person.
    package var isOfOnePerson = false
    /// Finds a zone by its name, for layouts with zone names.
    package var zoneNamed: @Sendable (String) -> ZoneTable?

    /// Without any facts, and by default without zone names.
    package init(zoneNamed: @escaping @Sendable (String) -> ZoneTable? = { _ in nil }) { self.zoneNamed = zoneNamed }
}
