import CuffCore
import TOMLKit

extension CuffConfiguration {
    /// Adds what a file says; sections of a name that is there already replace it. Whatever it does not know is an error
    /// with its place and, where there is one, the word that was probably meant.
    mutating func read(
        _ text: String, file: String, drivers: [CuffDriver], kinds: [SinkKind] = SinkKind.all
    ) throws(IngestError) {
        let source = ConfigurationSource(text: text, file: file)
        let root: TOMLTable
        do { root = try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw source.error(line: error.source.begin.line, .refused(error.description))
        } catch {
            throw source.error(line: 1, .refused("this is not TOML: \(error)"))
        }
        files.append(file)
        for key in root.keys.sorted(by: { source.line("[\($0)", nil) < source.line("[\($1)", nil) }) {
            switch key {
            case "device":
                for (name, table) in try source.sections(root, key) {
                    let device = try source.device(name, table, drivers)
                    devices.removeAll { $0.name == name }
                    devices.append(device)
                }
            case "sink":
                for (name, table) in try source.sections(root, key) {
                    let sink = try source.sink(name, table, kinds)
                    sinks.removeAll { $0.name == name }
                    sinks.append(sink)
                }
            case "alert":
                for (name, table) in try source.sections(root, key) {
                    let alert = try source.alert(name, table, drivers)
                    alerts.removeAll { $0.rule.name == name }
                    alerts.append(alert)
                }
            case "watch":
                guard let table = root[key]?.table else { throw source.wrongType(key, nil, "a section, [watch]") }
                try readWatch(table, source, drivers)
            default:
                throw source.unknown(key, in: nil, ["device", "sink", "alert", "watch"])
            }
        }
    }

    /// The section `[watch]`.
    private mutating func readWatch(_ table: TOMLTable, _ source: ConfigurationSource, _ drivers: [CuffDriver]) throws(IngestError) {
        try source.checkKeys(table, "watch", ["again", "listen", "web"])
        if let value = table["listen"] {
            let texts = value.string.map { [$0] } ?? value.array?.compactMap { $0.string } ?? []
            guard !texts.isEmpty, value.array.map({ $0.count == texts.count }) ?? true else {
                throw source.wrongType("listen", "watch", "an address such as \"127.0.0.1:6024\", or a list of them")
            }
            do throws(IngestError) {
                listens = try texts.map { (text) throws(IngestError) in try ListenPlan(text, drivers: drivers) }
            } catch {
                throw IngestError(ConfigurationFault.value(file: source.file, line: source.line("listen", "watch"), error))
            }
            listenOrigin = source.origin("watch", "listen")
        }
        if let value = table["again"] {
            guard let again = value.string.flatMap(ConfigurationSource.duration) else {
                throw source.wrongType("again", "watch", "a time such as \"10min\"")
            }
            self.again = again
            againOrigin = source.origin("watch", "again")
        }
        if let value = table["web"] {
            guard let text = value.string, !text.isEmpty else {
                throw source.wrongType("web", "watch", "an address such as \"127.0.0.1:6025\"")
            }
            do throws(AddressFault) { web = try WebAddress(text) } catch {
                throw source.error(line: source.line("web", "watch"), .notAPage(text, why: error.reason))
            }
            webOrigin = source.origin("watch", "web")
        }
    }
}

/// One file's text, to find the lines that the TOML library does not tell.
struct ConfigurationSource {
    let text: String
    let file: String

    /// The line of a key in its section, of the section's head where the key has none of its own, or of a key at the top;
    /// counted from 1.
    func line(_ key: String, _ section: String?) -> Int {
        var isInside = section == nil
        var head = 1
        for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = raw.drop { $0 == " " || $0 == "\t" }
            if line.hasPrefix("[") {
                let name = Self.unquoted(line.dropFirst().prefix { $0 != "]" })
                if section == nil, key.hasPrefix("["), name == key.dropFirst() || name.hasPrefix(key.dropFirst() + ".") {
                    return index + 1
                }
                isInside = section == nil || name == section
                if isInside && section != nil { head = index + 1 }
            } else if isInside && !key.isEmpty {
                let name = line.prefix { $0 != "=" && $0 != " " && $0 != "." && $0 != "\t" }.filter { $0 != "\"" && $0 != "'" }
                if name == key { return index + 1 }
            }
        }
        return head
    }

    /// `device."front desk"` as `device.front desk`.
    private static func unquoted(_ head: Substring) -> String {
        String(head.filter { $0 != "\"" && $0 != "'" && $0 != "\t" })
    }

    func origin(_ section: String, _ key: String) -> String { "\(file):\(line(key, section))" }

    func error(line: Int, _ mistake: ConfigurationMistake) -> IngestError {
        IngestError(ConfigurationFault.mistake(file: file, line: line, mistake))
    }

    func unknown(_ key: String, in section: String?, _ known: [String]) -> IngestError {
        // A section of an unknown name stands in brackets.
        let number = section == nil ? max(line("[\(key)", nil), line(key, nil)) : line(key, section)
        return error(line: number, .unknownKey(key, section: section ?? "", known: known))
    }

    func wrongType(_ key: String, _ section: String?, _ wanted: String) -> IngestError {
        error(line: line(key, section), .wrongType(key, wanted: wanted))
    }

    func checkKeys(_ table: TOMLTable, _ section: String, _ known: [String]) throws(IngestError) {
        for key in table.keys.sorted() where !known.contains(key) { throw unknown(key, in: section, known) }
    }

    /// The named tables below a key, `[device.NAME]`, in the order of the file.
    func sections(_ root: TOMLTable, _ key: String) throws(IngestError) -> [(String, TOMLTable)] {
        guard let table = root[key]?.table else { throw wrongType(key, nil, "sections, [\(key).NAME]") }
        var sections: [(String, TOMLTable)] = []
        for name in table.keys.sorted(by: { line("", "\(key).\($0)") < line("", "\(key).\($1)") }) {
            guard let section = table[name]?.table else {
                throw error(line: line(name, key), .notASection(name, of: key))
            }
            sections.append((name, section))
        }
        return sections
    }

    func string(_ table: TOMLTable, _ key: String, _ section: String) throws(IngestError) -> String? {
        guard let value = table[key] else { return nil }
        guard let text = value.string else { throw wrongType(key, section, "a text in quotes") }
        return text
    }

    func flag(_ table: TOMLTable, _ key: String, _ section: String) throws(IngestError) -> Bool? {
        guard let value = table[key] else { return nil }
        guard let flag = value.bool else { throw wrongType(key, section, "true or false") }
        return flag
    }

    func device(_ name: String, _ table: TOMLTable, _ drivers: [CuffDriver]) throws(IngestError) -> CuffConfiguration.Device {
        let section = "device.\(name)"
        try checkKeys(table, section, ["match", "driver", "ignore", "line", "options", "users"])
        guard let match = try string(table, "match", section) else {
            throw error(line: line("", section), .matchesNothing(section: section))
        }
        guard !match.hasPrefix(".") else {
            throw error(line: line("match", section), .relativePath(match))
        }
        let address: DeviceAddress
        do throws(AddressFault) { address = try DeviceAddress(match) } catch {
            throw self.error(line: line("match", section), .refused("\(error)"))
        }
        if let refusal = address.assignmentRefusal { throw error(line: line("match", section), .refused(refusal)) }
        let isIgnored = try flag(table, "ignore", section) ?? false
        let word = try string(table, "driver", section)
        guard isIgnored != (word != nil) else {
            throw error(
                line: line(isIgnored ? "ignore" : "", section), isIgnored ? .ignoresWithDriver : .namesNoDriver(section: section))
        }
        var driver: CuffDriver?
        if let word {
            driver = drivers.first { $0.id.description == word }
            guard driver != nil else {
                throw error(line: line("driver", section), .refused(DeviceSettings.unknownDriver(word, drivers)))
            }
        }
        var line: LineSettings?
        if let text = try string(table, "line", section) {
            line = LineSettings(text)
            guard line != nil else { throw wrongType("line", section, "a line setting such as \"9600 8N1\"") }
        }
        return CuffConfiguration.Device(
            name: name, address: address, driver: driver?.id, line: line,
            options: try options(table, section, driver), users: try users(table, section),
            origin: origin(section, word == nil ? "ignore" : "driver"))
    }

    /// `{ 1 = "Anna", 2 = "Ben" }`
    private func users(_ table: TOMLTable, _ section: String) throws(IngestError) -> [Int: String] {
        guard let value = table["users"] else { return [:] }
        guard let entries = value.table else { throw wrongType("users", section, "a table, { 1 = \"Anna\", 2 = \"Ben\" }") }
        var users: [Int: String] = [:]
        for key in entries.keys.sorted() {
            // 0 is no user's number: a cuff without users gives none.
            guard let slot = Int(key), (1...Int(Int32.max)).contains(slot), let name = entries[key]?.string, !name.isEmpty,
                Int(name) == nil,
                name != "none"
            else { throw wrongType("users", section, "a table of user numbers from 1 on and names, { 1 = \"Anna\" }") }
            users[slot] = name
        }
        return users
    }

    private func options(
        _ table: TOMLTable, _ section: String, _ driver: CuffDriver?
    ) throws(IngestError) -> [String: String] {
        guard let value = table["options"] else { return [:] }
        guard let entries = value.table else { throw wrongType("options", section, "a table, { key = \"value\" }") }
        var options: [String: String] = [:]
        for key in entries.keys.sorted() {
            guard let text = entries[key]?.string else { throw wrongType("options", section, "a table of texts") }
            if let driver, driver.options[key] == nil {
                throw unknown(key, in: section, driver.options.keys.sorted())
            }
            options[key] = text
        }
        return options
    }

    func sink(_ name: String, _ table: TOMLTable, _ kinds: [SinkKind]) throws(IngestError) -> CuffConfiguration.NamedSink {
        let section = "sink.\(name)"
        // Every kind is a key of its own; `address` takes what the command line takes.
        let keys = kinds.filter { !$0.scheme.contains("+") && !$0.traits.contains(.remote) }.map(\.scheme) + ["address"]
        try checkKeys(table, section, keys + ["required", "ack"])
        let given = keys.filter { table[$0] != nil }
        guard let key = given.first, given.count == 1 else {
            throw error(
                line: given.map { line($0, section) }.max() ?? line("", section),
                .sinkPlaces(section: section, isNone: given.isEmpty, keys: keys))
        }
        let isRequired = try flag(table, "required", section) ?? true
        var spec = try place(table, key, section, kinds)
        if !isRequired { spec.isRequired = false }
        return CuffConfiguration.NamedSink(name: name, spec: spec, origin: origin(section, key))
    }

    private func place(_ table: TOMLTable, _ key: String, _ section: String, _ kinds: [SinkKind]) throws(IngestError) -> SinkSpec {
        let kind = kinds.first { $0.scheme == key }
        var scheme = key
        if try flag(table, "ack", section) ?? false {
            scheme += SinkKind.acknowledging
            guard kinds.contains(where: { $0.scheme == scheme }) else {
                throw error(line: line("ack", section), .acknowledgesNothing(key))
            }
        }
        if let kind, kind.operand.isEmpty {
            guard try flag(table, key, section) == true else { throw wrongType(key, section, "true") }
            return SinkSpec(kind)
        }
        let operand = try string(table, key, section) ?? ""
        guard !operand.isEmpty, operand != "-" else {
            throw wrongType(key, section, kind?.operand == "FILE" ? "the name of a file" : "a text in quotes")
        }
        do throws(IngestError) {
            guard let named = kinds.first(where: { $0.scheme == scheme }) else { return try SinkSpec(operand, among: kinds) }
            // A `?` at its end belongs to the operand: `required` says the rest.
            return try named.parse(named, operand)
        } catch {
            throw IngestError(ConfigurationFault.value(file: file, line: line(key, section), error))
        }
    }

    /// `500ms`, `30s`, `10min`, `2h`.
    static func duration(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && $0.isNumber }
        // A week is longer than anybody waits, and far from overflowing.
        guard let count = Int64(number), count > 0, count <= 604_800 else { return nil }
        return switch text.dropFirst(number.count).drop(while: { $0 == " " }) {
        case "ms": .milliseconds(count)
        case "s": .seconds(count)
        case "min", "m": .seconds(count * 60)
        case "h": .seconds(count * 3600)
        default: nil
        }
    }
}
