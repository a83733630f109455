import CuffCore

/// A position in a file, for messages.
package struct ImportPlace: Sendable, Hashable, CustomStringConvertible {
    package enum Unit: String, Sendable, Hashable {
        /// A line of text, from 1 on.
        case line
        /// A record of a structured file or a row of a table, from 1 on.
        case record
    }

    package var unit: Unit
    /// From 1 on.
    package var number: Int

    package init(_ unit: Unit, _ number: Int) { (self.unit, self.number) = (unit, number) }
    /// `line 7`.
    package var description: String { "\(unit.rawValue) \(number)" }
}

extension BloodPressure {
    /// The two pressures of a record.
    init(_ systolic: Pressure?, _ diastolic: Pressure?) throws(ImportRefusal) {
        guard let systolic, let diastolic else { throw systolic == nil && diastolic == nil ? .noPressures : .half }
        self.init(systolic: systolic, diastolic: diastolic)
    }
}

/// One record of another program's file. Unlike a `Reading` it may lack a zone, and has no id of this program.
package struct ImportedReading: Sendable, Hashable {
    /// When it was measured, as far as the file has it.
    package enum Time: Sendable, Hashable {
        /// A local time in an unknown zone.
        case wall(DeviceTime)
        /// An instant, with the minutes east of UTC if the file has them.
        case instant(Timestamp, offset: Int16?)
    }

    /// The values, with the digits and units of the file. Anything but a blood pressure is from a file that this program wrote.
    package var content: Reading.Content
    package var pressure: BloodPressure? { if case .bloodPressure(let pressure) = content { pressure } else { nil } }
    package var time: Time
    /// The user number in the file, if any.
    package var user: Int32?
    /// Only flags for which the file has a column.
    package var flags: MeasurementFlags = []
    /// The values were typed into the program that wrote the file.
    package var isEntered = false
    /// Note, posture and arm, if the file has them.
    package var remarks: Remarks?
    /// The note of the file is longer than `Remarks.Key.longest`.
    var isNoteCut = false
    /// The id of the record in the file, if any.
    package var key: String?
    /// The version of the record in the file; a higher one replaces a lower one of the same key.
    package var version: Int64 = 0
    package var place: ImportPlace
    /// The id, if the file has one of this program.
    package var id: Reading.ID?
    package var revision: UInt8 = 0
    /// The reading, in files that this program wrote.
    package var original: Reading?
    /// The cuff's identity, in files that this program wrote.
    package var device: String?
    /// The cuff's driver, in files that this program wrote.
    package var driver: String?
    /// `Reading.decoder`, in files that this program wrote.
    package var decoder: String?

    /// A record with these values; everything else is unknown.
    package init(_ pressure: BloodPressure, at time: Time, place: ImportPlace) {
        self.init(.bloodPressure(pressure), at: time, place: place)
    }

    init(_ content: Reading.Content, at time: Time, place: ImportPlace) {
        (self.content, self.time, self.place) = (content, time, place)
    }

    /// The reading, with its id and times. The id is a hash of the layout, the user and the record's id, or its time and values, so
    /// reading a file twice gives the same ids. `zone` is that of times without a zone.
    package func reading(of importer: Importer, user chosen: Int32? = nil, received: Timestamp, zone: ZoneTable) -> Reading {
        if var reading = original {
            reading.origin = .imported
            if let chosen { reading.user = chosen }
            return reading
        }
        let text = identity
        let user = chosen ?? user
        var reading = Reading(
            content, driver: driver.flatMap { CuffFamilies.named($0)?.id } ?? importer.driver, user: user, flags: flags, origin: .imported,
            trigger: isEntered ? .manual : .unknown, raw: RawBytes(text))
        reading.decoder = decoder
        reading.remarks = remarks
        reading.received = received
        let wall: Int64
        switch time {
        case .wall(let time):
            reading.clock = DeviceClock(time)
            wall = time.wallSeconds
            reading.measured = time.instant(in: zone)
            reading.rule = .deviceTime
            reading.measuredOffset = Int16(truncatingIfNeeded: zone.offset(at: reading.measured?.seconds ?? 0) / 60)
        case .instant(let instant, let offset):
            reading.measured = instant
            reading.measuredOffset = offset ?? Int16(truncatingIfNeeded: zone.offset(at: instant.seconds) / 60)
            // An id must not depend on the machine's zone.
            wall = instant.seconds + Int64(offset ?? 0) * 60
        }
        if let measured = reading.measured, !ClockCorrection.isCredible(measured, received: received) {
            if reading.clock.time == nil {
                reading.clock = DeviceClock(DeviceTime(wallSeconds: measured.seconds + Int64(reading.measuredOffset) * 60))
            }
            (reading.measured, reading.rule) = (nil, .implausible)
        }
        let seed = XXHash64.hash(Array("\(importer.name)\u{0}\(user ?? -1)".utf8).span)
        if let id {
            (reading.id, reading.revision) = (id, revision)
            return reading
        }
        reading.id = Reading.ID(wallSeconds: wall, hash: XXHash64.hash(text.span, seed: seed))
        return reading
    }

    /// The record's own id, else its time and values.
    private var identity: [UInt8] {
        var text = TextBuffer(capacity: 96)
        if let key {
            text.append(string: "id \(key)")
            return text.array
        }
        switch time {
        case .wall(let time): text.append(time)
        case .instant(let instant, _): text.append(utc: instant)
        }
        guard let pressure else { return text.array }
        for digits in [pressure.systolic.digits, pressure.diastolic.digits, pressure.pulse?.digits ?? Digits(0)] {
            text.append(0x20)
            text.append(digits)
        }
        if pressure.systolic.unit == .kPa { text.append(" kPa") }
        return text.array
    }
}
