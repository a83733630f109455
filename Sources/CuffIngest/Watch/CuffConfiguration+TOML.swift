import CuffCore
import TOML

extension CuffConfiguration {
    /// Adds a file; a section replaces an earlier one of the same name. Unknown words are errors with their location and the most
    /// similar known word.
    mutating func read(
        _ text: String, file: String, drivers: [CuffDriver], kinds: [SinkKind] = SinkKind.all
    ) throws(IngestError) {
        let document: TOMLDocument
        do throws(TOMLFault) { document = try TOMLDocument(Array(text.utf8)) } catch {
            throw IngestError(ConfigurationFault.mistake(file: file, line: error.line, .refused(error.reason)))
        }
        files.append(file)
        let root = ConfigurationSection(document, file: file)
        for key in root.table.keys {
            switch key {
            case "device":
                for section in try root.sections(key) {
                    let device = try section.device(drivers)
                    devices.removeAll { $0.name == device.name }
                    devices.append(device)
                }
            case "person":
                for section in try root.sections(key) {
                    let person = try section.person()
                    persons.removeAll { $0.name == person.name }
                    persons.append(person)
                }
            case "sink":
                for section in try root.sections(key) {
                    let sink = try section.sink(kinds)
                    sinks.removeAll { $0.name == sink.name }
                    sinks.append(sink)
                }
            case "source":
                for section in try root.sections(key) {
                    let source = try section.source()
                    sources.removeAll { $0.plan.name == source.plan.name }
                    sources.append(source)
                }
            case "alert":
                for section in try root.sections(key) {
                    let alert = try section.alert(drivers)
                    alerts.removeAll { $0.rule.name == alert.rule.name }
                    alerts.append(alert)
                }
            case "watch":
                guard let section = root.section(key) else { throw root.wrongType(key, "a section, [watch]") }
                try readWatch(section, drivers)
            default:
                throw root.unknown(key, ["device", "person", "sink", "source", "alert", "watch"])
            }
        }
    }

    private mutating func readWatch(_ section: ConfigurationSection, _ drivers: [CuffDriver]) throws(IngestError) {
        try section.checkKeys(["again", "listen", "web"])
        if let value = section.table["listen"] {
            let texts = value.string.map { [$0] } ?? value.array?.compactMap { $0.string } ?? []
            guard !texts.isEmpty, value.array.map({ $0.count == texts.count }) ?? true else {
                throw section.wrongType("listen", "an address such as \"127.0.0.1:6024\", or a list of them")
            }
            do throws(IngestError) {
                listens = try texts.map { (text) throws(IngestError) in try ListenPlan(text, drivers: drivers) }
            } catch { throw section.value("listen", error) }
            listenOrigin = section.origin("listen")
        }
        if let value = section.table["again"] {
            guard let again = value.string.flatMap(ConfigurationSection.duration) else {
                throw section.wrongType("again", "a time such as \"10min\"")
            }
            self.again = again
            againOrigin = section.origin("again")
        }
        if let value = section.table["web"] {
            guard let text = value.string, !text.isEmpty else {
                throw section.wrongType("web", "an address such as \"127.0.0.1:6025\"")
            }
            do throws(AddressFault) { web = try WebAddress(text) } catch {
                throw section.error("web", .notAPage(text, why: error.reason))
            }
            webOrigin = section.origin("web")
        }
    }
}

/// `[device.NAME]`
extension ConfigurationSection {
    func device(_ drivers: [CuffDriver]) throws(IngestError) -> CuffConfiguration.Device {
        try checkKeys(["match", "driver", "ignore", "line", "options", "users"])
        guard let match = try string("match") else { throw error(nil, .matchesNothing(section: path)) }
        guard !match.hasPrefix(".") else { throw error("match", .relativePath(match)) }
        let address: DeviceAddress
        do throws(AddressFault) { address = try DeviceAddress(match) } catch {
            throw self.error("match", .refused("\(error)"))
        }
        if let refusal = address.assignmentRefusal { throw error("match", .refused(refusal)) }
        let isIgnored = try flag("ignore") ?? false
        let word = try string("driver")
        guard isIgnored != (word != nil) else {
            throw isIgnored ? error("ignore", .ignoresWithDriver) : error(nil, .namesNoDriver(section: path))
        }
        let driver = try driver(drivers)
        var line: LineSettings?
        if let text = try string("line") {
            line = LineSettings(text)
            guard line != nil else { throw wrongType("line", "a line setting such as \"9600 8N1\"") }
        }
        return CuffConfiguration.Device(
            name: name, address: address, driver: driver?.id, line: line, options: try options(driver), users: try users(),
            origin: origin(word == nil ? "ignore" : "driver"))
    }

    func driver(_ drivers: [CuffDriver]) throws(IngestError) -> CuffDriver? {
        guard let word = try string("driver") else { return nil }
        guard let driver = drivers.first(where: { $0.id.description == word }) else {
            throw error("driver", .refused(DeviceSettings.unknownDriver(word, drivers)))
        }
        return driver
    }

    /// `{ 1 = "Anna", 2 = "Ben" }`
    private func users() throws(IngestError) -> [Int: String] {
        guard let value = table["users"] else { return [:] }
        guard let entries = value.table?.entries else { throw wrongType("users", "a table, { 1 = \"Anna\", 2 = \"Ben\" }") }
        var users: [Int: String] = [:]
        for entry in entries {
            // 0 is not a user number: a cuff without users reports none.
            guard let slot = Int(entry.key), (1...Int(Int32.max)).contains(slot), let name = entry.value.string, !name.isEmpty,
                Int(name) == nil, name != "none"
            else { throw wrongType("users", "a table of user numbers from 1 on and names, { 1 = \"Anna\" }") }
            users[slot] = name
        }
        return users
    }

    private func options(_ driver: CuffDriver?) throws(IngestError) -> [String: String] {
        guard let value = table["options"] else { return [:] }
        guard let entries = value.table?.entries else { throw wrongType("options", "a table, { key = \"value\" }") }
        var options: [String: String] = [:]
        for entry in entries {
            guard let text = entry.value.string else { throw wrongType("options", "a table of texts") }
            if let driver, driver.options[entry.key] == nil {
                throw error(at: entry, .unknownKey(entry.key, section: path, known: driver.options.keys.sorted()))
            }
            options[entry.key] = text
        }
        return options
    }
}

/// `[source.NAME]`
extension ConfigurationSection {
    func source() throws(IngestError) -> CuffConfiguration.NamedSource {
        try checkKeys(["exec"])
        guard let command = try string("exec"), !command.isEmpty else { throw wrongType("exec", "a program, such as \"./read-folder\"") }
        do throws(IngestError) {
            return CuffConfiguration.NamedSource(plan: try SourcePlan("exec:\(command)", name: name), origin: origin("exec"))
        } catch { throw value("exec", error) }
    }
}

/// `[sink.NAME]`
extension ConfigurationSection {
    func sink(_ kinds: [SinkKind]) throws(IngestError) -> CuffConfiguration.NamedSink {
        // Every kind is a key; `address` accepts the command line's form.
        let keys = kinds.filter { !$0.scheme.contains("+") && !$0.traits.contains(.remote) }.map(\.scheme) + ["address"]
        try checkKeys(keys + ["required", "ack", "persons", "types"])
        let given = table.keys.filter(keys.contains)
        guard let key = given.first, given.count == 1 else {
            throw error(given.last, .sinkPlaces(section: path, isNone: given.isEmpty, keys: keys))
        }
        var spec = try place(key, kinds)
        if try flag("required") == false { spec.isRequired = false }
        spec.consent = try consent()
        return CuffConfiguration.NamedSink(
            name: name, spec: spec, origin: origin(key), personsOrigin: origin(table["persons"] == nil ? key : "persons"))
    }

    private func consent() throws(IngestError) -> SinkConsent {
        var consent = SinkConsent()
        consent.persons = try texts("persons", "a list of names, [\"Anna\", \"Ben\"], and \"none\" for readings without a name")
        consent.types = try texts("types", "a list of types, [\"blood_pressure\"]")
        for type in consent.types ?? [] where !SinkConsent.words.contains(type) {
            throw error("types", .unknownType(type, known: SinkConsent.words))
        }
        return consent
    }

    /// A list of texts, none of them empty; `nil` if the key is missing.
    func texts(_ key: String, _ wanted: String) throws(IngestError) -> [String]? {
        guard let value = table[key] else { return nil }
        let texts = value.array?.compactMap { $0.string } ?? []
        guard let count = value.array?.count, texts.count == count, texts.allSatisfy({ !$0.isEmpty }) else { throw wrongType(key, wanted) }
        return texts
    }

    private func place(_ key: String, _ kinds: [SinkKind]) throws(IngestError) -> SinkSpec {
        let kind = kinds.first { $0.scheme == key }
        var scheme = key
        if try flag("ack") ?? false {
            scheme += SinkKind.acknowledging
            guard kinds.contains(where: { $0.scheme == scheme }) else { throw error("ack", .acknowledgesNothing(key)) }
        }
        if let kind, kind.operand.isEmpty {
            guard try flag(key) == true else { throw wrongType(key, "true") }
            return SinkSpec(kind)
        }
        let operand = try string(key) ?? ""
        guard !operand.isEmpty, operand != "-" else {
            throw wrongType(key, kind?.operand == "FILE" ? "the name of a file" : "a text in quotes")
        }
        do throws(IngestError) {
            guard let named = kinds.first(where: { $0.scheme == scheme }) else { return try SinkSpec(operand, among: kinds) }
            // A `?` at its end belongs to the operand, because `required` has a key.
            return try named.parse(named, operand)
        } catch { throw value(key, error) }
    }
}
