import CuffCore

/// Why averages and charts do not count a stored reading. It stays in the database and is listed with its reason, whose word in JSON is the
/// raw value.
public enum Exclusion: String, Sendable, Hashable, CaseIterable {
    /// A failed measurement, or a quantity other than a blood pressure.
    case notABloodPressure = "not_a_blood_pressure"
    case pending
    /// The cuff's clock was not set, and the arrival does not show when it was measured.
    case timeUnknown = "time_unknown"
    /// Its time is later than its reception, so it is wrong.
    case timeImplausible = "time_implausible"
    case implausible
    /// The cuff calls the value invalid or not available.
    case invalid
    /// A calibration, a test or a demonstration.
    case notAPatient = "test_data"
    case provisional
    /// On request: the person moved, or the cuff was badly placed.
    case disturbed
    case setAside = "set_aside"
    /// One of the inflations in an average of the cuff, which counts instead (`AverageParts`).
    case partOfAverage = "part_of_average"

    /// A clause of a sentence for people.
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
        case .partOfAverage: "the cuff made an average of it that counts"
        }
    }
}

/// Which readings count. By default all measurements of a person at a known time.
package struct InclusionRule: Sendable, Hashable {
    /// Also leave out readings with movement, a loose cuff or an improper position.
    package var excludesDisturbed: Bool
    /// The zone of a cuff's own time, if no better time is known.
    package var zone: ZoneTable

    /// The default rule; `excludesDisturbed` makes it stricter.
    package init(zone: ZoneTable, excludesDisturbed: Bool = false) {
        self.zone = zone
        self.excludesDisturbed = excludesDisturbed
    }

    /// Whether a reading counts: its values, or why not.
    package enum Verdict: Sendable, Hashable {
        case counts(ReadingPoint)
        case excluded(Exclusion)
    }

    package func verdict(on reading: borrowing Reading) -> Verdict {
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

    /// Why these flags exclude a reading; `nil` if they do not.
    package func reason(_ flags: MeasurementFlags) -> Exclusion? {
        if flags.contains(.implausible) { return .implausible }
        if !flags.isDisjoint(with: [.invalid, .notAvailable]) { return .invalid }
        if !flags.isDisjoint(with: [.testData, .demoData, .calibrationOngoing]) { return .notAPatient }
        if !flags.isDisjoint(with: [.earlyIndication, .ongoing]) { return .provisional }
        if excludesDisturbed && !flags.isDisjoint(with: [.bodyMovement, .cuffLoose, .improperPosition]) {
            return .disturbed
        }
        return nil
    }

    package func counts(_ reading: borrowing Reading) -> Bool { if case .counts = verdict(on: reading) { true } else { false } }
}
