import CuffCore
import Glibc

/// A walk over one device, or over everything that is plugged in, as text with an exit status.
public struct DoctorVisit: Sendable {
    private let device: String?
    private let assignments: [Assignment]
    private let database: String?

    /// `device` as the user named it; `nil` checks everything that is plugged in. `database` is checked where one is named.
    public init(device: String?, assignments: [Assignment], database: String?) {
        self.device = device
        self.assignments = assignments
        self.database = database
    }

    /// The findings of every device, and the status of the first class of failure.
    public func examine(strict: Bool) throws(IngestError) -> (text: String, code: Int32) {
        var text = ""
        var code: Int32 = 0
        for name in try names() {
            var facts = try facts(name)
            if let database { facts.database = Doctor.DatabaseFacts.look(at: database) }
            let findings = Doctor.findings(facts)
            text += (text.isEmpty ? "" : "\n") + "\(name)\n" + findings.map { $0.lines + "\n" }.joined()
            if code == 0 { code = findings.exitCode(strict: strict) }
        }
        return (text, code)
    }

    /// A udev rule for the one named device.
    public func rule() throws(IngestError) -> String {
        guard let device else {
            throw IngestError(
                .usage, "a rule is for one device", why: "none was named", hint: "write e.g. `cuff doctor /dev/ttyUSB0 --print-rule`")
        }
        let facts = try facts(device)
        guard let plugged = facts.device else {
            throw IngestError(.unavailable, "\(device) is not plugged in", hint: "`cuff list` shows what is")
        }
        guard let rule = Doctor.rule(for: plugged, driver: facts.driver?.id ?? facts.verdict?.driver) else {
            throw IngestError(.unavailable, "\(device) is not a USB device", why: "udev rules know devices by their USB ids")
        }
        return rule
    }

    private func names() throws(IngestError) -> [String] {
        if let device { return [device] }
        let plugged: [PluggedDevice]
        do throws(HotplugFault) { plugged = try DeviceEnumeration.plugged() } catch {
            throw IngestError(.osError, "cannot list devices", why: "\(error)", hint: "is /sys mounted?")
        }
        guard !plugged.isEmpty else {
            throw IngestError(
                .unavailable, "nothing is plugged in that could be a cuff", why: "there is no tty or hidraw device of a USB port",
                hint: "plug it in and look at `dmesg`; an RS-232 port is named directly, e.g. `cuff doctor /dev/ttyS0`")
        }
        return plugged.map(\.node)
    }

    private func facts(_ name: String) throws(IngestError) -> Doctor.Facts {
        do {
            var facts = try Doctor.examine(try DeviceRequest(name), name: name, assignments: assignments)
            if let driver = facts.driver?.id ?? facts.verdict?.driver, let memory = DriverMemory.standard {
                facts.clockWishes = SessionContext.clockWishes(in: memory.load(driver))
            }
            return facts
        } catch let error as AddressFault {
            throw IngestError(.usage, error.description, hint: "write e.g. /dev/ttyUSB0; `cuff list` shows what is plugged in")
        } catch {
            throw IngestError(.osError, "cannot look at \(name)", why: "\(error)")
        }
    }
}

extension Doctor.DatabaseFacts {
    static func look(at path: String) -> Doctor.DatabaseFacts {
        guard access(path, F_OK) == 0 else { return .absent(path: path) }
        do throws(IngestError) { return .fine(path: path, readings: try Store(path, access: .read).count()) } catch {
            return .failed(path: path, why: error.why.isEmpty ? error.what : error.why, exitCode: error.status.rawValue)
        }
    }
}
