import CuffCore

/// One alert rule of the user. Rules are data; no threshold is built in.
package struct AlertRule: Sendable, Hashable {
    package enum Trigger: Sendable, Hashable {
        /// The values of one reading, or of two if the condition must be repeated.
        case values(AlertCondition, clear: AlertCondition?, repeated: Repeated?)
        /// The cuff reported an irregular pulse in `count` of the last `of` readings, all of them within a time.
        case irregularPulse(count: Int, of: Int, within: Duration)
        /// No reading arrived for this long after an automatic measurement was due.
        case silence(Duration)
    }

    /// A second reading must meet the condition, too.
    package struct Repeated: Sendable, Hashable {
        package var after: Duration
        package var within: Duration

        package init(after: Duration, within: Duration) {
            self.after = after
            self.within = within
        }

        /// At least a minute apart, as protocols with pairs of readings require; within a quarter of an hour.
        package static let standard = Repeated(after: .seconds(60), within: .seconds(900))
    }

    package var name: String
    package var trigger: Trigger
    /// Only readings of this driver; `nil`: of any driver.
    package var driver: DriverID?
    /// Only readings of the cuff with this name; `nil`: of any cuff.
    package var device: String?
    /// Only readings of this person: a configured name or a slot number; `nil`: of every person, each separately.
    package var person: String?
    /// Flags that do not exclude a reading.
    package var accepted: MeasurementFlags = []
    /// If the condition persists, the alert is repeated after this long.
    package var again = AlertRule.standardAgain

    package init(name: String, trigger: Trigger, driver: DriverID? = nil, device: String? = nil) {
        self.name = name
        self.trigger = trigger
        self.driver = driver
        self.device = device
    }

    /// Half a day: an alert that never clears must not hide later ones.
    static let standardAgain = Duration.seconds(12 * 3600)
    /// One sitting: three readings with pauses.
    package static let standardIrregularSpan = Duration.seconds(30 * 60)

    /// Flags that do not put the values in doubt. Rules ignore a reading with any other flag, unless it is in `accepted`.
    package static let harmless: MeasurementFlags = [.cuffFitted, .averaged, .remeasured, .validated, .joined]
    /// Flags that a rule may accept. Implausible, invalid, incomplete and test readings are always ignored.
    package static let acceptable: [MeasurementFlags] = [
        .irregularPulse, .bodyMovement, .cuffLoose, .improperPosition, .pulseOverRange, .pulseUnderRange, .noMeasurementCheck,
        .qualityNoted, .questionable,
    ]

    package var condition: String {
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

    /// Identifies the rule after a restart.
    var identity: UInt64 {
        var words = [name, condition, driver?.description ?? "", device ?? "", person ?? ""]
        if case .values(_, let clear, let repeated) = trigger {
            words += [clear?.text ?? "", repeated.map { "\($0.after.components.seconds)-\($0.within.components.seconds)" } ?? ""]
        }
        return XXHash64.hash(Array(words.joined(separator: "\u{0}").utf8).span)
    }

    /// The flags that exclude a reading; empty if the reading counts.
    func objections(to flags: MeasurementFlags) -> MeasurementFlags {
        var known = Self.harmless.union(accepted)
        // Such a rule is about this flag.
        if case .irregularPulse = trigger { known.insert(.irregularPulse) }
        return flags.subtracting(known)
    }
}
