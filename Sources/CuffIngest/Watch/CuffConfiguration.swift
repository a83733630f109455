import CuffCore
import Glibc

/// The values of the configuration files, each with its file and line. Command-line options override them and are not included.
package struct CuffConfiguration: Sendable, Hashable {
    package struct Device: Sendable, Hashable {
        /// NAME of the section; also the identity of the readings.
        package var name: String
        package var address: DeviceAddress
        /// `nil`: never opened.
        package var driver: DriverID?
        package var line: LineSettings?
        package var options: [String: String]
        /// The names of the cuff's users, by slot.
        package var users: [Int: String] = [:]
        package var origin: String
    }

    /// `[person.NAME]`
    package struct NamedPerson: Sendable, Hashable {
        package var name: String
        /// Where the person's readings are from: the places of a `Household`.
        package var cuffs: [String]
        package var origin: String
    }

    package struct NamedSink: Sendable, Hashable {
        package var name: String
        package var spec: SinkSpec
        package var origin: String
        /// The file and line of `persons`.
        var personsOrigin: String
    }

    package struct NamedSource: Sendable, Hashable {
        package var plan: SourcePlan
        package var origin: String
    }

    package var devices: [Device] = []
    package var persons: [NamedPerson] = []
    package var sinks: [NamedSink] = []
    package var sources: [NamedSource] = []
    /// Reread a connected cuff after this time.
    package var again: Duration?
    /// The file and line that set `again`.
    package var againOrigin: String?
    package var listens: [ListenPlan] = []
    /// The file and line that set `listens`.
    package var listenOrigin: String?
    package var web: WebAddress?
    /// The file and line that set `web`.
    package var webOrigin: String?
    package var alerts: [Alert] = []
    /// `[report]`
    package var report = ReportSettings()
    /// The lines of `[report]` for `lines`, by key.
    var reportLines: [String: String] = [:]
    package var files: [String] = []
    /// The kinds of sections whose faults do not refuse the file (`Skipping`).
    private(set) var skipping = Skipping.none
    /// What was left out.
    package private(set) var skipped: [SkippedSection] = []

    package init() {}

    /// What to do with a section that is wrong.
    package enum Skipping: Sendable, Hashable {
        /// Refuse the file.
        case none
        /// Leave the section out: for a watch, which reads the other cuffs. The device of such a section is never opened. A sink is
        /// left out only if it is not required, because cuffs must not be told that a required sink has a reading.
        case sections
    }

    package struct SkippedSection: Sendable, Hashable {
        /// `device`, `sink`, …
        package var kind: String
        package var fault: IngestError
    }

    /// Notes a fault of a section, or throws it.
    mutating func skip(_ kind: String, _ fault: IngestError) throws(IngestError) {
        guard skipping == .sections else { throw fault }
        skipped.append(SkippedSection(kind: kind, fault: fault))
    }

    package var assignments: [Assignment] {
        devices.map {
            Assignment($0.address, driver: $0.driver, line: $0.line, options: $0.options, name: $0.name, origin: $0.origin)
        }
    }

    /// The existing configuration files: the machine's, then the user's, which override them.
    package static func standardFiles() -> [String] { standardPlaces().filter { access($0, F_OK) == 0 } }

    /// The user's file; `nil` without a home.
    package static var ownFile: String? {
        let folder =
            DriverMemory.variable("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? DriverMemory.variable("HOME").map { $0 + "/.config" }
        return folder.map { $0 + "/cuff/config.toml" }
    }

    /// The machine's file, also read by the service.
    package static let machineFile = "/etc/cuff/config.toml"

    /// The paths of all configuration files in order, existing or not. `$CUFF_CONFIG` replaces all of them.
    package static func standardPlaces() -> [String] {
        if let named = DriverMemory.variable("CUFF_CONFIG") { return [named] }
        let shared = Folder.names("/etc/cuff/conf.d").filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }.sorted()
        return [machineFile] + shared.map { "/etc/cuff/conf.d/" + $0 } + [ownFile].compactMap { $0 }
    }

    /// Reads one file (`--config FILE`, else `$CUFF_CONFIG`) or, with none, the standard ones.
    package static func load(
        _ file: String? = nil, drivers: [CuffDriver] = CuffFamilies.all, kinds: [SinkKind] = SinkKind.all,
        skipping: Skipping = .none
    ) throws(IngestError) -> CuffConfiguration {
        var configuration = CuffConfiguration()
        configuration.skipping = skipping
        let named = file ?? DriverMemory.variable("CUFF_CONFIG")
        for path in named.map({ [$0] }) ?? standardFiles() {
            try configuration.read(try ConfigurationFile.text(path), file: path, drivers: drivers, kinds: kinds)
        }
        try configuration.checkDoubles()
        try configuration.checkPersons()
        return configuration
    }

    /// The effective values, one per line, with their origins.
    package var lines: [String] {
        var lines: [String] = []
        for device in devices {
            let driver = device.driver.map { "\($0)" } ?? "never opened"
            let extra =
                [device.line.map { "line \($0.text)" }].compactMap { $0 } + device.options.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
                + device.users.sorted { $0.key < $1.key }.map { "user \($0)=\($1)" }
            lines.append("device \(device.name)\t\(device.address)\t\(([driver] + extra).joined(separator: " "))\t\(device.origin)")
        }
        for person in persons { lines.append("person \(person.name)\t\(person.cuffs.joined(separator: ", "))\t\t\(person.origin)") }
        for sink in sinks { lines.append("sink \(sink.name)\t\(sink.spec)\t\(sink.spec.consent.text)\t\(sink.origin)") }
        for source in sources { lines.append("source \(source.plan.name)\t\(source.plan)\t\t\(source.origin)") }
        for alert in alerts { lines.append("alert \(alert.rule.name)\t\(alert.rule.condition)\t\(alert.rule.settings)\t\(alert.origin)") }
        for listen in listens { lines.append("watch listen\t\(listen)\t\t\(listenOrigin ?? "")") }
        if let web { lines.append("watch web\t\(web)\t\t\(webOrigin ?? "")") }
        lines += reportLines.sorted { $0.key < $1.key }.map(\.value)
        if let again { lines.append("watch again\t\(Plural.span(again.components.seconds))\t\t\(againOrigin ?? "")") }
        return lines
    }
}
