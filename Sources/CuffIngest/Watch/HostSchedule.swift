import CuffCore
import Glibc

/// A plan that `cuff watch` keeps for one cuff, as it stands in the state folder.
public struct HostSchedule: Sendable, Hashable {
    /// Whose: the cuff's identity, as its readings carry it, or the device's key, as `cuff list` prints it. A path only where the
    /// path is all there is to know it by.
    var key: String
    var driver: DriverID
    /// The zone of the plan's window, by name; `nil`: the machine's own.
    var zone: String?
    var keeper: ScheduleKeeper

    /// `1 <driver> <zone or -> <key>`, and below it the keeper's own line.
    var text: String { "1 \(driver) \(zone ?? "-") \(key)\n" + keeper.line }

    init(key: String, driver: DriverID, zone: String?, keeper: ScheduleKeeper) {
        self.key = key
        self.driver = driver
        self.zone = zone
        self.keeper = keeper
    }

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
    /// Every name under which a schedule may know this cuff. The node of a device that can be plugged is none of them: the next
    /// cuff gets the same node.
    var keys: Set<String> {
        switch target {
        case .plugged(let device): [identity, device.key.description]
        case .place: [identity, place]
        }
    }
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
    static func key(_ place: DevicePlace, device: String = "") -> String {
        if !device.isEmpty { return device }
        if !place.device.isEmpty { return place.device }
        // As it was typed: a link is a name that somebody gave to one cuff, what it leads to is not.
        return place.address.description
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

    /// All that can be read, by their keys.
    func all() -> [HostSchedule] {
        Folder.names(path).filter { $0.hasPrefix("schedule-") && !$0.hasSuffix(".part") }.sorted()
            .compactMap { StateFile.read("\(path)/\($0)").flatMap { HostSchedule(text: $0, drivers: drivers) } }
    }
}
