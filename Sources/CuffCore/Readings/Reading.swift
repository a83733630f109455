/// One result of one cuff, with its times and origin.
public struct Reading: Sendable, Hashable {
    /// The result: exactly one case.
    public enum Content: Sendable, Hashable {
        case bloodPressure(BloodPressure)
        /// A pulse without a blood pressure: an oximeter's, or one whose pressures never came.
        case pulseRate(PulseRate)
        case quantity(Quantity)
        case failure(MeasurementFailure)

        /// The `type` of its line in JSON.
        package var type: StaticString {
            switch self {
            case .bloodPressure: "blood_pressure"
            case .pulseRate: "pulse_rate"
            case .quantity: "quantity"
            case .failure: "measurement"
            }
        }
    }

    /// How the reading was obtained.
    public enum Origin: UInt8, Sendable, Hashable {
        case memory
        /// Sent by the cuff unasked.
        case push
        /// From a measurement that the host started or watched.
        case measurement
        case entered
        /// Read from a file of another program. `driver` names the layout of the file.
        case imported

        /// The value of `origin` in JSON.
        public var word: StaticString {
            switch self {
            case .memory: "memory"
            case .push: "push"
            case .measurement: "measurement"
            case .entered: "entered"
            case .imported: "import"
            }
        }
    }

    /// What distinguishes a record from others with equal bytes, if neither time nor number does.
    public enum Repetition: UInt8, Sendable, Hashable {
        /// Its arrival: each is a separate measurement.
        case none
        /// Its occurrence among equal ones of the dump: the memory may be read again.
        case inDump
        /// Repeated until acknowledged; after that, an equal record is a new one.
        case untilAcknowledged
        /// The bytes lack the pulse, which may come later. With equal bytes, another pulse is another measurement, no pulse is the same.
        case withoutPulse
    }

    /// Who started the measurement, if the cuff reports it.
    public enum Trigger: UInt8, Sendable, Hashable {
        case unknown, manual, automatic
        /// The value of `trigger` in JSON; `nil` for `unknown`.
        public var word: StaticString? {
            switch self {
            case .unknown: nil
            case .manual: "manual"
            case .automatic: "automatic"
            }
        }
    }

    /// Deterministic and sortable: the cuff's time, in printed fields, then a hash (`ReadingLedger`).
    public struct ID: Sendable, Hashable {
        private(set) var year: Int16 = 0
        /// 0 if the id has no time; it then prints as zeros.
        private(set) var month: UInt8 = 0
        private(set) var day: UInt8 = 0
        private(set) var hour: UInt8 = 0
        private(set) var minute: UInt8 = 0
        private(set) var second: UInt8 = 0
        /// A 64-bit hash of cuff, user and record (`ReadingLedger`).
        public var hash: UInt64 = 0

        /// The time as one number in print order; 0: none.
        @inline(__always)
        public var sortKey: UInt64 {
            let day = UInt64(UInt16(truncatingIfNeeded: year)) << 16 | UInt64(month) << 8 | UInt64(self.day)
            return day << 24 | UInt64(hour) << 16 | UInt64(minute) << 8 | UInt64(second)
        }

        private init() {}
        /// No id yet.
        public static var none: ID { ID() }

        /// An id with this wall-clock time (seconds since 1970 as if in UTC), or `nil`.
        public init(wallSeconds: Int64?, hash: UInt64) {
            self.hash = hash
            begin(wallSeconds.map { DeviceTime(wallSeconds: $0) })
        }

        @inline(__always)
        mutating func begin(_ time: DeviceTime?) {
            year = time?.year ?? 0
            month = time?.month ?? 0
            day = time?.day ?? 0
            hour = time?.hour ?? 0
            minute = time?.minute ?? 0
            second = time?.second ?? 0
        }

        /// The time part as seconds since 1970 on that wall clock, if any.
        public var wallSeconds: Int64? {
            get {
                guard month > 0 else { return nil }
                return DeviceTime(
                    year: Int(year), month: Int(month), day: Int(day), hour: Int(hour), minute: Int(minute),
                    second: Int(second)
                ).wallSeconds
            }
            set { begin(newValue.map { DeviceTime(wallSeconds: $0) }) }
        }
    }

    /// Everything but the record's bytes, as one trivially copyable block: field by field, copying took a fifth of the time to JSON.
    @usableFromInline
    struct Facts: Sendable, Hashable {
        @usableFromInline var content: Content
        @usableFromInline var driver: DriverID
        @usableFromInline var clock: DeviceClock
        @usableFromInline var user: Int32?
        @usableFromInline var flags: MeasurementFlags
        @usableFromInline var sequence: UInt32?
        @usableFromInline var occurrence: UInt16 = 0
        @usableFromInline var repetition = Repetition.none
        @usableFromInline var origin: Origin
        @usableFromInline var trigger: Trigger
        @usableFromInline var isPending = false
        @usableFromInline var isHostClockUnsynchronised = false
        @usableFromInline var revision: UInt8 = 0
        @usableFromInline var rule = ClockRule.none
        @usableFromInline var measuredOffset: Int16 = 0
        @usableFromInline var id = ID.none
        @usableFromInline var received: Timestamp?
        @usableFromInline var measured: Timestamp?
        /// 0 for a moment.
        @usableFromInline var lastingSeconds: UInt32 = 0
        @usableFromInline var reference = Reference.none
    }
    @usableFromInline var facts: Facts
    /// The record's bytes as sent; for a typed reading, its text.
    public var raw: RawBytes
    var additions = ReadingAdditions()
    /// The program and the driver that decoded the record, each with its version: `cuff/0.2.0 and-std/1`. Set when the reading is stored;
    /// `nil` if that is unknown, or if a person typed the values in.
    public var decoder: String?
    /// The longest name of a person, in bytes of UTF-8.
    public static let longestPerson = 80
    /// Limit of `decoder`, in bytes.
    package static let longestDecoder = 80
    /// Limit of the metadata of a sample, in bytes of JSON: a few dozen keys with their values.
    package static let longestMetadata = 4000
    /// Limit of `text`, in bytes: a sentence.
    public static let longestText = 256

    /// Creates a reading without id and times. An implausible blood pressure gets the flag `implausible`.
    public init(
        _ content: Content, driver: DriverID, user: Int32? = nil, flags: MeasurementFlags = [],
        clock: DeviceClock = .absent, origin: Origin, trigger: Trigger = .unknown, sequence: UInt32? = nil,
        repetition: Repetition = .none, raw: RawBytes
    ) {
        var flags = flags
        if case .bloodPressure(let pressure) = content, !pressure.isPlausible { flags.insert(.implausible) }
        facts = Facts(
            content: content, driver: driver, clock: clock, user: user, flags: flags, sequence: sequence,
            repetition: repetition, origin: origin, trigger: trigger)
        self.raw = raw
    }

    /// `text` if it may be a `decoder`: printable ASCII of limited length, as files of this program have it.
    package static func decoder(_ text: String?) -> String? {
        guard let text, 1...longestDecoder ~= text.utf8.count, text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else { return nil }
        return text
    }

    /// The blood pressure, if that is the content.
    public var bloodPressure: BloodPressure? {
        if case .bloodPressure(let pressure) = content { pressure } else { nil }
    }
}

extension Reading {
    // What the driver says.
    /// The result.
    @inlinable public var content: Content {
        get { facts.content }
        set { facts.content = newValue }
    }
    /// The driver that decoded the record.
    @inlinable public var driver: DriverID {
        get { facts.driver }
        set { facts.driver = newValue }
    }
    /// The user slot, numbered as by the cuff; `nil` if it has no users.
    @inlinable public var user: Int32? {
        get { facts.user }
        set { facts.user = newValue }
    }
    /// Annotations of the cuff and this program.
    @inlinable public var flags: MeasurementFlags {
        get { facts.flags }
        set { facts.flags = newValue }
    }
    /// The cuff's clock in the record; never changed by a correction.
    @inlinable public var clock: DeviceClock {
        get { facts.clock }
        set { facts.clock = newValue }
    }
    /// How the reading came to this program.
    @inlinable public var origin: Origin {
        get { facts.origin }
        set { facts.origin = newValue }
    }
    /// Who started the measurement.
    @inlinable public var trigger: Trigger {
        get { facts.trigger }
        set { facts.trigger = newValue }
    }
    /// The cuff's own permanent number of this record, if any.
    @inlinable public var sequence: UInt32? {
        get { facts.sequence }
        set { facts.sequence = newValue }
    }
    /// What distinguishes this record from others with equal bytes.
    @inlinable public var repetition: Repetition {
        get { facts.repetition }
        set { facts.repetition = newValue }
    }
    /// The number of earlier equal records in the same dump (`DumpOccurrences`) or report.
    @inlinable public var occurrence: UInt16 {
        get { facts.occurrence }
        set { facts.occurrence = newValue }
    }
    /// The values may still be completed under the same id (IEEE 11073 agents send pulse and pressure separately).
    @inlinable public var isPending: Bool {
        get { facts.isPending }
        set { facts.isPending = newValue }
    }
    /// Starts at 0; higher revisions of an id replace lower ones.
    @inlinable public var revision: UInt8 {
        get { facts.revision }
        set { facts.revision = newValue }
    }

    /// The record's reference to another of the same determination; `none` once the reading has its id.
    @inlinable public var reference: Reference {
        get { facts.reference }
        set { facts.reference = newValue }
    }
    /// The final revision: deleted, or withdrawn by the sender.
    public static let lastRevision: UInt8 = 255

    // What the host adds.
    /// The id; `ID.none` until set by `ReadingLedger`.
    @inlinable public var id: ID {
        get { facts.id }
        set { facts.id = newValue }
    }
    /// The host's time of reception; `nil` for bytes from a file.
    @inlinable public var received: Timestamp? {
        get { facts.received }
        set { facts.received = newValue }
    }
    /// The host's clock was not synchronised at the reception: `received` and corrections may be wrong.
    @inlinable public var isHostClockUnsynchronised: Bool {
        get { facts.isHostClockUnsynchronised }
        set { facts.isHostClockUnsynchronised = newValue }
    }
    /// The best known instant of the measurement, by `rule`; `nil` if unknown.
    @inlinable public var measured: Timestamp? {
        get { facts.measured }
        set { facts.measured = newValue }
    }
    /// Minutes east of UTC of the zone in which `measured` is shown.
    @inlinable public var measuredOffset: Int16 {
        get { facts.measuredOffset }
        set { facts.measuredOffset = newValue }
    }
    /// The duration from `measured`, in whole seconds; `nil` for a moment. Only typed readings have one.
    public var duration: Duration? {
        get { facts.lastingSeconds == 0 ? nil : .seconds(facts.lastingSeconds) }
        set { facts.lastingSeconds = UInt32(clamping: newValue?.components.seconds ?? 0) }
    }
    /// The origin of `measured`.
    @inlinable public var rule: ClockRule {
        get { facts.rule }
        set { facts.rule = newValue }
    }
}
