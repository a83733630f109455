import CuffClinical
import CuffCore
import CuffIngest
import Glibc

/// Information on this machine and its cuffs for a problem report, without identifying data.
struct ProblemReport: Sendable {
    private let version: String
    private let database: String?
    private let assignments: [Assignment]
    private var configuration = CuffConfiguration()
    private var configurationFault: String?

    /// `database`: default is the standard one.
    init(version: String, assignments: [Assignment], database: String?) {
        self.version = version
        self.assignments = assignments
        self.database = database ?? Store.standardPath
        do throws(IngestError) { configuration = try CuffConfiguration.load(nil) } catch {
            // The sentence may name persons and cuffs, and a file that cannot be read gives no names to look for.
            configurationFault = error.description.firstMatch(of: #/^.*?:[0-9]+(?=: )/#).map { String($0.output) } ?? ""
            configuration = (try? CuffConfiguration.load(nil, skipping: .sections)) ?? configuration
        }
    }

    /// One section per question. Missing information is reported in its place; never throws.
    func text() -> String {
        let plugged = (try? DeviceEnumeration.plugged()) ?? []
        let usb = (try? DeviceEnumeration.usb()) ?? []
        let withoutLog = "left out: without the configuration the names in it are not known\n"
        let sections: [(String, String)] = [
            ("versions", versions), ("devices", devices(plugged, usb)), ("checks", checks(plugged)), ("configuration", settings),
            ("database", counters), ("sinks", sinks),
            (
                "log",
                configurationFault == nil ? HostSystem.serviceLog ?? "no journal, or nothing in it that this user may read\n" : withoutLog
            ),
        ]
        let whole = sections.map { "== \($0) ==\n\($1.isEmpty ? "none\n" : $1)" }.joined(separator: "\n")
        let serials = plugged.compactMap { $0.usb?.serial } + usb.compactMap(\.device.serial) + sources.compactMap(\.identity.serial)
        let cuffs = configuration.devices.map(\.name) + sources.map(\.device)
        let redaction = ReportRedaction(
            serials: serials, cuffs: cuffs, people: configuration.household.names,
            home: getenv("HOME").map { String(cString: $0) } ?? "", user: ProcessIdentity.current().userName, host: HostSystem.names.host)
        return redaction.text("A report of cuff. Serial numbers, names, secrets and home folders are taken out.\n\n" + whole)
    }

    private var versions: String {
        let system = HostSystem.names
        return """
            cuff \(version)
            system \(system.name)
            kernel \(system.release) \(system.machine)
            udevd \(Doctor.hasUdev ? "runs" : "does not run")
            zone \(HostZone.local().name)
            drivers \(CuffFamilies.all.count)

            """
    }

    /// The USB bus as the kernel sees it, with the state of each device.
    private func devices(_ plugged: [PluggedDevice], _ usb: [(device: USBDevice, interfaces: [SysfsNode])]) -> String {
        let tree = usb.sorted { $0.device.port < $1.device.port }.map { entry in
            let depth = entry.device.port.filter { $0 == "." }.count
            let name = [entry.device.manufacturer, entry.device.product].compactMap { $0 }.joined(separator: " ")
            let drivers = entry.interfaces.map { $0.driver ?? "no driver" }.joined(separator: ", ")
            let release = entry.device.bcdDevice.map { " release " + USBID.text($0) } ?? ""
            return String(repeating: "  ", count: depth) + "\(entry.device.port) \(entry.device.id)\(release) \(name) (\(drivers))\n"
        }
        let nodes = plugged.map { device in
            let verdict = Claiming.verdict(on: device, assignments: configuration.assignments + assignments, drivers: CuffFamilies.all)
            return "\(device.node) \(device.kernelDriver ?? "-") access \(Access.look(at: device.node).word): "
                + verdict.sentence(for: device) + "\n"
        }
        return (tree + nodes).joined()
    }

    /// The output of `cuff doctor` for each device, without opening ports.
    private func checks(_ plugged: [PluggedDevice]) -> String {
        plugged.map { device in
            guard let request = try? DeviceRequest(device.node),
                let facts = try? Doctor.examine(
                    request, name: device.node, assignments: configuration.assignments + assignments, opensLine: false)
            else { return "\(device.node): cannot be examined\n" }
            return "\(device.node)\n" + Doctor.findings(facts).map { $0.lines + "\n" }.joined()
        }.joined()
    }

    private var settings: String {
        let fault = configurationFault.map { "cannot be read\($0.isEmpty ? "" : ": \($0)"); `cuff doctor` says why\n" } ?? ""
        return fault + configuration.files.map { "file \($0)\n" }.joined() + configuration.lines.map { $0 + "\n" }.joined()
    }

    private var sources: [Provenance] {
        guard let database, let store = try? Store(database, access: .read), let found = try? store.sources() else { return [] }
        return found.sorted { $0.key < $1.key }.map(\.value.provenance)
    }

    private var counters: String {
        guard let database else { return "" }
        guard access(database, F_OK) == 0 else { return "\(database) does not exist\n" }
        do throws(IngestError) {
            let store = try Store(database, access: .read)
            var counts: [String: Int] = [:]
            try store.forEach(ReadingSelection(zone: .utc)) { reading, provenance in
                counts["\(provenance.driver) \(ReadingSelection.Kind(reading.content).rawValue)", default: 0] += 1
                return true
            }
            return "\(database)\ntombstones \(try store.deletedCount())\n"
                + counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined()
        } catch { return "\(error.description)\n" }
    }

    private var sinks: String {
        do throws(IngestError) { return try SinkOverview(database: nil, sinks: configuration.sinks.map(\.spec)).plain } catch {
            return "\(error.description)\n"
        }
    }

}
