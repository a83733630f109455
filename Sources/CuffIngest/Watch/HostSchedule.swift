import CuffCore
import Glibc

/// A plan that `cuff watch` executes for one cuff, as stored in the state folder.
package struct HostSchedule: Sendable, Hashable {
    /// Whose: the cuff's identity, as its readings carry it, or the device's key, as `cuff list` prints it. A path only where the
    /// path is all there is to know it by.
    var key: String
    var driver: DriverID
    /// The zone of the plan's window, by name; `nil`: the machine's own.
    var zone: String?
    var keeper: ScheduleKeeper

    /// `1 <driver> <zone or -> <key>`, and below it the keeper's own line.
    var text: String { "1 \(driver) \(zone ?? "-") \(key)\n" + keeper.line }
}

extension HostSchedule {
    /// `nil` for anything but a whole text of a driver that is known.
    init?(text: String, drivers: [CuffDriver] = CuffFamilies.all) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty, let keeper = ScheduleKeeper(line: lines[1] + "\n") else { return nil }
        let parts = lines[0].split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == "1", !parts[3].isEmpty, let driver = drivers.first(where: { $0.id.description == parts[1] })
        else { return nil }
        self.init(key: parts[3], driver: driver.id, zone: parts[2] == "-" ? nil : parts[2], keeper: keeper)
    }

    /// Whether it is meant for what a link is opened to.
    func fits(_ plan: LinkPlan) -> Bool { plan.driver == driver && plan.keys.contains(key) }
}

extension LinkPlan {
    /// Every name under which a schedule may know this cuff. The node of a pluggable device is not one of them: the next
    /// cuff gets the same node.
    var keys: Set<String> {
        switch target {
        case .plugged(let device): [identity, device.key.description]
        case .place: [identity, place]
        }
    }
}

/// A cuff's own measuring cycle in minutes, as stored in the state folder: a watch sends nothing for it, and knows
/// when the cuff is silent.
struct OwnCycle: Sendable, Hashable {
    /// Whose, as in `HostSchedule`.
    var key: String
    var driver: DriverID
    var minutes: Int

    /// `1 <driver> <minutes> <key>`.
    var text: String { "1 \(driver) \(minutes) \(key)\n" }
}

extension OwnCycle {
    /// `nil` for anything but a whole text of a driver that is known. No cuff counts beyond a day.
    init?(text: String, drivers: [CuffDriver] = CuffFamilies.all) {
        guard text.last == "\n" else { return nil }
        let parts = text.dropLast().split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == "1", let minutes = Int(parts[2]), (1...1440).contains(minutes), !parts[3].isEmpty,
            let driver = drivers.first(where: { $0.id.description == parts[1] })
        else { return nil }
        self.init(key: parts[3], driver: driver.id, minutes: minutes)
    }

    /// Whether it is that of what a link is opened to.
    func fits(_ plan: LinkPlan) -> Bool { plan.driver == driver && plan.keys.contains(key) }
}

/// The plans in the state folder, one file for each cuff. `cuff schedule` writes them, `cuff watch` keeps them.
struct ScheduleFolder: Sendable {
    let path: String

    private let drivers: [CuffDriver]

    /// Schedules for cuffs of other drivers are left alone.
    init(_ memory: DriverMemory, drivers: [CuffDriver] = CuffFamilies.all) {
        path = "\(memory.folder)/schedules"
        self.drivers = drivers
    }

    /// The key of a device that a verb was given: who the user says it is, else what is known of it.
    static func key(_ address: DeviceAddress, device: String) -> String {
        // As it was typed: a link is the user's name for one cuff, its target is not.
        device.isEmpty ? address.description : device
    }

    /// Whether the key is a node that the next device may get: nothing is known of what is behind it.
    static func isBorrowed(_ key: String) -> Bool {
        ["/dev/ttyUSB", "/dev/ttyACM", "/dev/hidraw", "/dev/rfcomm", "/dev/pts/"].contains { key.hasPrefix($0) }
    }

    private func file(_ key: String) -> String { "\(path)/\(StateFile.name("schedule", for: key))" }

    func load(_ key: String) -> HostSchedule? {
        StateFile.read(file(key)).flatMap { HostSchedule(text: $0, drivers: drivers) }
    }

    func save(_ schedule: HostSchedule) throws(IngestError) { try StateFile.write(schedule.text, to: file(schedule.key)) }

    /// Answers whether there was one.
    func remove(_ key: String) -> Bool {
        let wasThere = unlink(file(key)) == 0
        if wasThere { StateFile.synchroniseFolder(of: file(key)) }
        return wasThere
    }

    private func cycleFile(_ key: String) -> String { "\(path)/\(StateFile.name("cycle", for: key))" }

    /// Stores the cycle that a cuff reported; 0 removes it. Nothing is stored for a node that the next device may get.
    func note(cycle minutes: Int, of key: String, _ driver: DriverID) throws(IngestError) {
        if minutes > 0, !Self.isBorrowed(key) {
            try StateFile.write(OwnCycle(key: key, driver: driver, minutes: minutes).text, to: cycleFile(key))
        } else if unlink(cycleFile(key)) == 0 {
            StateFile.synchroniseFolder(of: cycleFile(key))
        }
    }

    /// The cuffs that are known to measure by themselves.
    func cycles() -> [OwnCycle] {
        Folder.names(path).filter { $0.hasPrefix("cycle-") && !$0.hasSuffix(".part") }.sorted()
            .compactMap { StateFile.read("\(path)/\($0)").flatMap { OwnCycle(text: $0, drivers: drivers) } }
    }

    /// All that can be read, by their keys.
    func all() -> [HostSchedule] {
        Folder.names(path).filter { $0.hasPrefix("schedule-") && !$0.hasSuffix(".part") }.sorted()
            .compactMap { StateFile.read("\(path)/\($0)").flatMap { HostSchedule(text: $0, drivers: drivers) } }
    }
}
