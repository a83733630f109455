import CuffCore
import Glibc

/// Records that a cuff may send again (`OutstandingRecords`), one file per cuff: the boot id of the machine, then hex.
///
/// A killed process leaves all that it wrote; a power cut does not. So a file of another boot is not trusted as to which records
/// are unacknowledged; an equal record is then stored twice.
extension DriverMemory {
    static func outstandingName(_ driver: DriverID, _ device: String) -> String {
        StateFile.name("\(driver)-unacknowledged", for: device)
    }

    private func path(_ driver: DriverID, _ device: String) -> String { "\(folder)/\(Self.outstandingName(driver, device))" }

    /// By file name, for every cuff of the driver: a cuff may report its identity only after the conversation began.
    func allOutstanding(_ driver: DriverID) -> [String: OutstandingRecords] {
        guard let directory = opendir(folder) else { return [:] }
        defer { closedir(directory) }
        let prefix = "\(driver)-unacknowledged-"
        var found: [String: OutstandingRecords] = [:]
        while let entry = readdir(directory), found.count < Self.mostCuffs {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            guard name.hasPrefix(prefix), !name.hasSuffix(".part") else { continue }
            let records = outstanding(at: "\(folder)/\(name)")
            if !records.isEmpty { found[name] = records }
        }
        return found
    }

    /// Far more than the cuffs of one driver that are connected to one machine.
    private static let mostCuffs = 1024

    private static let boot = StateFile.read("/proc/sys/kernel/random/boot_id")?.split(separator: "\n").first.map { String($0) } ?? ""

    private func outstanding(at path: String) -> OutstandingRecords {
        guard let lines = StateFile.read(path)?.split(separator: "\n"), lines.count == 2, let bytes = Hex.bytes(String(lines[1]))
        else { return OutstandingRecords() }
        let records = OutstandingRecords(bytes)
        return !Self.boot.isEmpty && lines[0] == Self.boot ? records : records.afterAnotherBoot
    }

    /// `durably`: the records must also survive a power failure.
    func persist(_ records: OutstandingRecords, _ driver: DriverID, device: String, durably: Bool) throws(IngestError) {
        let path = path(driver, device)
        guard !records.isEmpty else {
            // Overwriting one byte takes a hundredth of the time of `unlink`, so the process is less likely to be killed meanwhile.
            if !durably, let descriptor = try? Descriptor.open(path, O_WRONLY | O_NOFOLLOW) {
                defer { close(descriptor) }
                if pwrite(descriptor, "-", 1, 0) == 1 { return }
            }
            guard unlink(path) == 0 || errno == ENOENT else { throw .writing(path, errno) }
            return
        }
        try StateFile.write("\(Self.boot)\n\(Hex.text(records.bytes, separator: ""))\n", to: path, durably: durably)
    }
}

extension LinkState.Setup {
    /// A setup with what earlier links to cuffs of this driver left in the state folder. Reads files.
    static func remembering(
        _ driver: CuffDriver, device: String, options: [String: String], memory: DriverMemory?, commands: [SessionCommand] = [.follow]
    ) -> LinkState.Setup {
        var setup = LinkState.Setup(
            driver, device: device, options: options, memory: memory?.load(driver.id) ?? [:], commands: commands)
        guard let memory else { return setup }
        let left = memory.allOutstanding(driver.id)
        setup.outstanding = { device in left[DriverMemory.outstandingName(driver.id, device)] ?? OutstandingRecords() }
        return setup
    }
}
