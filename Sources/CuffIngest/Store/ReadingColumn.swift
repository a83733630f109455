import CuffCore

/// The columns of `reading`, once for everything that names or counts them: rows are written and read in this order. The
/// migrations alone spell them again, for what a migration does never changes.
enum ReadingColumn: Int32, CaseIterable {
    // What points need comes first, so that SQLite does not walk the rest of the row.
    case id, type, source, systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, flags, device_time, measured, clock, received
    case origin, trigger
    case revision, pending, sequence, raw, systolic_kPa, diastolic_kPa, mean_kPa, mean_absent, pulse_absent, reason, code, mdc, component
    case value, value_absent, bits, unit, host_clock, digits, unit_mdc, text
    // A person's: what a cuff says anew leaves them as they are. `noted` counts the person's changes.
    case note, medication, posture, arm, noted
    case duration_s, patient
    /// Whose it is, where a person said that of this reading.
    case person

    var name: String { "\(self)" }
    /// SQLite counts parameters from 1.
    var parameter: Int32 { rawValue + 1 }

    static let names = allCases.map(\.name)
    /// The columns that only a person fills.
    static let ofPersons: Set<ReadingColumn> = [.note, .medication, .posture, .arm, .noted, .person]
    static let remarks: [ReadingColumn] = [.note, .medication, .posture, .arm]
    /// What the cuff has completed, and what a person has changed since: the revision that is given to others.
    static let fullRevision = "(reading.revision + coalesce(reading.noted, 0))"

    init(_ key: Remarks.Key) {
        switch key {
        case .note: self = .note
        case .medication: self = .medication
        case .posture: self = .posture
        case .arm: self = .arm
        }
    }

    /// `id,type,…`
    static let all = names.joined(separator: ",")
    /// A time later than the reception is none. Texts of another zone compare wrongly by hours, which is less than the slack
    /// (`ClockCorrection.slack`): the cursor judges what this lets through.
    static let receivedWhereItMatters = "iif(measured IS NULL OR measured > received, received, NULL)"
    /// What home averages need, in the same places: SQLite decodes no column that nobody looks at. What stands behind `measured`
    /// only serves where that is missing.
    static func ofHomeReadings(withIDs: Bool) -> String {
        let columns = allCases.prefix { $0 != .revision }.map { column in
            switch column {
            case .id: withIDs ? column.name : "NULL"
            case .type, .mean_mmHg, .trigger: "NULL"
            case .received: receivedWhereItMatters
            case .device_time, .clock, .origin: "iif(measured IS NULL, \(column.name), NULL)"
            default: column.exact
            }
        }
        return columns.joined(separator: ",")
    }
    static let ofPoints = allCases.prefix { $0 != .revision }.map(\.exact).joined(separator: ",")

    /// What is computed with: of a cuff that sends kPa, what it sent. The column in mmHg is rounded for people.
    var exact: String {
        let kPa: ReadingColumn
        switch self {
        case .systolic_mmHg: kPa = .systolic_kPa
        case .diastolic_mmHg: kPa = .diastolic_kPa
        case .mean_mmHg: kPa = .mean_kPa
        default: return name
        }
        return "iif(\(kPa.name) IS NULL, \(name), \(kPa.name) * \(Pressure.mmHgPerKPa))"
    }
}
