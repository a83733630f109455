import CuffClinical
import CuffCore
import Glibc
import TOML

/// Changes the persons in one configuration file; comments and layout stay. It prints nothing.
package struct HouseholdFile: Sendable {
    package let path: String
    /// The text with the changes so far.
    package private(set) var text: String
    private var document: TOMLDocument
    private var configuration: CuffConfiguration

    /// Reads the file; one that does not exist is empty. Throws if it cannot be read or is invalid.
    package init(path: String) throws(IngestError) {
        try self.init(path: path, text: access(path, F_OK) == 0 ? ConfigurationFile.text(path) : "")
    }

    package init(path: String, text: String) throws(IngestError) {
        (self.path, self.text) = (path, text)
        (document, configuration) = try Self.read(text, path)
    }

    package var names: [String] { configuration.household.names }

    private static func read(_ text: String, _ path: String) throws(IngestError) -> (TOMLDocument, CuffConfiguration) {
        var configuration = CuffConfiguration()
        try configuration.read(text, file: path, drivers: CuffFamilies.all)
        do throws(TOMLFault) { return (try TOMLDocument(Array(text.utf8)), configuration) } catch { throw .mistake(error, in: path) }
    }

    /// The person as this file writes the name, else the name.
    private func spelled(_ name: String) -> String { configuration.household.name(name) ?? name }

    /// Adds a person; does nothing if the file has one of this name.
    package mutating func add(_ name: String) throws(IngestError) {
        let name = spelled(try Household.checked(name))
        guard !configuration.persons.contains(where: { $0.name == name }) else { return }
        try change { (document) throws(TOMLFault) in try document.setting(["person", name, "cuffs"], to: "[]") }
    }

    /// Adds a place, `kitchen:1` or `wrist`, to a person, who is added if necessary.
    package mutating func bind(_ name: String, to place: String) throws(IngestError) {
        let name = spelled(try Household.checked(name))
        guard !configuration.household.places(of: name).contains(place) else { return }
        try change { (document) throws(TOMLFault) in try document.prepending(place, to: ["person", name, "cuffs"]) }
    }

    /// Removes a place from its person; returns who that was, `nil` if the file does not bind it.
    package mutating func unbind(_ place: String) throws(IngestError) -> String? {
        for person in configuration.persons {
            guard let index = person.cuffs.firstIndex(of: place) else { continue }
            try change { (document) throws(TOMLFault) in
                try document.settingElement(index, of: ["person", person.name, "cuffs"], to: nil)
            }
            return person.name
        }
        for device in configuration.devices {
            for (slot, name) in device.users where Household.place(cuff: device.name, slot: slot) == place {
                try setUser(slot, of: device, to: nil)
                return name
            }
        }
        return nil
    }

    /// Renames a person wherever the file has the name: sections, users of cuffs, alerts and sinks. Returns whether it has.
    package mutating func rename(_ old: String, to new: String) throws(IngestError) -> Bool {
        let new = try Household.checked(new)
        let household = configuration.household
        if household.name(old) != nil, let other = household.name(new), other.lowercased() != old.lowercased() {
            throw IngestError(SelectionFault.notAName(new, why: "`\(other)` is another person"))
        }
        let before = text
        func isMeant(_ name: String?) -> Bool { name?.lowercased() == Household.trimmed(old).lowercased() }
        let known = configuration
        for person in known.persons where isMeant(person.name) {
            try change { (document) throws(TOMLFault) in try document.renaming(["person", person.name], to: new) }
        }
        for device in known.devices {
            for slot in device.users.keys.sorted() where isMeant(device.users[slot]) { try setUser(slot, of: device, to: new) }
        }
        for alert in known.alerts where isMeant(alert.rule.person) {
            try change { (document) throws(TOMLFault) in
                try document.setting(["alert", alert.rule.name, "person"], to: TOMLDocument.quoted(new))
            }
        }
        for sink in known.sinks {
            for (index, name) in (sink.spec.consent.persons ?? []).enumerated() where isMeant(name) {
                try change { (document) throws(TOMLFault) in
                    try document.settingElement(index, of: ["sink", sink.name, "persons"], to: new)
                }
            }
        }
        return text != before
    }

    private mutating func setUser(_ slot: Int, of device: CuffConfiguration.Device, to name: String?) throws(IngestError) {
        let path = ["device", device.name, "users"]
        // Of several users in one file only the present ones are rewritten.
        var users = configuration.devices.first { $0.name == device.name }?.users ?? [:]
        users[slot] = name
        try change { (document) throws(TOMLFault) in
            // An inline table is replaced as a whole; in a section only the line changes.
            let removed = try document.removing(path + ["\(slot)"])
            guard removed.text == document.text else {
                return try name.map { (name) throws(TOMLFault) in try document.setting(path + ["\(slot)"], to: TOMLDocument.quoted(name)) }
                    ?? removed
            }
            guard !users.isEmpty else { return try document.removing(path) }
            let entries = users.sorted { $0.key < $1.key }.map { "\($0.key) = \(TOMLDocument.quoted($0.value))" }
            return try document.setting(path, to: "{ \(entries.joined(separator: ", ")) }")
        }
    }

    private mutating func change(_ body: (TOMLDocument) throws(TOMLFault) -> TOMLDocument) throws(IngestError) {
        do throws(TOMLFault) { text = String(decoding: try body(document).text, as: UTF8.self) } catch { throw .mistake(error, in: path) }
        (document, configuration) = try Self.read(text, path)
    }

    /// Writes the file, if all files of the configuration are valid together: those at `places`, in their order. `isAlone`: no other file
    /// is read with it.
    package func write(isAlone: Bool, among places: [String] = CuffConfiguration.standardPlaces()) throws(IngestError) {
        if !isAlone { try refuseReplacing(places) }
        try CuffConfiguration.check(text, at: path, among: isAlone ? [path] : places)
        try ConfigurationFile.write(text, to: path)
    }

    /// A section replaces that of an earlier file. A new one would take the person's cuffs away.
    private func refuseReplacing(_ places: [String]) throws(IngestError) {
        let before = access(path, F_OK) == 0 ? try Self.read(ConfigurationFile.text(path), path).1.persons : []
        let new = configuration.persons.map(\.name).filter { name in !before.contains { $0.name == name } }
        guard !new.isEmpty else { return }
        var earlier = CuffConfiguration()
        for place in places.prefix(while: { $0 != path }) where access(place, F_OK) == 0 {
            try earlier.read(ConfigurationFile.text(place), file: place, drivers: CuffFamilies.all)
        }
        for person in earlier.persons where !person.cuffs.isEmpty && new.contains(person.name) {
            throw IngestError(ConfigurationFault.replaces(person.origin, person: person.name, in: path))
        }
    }
}

extension Household {
    /// The name without blanks around it. Throws a usage error if it cannot be a person's name.
    static func checked(_ text: String) throws(IngestError) -> String {
        let name = trimmed(text)
        if let refusal = refusal(of: name) { throw IngestError(SelectionFault.notAName(name, why: refusal)) }
        return name
    }
}

extension CuffConfiguration {
    /// Reads the files at these places with a new text of one of them.
    static func check(_ text: String, at path: String, among places: [String]) throws(IngestError) {
        var configuration = CuffConfiguration()
        for place in places.contains(path) ? places : places + [path] {
            guard place == path || access(place, F_OK) == 0 else { continue }
            try configuration.read(place == path ? text : ConfigurationFile.text(place), file: place, drivers: CuffFamilies.all)
        }
        try configuration.checkPersons()
    }
}
