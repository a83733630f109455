import CuffCore
import Glibc

/// Which of a live cuff's readings are wanted: those of a stretch of time, or those a database does not hold yet. What is
/// left out is not stored, so it must not be asked of a cuff that forgets what it was acknowledged for.
public struct ReadingFilter: Sendable {
    /// From this instant on.
    public var since: Timestamp?
    /// Up to this instant, which is not included.
    public var until: Timestamp?
    /// The zone of a cuff's own clock.
    public var zone: ZoneTable
    /// Readings that this database holds, or held and deleted, are left out.
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

    /// A reading whose time is unknown is in no stretch of time. A database that cannot be asked holds nothing.
    func accepts(_ reading: Reading) -> Bool {
        if isByTime {
            guard let time = reading.bestTime(in: zone) else { return false }
            if let since, time < since { return false }
            if let until, time >= until { return false }
        }
        guard let unknownTo else { return true }
        return ((try? unknownTo.holds(reading)) ?? false) == false
    }

    /// Refuses a range where it would lose readings.
    public func permit(_ driver: CuffDriver) throws(IngestError) {
        guard isByTime, driver.capabilities.contains(.forgets) else { return }
        throw IngestError(CommandFault.forgetsOutside(driver.id.description))
    }
}

extension ReadingFilter {
    /// As it was asked for; `nil` where nothing was.
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
        // A database that is not there yet holds nothing.
        if let path, access(path, F_OK) == 0 { filter.unknownTo = try Store(path, access: .read) }
        return filter
    }
}
