import CuffCore

/// What is needed to open one cuff.
public struct LinkPlan: Sendable, Hashable {
    package var target: DeviceTarget
    /// Who the cuff is as far as the host knows: the user's name for it, else the device's key. It goes into the ids of
    /// readings, so it must not change when the cuff is plugged in elsewhere.
    public var identity: String
    /// The id of the driver.
    public var driver: DriverID
    /// The line settings; `nil`: those of the driver.
    public var line: LineSettings?
    /// Options of the driver's family.
    public var options: [String: String] = [:]
    /// A plan of automatic measurements is kept for it: its link stays open.
    public var isScheduled = false

    /// The path or address, for a sentence.
    public var place: String { "\(address)" }

    var address: DeviceAddress { target.address }

    /// What a watched cuff is asked: what it holds, then what it sends of its own accord. Never anything else.
    public static func commands(for driver: CuffDriver, isScheduled: Bool = false) -> [SessionCommand] {
        var commands: [SessionCommand] = []
        if driver.capabilities.contains(.storedReadings) { commands.append(.readMemory(user: nil)) }
        if driver.capabilities.contains(.push) || commands.isEmpty || isScheduled { commands.append(.follow) }
        return commands
    }
}
