/// One cuff family: its identity, connection, capabilities and sessions. `cuff drivers NAME` prints it.
public struct CuffDriver: Sendable {
    /// How well the protocol is known. A: two independent public implementations, or an official document and an
    /// implementation. B: one working implementation or one capture. C: partial.
    public enum Grade: String, Sendable { case a = "A", b = "B", c = "C" }
    /// The best evidence this driver was tested on. Only `recordedByUs` means that this project had the cuff.
    public enum TestedOn: Sendable, Hashable {
        /// Bytes this project recorded from a real cuff, in `captures/` with the header `origin: recorded`.
        case recordedByUs
        /// Bytes that others recorded from a real cuff and published at the named place.
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

        /// The text in tables: `recorded by us`, `recorded elsewhere`, `documented`, `derived`.
        public var text: String {
            switch self {
            case .recordedByUs: "recorded by us"
            case .recordedElsewhere: "recorded elsewhere"
            default: word
            }
        }

        /// Where a recording by others is published; otherwise `nil`.
        public var recording: String? { if case .recordedElsewhere(let source) = self { source } else { nil } }
    }
    /// The kind of device node: a serial line, a HID device with whole reports, or a USB device whose pipes this program drives.
    public enum Medium: String, Sendable { case tty, hidraw, usb }

    /// A USB id of the family's devices.
    public enum Claim: Sendable, Hashable {
        /// The cuff's own USB ids: claimed at once.
        case usb(vendor: UInt16, product: UInt16)
        /// An id of several products; with this release (`bcdDevice`) it is the cuff and claimed at once, with another it is `shared`.
        case release(vendor: UInt16, product: UInt16, bcdDevice: UInt16)
        /// A generic bridge chip or shared vendor id: nothing is written to it until the user assigns it.
        case shared(vendor: UInt16, product: UInt16)
    }

    /// The permanent name in commands, JSON and the database, e.g. `and-std`.
    public var id: DriverID
    /// The version of its decoding, from 1 on: incremented whenever the same record bytes give other values. Stored with each reading.
    public var revision: Int
    /// The makers' names of the supported cuffs.
    public var models: [String]
    /// The driver's purpose, one line without a full stop.
    public var summary: String
    /// The kind of node. A serial driver also reads ptys, TCP and CP2110 bridges.
    public var medium: Medium
    /// The layout of HID reports; unused for a serial line.
    public var reports: HIDReports
    /// How well the protocol is known.
    public var grade: Grade
    /// The best evidence it was tested on.
    public var testedOn: TestedOn
    /// The USB ids of its cuffs; empty if none is known, so that the port must be assigned.
    public var claims: [Claim]
    /// Whether it reads any device of the USB Personal Healthcare Device Class that may be a cuff, whatever its ids (`PHDCInterface`).
    public var isOfHealthcareClass: Bool
    /// The default settings of a serial line; unused for HID.
    public var line: LineSettings
    /// The settings that a CP2110 in front of the cuff already has are kept, unless the user gives others.
    public var keepsBridgeLine: Bool
    /// Other settings seen in the field.
    public var otherLines: [LineSettings]
    /// The frame layout, in a few words.
    public var framing: String
    /// The check of a frame; `nil` if the protocol has none.
    public var check: String?
    /// The family's capabilities; a model may have fewer, and its session then reports so.
    public var capabilities: Capabilities
    /// Readings name the user who is selected on the cuff, though those of another user cannot be asked for.
    public var namesSelectedUser: Bool
    /// What a read changes on the device; ideally nothing.
    public var changes: String
    /// The option that, set to `yes`, suppresses acknowledgements, so that the cuff deletes nothing.
    public var keepingOption: String?
    /// What the sources leave open or contradict; printed as "unverified".
    public var unverified: [String]
    /// What a user must know, one sentence each.
    public var notes: [String]
    /// What to do at the cuff so that it answers, an imperative without a full stop, from the same sources; `nil` if nothing special
    /// is known.
    public var preparation: String?
    /// Sources of the protocol facts: repository and file, document, or a statement that the origin is not established.
    public var sources: [String]
    /// Options of `SessionContext.options` with their descriptions.
    public var options: [String: String]
    /// Settable minutes between automatic measurements; empty if unsupported.
    public var cycles: [Int]
    /// Options of the simulated cuff with their descriptions.
    public var simulatorOptions: [String: String]
    /// Pump and valve commands, or their fixed parts. Sessions write them only under `.measure`; a test searches all other writes.
    public var startCommands: [[UInt8]]
    /// A peer that sends no whole frame within this time is disconnected; `nil` if a cuff may be silent for long.
    public var associationLimit: Duration?
    /// How long a read waits for a cuff that calls, given the options; one minute by default.
    public var callLimit: @Sendable (_ options: [String: String]) -> Duration
    /// Makes the session of one conversation.
    public var makeSession: @Sendable (SessionContext) -> any CuffSession
    /// Makes a simulated cuff of the family.
    public var makeSimulator: @Sendable (SimulatorScript) -> any CuffSimulator
    /// Finds whole frames in any bytes; `nil` where the family has no frames to judge.
    public var findFrames: (@Sendable ([UInt8]) -> FoundFrames)?
    /// A changed frame with its check (and second copies of what differs from the original) written again, for `Explanation`; `nil` where the
    /// check is a character or two hexadecimal digits at the end, which are found without it. The function answers `nil` for bytes
    /// that have no check.
    public var repair: (@Sendable (_ changed: [UInt8], _ original: [UInt8]) -> [UInt8]?)?
    /// Decodes the bytes of one stored record anew; the reading is the stored one, for values outside the record (its user).
    /// `nil` where a session understands the record bytes by themselves, or nothing does (`RecordDecoding`).
    public var decodeRecord: (@Sendable ([UInt8], Reading) -> Reading?)?
    /// The patient named in record bytes, if any; called only if the user wants it stored.
    public var patient: (@Sendable ([UInt8]) -> String?)?
    /// Removes personal data from a recording; `nil` if that is not safely possible.
    public var redaction: Redaction?

    /// Creates a driver; tests check the registered ones.
    public init(
        id: DriverID, revision: Int = 1, models: [String], summary: String, medium: Medium = .tty, reports: HIDReports = HIDReports(),
        grade: Grade,
        testedOn: TestedOn, claims: [Claim] = [], isOfHealthcareClass: Bool = false, line: LineSettings = LineSettings(),
        keepsBridgeLine: Bool = false, otherLines: [LineSettings] = [], framing: String,
        check: String?, capabilities: Capabilities, namesSelectedUser: Bool = false, changes: String = "nothing",
        keepingOption: String? = nil, unverified: [String] = [],
        notes: [String] = [], preparation: String? = nil, sources: [String], options: [String: String] = [:],
        simulatorOptions: [String: String] = [:],
        startCommands: [[UInt8]] = [], associationLimit: Duration? = nil,
        callLimit: @escaping @Sendable (_ options: [String: String]) -> Duration = { _ in .seconds(60) }, cycles: [Int] = [],
        makeSession: @escaping @Sendable (SessionContext) -> any CuffSession,
        makeSimulator: @escaping @Sendable (SimulatorScript) -> any CuffSimulator,
        findFrames: (@Sendable ([UInt8]) -> FoundFrames)? = nil, repair: (@Sendable ([UInt8], [UInt8]) -> [UInt8]?)? = nil,
        decodeRecord: (@Sendable ([UInt8], Reading) -> Reading?)? = nil, patient: (@Sendable ([UInt8]) -> String?)? = nil,
        redaction: Redaction? = nil
    ) {
        self.id = id
        self.revision = revision
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
        self.namesSelectedUser = namesSelectedUser
        self.changes = changes
        self.keepingOption = keepingOption
        self.unverified = unverified
        self.notes = notes
        self.preparation = preparation
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

    /// Whether the cuff deletes an acknowledged reading, which then may be acknowledged only once stored.
    public func forgets(_ options: [String: String]) -> Bool {
        capabilities.contains(.forgets) && keepingOption.map { options[$0] == "yes" } != true
    }

    /// Whether a reading can name a user slot.
    public var namesUsers: Bool { namesSelectedUser || capabilities.contains(.users) }

    /// What decodes its readings: a program, such as `cuff/0.2.0`, and this driver, each with its version.
    package func decoder(of program: String) -> String { String("\(program) \(id)/\(revision)".prefix(Reading.longestDecoder)) }

    /// The medium of a device with this id: a CP2110 is a HID device with a serial cuff.
    public func medium(at id: USBID?) -> Medium { medium == .tty && id == .cp2110 ? .hidraw : medium }
}
