import CuffCore

/// What statistics need of one blood pressure: when, by what cause, and its numbers in mmHg and beats per minute.
public struct ReadingPoint: Sendable, Hashable {
    /// The id of the reading.
    public var id: Reading.ID
    /// The instant that the statistics place it at.
    public var time: Timestamp
    /// The systolic pressure in mmHg, converted where the cuff sent kPa.
    public var systolic: Double
    /// The diastolic pressure in mmHg, converted where the cuff sent kPa.
    public var diastolic: Double
    /// The mean pressure in mmHg; `nil` where the cuff sent none.
    public var mean: Double?
    /// Beats per minute; `nil` where the cuff sent none.
    public var pulse: Double?
    /// Who started the measurement.
    public var trigger: Reading.Trigger
    /// The flags of the reading.
    public var flags: MeasurementFlags

    /// Sets each property as given.
    public init(
        id: Reading.ID, time: Timestamp, systolic: Double, diastolic: Double, mean: Double? = nil, pulse: Double? = nil,
        trigger: Reading.Trigger = .unknown, flags: MeasurementFlags = []
    ) {
        self.id = id
        self.time = time
        self.systolic = systolic
        self.diastolic = diastolic
        self.mean = mean
        self.pulse = pulse
        self.trigger = trigger
        self.flags = flags
    }

    /// Ascending in time; within one instant by id.
    public static func isEarlier(_ a: ReadingPoint, _ b: ReadingPoint) -> Bool {
        a.time != b.time ? a.time < b.time : Reading.ID.precedes(a.id, b.id)
    }
}

/// Why a stored reading does not count in averages and charts. It stays in the database and is listed with its reason.
public enum Exclusion: UInt8, Sendable, Hashable, CaseIterable {
    /// A failed measurement, or a quantity other than a blood pressure.
    case notABloodPressure
    /// The cuff has not completed it.
    case pending
    /// The cuff's clock was not set, and the arrival says nothing about the time of the measurement.
    case timeUnknown
    /// Its time is later than its reception, so it is none.
    case timeImplausible
    case implausible
    /// The cuff itself calls the value invalid or not available.
    case invalid
    /// Made while calibrating, testing or demonstrating.
    case notAPatient
    /// An intermediate value of a measurement that went on.
    case provisional
    /// Asked for by the caller: the person moved, or the cuff sat badly.
    case disturbed
    /// A person set it aside.
    case setAside

    /// The reason in JSON.
    public var word: StaticString {
        switch self {
        case .notABloodPressure: "not_a_blood_pressure"
        case .pending: "pending"
        case .timeUnknown: "time_unknown"
        case .timeImplausible: "time_implausible"
        case .implausible: "implausible"
        case .invalid: "invalid"
        case .notAPatient: "test_data"
        case .provisional: "provisional"
        case .disturbed: "disturbed"
        case .setAside: "set_aside"
        }
    }

    /// For people, in the middle of a sentence.
    public var sentence: StaticString {
        switch self {
        case .notABloodPressure: "the measurement gave no blood pressure"
        case .pending: "the cuff has not completed it"
        case .timeUnknown: "its time is unknown: the cuff's clock was not set"
        case .timeImplausible: "its time is later than its reception, so the cuff's clock was wrong"
        case .implausible: "the values are outside what an arm can have"
        case .invalid: "the cuff calls the value invalid"
        case .notAPatient: "it was made for a test, a calibration or a demonstration"
        case .provisional: "it is an intermediate value"
        case .disturbed: "the cuff noticed movement, a loose cuff or a wrong position"
        case .setAside: "it was set aside by hand"
        }
    }
}

/// Which readings count. The usual rule excludes only what is not a measurement of a person at a known time.
public struct InclusionRule: Sendable, Hashable {
    /// Also leave out readings with movement, a loose cuff or an improper position.
    public var excludesDisturbed: Bool
    /// The zone in which a cuff's own time is read where nothing better is known.
    public var zone: ZoneTable

    /// The usual rule; `excludesDisturbed` makes it stricter.
    public init(zone: ZoneTable, excludesDisturbed: Bool = false) {
        self.zone = zone
        self.excludesDisturbed = excludesDisturbed
    }

    /// Whether a reading counts: with what values, or why not.
    public enum Verdict: Sendable, Hashable {
        case counts(ReadingPoint)
        case excluded(Exclusion)
    }

    /// Judges one reading; it depends on nothing but the reading and the rule.
    public func verdict(on reading: borrowing Reading) -> Verdict {
        guard case .bloodPressure(let pressure) = reading.content else { return .excluded(.notABloodPressure) }
        if reading.isPending { return .excluded(.pending) }
        if let reason = reason(reading.flags) { return .excluded(reason) }
        guard let time = reading.bestTime(in: zone) else {
            return .excluded(reading.hasImplausibleTime(in: zone) ? .timeImplausible : .timeUnknown)
        }
        return .counts(
            ReadingPoint(
                id: reading.id, time: time, systolic: pressure.systolic.inMmHg, diastolic: pressure.diastolic.inMmHg,
                mean: pressure.mean?.inMmHg, pulse: pressure.pulse?.digits.value, trigger: reading.trigger,
                flags: reading.flags))
    }

    /// Why these flags exclude a reading; `nil` where they do not.
    public func reason(_ flags: MeasurementFlags) -> Exclusion? {
        if flags.contains(.implausible) { return .implausible }
        if !flags.isDisjoint(with: [.invalid, .notAvailable]) { return .invalid }
        if !flags.isDisjoint(with: [.testData, .demoData, .calibrationOngoing]) { return .notAPatient }
        if !flags.isDisjoint(with: [.earlyIndication, .ongoing]) { return .provisional }
        if excludesDisturbed && !flags.isDisjoint(with: [.bodyMovement, .cuffLoose, .improperPosition]) {
            return .disturbed
        }
        return nil
    }
}
