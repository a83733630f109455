extension Reading {
    /// The driver of all readings that other programs report; no driver of the list has it.
    package static let reportedDriver: DriverID = "source"

    /// What another program measured and reported, not a driver. `key` is that program's name for the measurement: with the time and the user slot it
    /// makes the id, so a measurement that is reported again is the same reading. `raw` is what it reported; `offset` in minutes east of UTC.
    package static func reported(
        _ content: Content, key: String, raw: [UInt8], at time: Timestamp, offset: Int16, user: Int32?,
        flags: MeasurementFlags, origin: Origin, received: Timestamp
    ) -> Reading {
        var reading = Reading(content, driver: reportedDriver, user: user, flags: flags, origin: origin, raw: RawBytes(raw))
        reading.id = ID(
            wallSeconds: time.seconds + Int64(offset) * 60,
            hash: XXHash64.hash(Array(key.utf8).span, seed: UInt64(truncatingIfNeeded: user ?? -1)))
        reading.received = received
        reading.measured = time
        reading.measuredOffset = offset
        return reading
    }
}
