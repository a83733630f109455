import CuffClinical
import CuffCore

/// Saving. A call suspends its task until the values are on disk; it is not interrupted by a cancellation.
extension Store {
    /// Opens the database, and creates it if it is missing and `access` is `write`.
    /// - Throws: As ``init(_:access:)``; `StoreFault.noStandardPlace` without `path` if this user has no home.
    public static func open(_ path: String? = nil, access: Access = .write) async throws(IngestError) -> Store {
        try await DetachedThread.run { () throws(IngestError) in try Store(try Store.path(path), access: access) }
    }

    /// Keeps a reading; answers whether it is new. The same reading again changes nothing; a higher revision replaces it. A reading
    /// without an id gets one from its device and record bytes.
    /// - Throws: An `IngestError` of writing, as ``Store`` says.
    @discardableResult
    public func save(
        _ reading: Reading, device: String = "", identity: DeviceIdentity? = nil
    ) async throws(IngestError) -> Bool {
        var named = reading
        if named.id == .none {
            var ledger = ReadingLedger(device: device, driver: named.driver)
            _ = ledger.admit(&named, received: named.received ?? HostClock.now())
        }
        let chosen = named
        return try await DetachedThread.run { [self] () throws(IngestError) in
            try keep([chosen], driver: chosen.driver, device: device, identity: identity) > 0
        }
    }

    /// Keeps a reading that came from a cuff; answers whether it is new.
    /// - Throws: An `IngestError` of writing, as ``Store`` says.
    @discardableResult
    public func save(_ received: ReceivedReading) async throws(IngestError) -> Bool {
        try await save(received.reading, device: received.device, identity: received.identity)
    }

    /// Keeps what a person or the program itself says was measured, in one transaction, and answers the readings. The same values at
    /// the same time are the same reading. `zone` is that of the person's clock; `nil`: this machine's.
    /// - Throws: A `HealthError` if one of the samples cannot be stored; then none is. An `IngestError` of writing, as ``Store`` says.
    @discardableResult
    public func save(_ samples: any HealthSample..., user: Int32? = nil, zone: ZoneTable? = nil) async throws -> [Reading] {
        let zone = zone ?? HostZone.local()
        let received = HostClock.now()
        var readings: [Reading] = []
        for sample in samples { readings.append(try sample.reading(user: user, received: received, zone: zone)) }
        let chosen = readings
        return try await DetachedThread.run { [self] () throws(IngestError) in try keep(entered: chosen).readings }
    }

    /// Keeps a series; one of the same source, type and start replaces it. `driver` and `device` name the source.
    /// - Throws: An `IngestError` of writing, as ``Store`` says; `StoreFault.seriesTooPrecise` for values of too many digits.
    public func save(
        _ series: HealthSeries, driver: DriverID = "manual", device: String = ""
    ) async throws(IngestError) {
        let identity = series.device
        try await DetachedThread.run { [self] () throws(IngestError) in
            try keep(series, driver: driver, device: device, identity: identity)
        }
    }
}

extension Store {
    /// The reading of this id, e.g. that of a bucket's maximum; `nil` if it is not stored.
    /// - Throws: An `IngestError` of reading, as ``Store`` says.
    public func reading(_ id: Reading.ID) async throws(IngestError) -> Reading? {
        try await DetachedThread.run { [self] () throws(IngestError) in
            var selection = ReadingSelection(zone: .utc)
            selection.ids = [id]
            var found: Reading?
            try forEach(selection) { reading, _ in
                found = reading
                return false
            }
            return found
        }
    }
}

extension QuantitySeriesBuilder {
    /// Ends the series and keeps it.
    /// - Throws: A `HealthError` as `finish(end:reading:)`; an `IngestError` of writing, as ``Store`` says.
    @discardableResult
    public mutating func finish(
        in store: Store, end: Timestamp? = nil, reading: Reading.ID? = nil
    ) async throws -> QuantitySeries {
        let series = try finish(end: end, reading: reading)
        try await store.save(.quantity(series))
        return series
    }
}

extension HeartbeatSeriesBuilder {
    /// Ends the series and keeps it.
    /// - Throws: A `HealthError` as `finish(reading:)`; an `IngestError` of writing, as ``Store`` says.
    @discardableResult
    public mutating func finish(in store: Store, reading: Reading.ID? = nil) async throws -> HeartbeatSeries {
        let series = try finish(reading: reading)
        try await store.save(.heartbeats(series))
        return series
    }
}
