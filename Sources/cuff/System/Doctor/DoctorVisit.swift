import CuffCore
import CuffIngest
import Glibc

/// Checks one device, or every connected one, as text with an exit status.
struct DoctorVisit: Sendable {
    private let device: String?
    private let assignments: [Assignment]
    private let database: String?
    private let configuration: CuffConfiguration

    /// `device` as the user named it; `nil` checks every connected device and `configuration`. `database` is checked if given.
    init(device: String?, assignments: [Assignment], database: String?, configuration: CuffConfiguration = CuffConfiguration()) {
        self.configuration = configuration
        self.device = device
        self.assignments = assignments
        self.database = database
    }

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
        let beside = device == nil ? Doctor.findings(configuration) : []
        for name in try names(isEmptyFine: !beside.isEmpty) {
            var facts = name == database ? Doctor.Facts(databaseAlone: name) : try facts(name)
            if let database { facts.look(atDatabase: database) }
            add(Doctor.findings(facts), of: name)
        }
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

    /// `isEmptyFine`: there are checks without a device.
    private func names(isEmptyFine: Bool) throws(IngestError) -> [String] {
        if let device { return [device] }
        let plugged: [PluggedDevice]
        do throws(HotplugFault) { plugged = try DeviceEnumeration.plugged() } catch {
            throw IngestError(DeviceFault.cannotList(error))
        }
        guard !plugged.isEmpty else {
            if let database { return [database] }
            if isEmptyFine { return [] }
            throw IngestError(DeviceFault.nothingPluggedIn)
        }
        return plugged.map(\.node)
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
        guard access(path, F_OK) == 0 else { return .absent(path: path) }
        do throws(IngestError) { return .fine(path: path, readings: try Store(path, access: .read).count()) } catch {
            return .failed(path: path, why: error.description, status: error.status)
        }
    }
}
