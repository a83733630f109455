import CuffCore

/// A link of this run. Every opening gets a number of its own, so that news of an old link cannot be taken for the new
/// one's.
public struct LinkID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number; it grows with every opening.
    public let number: Int
    /// The link of this number.
    public init(_ number: Int) { self.number = number }
    /// The earlier opening is the smaller.
    public static func < (a: LinkID, b: LinkID) -> Bool { a.number < b.number }
    /// `link 3`.
    public var description: String { "link \(number)" }
}

/// What is needed to open one cuff.
public struct LinkPlan: Sendable, Hashable {
    /// What is opened.
    public var target: DeviceTarget
    /// Who the cuff is as far as the host knows: the user's name for it, else the device's key. It goes into the ids of
    /// readings, so it must not change when the cuff is plugged in elsewhere.
    public var identity: String
    /// The id of the driver.
    public var driver: DriverID
    /// The line settings; `nil`: those of the driver.
    public var line: LineSettings?
    /// Options of the driver's family.
    public var options: [String: String]
    /// A plan of automatic measurements is kept for it: its link stays open.
    public var isScheduled = false

    /// Sets each property as given.
    public init(
        target: DeviceTarget, identity: String, driver: DriverID, line: LineSettings? = nil,
        options: [String: String] = [:]
    ) {
        self.target = target
        self.identity = identity
        self.driver = driver
        self.line = line
        self.options = options
    }

    /// The path or address, for a sentence.
    public var place: String { "\(address)" }

    /// What a transport opens.
    var address: DeviceAddress { target.address }

    /// What a watched cuff is asked: what it holds, then what it sends of its own accord. Never anything else.
    public static func commands(for driver: CuffDriver, isScheduled: Bool = false) -> [SessionCommand] {
        var commands: [SessionCommand] = []
        if driver.capabilities.contains(.storedReadings) { commands.append(.readMemory(user: nil)) }
        if driver.capabilities.contains(.push) || commands.isEmpty || isScheduled { commands.append(.follow) }
        return commands
    }
}

/// How a link ended.
public enum LinkEnd: Sendable, Hashable {
    /// The cuff said all it had to say.
    case complete
    /// The device went away.
    case unplugged
    /// The device could not be opened, or broke off, or did not answer; it may be tried again.
    case failed(String, status: RunStatus)
    /// It was not opened, and trying again would change nothing.
    case refused(String, status: RunStatus)
    /// We closed it.
    case closed
}

/// Something a person may want to read, one line each.
public enum WatchNotice: Sendable, Hashable, CustomStringConvertible {
    case opening(LinkPlan, Claiming.Reason?)
    case unclaimed(PluggedDevice, Claiming.Verdict)
    case unplugged(PluggedDevice)
    /// Told when a reason is new, not at every attempt.
    case failed(LinkPlan, String, retryIn: Duration?)
    case complete(LinkPlan)
    /// The device came, went and came again at once: brltty does that to adapters it takes for a Braille display.
    case flickered(PluggedDevice)
    case notPluggedIn(Assignment)
    case watcher(String)

    /// The notice in one line.
    public var description: String {
        switch self {
        case .opening(let plan, _): "\(plan.place): \(plan.driver), as \(plan.identity)"
        case .unclaimed(let device, let verdict): "\(device.summary): \(verdict.sentence(for: device))"
        case .unplugged(let device): "\(device.node) (\(device.key)) was unplugged"
        case .failed(let plan, let why, nil): "\(plan.place): \(why); giving up"
        case .failed(let plan, let why, let pause?):
            "\(plan.place): \(why); trying again in \(Plural.span(max(1, pause.components.seconds)))"
                + ", then less and less often"
        case .complete(let plan): "\(plan.place): read to the end"
        case .flickered(let device):
            "\(device.node) vanished right after it came and is back: a program such as brltty takes it and lets it go"
        case .notPluggedIn(let assignment): "\(assignment.address) (\(assignment.origin)) is not plugged in; waiting for it"
        case .watcher(let text): text
        }
    }
}
