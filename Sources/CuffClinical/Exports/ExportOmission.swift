/// Why one reading is left out of an export.
public enum ExportOmission: Error, Sendable, Hashable {
    case timeUnknown
    /// The time is known only on the cuff's clock, in an unknown zone.
    case zoneUnknown
    case incomplete
    case excluded(Exclusion)
    /// The person has no subject.
    case noSubject(Person)
    case failed
    /// The format cannot hold readings of this type, a word of the JSON vocabulary.
    case noPlace(type: String)
    case noValue
    /// Its unit has no UCUM code.
    case noUnit
    case invalid(String)
}
