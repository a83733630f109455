import CuffClinical
import CuffCore
import Glibc
import TOML

/// The data of `cuff setup`: the connected devices, what is known about each, and the sections to add. It has no dialogue or
/// output.
package struct SetupPlan: Sendable {
    package struct Found: Sendable {
        package var device: PluggedDevice
        package var verdict: Claiming.Verdict
        package var access: Access
        /// The name of its section in the configuration, if any.
        package var section: String?
    }

    package struct Entry: Sendable, Equatable {
        /// NAME of `[device.NAME]`; also the identity of its readings.
        package var name: String
        /// The device's address, by serial number or USB port.
        package var match: String
        package var driver: DriverID
        /// The names of the cuff's users, by slot; 0: of a cuff without users.
        package var users: [Int: String] = [:]
        /// The file has the section already; only persons are bound.
        package var isPresent = false

        package init(name: String, match: String, driver: DriverID, users: [Int: String] = [:], isPresent: Bool = false) {
            self.isPresent = isPresent
            self.name = name
            self.match = match
            self.driver = driver
            self.users = users
        }
    }

    package let path: String
    /// The file's present text; empty if it does not exist.
    package let existing: String
    package let taken: Set<String>
    private let configuration: CuffConfiguration

    /// Throws if the file is unreadable or invalid.
    package init(path: String) throws(IngestError) {
        self.path = path
        var configuration = CuffConfiguration()
        if access(path, F_OK) == 0 {
            existing = try ConfigurationFile.text(path)
            try configuration.read(existing, file: path, drivers: CuffFamilies.all)
        } else {
            existing = ""
        }
        taken = Set(configuration.devices.map(\.name))
        self.configuration = configuration
    }

    /// Every connected device that may be a cuff.
    package func plugged() throws(IngestError) -> [Found] {
        let devices = try DeviceEnumeration.listed()
        let assignments = configuration.assignments
        return devices.map { device in
            Found(
                device: device, verdict: Claiming.verdict(on: device, assignments: assignments, drivers: CuffFamilies.all),
                access: Access.look(at: device.node), section: assignments.first { $0.address.matches(device) }?.name)
        }
    }

    /// `wanted`, or with a number if the file has that name.
    package func freeName(_ wanted: String, besides entries: [Entry]) -> String {
        let used = taken.union(entries.map(\.name))
        guard used.contains(wanted) else { return wanted }
        return (2...1000).lazy.map { "\(wanted)-\($0)" }.first { !used.contains($0) } ?? wanted
    }

    /// Whether a person is bound to a cuff or to one of its slots.
    package func hasPerson(_ cuff: String) -> Bool {
        let household = configuration.household
        return household.names.flatMap { household.places(of: $0) }.contains { $0 == cuff || $0.hasPrefix(cuff + ":") }
    }

    /// The file with these sections added. Throws if the result would be invalid.
    package func text(adding entries: [Entry]) throws(IngestError) -> String {
        var text = existing
        if !text.isEmpty, text.last != "\n" { text += "\n" }
        for entry in entries where !entry.isPresent {
            text += (text.isEmpty ? "" : "\n") + "[\(TOMLDocument.dotted(["device", entry.name]))]\n"
            text += "match = \(TOMLDocument.quoted(entry.match))\ndriver = \"\(entry.driver)\"\n"
            let slots = entry.users.filter { $0.key > 0 }.sorted { $0.key < $1.key }
            guard !slots.isEmpty else { continue }
            let users = slots.map { "\($0.key) = \(TOMLDocument.quoted($0.value))" }
            text += "users = { \(users.joined(separator: ", ")) }\n"
        }
        var file = try HouseholdFile(path: path, text: text)
        for entry in entries {
            for (slot, name) in entry.users.sorted(by: { $0.key < $1.key }) where slot == 0 || entry.isPresent {
                try file.bind(name, to: Household.place(cuff: entry.name, slot: slot == 0 ? nil : slot))
            }
        }
        return file.text
    }

    /// As `ConfigurationFile.write`.
    package func write(_ text: String) throws(IngestError) { try ConfigurationFile.write(text, to: path) }
}
