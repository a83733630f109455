import CuffCore
import CuffIngest
import Glibc

/// Checks one device, or every connected one, as text with an exit status.
struct DoctorVisit: Sendable {
    /// As the user named it; `nil` checks every connected device and `configuration`.
    let device: String?
    let assignments: [Assignment]
    /// Checked if given.
    let database: String?
    var configuration = CuffConfiguration()

    /// The findings of every device, and the status of the first failure. `isJSON`: one object for each finding. `width`: folds
    /// the text; `nil`: not folded.
    func examine(strict: Bool, isJSON: Bool = false, width: Int? = nil) throws(IngestError) -> (text: String, status: RunStatus) {
        var text = ""
        var status = RunStatus.done
        func add(_ findings: [Doctor.Finding], of name: String) {
            text +=
                isJSON
                ? findings.map { $0.json(name) }.joined()
                : (text.isEmpty ? "" : "\n") + "\(name)\n" + findings.map { $0.lines(width: width) + "\n" }.joined()
            if status == .done { status = findings.status(strict: strict) }
        }
        let named = if let device { [device] } else { try DeviceEnumeration.listed().map(\.node) }
        for name in named {
            var facts = try facts(name)
            if let database, device != nil { facts.look(atDatabase: database) }
            if device != nil {
                add(Doctor.findings(facts), of: name)
            } else if facts.isIdlePort {
                let text = "built-in port, not assigned to a cuff; if one is connected to it: cuff doctor \(name)"
                add([Doctor.Finding(.bus, .skipped, text)], of: name)
            } else {
                // The database has a part of its own below.
                add(Doctor.findings(facts).filter { ![.database, .modes].contains($0.step) }, of: name)
            }
        }
        guard device == nil else { return (text, status) }
        if named.isEmpty, database == nil {
            let fault = DeviceFault.nothingPluggedIn
            add([Doctor.Finding(.bus, .failed, fault.description, hint: fault.hint, status: .unavailable)], of: "devices")
        }
        if let path = database ?? Store.standardPath {
            var facts = Doctor.Facts(databaseAlone: path)
            facts.look(atDatabase: path)
            add(Doctor.findings(facts), of: "database")
        }
        let beside = Doctor.findings(configuration)
        if !beside.isEmpty { add(beside, of: "configuration") }
        return (text, status)
    }

    func rule() throws(IngestError) -> String {
        guard let device else {
            throw IngestError(DeviceFault.noDeviceForRule)
        }
        let facts = try facts(device)
        guard let plugged = facts.device else {
            throw IngestError(DeviceFault.notPluggedIn(device))
        }
        guard let rule = Doctor.rule(for: plugged, driver: facts.driver?.id ?? facts.verdict?.driver) else {
            throw IngestError(DeviceFault.notUSB(device))
        }
        return rule
    }

    private func facts(_ name: String) throws(IngestError) -> Doctor.Facts {
        let request: DeviceRequest
        do throws(AddressFault) { request = try DeviceRequest(name) } catch { throw IngestError(error) }
        do throws(HotplugFault) {
            var facts = try Doctor.examine(request, name: name, assignments: assignments)
            if let driver = facts.driver?.id ?? facts.verdict?.driver, let memory = DriverMemory.standard {
                facts.clockWishes = SessionContext.clockWishes(in: memory.load(driver))
            }
            return facts
        } catch {
            throw IngestError(DeviceFault.cannotExamine(name, error))
        }
    }
}

extension Doctor.Finding {
    fileprivate func json(_ device: String) -> String {
        let fields = [("device", device), ("step", step.rawValue), ("state", state.rawValue), ("text", text), ("fix", hint ?? "")]
        return JSONOutput.line("check", fields.map { ($0, $1.isEmpty ? nil : .text($1)) })
    }
}

extension Doctor.Facts {
    /// A built-in port that the user has not assigned: most computers have one, with nothing connected.
    fileprivate var isIdlePort: Bool { device.map { $0.usb == nil } == true && verdict == .unassigned([]) }

    init(databaseAlone path: String) {
        self.init(name: path)
        isDatabaseAlone = true
    }

    mutating func look(atDatabase path: String) {
        database = Doctor.DatabaseFacts.look(at: path)
        databaseFiles = ["", "-wal", "-shm"].compactMap { try? NodePermissions.look(at: path + $0).get() }
    }
}

extension Doctor.DatabaseFacts {
    static func look(at path: String) -> Doctor.DatabaseFacts {
        guard access(path, F_OK) == 0 else {
            guard Store.isDanglingLink(path) else { return .absent(path: path) }
            let error = IngestError(StoreFault.danglingLink(path))
            return .failed(path: path, why: error.description, status: error.status)
        }
        do throws(IngestError) { return .fine(path: path, readings: try Store(path, access: .read).count()) } catch {
            return .failed(path: path, why: error.description, status: error.status)
        }
    }
}
