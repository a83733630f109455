import CuffCore

/// An export format: its name, its options, and how its writer is made. Help, completions and error messages are generated from it.
///
/// A program that embeds this library can define another one and use it like the built-in formats.
public struct Exporter: Sendable, CustomStringConvertible {
    /// The name on the command line: lower-case letters and hyphens.
    public let name: String
    /// One line.
    public let help: String
    /// Its options. Formats that share an option share its value.
    package let options: [ExportOption]
    package let parts: ExportParts
    /// Its columns or keys, with the type of line they belong to (empty if all lines are alike), the name, and one line of explanation; empty
    /// if a public document explains them.
    public let fields: [(type: String, name: String, meaning: String)]
    /// The path of the document within a zip file, if importers want one; `nil`: there is no such layout.
    public let archivePath: String?
    /// Whether every value needs an instant: then a reading that has only the time of a clock in an unknown zone has no place.
    package let writesInstants: Bool
    /// Whether it says why a reading does not count in averages, which other readings decide.
    package let writesExclusions: Bool
    private let make: @Sendable (ExportChoices, ExportContext) throws(ExportFault) -> any ExportWriter

    /// Sets each property as given. `make` makes a writer, and throws if a choice is not usable.
    package init(
        _ name: String, help: String, options: [ExportOption] = [], parts: ExportParts = .values,
        fields: [(type: String, name: String, meaning: String)] = [],
        archivePath: String? = nil, writesInstants: Bool = false, writesExclusions: Bool = false,
        make: @escaping @Sendable (_ choices: ExportChoices, _ context: ExportContext) throws(ExportFault) -> any ExportWriter
    ) {
        (self.name, self.help, self.options) = (name, help, options)
        (self.parts, self.fields, self.archivePath) = (parts, fields, archivePath)
        (self.writesInstants, self.writesExclusions, self.make) = (writesInstants, writesExclusions, make)
    }

    /// A writer of this format. Throws if the format does not have an option, or if a value is invalid.
    package func writer(_ choices: ExportChoices, _ context: ExportContext) throws(ExportFault) -> any ExportWriter {
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

    /// Why a reading is left out before its writer is asked: its time has no zone, and none was chosen. `nil` if it is not.
    package func omission(_ reading: borrowing Reading, _ context: ExportContext) -> ExportOmission? {
        writesInstants && !context.isZoneChosen && reading.isFloating ? .zoneUnknown : nil
    }

    /// The name.
    public var description: String { name }
}

extension Exporter {
    /// Every built-in format, in the order of help and documentation.
    public static let all: [Exporter] = [.csv, .jsonl, .appleHealth, .fhir, .fhirNDJSON, .omh, .influx]

    /// The format of this name.
    /// - Throws: `ExportFault.unknownExporter`.
    public static func named(_ name: String, among exporters: [Exporter] = all) throws(ExportFault) -> Exporter {
        guard let found = exporters.first(where: { $0.name == name }) else {
            throw .unknownExporter(name, known: exporters.map(\.name))
        }
        return found
    }

    /// Every option of the formats, each once, with the names of the formats that take it.
    package static func options(of exporters: [Exporter] = all) -> [(option: ExportOption, exporters: [String])] {
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
