import CuffCore

/// A schedule that `cuff watch` executes for one cuff, as stored in the state folder.
package struct HostSchedule: Sendable, Hashable {
    /// The cuff's identity in its readings, or the device's key in `cuff list`. A path only if nothing else is known.
    var key: String
    var driver: DriverID
    /// The zone of the window, by name; `nil`: the machine's.
    var zone: String?
    var keeper: ScheduleKeeper

    /// `1 <driver> <zone or -> <key>`, and the keeper's line.
    var text: String { "1 \(driver) \(zone ?? "-") \(key)\n" + keeper.line }
}

extension HostSchedule {
    /// `nil` if incomplete or of an unknown driver.
    init?(text: String, drivers: [CuffDriver] = CuffFamilies.all) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty, let keeper = ScheduleKeeper(line: lines[1] + "\n") else { return nil }
        let parts = lines[0].split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == "1", !parts[3].isEmpty, let driver = drivers.first(where: { $0.id.description == parts[1] })
        else { return nil }
        self.init(key: parts[3], driver: driver.id, zone: parts[2] == "-" ? nil : parts[2], keeper: keeper)
    }

    func fits(_ plan: LinkPlan) -> Bool { plan.driver == driver && plan.keys.contains(key) }
}

extension LinkPlan {
    /// The names by which a schedule may refer to this cuff. Not the node of a pluggable device, which the next cuff may get.
    var keys: Set<String> {
        switch target {
        case .plugged(let device): [identity, device.key.description]
        case .place: [identity, place]
        }
    }
}

/// A cuff's own measuring cycle in minutes, as stored in the state folder: a watch uses it to detect a silent cuff.
struct OwnCycle: Sendable, Hashable {
    /// As in `HostSchedule`.
    var key: String
    var driver: DriverID
    var minutes: Int

    /// `1 <driver> <minutes> <key>`.
    var text: String { "1 \(driver) \(minutes) \(key)\n" }
}

extension OwnCycle {
    /// `nil` if incomplete or of an unknown driver. No cuff has cycles of more than a day.
    init?(text: String, drivers: [CuffDriver] = CuffFamilies.all) {
        guard text.last == "\n" else { return nil }
        let parts = text.dropLast().split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4, parts[0] == "1", let minutes = Int(parts[2]), (1...1440).contains(minutes), !parts[3].isEmpty,
            let driver = drivers.first(where: { $0.id.description == parts[1] })
        else { return nil }
        self.init(key: parts[3], driver: driver.id, minutes: minutes)
    }

    func fits(_ plan: LinkPlan) -> Bool { plan.driver == driver && plan.keys.contains(key) }
}

/// The schedules in the state folder, one file for each cuff. `cuff schedule` writes them, `cuff watch` executes them.
struct ScheduleFolder: Sendable {
    let path: String

    private let drivers: [CuffDriver]

    /// Schedules for other drivers are ignored.
    init(_ memory: DriverMemory, drivers: [CuffDriver] = CuffFamilies.all) {
        path = "\(memory.folder)/schedules"
        self.drivers = drivers
    }

    /// The key of a device that a verb was given: who the user says it is, else what is known of it.
    static func key(_ address: DeviceAddress, device: String) -> String {
        // As it was typed: a link is the user's name for one cuff, its target is not.
        device.isEmpty ? address.description : device
    }

    /// Whether the key is a node that another device may get later.
    static func isBorrowed(_ key: String) -> Bool {
        ["/dev/ttyUSB", "/dev/ttyACM", "/dev/hidraw", "/dev/rfcomm", "/dev/pts/"].contains { key.hasPrefix($0) }
    }

    private func file(_ key: String) -> String { "\(path)/\(StateFile.name("schedule", for: key))" }

    func load(_ key: String) -> HostSchedule? {
        StateFile.read(file(key)).flatMap { HostSchedule(text: $0, drivers: drivers) }
    }

    func save(_ schedule: HostSchedule) throws(IngestError) { try StateFile.write(schedule.text, to: file(schedule.key)) }

    /// Returns whether there was one.
    func remove(_ key: String) -> Bool { StateFile.remove(file(key)) }

    private func cycleFile(_ key: String) -> String { "\(path)/\(StateFile.name("cycle", for: key))" }

    /// Stores the cycle reported by a cuff; 0 removes it. Nothing is stored under a node that another device may get.
    func note(cycle minutes: Int, of key: String, _ driver: DriverID) throws(IngestError) {
        if minutes > 0, !Self.isBorrowed(key) {
            try StateFile.write(OwnCycle(key: key, driver: driver, minutes: minutes).text, to: cycleFile(key))
        } else {
            _ = StateFile.remove(cycleFile(key))
        }
    }

    /// The cuffs known to have a measuring cycle.
    func cycles() -> [OwnCycle] { texts("cycle-").compactMap { OwnCycle(text: $0, drivers: drivers) } }

    func all() -> [HostSchedule] { texts("schedule-").compactMap { HostSchedule(text: $0, drivers: drivers) } }

    private func texts(_ prefix: String) -> [String] {
        let names = Folder.names(path).filter { $0.hasPrefix(prefix) && !$0.hasSuffix(".part") }
        return names.sorted().compactMap { StateFile.read("\(path)/\($0)") }
    }
}
