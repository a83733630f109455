import CuffCore

/// One rule of the user: what is to be watched, and of whom. Rules are data; nothing here knows a threshold.
public struct AlertRule: Sendable, Hashable {
    /// What makes the rule hold.
    public enum Trigger: Sendable, Hashable {
        /// The values of a reading; of two readings where it must be repeated.
        case values(AlertCondition, clear: AlertCondition?, repeated: Repeated?)
        /// The cuff noticed an irregular pulse in so many of the last readings, all of them within a time.
        case irregularPulse(count: Int, of: Int, within: Duration)
        /// No reading came for so long after an automatic measurement was due.
        case silence(Duration)
    }

    /// The rule stands only when a second reading meets it, too.
    public struct Repeated: Sendable, Hashable {
        /// The second reading comes at least this long after the first.
        public var after: Duration
        /// And at most this long.
        public var within: Duration

        /// Sets each property as given.
        public init(after: Duration, within: Duration) {
            self.after = after
            self.within = within
        }

        /// At least a minute apart, as every protocol of pairs asks for; within a quarter of an hour.
        public static let standard = Repeated(after: .seconds(60), within: .seconds(900))
    }

    /// The user's name for it.
    public var name: String
    /// What makes it hold.
    public var trigger: Trigger
    /// Readings of this driver only; `nil`: of any.
    public var driver: DriverID?
    /// Readings of this cuff only, by the name its readings carry; `nil`: of any.
    public var device: String?
    /// Readings of this person only: a name that the user gave, or the number of a slot; `nil`: of anybody, each person apart.
    public var person: String?
    /// Remarks with which a reading counts all the same.
    public var accepted: MeasurementFlags
    /// While the rule goes on holding, it is raised anew after this long.
    public var again: Duration

    /// Sets each property as given.
    public init(
        name: String, trigger: Trigger, driver: DriverID? = nil, device: String? = nil, person: String? = nil,
        accepted: MeasurementFlags = [], again: Duration = AlertRule.standardAgain
    ) {
        self.name = name
        self.trigger = trigger
        self.driver = driver
        self.device = device
        self.person = person
        self.accepted = accepted
        self.again = again
    }

    /// Half a day: a rule that never clears must not silence what comes later.
    public static let standardAgain = Duration.seconds(12 * 3600)
    /// One sitting: three readings with pauses between.
    public static let standardIrregularSpan = Duration.seconds(30 * 60)

    /// Remarks that say nothing against the values. A reading with any other is doubtful, and no rule looks at it unless
    /// `accepted` names the remark.
    public static let harmless: MeasurementFlags = [.cuffFitted, .averaged, .remeasured, .validated, .joined]
    /// Remarks that a rule may accept: those of a cuff or a protocol about a value that is one. What is implausible, invalid,
    /// incomplete or made for a test is never looked at.
    public static let acceptable: [MeasurementFlags] = [
        .irregularPulse, .bodyMovement, .cuffLoose, .improperPosition, .pulseOverRange, .pulseUnderRange, .noMeasurementCheck,
        .qualityNoted, .questionable,
    ]

    /// The condition as the user wrote it.
    public var condition: String {
        switch trigger {
        case .values(let condition, _, _): condition.text
        case .irregularPulse(let count, let all, _): "irregular pulse in \(count) of \(all)"
        case .silence(let time): "no reading for \(Self.words(time)) after it was due"
        }
    }

    /// `15 min`, `90 s`, `2 h`.
    static func words(_ time: Duration) -> String {
        let seconds = time.components.seconds
        if seconds > 0, seconds % 3600 == 0 { return "\(seconds / 3600) h" }
        return seconds > 0 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
    }

    /// What has to be the same for an alert to be the same after a restart.
    var identity: UInt64 {
        var words = [name, condition, driver?.description ?? "", device ?? "", person ?? ""]
        if case .values(_, let clear, let repeated) = trigger {
            words += [clear?.text ?? "", repeated.map { "\($0.after.components.seconds)-\($0.within.components.seconds)" } ?? ""]
        }
        return XXHash64.hash(Array(words.joined(separator: "\u{0}").utf8).span)
    }

    /// Which remarks keep a reading out; empty where the reading counts.
    func objections(to flags: MeasurementFlags) -> MeasurementFlags {
        var known = Self.harmless.union(accepted)
        // The remark is what such a rule asks for.
        if case .irregularPulse = trigger { known.insert(.irregularPulse) }
        return flags.subtracting(known)
    }
}

/// Who is who at which cuff: what the user says of slots.
public struct AlertPersons: Sendable, Hashable {
    /// Names by cuff and slot.
    public var names: [String: [Int: String]]

    /// Nobody has a name unless it is given.
    public init(_ names: [String: [Int: String]] = [:]) { self.names = names }

    /// The name of the person who used the cuff; `nil` where nobody gave one.
    public func name(device: String, user: Int32?) -> String? { user.flatMap { names[device]?[Int($0)] } }

    /// Whether a reading is of the person whom a rule names.
    func isMeant(_ person: String, device: String, user: Int32?) -> Bool {
        if person == "none" { return user == nil }
        if let number = Int(person) { return user.map { Int($0) == number } ?? false }
        return name(device: device, user: user)?.lowercased() == person.lowercased()
    }
}
