extension Reading {
    /// A person typed it in, here or where it was imported from. A copy keeps the driver; of files of other layouts, `trigger` says it.
    package var isEntered: Bool {
        origin == .entered || driver == ManualEntry.driver
            || origin == .imported && trigger == .manual && driver.description.hasPrefix("import-")
    }
}

/// A blood pressure typed by a person. It becomes a reading of origin `entered`; the same values at the same time are the same reading.
package struct ManualEntry: Sendable, Hashable {
    /// The driver id of typed readings; not in the list of drivers.
    package static let driver: DriverID = "manual"

    /// The typed values, without a mean.
    package var pressure: BloodPressure
    package var time: Timestamp
    /// The user slot; `nil` for none.
    package var user: Int32?
    /// Annotations, e.g. an irregular pulse.
    package var flags: MeasurementFlags

    /// The person's remarks; not part of the identity.
    package var remarks: Remarks

    package init(
        _ pressure: BloodPressure, at time: Timestamp, user: Int32? = nil, flags: MeasurementFlags = [], remarks: Remarks = Remarks()
    ) {
        self.pressure = pressure
        self.time = time
        self.user = user
        self.flags = flags
        self.remarks = remarks
    }

    /// The reading with its id and times. `received` is now; `zone` gives the wall clock of the id.
    package func reading(received: Timestamp, zone: ZoneTable) -> Reading {
        var text = TextBuffer(capacity: 64)
        text.append(utc: time)
        for digits in [pressure.systolic.digits, pressure.diastolic.digits, pressure.pulse?.digits ?? Digits(0)] {
            text.append(0x20)
            text.append(digits)
        }
        var reading = Reading.entered(
            .bloodPressure(pressure), as: text.array, at: time, user: user, flags: flags, received: received, zone: zone)
        reading.remarks = remarks.isEmpty ? nil : remarks
        return reading
    }
}

extension Reading {
    /// Creates a typed reading. Its id depends only on `text` and the user, so that repeating the entry changes nothing.
    public static func entered(
        _ content: Content, as text: [UInt8], at time: Timestamp, user: Int32?, flags: MeasurementFlags = [], received: Timestamp,
        zone: ZoneTable
    ) -> Reading {
        var reading = Reading(
            content, driver: ManualEntry.driver, user: user, flags: flags, origin: .entered, trigger: .manual, raw: RawBytes(text))
        let offset = zone.offset(at: time.seconds)
        reading.id = ID(
            wallSeconds: time.seconds + Int64(offset), hash: XXHash64.hash(text.span, seed: UInt64(truncatingIfNeeded: user ?? -1)))
        reading.received = received
        reading.measured = time
        reading.measuredOffset = Int16(truncatingIfNeeded: offset / 60)
        return reading
    }
}

extension Reading {
    /// What was typed in is of this person: the same values of two persons are two readings.
    public mutating func enter(for person: String) {
        self.person = person
        id.hash = XXHash64.hash(Array(person.utf8).span, seed: id.hash)
    }
}
