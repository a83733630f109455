import CuffCore

/// One export format: what it is called, what can be chosen about it, and how its writer is made. Help, completions and error
/// messages come from these values.
///
/// A program that embeds this library makes one of its own and passes it where the built-in ones are passed.
public struct Exporter: Sendable, CustomStringConvertible {
    /// What a format has a place for beside readings.
    public struct Contents: OptionSet, Sendable, Hashable {
        /// One bit for each kind of content.
        public let rawValue: UInt8
        /// Any bits; unknown ones mean nothing.
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        /// Events that readings make: an irregular pulse, a high or a low heart rate.
        public static let events = Contents(rawValue: 1)
        /// Series of quantities: cuff pressures over time.
        public static let quantitySeries = Contents(rawValue: 2)
        /// Series of heart beats.
        public static let heartbeatSeries = Contents(rawValue: 4)
        /// Arrays of samples of a signal.
        public static let waveformSeries = Contents(rawValue: 8)
    }

    /// A column or key, explained.
    public struct Field: Sendable {
        /// The type of line it belongs to; empty where all lines are alike.
        public let type: String
        /// Its name as it is written.
        public let name: String
        /// One line.
        public let meaning: String

        /// Sets each property as given.
        public init(type: String = "", _ name: String, _ meaning: String) {
            self.type = type
            self.name = name
            self.meaning = meaning
        }
    }

    /// Makes a writer; throws where a choice is not usable.
    public typealias Make = @Sendable (_ choices: ExportChoices, _ context: ExportContext) throws(ExportFault) -> any ExportWriter

    /// The name on the command line: small letters and hyphens.
    public let name: String
    /// The media type of what is written.
    public let mediaType: String
    /// One line.
    public let help: String
    /// What can be chosen about it. Formats that share an option share its value.
    public let options: [ExportOption]
    /// What it has a place for beside readings.
    public let contents: Contents
    /// Its columns or keys; empty where a public document explains them.
    public let fields: [Field]
    /// The path of the document within a zip file, where importers want one; `nil`: there is no such layout.
    public let archivePath: String?
    /// Whether every value needs an instant: a reading whose only time is a clock of an unknown zone then has no place.
    public let writesInstants: Bool
    private let make: Make

    /// Sets each property as given.
    public init(
        _ name: String, mediaType: String, help: String, options: [ExportOption] = [], contents: Contents = [], fields: [Field] = [],
        archivePath: String? = nil, writesInstants: Bool = false, make: @escaping Make
    ) {
        self.name = name
        self.mediaType = mediaType
        self.help = help
        self.options = options
        self.contents = contents
        self.fields = fields
        self.archivePath = archivePath
        self.writesInstants = writesInstants
        self.make = make
    }

    /// A writer of this format. Throws where a choice is not one of the format's, or has a value that it does not take.
    public func writer(_ choices: ExportChoices, _ context: ExportContext) throws(ExportFault) -> any ExportWriter {
        for name in choices.names where !options.contains(where: { $0.name == name }) {
            throw .optionNotTaken(option: name, exporter: self.name)
        }
        for option in options where !option.words.isEmpty {
            for value in choices.all(option) where !option.words.contains(value) {
                throw .unknownWord(option: option.name, value: value, words: option.words)
            }
        }
        return try make(choices, context)
    }

    /// Why a reading has no place, whatever its writer says: its time has no zone, and nobody chose one. `nil` where it may have one.
    public func omission(_ reading: borrowing Reading, _ context: ExportContext) -> ExportOmission? {
        writesInstants && !context.isZoneChosen && reading.isFloating ? .zoneUnknown : nil
    }

    /// The name.
    public var description: String { name }
}

/// The one list of export formats.
public enum Exporters {
    /// Every built-in format, in the order of help and documentation.
    public static let all: [Exporter] = [.csv, .jsonl, .appleHealth, .fhir, .fhirNDJSON, .omh, .influx]

    /// The format of this name; throws where there is none.
    public static func named(_ name: String, among exporters: [Exporter] = all) throws(ExportFault) -> Exporter {
        guard let found = exporters.first(where: { $0.name == name }) else {
            throw .unknownExporter(name, known: exporters.map(\.name))
        }
        return found
    }

    /// Every option of the formats, each once, with the names of the formats that take it.
    public static func options(of exporters: [Exporter] = all) -> [(option: ExportOption, exporters: [String])] {
        var found: [(option: ExportOption, exporters: [String])] = []
        for exporter in exporters {
            for option in exporter.options {
                if let place = found.firstIndex(where: { $0.option.name == option.name }) {
                    found[place].exporters.append(exporter.name)
                } else {
                    found.append((option, [exporter.name]))
                }
            }
        }
        return found
    }
}

/// Something that can be chosen about a format: `--NAME VALUE` on the command line.
public struct ExportOption: Sendable, Hashable {
    /// Without the dashes.
    public let name: String
    /// What stands for the value in help; empty: a flag, which has none.
    public let value: String
    /// The only values; empty: any text.
    public let words: [String]
    /// Whether it may be given several times.
    public let isRepeatable: Bool
    /// One line.
    public let help: String

    /// Sets each property as given.
    public init(_ name: String, value: String = "", words: [String] = [], isRepeatable: Bool = false, help: String) {
        self.name = name
        self.value = value
        self.words = words
        self.isRepeatable = isRepeatable
        self.help = help
    }
}

/// What was chosen about a format, by the names of its options.
public struct ExportChoices: Sendable, Hashable {
    private var values: [String: [String]] = [:]

    /// Nothing is chosen.
    public init() {}

    /// Chooses a value; of a flag the value is empty.
    public mutating func choose(_ name: String, _ value: String = "") { values[name, default: []].append(value) }

    /// The options that are chosen, sorted.
    public var names: [String] { values.keys.sorted() }
    /// Every value of an option, in order.
    public func all(_ option: ExportOption) -> [String] { values[option.name] ?? [] }
    /// Whether the option is chosen.
    public func has(_ option: ExportOption) -> Bool { values[option.name] != nil }

    /// The value of an option that may be given once; `nil` where it is not chosen.
    public func one(_ option: ExportOption) throws(ExportFault) -> String? {
        let all = all(option)
        guard all.count < 2 else { throw .repeated(option: option.name) }
        return all.first
    }

    /// The value of an option whose first word stands for no choice.
    public func word(_ option: ExportOption) throws(ExportFault) -> String { try one(option) ?? option.words.first ?? "" }
}

/// What a writer knows of its run.
public struct ExportContext: Sendable {
    /// The zone in which a reading without a known instant is dated, and of times without a zone of their own.
    public var zone: ZoneTable
    /// Whether somebody chose the zone for these readings. Otherwise it is this computer's, which need not be the cuffs'.
    public var isZoneChosen = true
    /// When the export is made.
    public var made: Timestamp
    /// The program that writes it.
    public var source: HealthSource
    /// The name of this computer.
    public var host: String

    /// Sets each property as given.
    public init(zone: ZoneTable, made: Timestamp, source: HealthSource, host: String) {
        self.zone = zone
        self.made = made
        self.source = source
        self.host = host
    }
}

/// What of a reading is written: its values, and the events they make.
public struct ExportParts: OptionSet, Sendable, Hashable {
    /// One bit for each part.
    public let rawValue: UInt8
    /// Any bits; unknown ones mean nothing.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The values of the reading.
    public static let values = ExportParts(rawValue: 1)
    /// The events that the reading makes.
    public static let events = ExportParts(rawValue: 2)
    /// Both.
    public static let all: ExportParts = [.values, .events]
}

/// Writes one export: the beginning, any number of readings and series, the end. It keeps nothing of what it wrote but what
/// does not grow with the number of readings.
public protocol ExportWriter {
    /// The result cannot say whose a value is, and so must hold one person's readings.
    var isOfOnePerson: Bool { get }
    /// Writes what stands before the first reading.
    mutating func begin(to text: inout TextBuffer)
    /// Writes one reading, or throws why it has no place; nothing is written then.
    mutating func append(
        _ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer
    ) throws(ExportOmission)
    /// Writes one series, of the user slot of the reading that owns it. Only kinds that the exporter's `contents` name come here.
    mutating func append(_ series: HealthSeries, user: Int?, from provenance: Provenance, to text: inout TextBuffer)
    /// Writes that a reading an earlier export gave away is deleted; answers `false`, and writes nothing, where the format has no place
    /// for that.
    mutating func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool
    /// Writes what stands after the last reading.
    mutating func end(to text: inout TextBuffer)
}

extension ExportWriter {
    /// It names the user of each value.
    public var isOfOnePerson: Bool { false }
    /// Nothing stands before the first reading.
    public mutating func begin(to text: inout TextBuffer) {}
    /// It has no place for series.
    public mutating func append(_ series: HealthSeries, user: Int?, from provenance: Provenance, to text: inout TextBuffer) {}
    /// It has no place for deletions.
    public mutating func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool { false }
    /// Nothing stands after the last reading.
    public mutating func end(to text: inout TextBuffer) {}
}
