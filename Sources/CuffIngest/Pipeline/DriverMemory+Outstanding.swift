import CuffCore
import Glibc

/// What a cuff may send again (`OutstandingRecords`), one small file per cuff: the boot of the machine, then hex.
///
/// A process that is killed leaves what it wrote, flushed or not. A power cut does not, so that a file of another boot is
/// not believed: then an equal record is kept beside the first.
extension DriverMemory {
    private func path(_ driver: DriverID, _ device: String) -> String {
        "\(folder)/\(StateFile.name("\(driver)-unacknowledged", for: device))"
    }

    private static let boot = StateFile.read("/proc/sys/kernel/random/boot_id")?.split(separator: "\n").first.map { String($0) } ?? ""

    func outstanding(_ driver: DriverID, device: String) -> OutstandingRecords {
        guard let lines = StateFile.read(path(driver, device))?.split(separator: "\n"), lines.count == 2, !Self.boot.isEmpty,
            lines[0] == Self.boot, let bytes = Hex.bytes(String(lines[1]))
        else { return OutstandingRecords() }
        return OutstandingRecords(bytes)
    }

    /// Replaces what was kept; `durably`: it must also survive the machine.
    func keep(_ records: OutstandingRecords, _ driver: DriverID, device: String, durably: Bool) throws(IngestError) {
        let path = path(driver, device)
        guard !records.isEmpty else {
            // One byte in place takes a hundredth of the time of a removal, in which a process could be killed.
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

/// What of a link's outstanding records the memory holds.
///
/// Before a reading goes on to the sinks it must survive whatever happens; before an acknowledgement it need only survive
/// this process, so that as little as possible can happen between the two.
struct KeptOutstanding {
    private let memory: DriverMemory?
    private let driver: DriverID
    private var bytes: [UInt8] = []

    init(_ memory: DriverMemory?, _ driver: DriverID) {
        self.memory = memory
        self.driver = driver
    }

    mutating func load(device: String) -> OutstandingRecords {
        let left = memory?.outstanding(driver, device: device) ?? OutstandingRecords()
        bytes = left.bytes
        return left
    }

    func differs(from records: OutstandingRecords) -> Bool {
        if bytes.isEmpty && records.isEmpty { return false }
        return records.bytes != bytes
    }

    mutating func keep(_ records: OutstandingRecords, device: String, durably: Bool) throws(IngestError) {
        bytes = records.bytes
        try memory?.keep(records, driver, device: device, durably: durably)
    }
}
