import CuffCore

/// The columns of `reading` in the order in which rows are written and read. Only the migrations repeat them, because a migration
/// never changes.
enum ReadingColumn: Int32, CaseIterable {
    // The columns of points come first: `ofPoints` is a prefix.
    case id, type, source, systolic_mmHg, diastolic_mmHg, mean_mmHg, pulse_per_min, user, flags, device_time, measured, clock, received
    case origin, trigger
    case revision, pending, sequence, raw, systolic_kPa, diastolic_kPa, mean_kPa, mean_absent, pulse_absent, reason, code, mdc, component
    case value, value_absent, bits, unit, host_clock, digits, unit_mdc, text
    // Entered by a person and not changed by what the cuff sends later. `noted` counts the person's changes.
    case note, medication, posture, arm, noted
    case duration_s, patient
    /// Whose it is, where a person said that of this reading.
    case person
    /// The program and the driver that decoded it, with their versions.
    case decoder
    /// Facts of the program that saved it.
    case metadata

    var name: String { "\(self)" }
    /// As a parameter, which SQLite counts from 1, and as a column of a `ReadingCursor`.
    var place: Int32 { rawValue + 1 }

    static let names = allCases.map(\.name)
    /// What no later revision of a cuff changes.
    static let notOfCuffs: Set<ReadingColumn> = [.note, .medication, .posture, .arm, .metadata, .noted, .person]
    static let remarks = Remarks.Key.allCases.map { ReadingColumn($0) }
    /// The revision that exports and sinks see: the cuff's plus the number of changes by a person.
    static let fullRevision = "(reading.revision + coalesce(reading.noted, 0))"

    init(_ key: Remarks.Key) {
        switch key {
        case .note: self = .note
        case .medication: self = .medication
        case .posture: self = .posture
        case .arm: self = .arm
        }
    }

    static let all = names.joined(separator: ",")
    /// A time later than the reception is not credible. Texts of different zones compare wrongly by hours, which is less than
    /// `ClockCorrection.slack`; the cursor makes the exact decision.
    static let receivedWhereItMatters = "iif(measured IS NULL OR measured > received, received, NULL)"
    /// The columns of home averages, at the same indexes; NULL for the others saves decoding them. The columns after `measured`
    /// are only needed without it.
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

    /// The exact value in mmHg: converted from what a cuff sent in kPa, because the column in mmHg is rounded.
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
