/// Why one reading is left out of an export.
public enum ExportOmission: Error, Sendable, Hashable {
    /// The time of the measurement is unknown.
    case timeUnknown
    /// The time is known only on the cuff's clock, in an unknown zone.
    case zoneUnknown
    /// The cuff has not completed it.
    case incomplete
    /// It is excluded, for this reason.
    case excluded(Exclusion)
    /// The person has no subject.
    case noSubject(Person)
    /// The format cannot hold failed measurements.
    case failed
    /// The format cannot hold readings of this type, a word of the JSON vocabulary.
    case noPlace(type: String)
    /// The format can hold none of its values.
    case noValue
    /// Its unit has no UCUM code.
    case noUnit
    /// Its values are inconsistent, for this reason.
    case invalid(String)
}
