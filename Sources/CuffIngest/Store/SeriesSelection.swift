import CuffClinical
import CuffCore
import SQLite

/// Which stored series are meant: every condition that is set must hold.
public struct SeriesSelection: Sendable, Hashable {
    /// The kinds of series. The raw value is the type in JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case quantity = "quantity_series"
        case heartbeats = "heartbeat_series"
        case waveforms = "waveform_series"
    }

    /// Empty means all.
    public var kinds: Set<Kind> = []
    /// From this instant on, by its start.
    public var since: Timestamp?
    /// Up to this instant, which is not included.
    public var until: Timestamp?
    /// Those that these readings own; empty means any, also those that no reading owns.
    public var readings: [Reading.ID] = []
    /// The series stored under this identity; `nil`: under any.
    public var device: String?
    /// The series of this driver; `nil`: of any.
    public var driver: String?
    /// Those of this person in the view of `household`: of their readings, and without a reading of their cuff; `nil`: of all.
    public var person: Person?
    /// Who is who.
    public var household = Household()
    /// Those owned by readings of this user slot.
    public var user: Int?
    /// Those of readings that tell no user, and those that no reading owns.
    public var isWithoutUser = false
    /// Only the latest so many.
    public var last: Int?
    /// Those that the export of this name has not given yet.
    public var newFor: String?
    /// What their values must be, each of these.
    public var conditions: [SeriesCondition] = []

    /// No condition is set.
    public init() {}

    /// The series of what a selection of readings says of time, source, user and ids.
    public init(_ selection: ReadingSelection, kinds: Set<Kind> = []) {
        self.kinds = kinds
        (since, until, readings) = (selection.since, selection.until, selection.ids)
        (device, driver, last) = (selection.device, selection.driver, selection.last)
        (person, household) = (selection.person, selection.household)
        (user, isWithoutUser, newFor) = (selection.user, selection.isWithoutUser, selection.newFor)
    }
}

/// A series and whose it is.
public struct StoredSeries: Sendable, Hashable {
    /// Its number in the database.
    public var number: Int64
    /// The series itself.
    public var series: HealthSeries
    /// The cuff the series is from.
    public var provenance: Provenance
    /// The user slot of the reading that owns it.
    public var user: Int?
    /// Whose it is.
    public var person: Person
}
