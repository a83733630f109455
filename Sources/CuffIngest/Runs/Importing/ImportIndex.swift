import CuffClinical
import CuffCore

/// The blood pressures of a database by their values, to find the same measurement under another id: a reading from a cuff and the same
/// one exported by an app differ in id, in seconds, sometimes in zone. Pure; its memory grows with the readings.
struct ImportIndex {
    /// The relation of a new reading to a stored one.
    enum Match: Hashable {
        /// The same local time to the minute, or instants less than a minute apart. In files of one layout: the same record with
        /// another offset from UTC.
        case same(Reading.ID)
        /// Local times whole quarter hours apart, one of them without a zone.
        case shifted(Reading.ID, minutes: Int)
    }

    private struct Entry {
        var id: Reading.ID
        /// Minutes since 1970 in local time: by the cuff's clock, and by the best known time. `Int64.min`: unknown.
        var deviceMinute: Int64
        var wallMinute: Int64
        /// Milliseconds since 1970; `Int64.min`: unknown.
        var instant: Int64
        var pulse: Int32
        var user: Int32?
        /// The name in lower case, if known.
        var person: String?
        var hasZone: Bool
        var driver: DriverID
        /// The file in which a match was found: a second match in the same file is another measurement.
        var takenBy: Int32 = 0
    }

    private var entries: [UInt32: [Entry]] = [:]

    /// The largest offset of a zone.
    private static let mostMinutes: Int64 = 14 * 60

    /// `reading.person` is the owner's name, if it has one.
    mutating func insert(_ reading: borrowing Reading) {
        guard let key = Self.key(reading), let entry = Self.entry(reading) else { return }
        entries[key, default: []].append(entry)
    }

    /// The best match, which is then reserved for this file. Readings of one layout and user differ by their ids only, and records that
    /// differ only in the offset from UTC differ only in the local time of their ids.
    mutating func match(_ reading: borrowing Reading, file: Int32) -> Match? {
        guard let key = Self.key(reading), let new = Self.entry(reading), let all = entries[key] else { return nil }
        var shifted: Match?
        for index in all.indices {
            let old = all[index]
            guard old.id != new.id, old.takenBy != file, old.user == nil || new.user == nil || old.user == new.user,
                old.person == nil || new.person == nil || old.person == new.person, old.pulse < 0 || new.pulse < 0 || old.pulse == new.pulse
            else { continue }
            if old.driver == new.driver, old.user == new.user {
                guard old.id.hash == new.id.hash, old.pulse == new.pulse, old.hasZone, new.hasZone, old.instant != .min,
                    old.instant == new.instant
                else { continue }
                entries[key]?[index].takenBy = file
                return .same(old.id)
            }
            let isSameMinute = [old.deviceMinute, old.wallMinute].contains {
                $0 != .min && ($0 == new.deviceMinute || $0 == new.wallMinute)
            }
            let isSameInstant = old.instant != .min && new.instant != .min && (old.instant - new.instant).magnitude < 60_000
            if isSameMinute || isSameInstant {
                entries[key]?[index].takenBy = file
                return .same(old.id)
            }
            guard !old.hasZone || !new.hasZone, shifted == nil else { continue }
            let walls = (
                old.deviceMinute == .min ? old.wallMinute : old.deviceMinute, new.deviceMinute == .min ? new.wallMinute : new.deviceMinute
            )
            guard walls.0 != .min, walls.1 != .min else { continue }
            let minutes = walls.1 - walls.0
            if minutes % 15 == 0, minutes.magnitude <= UInt64(Self.mostMinutes) { shifted = .shifted(old.id, minutes: Int(minutes)) }
        }
        return shifted
    }

    /// Both pressures in whole mmHg.
    private static func key(_ reading: borrowing Reading) -> UInt32? {
        guard case .bloodPressure(let pressure) = reading.content else { return nil }
        let values = [pressure.systolic, pressure.diastolic].map { $0.inMmHg.rounded() }
        guard values.allSatisfy({ (0..<65536).contains($0) }) else { return nil }
        return UInt32(values[0]) << 16 | UInt32(values[1])
    }

    private static func entry(_ reading: borrowing Reading) -> Entry? {
        guard case .bloodPressure(let pressure) = reading.content else { return nil }
        let device = reading.clock.time.map { WallTime.floor($0.wallSeconds, 60) }
        let wall = reading.measured.map { WallTime.floor($0.seconds + Int64(reading.measuredOffset) * 60, 60) }
        guard device != nil || wall != nil else { return nil }
        return Entry(
            id: reading.id, deviceMinute: device ?? .min, wallMinute: wall ?? .min, instant: reading.measured?.milliseconds ?? .min,
            pulse: pressure.pulse.map { Int32(clamping: Int64($0.digits.value.rounded())) } ?? -1, user: reading.user,
            person: reading.person?.lowercased(), hasZone: reading.clock.time.map { $0.utcOffset != nil } ?? true,
            driver: layout(of: reading))
    }

    /// The driver, or for an imported reading the layout of its file: in files of this program readings have the driver of their cuff.
    private static func layout(of reading: borrowing Reading) -> DriverID {
        let driver = reading.driver
        guard reading.origin == .imported, !"\(driver)".hasPrefix("import-") else { return driver }
        return "import-cuff"
    }
}
