import CuffCore
import Glibc

/// Selects a live cuff's readings: those of a range of time, or those that a database does not have. Unselected readings are not
/// stored, so a range is refused for a cuff that forgets what was acknowledged.
public struct ReadingFilter: Sendable {
    /// Start of the range, included.
    public var since: Timestamp?
    /// End of the range, not included.
    public var until: Timestamp?
    /// The zone of the cuff's clock.
    public var zone: ZoneTable
    /// Leaves out readings that this database has, or had and deleted.
    public var unknownTo: Store?

    /// `since` included, `until` not; `unknownTo` leaves out what this database already has.
    public init(since: Timestamp? = nil, until: Timestamp? = nil, zone: ZoneTable, unknownTo: Store? = nil) {
        self.since = since
        self.until = until
        self.zone = zone
        self.unknownTo = unknownTo
    }

    /// Whether it leaves out readings that are stored nowhere.
    var isByTime: Bool { since != nil || until != nil }

    /// A reading of unknown time is in no range. An unreadable database counts as empty.
    func accepts(_ reading: Reading) -> Bool {
        if isByTime {
            guard let time = reading.bestTime(in: zone) else { return false }
            if let since, time < since { return false }
            if let until, time >= until { return false }
        }
        guard let unknownTo else { return true }
        return ((try? unknownTo.holds(reading)) ?? false) == false
    }

    /// - Throws: An `IngestError` of status `usage` if a range would lose readings of this driver.
    public func permit(_ driver: CuffDriver) throws(IngestError) {
        guard isByTime, driver.capabilities.contains(.forgets) else { return }
        throw IngestError(CommandFault.forgetsOutside(driver.id.description))
    }

    /// From arguments; `nil` without any.
    /// - Throws: An `IngestError` of status `usage` for an unknown zone, a text that is not a time, and an empty range; for the
    ///   database as ``Store``.
    public static func asked(since: String?, until: String?, newTo path: String?, zone name: String?) throws(IngestError) -> ReadingFilter?
    {
        guard since != nil || until != nil || path != nil else { return nil }
        let zone = try HostZone.named(name)
        var filter = ReadingFilter(zone: zone)
        if let since { filter.since = try HostZone.instant(since, zone) }
        if let until { filter.until = try HostZone.instant(until, zone) }
        if let since = filter.since, let until = filter.until, since >= until {
            throw IngestError(RequestFault.emptyRange)
        }
        // A missing database counts as empty.
        if let path, access(path, F_OK) == 0 { filter.unknownTo = try Store(path, access: .read) }
        return filter
    }
}
