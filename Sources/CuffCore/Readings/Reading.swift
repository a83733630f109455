/// What a sink receives and keeps: one result of one cuff, with where and when it came from.
public struct Reading: Sendable, Hashable {
    /// The result itself; exactly one of these.
    public enum Content: Sendable, Hashable {
        case bloodPressure(BloodPressure)
        /// A pulse with no blood pressure beside it: an oximeter's, or one whose pressures never came.
        case pulseRate(PulseRate)
        case quantity(Quantity)
        /// The cuff measured and failed.
        case failure(Failure)
    }

    /// How the reading came to this program.
    public enum Origin: UInt8, Sendable, Hashable {
        /// Read from the cuff's memory.
        case memory
        /// Sent by the cuff of its own accord.
        case push
        /// The end of a measurement that the host started or watched.
        case measurement
        /// Typed in by a person.
        case entered

        /// The value of `origin` in JSON.
        public var word: StaticString {
            switch self {
            case .memory: "memory"
            case .push: "push"
            case .measurement: "measurement"
            case .entered: "entered"
            }
        }
    }

    /// What tells a record from another one with the same bytes, where neither time nor number does so alone.
    public enum Repetition: UInt8, Sendable, Hashable {
        /// Its arrival: each is a measurement of its own.
        case none
        /// Its place among equal ones of the same dump (`occurrence`): the same memory may be read again.
        case inDump
        /// The cuff sends it again until it is acknowledged: until then it is the same, and afterwards another.
        case untilAcknowledged
        /// Its bytes are those of the pressures alone; the pulse may come later. With equal bytes another pulse is another
        /// measurement with another id, and no pulse is the same measurement with less.
        case withoutPulse
    }

    /// Who started the measurement, where the cuff says so.
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

    /// Deterministic and sortable: the cuff's own time of the measurement, then a hash (see `ReadingLedger`).
    ///
    /// The time is kept as the fields that are printed, so that no calendar has to be computed for a line of text.
    public struct ID: Sendable, Hashable {
        private(set) var year: Int16 = 0
        /// 0 where no time begins the id, which then prints as zeros.
        private(set) var month: UInt8 = 0
        private(set) var day: UInt8 = 0
        private(set) var hour: UInt8 = 0
        private(set) var minute: UInt8 = 0
        private(set) var second: UInt8 = 0
        /// The part of the id behind the time: 64 bits over cuff, user and record (`ReadingLedger`).
        public var hash: UInt64 = 0

        /// The time that begins the id as one number, in the order of the printed form; 0 where no time begins it.
        @inline(__always)
        public var sortKey: UInt64 {
            let day = UInt64(UInt16(truncatingIfNeeded: year)) << 16 | UInt64(month) << 8 | UInt64(self.day)
            return day << 24 | UInt64(hour) << 16 | UInt64(minute) << 8 | UInt64(second)
        }

        private init() {}
        /// Not yet named.
        public static var none: ID { ID() }

        /// An id that begins with this wall-clock time (seconds since 1970 as if in UTC); `nil`: no time begins it.
        public init(wallSeconds: Int64?, hash: UInt64) {
            self.hash = hash
            begin(wallSeconds.map { DeviceTime(wallSeconds: $0) })
        }

        /// The wall clock that begins the printed form, to the second.
        @inline(__always)
        mutating func begin(_ time: DeviceTime?) {
            year = time?.year ?? 0
            month = time?.month ?? 0
            day = time?.day ?? 0
            hour = time?.hour ?? 0
            minute = time?.minute ?? 0
            second = time?.second ?? 0
        }

        /// The same as seconds since 1970 on that wall clock; `nil` where no time begins the id.
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

    /// Everything but the record's bytes. It is one plain block of memory, so that copying a reading is cheap: copying it
    /// field by field took a fifth of the time from bytes to JSON.
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
    /// The bytes of the record as the cuff sent them; of a typed reading, the text it was made from.
    public var raw: RawBytes
    /// The value of a quantity that is text (an IEEE 11073 enumeration), printable and at most `longestText` bytes; `raw`
    /// has the whole of it.
    public var text: String?
    /// What a person said beside the reading; `nil` for nothing. A cuff never says any of it.
    public var remarks: Remarks?
    /// The name of the person whose reading it is; `nil` if only the cuff and its user slot are known. No driver sets it: it is looked up
    /// in the user's configuration, or a person has said it of this reading.
    public var person: String?
    /// The longest name of a person, in bytes of UTF-8.
    public static let longestPerson = 80
    /// Text of an enumeration names a state or an event: at most a sentence.
    public static let longestText = 256

    /// A reading as its driver makes it, without id and times. A blood pressure that is not plausible gets the flag
    /// `implausible`.
    public init(
        _ content: Content, driver: DriverID, user: Int32? = nil, flags: MeasurementFlags = [],
        clock: DeviceClock = .absent, origin: Origin, trigger: Trigger = .unknown, sequence: UInt32? = nil,
        raw: RawBytes
    ) {
        var flags = flags
        if case .bloodPressure(let pressure) = content, !pressure.isPlausible { flags.insert(.implausible) }
        facts = Facts(
            content: content, driver: driver, clock: clock, user: user, flags: flags, sequence: sequence,
            origin: origin, trigger: trigger)
        self.raw = raw
    }

    /// The blood pressure; `nil` for any other content.
    public var bloodPressure: BloodPressure? {
        if case .bloodPressure(let pressure) = content { pressure } else { nil }
    }
}

extension Reading {
    // What the driver says.
    /// What was measured, or that it failed.
    @inlinable public var content: Content {
        get { facts.content }
        set { facts.content = newValue }
    }
    /// The driver that decoded the record.
    @inlinable public var driver: DriverID {
        get { facts.driver }
        set { facts.driver = newValue }
    }
    /// The user slot or person number exactly as the cuff counts; `nil` when the cuff has no users.
    @inlinable public var user: Int32? {
        get { facts.user }
        set { facts.user = newValue }
    }
    /// What the cuff and this program remark beside the values.
    @inlinable public var flags: MeasurementFlags {
        get { facts.flags }
        set { facts.flags = newValue }
    }
    /// What the record says of the cuff's clock. It is never changed by a correction.
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
    /// The cuff's own number of this record, where it has one that stays with the record.
    @inlinable public var sequence: UInt32? {
        get { facts.sequence }
        set { facts.sequence = newValue }
    }
    /// What tells this record from another one with the same bytes.
    @inlinable public var repetition: Repetition {
        get { facts.repetition }
        set { facts.repetition = newValue }
    }
    /// How many equal records stood before this one in the same dump (`DumpOccurrences`) or report.
    @inlinable public var occurrence: UInt16 {
        get { facts.occurrence }
        set { facts.occurrence = newValue }
    }
    /// The values may still be completed under the same id (IEEE 11073 agents send pulse and pressure apart).
    @inlinable public var isPending: Bool {
        get { facts.isPending }
        set { facts.isPending = newValue }
    }
    /// 0 at first; higher numbers replace lower ones of the same id.
    @inlinable public var revision: UInt8 {
        get { facts.revision }
        set { facts.revision = newValue }
    }

    /// What the record says of another record of the same determination; `none` once the reading has its name.
    @inlinable public var reference: Reference {
        get { facts.reference }
        set { facts.reference = newValue }
    }
    /// No copy of a reading has a higher revision: it was deleted, or its sender withdrew it.
    public static let lastRevision: UInt8 = 255

    // What the host adds.
    /// The name of the reading; `ID.none` until `ReadingLedger` gives one.
    @inlinable public var id: ID {
        get { facts.id }
        set { facts.id = newValue }
    }
    /// When this program received the record, by the host's clock; `nil` for bytes from a file.
    @inlinable public var received: Timestamp? {
        get { facts.received }
        set { facts.received = newValue }
    }
    /// The host's own clock was not synchronised with any other when the reading arrived: `received`, and what was corrected
    /// by it, may be wrong.
    @inlinable public var isHostClockUnsynchronised: Bool {
        get { facts.isHostClockUnsynchronised }
        set { facts.isHostClockUnsynchronised = newValue }
    }
    /// The best known instant of the measurement (`rule` says what it rests on); `nil` where none is known.
    @inlinable public var measured: Timestamp? {
        get { facts.measured }
        set { facts.measured = newValue }
    }
    /// Minutes east of UTC of the zone in which `measured` is shown.
    @inlinable public var measuredOffset: Int16 {
        get { facts.measuredOffset }
        set { facts.measuredOffset = newValue }
    }
    /// How long it lasted from `measured` on, in whole seconds; `nil` for a moment. Only a person says it.
    public var duration: Duration? {
        get { facts.lastingSeconds == 0 ? nil : .seconds(facts.lastingSeconds) }
        set { facts.lastingSeconds = UInt32(clamping: newValue?.components.seconds ?? 0) }
    }
    /// What `measured` rests on.
    @inlinable public var rule: ClockRule {
        get { facts.rule }
        set { facts.rule = newValue }
    }
}
