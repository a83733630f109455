import CuffClinical
import CuffCore
import SQLite

/// Selects stored series; all conditions that are set must hold.
public struct SeriesSelection: Sendable, Hashable {
    /// The kinds of series. The raw value is the type in JSON.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case quantity = "quantity_series"
        case heartbeats = "heartbeat_series"
        case waveforms = "waveform_series"
    }

    /// Empty: all.
    public var kinds: Set<Kind> = []
    /// Start of the range of starting times, included.
    public var since: Timestamp?
    /// End of the range, not included.
    public var until: Timestamp?
    /// Series that belong to these readings; empty: any, including series without a reading.
    public var readings: [Reading.ID] = []
    /// Stored under this identity; of a cuff without one, its driver. `nil`: any.
    public var device: String?
    /// A driver id; `nil`: any.
    public var driver: String?
    /// Those of this person in the view of `household`: of their readings, and without a reading of their cuff; `nil`: of all.
    public var person: Person?
    /// Who is who.
    public var household = Household()
    /// Those owned by readings of this user slot.
    public var user: Int?
    /// Series of readings without a user, and series without a reading.
    public var isWithoutUser = false
    /// Only the latest.
    public var last: Int?
    /// Only series that this export has not yet delivered.
    public var newFor: String?
    /// Conditions on the values; all must hold.
    public var conditions: [SeriesCondition] = []

    /// Without conditions.
    public init() {}

    /// The series that match the time, source, user and ids of a selection of readings.
    public init(_ selection: ReadingSelection, kinds: Set<Kind> = []) {
        self.kinds = kinds
        (since, until, readings) = (selection.since, selection.until, selection.ids)
        (device, driver, last) = (selection.device, selection.driver, selection.last)
        (person, household) = (selection.person, selection.household)
        (user, isWithoutUser, newFor) = (selection.user, selection.isWithoutUser, selection.newFor)
    }
}

/// A series with its source and user.
public struct StoredSeries: Sendable, Hashable {
    /// Its row number.
    public var number: Int64
    /// The series.
    public var series: HealthSeries
    /// The cuff that recorded it.
    public var provenance: Provenance
    /// The user slot of its reading.
    public var user: Int?
    /// Whose it is.
    public var person: Person
}
