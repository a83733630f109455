/// One cuff family: what it is, how to reach it, what it can do and how to talk with it. `cuff drivers NAME` prints this.
public struct CuffDriver: Sendable {
    /// How well the protocol is known. A: two independent public implementations, or an official document and an
    /// implementation. B: one working implementation or one capture. C: partial.
    public enum Grade: String, Sendable { case a = "A", b = "B", c = "C" }
    /// The best bytes this driver was tested on. None of them says that this project has met the cuff but `recordedByUs`.
    public enum TestedOn: Sendable, Hashable {
        /// Bytes this project recorded from a real cuff, in `captures/` with the header `origin: recorded`.
        case recordedByUs
        /// Bytes that others recorded from a real cuff; the text names where they are published. This project has not had the cuff.
        case recordedElsewhere(String)
        /// Bytes printed in a document or in another program's tests.
        case documented
        /// Bytes built by this project from a documented layout.
        case derived

        /// The value of `tested_on` in JSON: `recorded` for both kinds of recording, `documented`, `derived`.
        public var word: String {
            switch self {
            case .recordedByUs, .recordedElsewhere: "recorded"
            case .documented: "documented"
            case .derived: "derived"
            }
        }

        /// As tables print it: `recorded by us`, `recorded elsewhere`, `documented`, `derived`.
        public var text: String {
            switch self {
            case .recordedByUs: "recorded by us"
            case .recordedElsewhere: "recorded elsewhere"
            default: word
            }
        }

        /// Where the recording is published, where others made it; `nil` otherwise.
        public var recording: String? { if case .recordedElsewhere(let source) = self { source } else { nil } }
    }
    /// The kind of device node: a serial line, a HID device whose reports are read and written whole, or a USB device whose
    /// pipes this program reads and writes itself.
    public enum Medium: String, Sendable { case tty, hidraw, usb }

    /// What identifies a device as of this family.
    public enum Claim: Sendable, Hashable {
        /// The cuff's own USB ids: claimed at once.
        case usb(vendor: UInt16, product: UInt16)
        /// An id that other products carry too, of which this release (`bcdDevice`) is known to be the cuff: claimed at
        /// once; any other release of it is treated as `shared`.
        case release(vendor: UInt16, product: UInt16, bcdDevice: UInt16)
        /// A generic bridge chip or a vendor id shared by many devices: nothing is written to it until the user assigns it.
        case shared(vendor: UInt16, product: UInt16)
    }

    /// The name on the command line, in JSON and in the database, e.g. `and-std`. It never changes.
    public var id: DriverID
    /// The cuffs the family is known to fit, as their makers call them.
    public var models: [String]
    /// What the driver does, in one line without a full stop.
    public var summary: String
    /// The kind of node it reads. A serial driver also reads ptys, TCP and CP2110 bridges.
    public var medium: Medium
    /// The shape of its HID reports; without meaning for a serial line.
    public var reports: HIDReports
    /// How well the protocol is known.
    public var grade: Grade
    /// The best bytes it was tested on, and whose they are.
    public var testedOn: TestedOn
    /// The USB ids of its cuffs; empty where none is known, and the port must be assigned.
    public var claims: [Claim]
    /// Any device of the USB Personal Healthcare Device Class that does not call itself something else than a cuff is of this
    /// family, whatever its ids (`PHDCInterface`).
    public var isOfHealthcareClass: Bool
    /// The settings a serial line is opened with unless the user gives others; without meaning for HID.
    public var line: LineSettings
    /// The settings that a CP2110 in front of the cuff already has are kept, unless the user gives others.
    public var keepsBridgeLine: Bool
    /// Other settings seen in the field.
    public var otherLines: [LineSettings]
    /// Its frame layout, in a few words.
    public var framing: String
    /// The check over a frame; `nil` where the protocol has none.
    public var check: String?
    /// What the family can do. A cuff may be able to do less; it then answers so.
    public var capabilities: Capabilities
    /// What reading it changes on the device. Ideally nothing.
    public var changes: String
    /// The option that, set to `yes`, suppresses acknowledgements, so that the cuff deletes nothing.
    public var keepingOption: String?
    /// What the sources leave open or contradict; printed as "unverified".
    public var unverified: [String]
    /// What a user has to know, one sentence each.
    public var notes: [String]
    /// Where the protocol facts come from: repository and file, document, or a statement that the origin is not established.
    public var sources: [String]
    /// Options of `SessionContext.options` with their descriptions.
    public var options: [String: String]
    /// Minutes between automatic measurements that can be set on the cuff; empty where none can.
    public var cycles: [Int]
    /// Options of its simulated cuff with their descriptions.
    public var simulatorOptions: [String: String]
    /// Pump and valve commands: start, inflate, close or open a valve, whole or as far as they are fixed. A session writes
    /// them only under `.measure`; a test searches every write of every mode for them.
    public var startCommands: [[UInt8]]
    /// A peer that sends no whole frame within this time is disconnected; `nil` where a cuff may be silent for long.
    public var associationLimit: Duration?
    /// How long a read waits for a cuff that calls, with these options; a minute where the family names nothing.
    public var callLimit: @Sendable (_ options: [String: String]) -> Duration
    /// Makes the session of one conversation.
    public var makeSession: @Sendable (SessionContext) -> any CuffSession
    /// Makes a simulated cuff of the family.
    public var makeSimulator: @Sendable (SimulatorScript) -> any CuffSimulator
    /// Finds whole frames in any bytes; `nil` where the family has no frames to judge.
    public var findFrames: (@Sendable ([UInt8]) -> FoundFrames)?
    /// A changed frame with its check computed again, for `Explanation`; `nil` where the check is a character or two hexadecimal digits at
    /// the end, which are found without it. The function answers `nil` for bytes that have no check.
    public var repair: (@Sendable ([UInt8]) -> [UInt8]?)?
    /// Decodes the bytes of one stored record anew; the reading is the stored one, for what stands beside the record (its user).
    /// `nil` where a session understands the record bytes by themselves, or nothing does (`RecordDecoding`).
    public var decodeRecord: (@Sendable ([UInt8], Reading) -> Reading?)?
    /// Whom the record bytes of a reading name, where the family tells of a person; only asked where the user wants that kept.
    public var patient: (@Sendable ([UInt8]) -> String?)?
    /// How a recording loses what it says of a person; `nil` where that cannot be done safely.
    public var redaction: Redaction?

    /// Sets each property as given; the list of drivers is checked by tests, not here.
    public init(
        id: DriverID, models: [String], summary: String, medium: Medium = .tty, reports: HIDReports = HIDReports(), grade: Grade,
        testedOn: TestedOn, claims: [Claim] = [], isOfHealthcareClass: Bool = false, line: LineSettings = LineSettings(),
        keepsBridgeLine: Bool = false, otherLines: [LineSettings] = [], framing: String,
        check: String?, capabilities: Capabilities, changes: String = "nothing", keepingOption: String? = nil, unverified: [String] = [],
        notes: [String] = [], sources: [String], options: [String: String] = [:], simulatorOptions: [String: String] = [:],
        startCommands: [[UInt8]] = [], associationLimit: Duration? = nil,
        callLimit: @escaping @Sendable (_ options: [String: String]) -> Duration = { _ in .seconds(60) }, cycles: [Int] = [],
        makeSession: @escaping @Sendable (SessionContext) -> any CuffSession,
        makeSimulator: @escaping @Sendable (SimulatorScript) -> any CuffSimulator,
        findFrames: (@Sendable ([UInt8]) -> FoundFrames)? = nil, repair: (@Sendable ([UInt8]) -> [UInt8]?)? = nil,
        decodeRecord: (@Sendable ([UInt8], Reading) -> Reading?)? = nil, patient: (@Sendable ([UInt8]) -> String?)? = nil,
        redaction: Redaction? = nil
    ) {
        self.id = id
        self.models = models
        self.summary = summary
        self.medium = medium
        self.reports = reports
        self.grade = grade
        self.testedOn = testedOn
        self.claims = claims
        self.isOfHealthcareClass = isOfHealthcareClass
        self.line = line
        self.keepsBridgeLine = keepsBridgeLine
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
        self.callLimit = callLimit
        self.cycles = cycles
        self.makeSession = makeSession
        self.makeSimulator = makeSimulator
        self.findFrames = findFrames
        self.repair = repair
        self.decodeRecord = decodeRecord
        self.patient = patient
        self.redaction = redaction
    }

    /// Whether an acknowledged reading is deleted by the cuff, so that it may be acknowledged only once it is stored.
    public func forgets(_ options: [String: String]) -> Bool {
        capabilities.contains(.forgets) && keepingOption.map { options[$0] == "yes" } != true
    }

    /// What kind of node a device of this id gets: a CP2110 is a HID device that carries the bytes of a serial cuff.
    public func medium(at id: USBID?) -> Medium { medium == .tty && id == .cp2110 ? .hidraw : medium }
}
