import CuffCore

package struct LinkPlan: Sendable, Hashable {
    package var target: DeviceTarget
    /// The cuff's identity as far as the host knows: the user's name for it, else the device's key. It is part of the ids of
    /// readings, so it must not depend on the port.
    package var identity: String
    package var driver: DriverID
    /// `nil`: the driver's line settings.
    package var line: LineSettings?
    package var options: [String: String] = [:]
    /// The cuff has a schedule, so its link stays open.
    package var isScheduled = false

    /// The path or address, for messages.
    package var place: String { "\(address)" }

    var address: DeviceAddress { target.address }

    /// The commands for a watched cuff: read its memory, then receive what it sends. Never anything else.
    package static func commands(for driver: CuffDriver, isScheduled: Bool = false) -> [SessionCommand] {
        var commands: [SessionCommand] = []
        if driver.capabilities.contains(.storedReadings) { commands.append(.readMemory(user: nil)) }
        if driver.capabilities.contains(.push) || commands.isEmpty || isScheduled { commands.append(.follow) }
        return commands
    }
}
