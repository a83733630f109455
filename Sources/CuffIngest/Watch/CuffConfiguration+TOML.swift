import CuffClinical
import CuffCore
import TOML

extension CuffConfiguration {
    /// Adds a file; a section replaces an earlier one of the same name. Unknown words are errors with their location and the most
    /// similar known word.
    mutating func read(
        _ text: String, file: String, drivers: [CuffDriver], kinds: [SinkKind] = SinkKind.all
    ) throws(IngestError) {
        let document: TOMLDocument
        do throws(TOMLFault) { document = try TOMLDocument(Array(text.utf8)) } catch { throw .mistake(error, in: file) }
        files.append(file)
        let root = ConfigurationSection(document, file: file)
        for key in root.table.keys {
            switch key {
            case "device":
                try each(key, of: root, \.devices, by: \.name) { (configuration, section) throws(IngestError) in
                    try configuration.device(section, drivers)
                }
            case "person": try each(key, of: root, \.persons, by: \.name) { (_, section) throws(IngestError) in try section.person() }
            case "sink": try each(key, of: root, \.sinks, by: \.name) { (_, section) throws(IngestError) in try section.sink(kinds) }
            case "source":
                try each(key, of: root, \.sources, by: \.plan.name) { (_, section) throws(IngestError) in try section.source() }
            case "alert":
                try each(key, of: root, \.alerts, by: \.rule.name) { (_, section) throws(IngestError) in try section.alert(drivers) }
            case "watch":
                guard let section = root.section(key) else { throw root.wrongType(key, "a section, [watch]") }
                let readers: [(inout CuffConfiguration) throws(IngestError) -> Void] = [
                    { (_) throws(IngestError) in try section.checkKeys(["again", "listen", "web"]) },
                    { (configuration) throws(IngestError) in try configuration.readListen(section, drivers) },
                    { (configuration) throws(IngestError) in try configuration.readAgain(section) },
                    { (configuration) throws(IngestError) in try configuration.readWeb(section) },
                ]
                for read in readers {
                    do throws(IngestError) { try read(&self) } catch { try skip(key, error) }
                }
            case "report":
                guard let section = root.section(key) else { throw root.wrongType(key, "a section, [report]") }
                do throws(IngestError) { try readReport(section) } catch { try skip(key, error) }
            default: try skip(key, root.unknown(key, ["device", "person", "sink", "source", "alert", "watch", "report"]))
            }
        }
    }

    /// Reads each section of a kind; it replaces an earlier one of the same name.
    private mutating func each<Section>(
        _ key: String, of root: ConfigurationSection,
        _ list: WritableKeyPath<CuffConfiguration, [Section]>, by name: KeyPath<Section, String>,
        _ read: (inout CuffConfiguration, ConfigurationSection) throws(IngestError) -> Section
    ) throws(IngestError) {
        for section in try root.sections(key) {
            do throws(IngestError) {
                let new = try read(&self, section.get())
                self[keyPath: list].removeAll { $0[keyPath: name] == new[keyPath: name] }
                self[keyPath: list].append(new)
            } catch {
                if key == "sink", (try? section.get().flag("required")) != false { throw error }
                try skip(key, error)
            }
        }
    }

    /// The device of a section that is left out stays closed: nothing may be written to it by mistake.
    private mutating func device(_ section: ConfigurationSection, _ drivers: [CuffDriver]) throws(IngestError) -> Device {
        do throws(IngestError) { return try section.device(drivers) } catch {
            guard skipping == .sections, let address = try? section.address() else { throw error }
            try skip("device", error)
            return Device(name: section.name, address: address, driver: nil, line: nil, options: [:], origin: section.origin(nil))
        }
    }

    private mutating func readListen(_ section: ConfigurationSection, _ drivers: [CuffDriver]) throws(IngestError) {
        guard let value = section.table["listen"] else { return }
        let texts = value.string.map { [$0] } ?? value.array?.compactMap { $0.string } ?? []
        guard !texts.isEmpty, value.array.map({ $0.count == texts.count }) ?? true else {
            throw section.wrongType("listen", "an address such as \"127.0.0.1:6024\", or a list of them")
        }
        do throws(IngestError) {
            listens = try texts.map { (text) throws(IngestError) in try ListenPlan(text, drivers: drivers) }
        } catch { throw section.value("listen", error) }
        listenOrigin = section.origin("listen")
    }

    private mutating func readAgain(_ section: ConfigurationSection) throws(IngestError) {
        guard let value = section.table["again"] else { return }
        guard let again = value.string.flatMap(ConfigurationSection.duration) else {
            throw section.wrongType("again", "a time such as \"10min\"")
        }
        self.again = again
        againOrigin = section.origin("again")
    }

    private mutating func readWeb(_ section: ConfigurationSection) throws(IngestError) {
        guard let value = section.table["web"] else { return }
        guard let text = value.string, !text.isEmpty else {
            throw section.wrongType("web", "an address such as \"127.0.0.1:6025\"")
        }
        do throws(AddressFault) { web = try WebAddress(text) } catch {
            throw section.error("web", .notAPage(text, why: error.reason))
        }
        webOrigin = section.origin("web")
    }

    /// When all files are read. Sinks of one address would share a queue, and each would drop what the other may not have. A file may
    /// assign a device anew, but not twice.
    mutating func checkDoubles() throws(IngestError) {
        for index in devices.indices.reversed() {
            let device = devices[index]
            func file(_ one: Device) -> Substring { one.origin.prefix(upTo: one.origin.lastIndex(of: ":") ?? one.origin.endIndex) }
            guard let first = devices[..<index].firstIndex(where: { $0.address == device.address && file($0) == file(device) }) else {
                continue
            }
            try skip("device", double(device.origin, "\(device.address)", devices[first].origin))
            // It is not known which of them is meant.
            for both in [first, index] { devices[both].driver = nil }
        }
        for index in sinks.indices.reversed() {
            let sink = sinks[index]
            guard let first = sinks[..<index].first(where: { $0.spec.place == sink.spec.place }) else { continue }
            let fault = double(sink.origin, sink.spec.name, first.origin)
            guard !sink.spec.isRequired else { throw fault }
            try skip("sink", fault)
            sinks.remove(at: index)
        }
        for (index, listen) in listens.enumerated() where listen.port != 0 {
            let isTaken = listens[..<index].contains { $0.port == listen.port && $0.host == listen.host }
            let isPage = web.map { $0.port == listen.port && ($0.host == listen.host || $0.isLocal && listen.isLocal) } ?? false
            guard isTaken || isPage else { continue }
            let origin = listenOrigin ?? ""
            try skip("watch", double(origin, "port \(listen.port)", isPage ? webOrigin ?? origin : origin))
        }
    }

    private func double(_ origin: String, _ what: String, _ first: String) -> IngestError {
        IngestError(ConfigurationFault.saidTwice(origin, what, first: first))
    }
}

extension ConfigurationSection {
    /// `[device.NAME]`
    func device(_ drivers: [CuffDriver]) throws(IngestError) -> CuffConfiguration.Device {
        try checkKeys(["match", "driver", "ignore", "line", "options", "users"])
        let address = try address()
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

    /// Which device it is.
    func address() throws(IngestError) -> DeviceAddress {
        guard let match = try string("match") else { throw error(nil, .matchesNothing(section: path)) }
        guard !match.hasPrefix(".") else { throw error("match", .relativePath(match)) }
        let address: DeviceAddress
        do throws(AddressFault) { address = try DeviceAddress(match) } catch {
            throw self.error("match", .refused("\(error)"))
        }
        if let refusal = address.assignmentRefusal { throw error("match", .refused(refusal)) }
        return address
    }

    func driver(_ drivers: [CuffDriver]) throws(IngestError) -> CuffDriver? {
        guard let word = try string("driver") else { return nil }
        do throws(RequestFault) { return try DriverName.driver(word, among: drivers) } catch {
            throw self.error("driver", .refused(error.phrase))
        }
    }

    /// `{ 1 = "Anna", 2 = "Ben" }`
    private func users() throws(IngestError) -> [Int: String] {
        guard let value = table["users"] else { return [:] }
        guard let entries = value.table?.entries else { throw wrongType("users", "a table, { 1 = \"Anna\", 2 = \"Ben\" }") }
        var users: [Int: String] = [:]
        for entry in entries {
            // 0 is not a user number: a cuff without users reports none.
            guard entry.key.allSatisfy({ ("0"..."9").contains($0) }), let slot = Int(entry.key), (1...Int(Int32.max)).contains(slot),
                users[slot] == nil,
                let name = entry.value.string.map({ Household.trimmed($0) }), !name.isEmpty
            else { throw wrongType("users", "a table of user numbers from 1 on and names, { 1 = \"Anna\" }") }
            if let refusal = Household.refusal(of: name) { throw error("users", .refused(refusal)) }
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

    /// `[source.NAME]`
    func source() throws(IngestError) -> CuffConfiguration.NamedSource {
        try checkKeys(["exec"])
        guard let command = try string("exec"), !command.isEmpty else { throw wrongType("exec", "a program, such as \"./read-folder\"") }
        do throws(IngestError) {
            return CuffConfiguration.NamedSource(plan: try SourcePlan("exec:\(command)", name: name), origin: origin("exec"))
        } catch { throw value("exec", error) }
    }

    /// `[sink.NAME]`
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
