import CuffCore
import TOML

/// One table of a configuration file, with its errors.
struct ConfigurationSection {
    let file: String
    /// The last part of the path: `monitor` of `[device.monitor]`.
    let name: String
    /// As in brackets: `device.monitor`; empty at the top of the file.
    let path: String
    let table: TOMLTable
    private let document: TOMLDocument
    /// The first line, counted from 1.
    private let line: Int

    init(_ document: TOMLDocument, file: String) {
        (self.document, self.file, name, path, table, line) = (document, file, "", "", document.root, 1)
    }

    private init(_ entry: TOMLTable.Entry, _ table: TOMLTable, in outer: ConfigurationSection) {
        (document, file, name, self.table) = (outer.document, outer.file, entry.key, table)
        path = outer.path.isEmpty ? entry.key : "\(outer.path).\(entry.key)"
        line = document.line(at: entry.start)
    }

    func section(_ key: String) -> ConfigurationSection? {
        table.entry(key).flatMap { entry in entry.value.table.map { ConfigurationSection(entry, $0, in: self) } }
    }

    /// The named sections below a key, `[device.NAME]`, in the order of the file; an error for each entry that is not a section.
    func sections(_ key: String) throws(IngestError) -> [Result<ConfigurationSection, IngestError>] {
        guard let outer = section(key) else { throw wrongType(key, "sections, [\(key).NAME]") }
        let sections = outer.table.entries.map { entry -> (line: Int, Result<ConfigurationSection, IngestError>) in
            let found = outer.section(entry.key).map { Result<_, IngestError>.success($0) }
            return (document.line(at: entry.start), found ?? .failure(error(at: entry, .notASection(entry.key, of: key))))
        }
        return sections.sorted { $0.line < $1.line }.map(\.1)
    }

    // MARK: Values

    func string(_ key: String) throws(IngestError) -> String? {
        guard let value = table[key] else { return nil }
        guard let text = value.string else { throw wrongType(key, "a text in quotes") }
        return text
    }

    func flag(_ key: String) throws(IngestError) -> Bool? {
        guard let value = table[key] else { return nil }
        guard let flag = value.boolean else { throw wrongType(key, "true or false") }
        return flag
    }

    /// `500ms`, `30s`, `10min`, `2h`.
    static func duration(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        // At most a week: longer waits are mistakes, and could overflow.
        guard let count = Int64(number), count > 0, count <= 604_800 else { return nil }
        return switch text.dropFirst(number.count).drop(while: { $0 == " " }) {
        case "ms": .milliseconds(count)
        case "s": .seconds(count)
        case "min", "m": .seconds(count * 60)
        case "h": .seconds(count * 3600)
        default: nil
        }
    }

    // MARK: Places and mistakes

    /// The file and the line of a key, or of the section if the key is missing.
    func origin(_ key: String?) -> String { "\(file):\(line(key))" }

    private func line(_ key: String?) -> Int { key.flatMap { table.entry($0) }.map { document.line(at: $0.start) } ?? line }

    /// Without a key: at the section's first line.
    func error(_ key: String?, _ mistake: ConfigurationMistake) -> IngestError {
        IngestError(ConfigurationFault.mistake(file: file, line: line(key), mistake))
    }

    func error(at entry: TOMLTable.Entry, _ mistake: ConfigurationMistake) -> IngestError {
        IngestError(ConfigurationFault.mistake(file: file, line: document.line(at: entry.start), mistake))
    }

    /// An error of the parser of a value.
    func value(_ key: String, _ cause: IngestError) -> IngestError {
        IngestError(ConfigurationFault.value(file: file, line: line(key), cause))
    }

    func unknown(_ key: String, _ known: [String]) -> IngestError { error(key, .unknownKey(key, section: path, known: known)) }

    func wrongType(_ key: String, _ wanted: String) -> IngestError { error(key, .wrongType(key, wanted: wanted)) }

    func checkKeys(_ known: [String]) throws(IngestError) {
        for key in table.keys where !known.contains(key) { throw unknown(key, known) }
    }
}

extension IngestError {
    static func mistake(_ fault: TOMLFault, in file: String) -> IngestError {
        IngestError(ConfigurationFault.mistake(file: file, line: fault.line, .refused(fault.reason)))
    }
}
