/// One cuff family: what it is, how to reach it, what it can do and how to talk with it. `cuff drivers NAME` prints this.
public struct CuffDriver: Sendable {
    /// How well the protocol is known. A: two independent public implementations, or an official document and an
    /// implementation. B: one working implementation or one capture. C: partial.
    public enum Grade: String, Sendable { case a = "A", b = "B", c = "C" }
    /// The best bytes this driver was tested on.
    public enum TestedOn: String, Sendable { case recorded, documented, derived }
    public enum Medium: String, Sendable { case tty, hidraw }

    /// What identifies a device as of this family.
    public enum Claim: Sendable, Hashable {
        /// The cuff's own USB ids: claimed at once.
        case usb(vendor: UInt16, product: UInt16)
        /// An id that other products carry too, of which this release (`bcdDevice`) is known to be the cuff: claimed at
        /// once; any other release of it is treated as `shared`.
        case release(vendor: UInt16, product: UInt16, bcdDevice: UInt16)
        /// A generic bridge chip or a vendor id shared by many devices: listened to at most, until the user assigns it.
        case shared(vendor: UInt16, product: UInt16)
    }

    public var id: DriverID
    public var models: [String]
    public var summary: String
    public var medium: Medium
    public var grade: Grade
    public var testedOn: TestedOn
    public var claims: [Claim]
    public var line: LineSettings
    /// Other settings seen in the field.
    public var otherLines: [LineSettings]
    /// Its frame layout, in a few words.
    public var framing: String
    /// The check over a frame; `nil` where the protocol has none.
    public var check: String?
    public var capabilities: Capabilities
    /// What reading it changes on the device. Ideally nothing.
    public var changes: String
    /// The option that, set to `yes`, keeps the cuff from hearing an acknowledgement, so that it forgets nothing.
    public var keepingOption: String?
    /// What the sources leave open or contradict; printed as "unverified".
    public var unverified: [String]
    public var notes: [String]
    public var sources: [String]
    /// Options of `SessionContext.options` with a sentence each.
    public var options: [String: String]
    /// Minutes between automatic measurements that can be set on the cuff; empty where none can.
    public var cycles: [Int]
    /// Options of its simulated cuff with a sentence each.
    public var simulatorOptions: [String: String]
    /// Bytes that move air: start, inflate, close or open a valve, whole or as far as they are fixed. They stand in no
    /// write of a session but under `.measure`; a test reads every write of every mode for them.
    public var startCommands: [[UInt8]]
    /// A caller that sends no whole frame in this time is no cuff of this family; `nil` where a cuff may be silent for long.
    public var associationLimit: Duration?
    public var makeSession: @Sendable (SessionContext) -> any CuffSession
    public var makeSimulator: @Sendable (SimulatorScript) -> any CuffSimulator
    /// Counts frames in any bytes, for `cuff identify`; `nil` where the family has no frames to judge.
    public var countFrames: (@Sendable ([UInt8]) -> (frames: Int, bytes: Int))?

    public init(
        id: DriverID, models: [String], summary: String, medium: Medium = .tty, grade: Grade, testedOn: TestedOn,
        claims: [Claim] = [], line: LineSettings = LineSettings(), otherLines: [LineSettings] = [], framing: String,
        check: String?, capabilities: Capabilities, changes: String = "nothing", keepingOption: String? = nil, unverified: [String] = [],
        notes: [String] = [], sources: [String], options: [String: String] = [:], simulatorOptions: [String: String] = [:],
        startCommands: [[UInt8]] = [], associationLimit: Duration? = nil, cycles: [Int] = [],
        makeSession: @escaping @Sendable (SessionContext) -> any CuffSession,
        makeSimulator: @escaping @Sendable (SimulatorScript) -> any CuffSimulator,
        countFrames: (@Sendable ([UInt8]) -> (frames: Int, bytes: Int))? = nil
    ) {
        self.id = id
        self.models = models
        self.summary = summary
        self.medium = medium
        self.grade = grade
        self.testedOn = testedOn
        self.claims = claims
        self.line = line
        self.otherLines = otherLines
        self.framing = framing
        self.check = check
        self.capabilities = capabilities
        self.changes = changes
        self.keepingOption = keepingOption
        self.unverified = unverified
        self.notes = notes
        self.sources = sources
        self.options = options
        self.simulatorOptions = simulatorOptions
        self.startCommands = startCommands
        self.associationLimit = associationLimit
        self.cycles = cycles
        self.makeSession = makeSession
        self.makeSimulator = makeSimulator
        self.countFrames = countFrames
    }

    /// A reading that is acknowledged is gone from the cuff: it may be acknowledged only when it is kept elsewhere.
    public func forgets(_ options: [String: String]) -> Bool {
        capabilities.contains(.forgets) && keepingOption.map { options[$0] == "yes" } != true
    }

    /// What kind of node a device of this id gets: a CP2110 is a HID device that carries the bytes of a serial cuff.
    public func medium(at id: USBID?) -> Medium { medium == .tty && id == .cp2110 ? .hidraw : medium }
}
