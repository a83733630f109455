import CuffClinical
import CuffCore
import Glibc
import SQLite

/// One row of `reading`, converted back to a reading with the digits that the cuff sent.
///
/// The statement selects first whether the row is intact, then `ReadingColumn.all` or NULL for some of them. In this order SQLite decodes the
/// head of a row at once, because `checksum` comes after most columns; it needs an eighth fewer instructions for whole rows.
struct ReadingCursor {
    let statement: SQLiteStatement
    let zone: ZoneTable

    var isIntact: Bool { statement.flag(0) }
    var source: Int64 { statement.number(ReadingColumn.source.place) }

    /// Result columns of a walk, counted from the end: whether the row is selected, whose it is, where a person said so, and whether the
    /// walk is past the rows that it was after.
    var isSelected: Bool { statement.flag(statement.columnCount - 1) }
    var person: String? { statement.text(statement.columnCount - 2) }
    var isPast: Bool { statement.flag(statement.columnCount - 3) }

    var user: Int? { integer(.user).map { Int($0) } }

    var id: Reading.ID { text(.id) { Reading.ID.parse($0) } ?? .none }

    /// As `Reading.bestTime`.
    var time: Timestamp? {
        if let time = toldTime { return ClockCorrection.isCredible(time, received: received) && rule != .implausible ? time : nil }
        let origin = origin
        return origin == .memory || origin == .imported || rule == .implausible ? nil : received
    }

    /// As `Reading.hasImplausibleTime`.
    var hasImplausibleTime: Bool {
        rule == .implausible || toldTime.map { !ClockCorrection.isCredible($0, received: received) } ?? false
    }

    /// A time after its reception would stay the latest for years.
    var timeOfOrder: Timestamp? { time ?? (hasImplausibleTime ? received : nil) }

    /// Why `time` is `nil`.
    var timeExclusion: Exclusion { hasImplausibleTime ? .timeImplausible : .timeUnknown }

    private var received: Timestamp? { text(.received) { Timestamp.parse($0)?.time } }

    private var toldTime: Timestamp? {
        if let measured = text(.measured, { Timestamp.parse($0)?.time }) { return measured }
        guard !isNull(.device_time), !isClockUnset, let time = deviceTime, time.isPossible else { return nil }
        return time.instant(in: zone)
    }

    /// `nil` for a row that is not a blood pressure.
    func point(_ time: Timestamp) -> ReadingPoint? {
        guard let (systolic, diastolic) = pressures else { return nil }
        return ReadingPoint(
            id: id, time: time, systolic: systolic, diastolic: diastolic, mean: double(.mean_mmHg), pulse: double(.pulse_per_min),
            trigger: trigger, flags: flags)
    }

    /// In mmHg; `nil` for a row that is not a blood pressure. NULL reads as 0, which is not a pressure.
    private var pressures: (systolic: Double, diastolic: Double)? {
        let systolic = statement.double(ReadingColumn.systolic_mmHg.place)
        let diastolic = statement.double(ReadingColumn.diastolic_mmHg.place)
        guard systolic != 0 || !isNull(.systolic_mmHg), diastolic != 0 || !isNull(.diastolic_mmHg) else { return nil }
        return (systolic, diastolic)
    }

    /// `nil` for a row that is not a blood pressure. `arm` is the result column with the arm.
    func homeReading(_ time: Timestamp?, of person: Person, withID: Bool, arm: ReadingColumn = .arm) -> HomeReading? {
        guard let (systolic, diastolic) = pressures else { return nil }
        var reading = HomeReading(
            id: withID ? id : .none, time: time, systolic: systolic, diastolic: diastolic, pulse: double(.pulse_per_min), flags: flags,
            person: person, source: Int(source))
        if !isNull(arm) { reading.isLeftArm = text(arm) { Self.isSame($0, "left") } }
        return reading
    }

    /// The number of changes by a person.
    var noted: Int64 { integer(.noted) ?? 0 }

    var flags: MeasurementFlags {
        text(.flags) { words in
            var flags: MeasurementFlags = []
            var start = 0
            for end in 0...words.count where end == words.count || words[end] == 0x2C {
                let word = words.extracting(start..<end)
                if let place = MeasurementFlags.words.firstIndex(where: { Self.isSame(word, $0) }) {
                    flags.insert(MeasurementFlags(rawValue: 1 << UInt32(place)))
                }
                start = end + 1
            }
            return flags
        } ?? []
    }

    private static func isSame(_ bytes: Span<UInt8>, _ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        return bytes.withUnsafeBytes { bytes in bytes.baseAddress.map { memcmp($0, word.utf8Start, bytes.count) == 0 } ?? false }
    }

    func entry(_ point: ReadingPoint, source: Int) -> Report.Entry {
        let origin = origin
        let basis = Report.Entry.TimeBasis(rule, hasDeviceTime: !isNull(.device_time), origin: origin)
        return Report.Entry(point, isEntered: origin == .entered, remarks: remarks, basis: basis, source: source)
    }

    var isFailure: Bool { !isNull(.type) && string(.type) == "measurement" }

    var failure: Reading.Content {
        let word = string(.reason)
        let reason = FailureReason.allCases.first { $0.word.description == word } ?? .unknown
        return .failure(.init(reason, code: ShortText(string(.code) ?? "")))
    }

    var pressure: Reading.Content? {
        guard let systolic = digits(.systolic_mmHg), let diastolic = digits(.diastolic_mmHg) else { return nil }
        return .bloodPressure(BloodPressure(systolic: Pressure(systolic, .mmHg), diastolic: Pressure(diastolic, .mmHg)))
    }

    private var remarks: Remarks? {
        // Most rows have no remarks.
        guard ReadingColumn.remarks.contains(where: { !isNull($0) }) else { return nil }
        return Remarks(stored: { string(ReadingColumn($0)) })
    }

    func reading(driver: DriverID) -> Reading? {
        guard let content else { return nil }
        var reading = Reading(
            content, driver: driver, user: integer(.user).map { Int32(truncatingIfNeeded: $0) }, flags: flags, clock: clock, origin: origin,
            trigger: trigger, sequence: integer(.sequence).map { UInt32(truncatingIfNeeded: $0) }, raw: raw)
        reading.id = id
        reading.revision = UInt8(clamping: (integer(.revision) ?? 0) + noted)
        reading.received = text(.received) { Timestamp.parse($0)?.time }
        if let measured = text(.measured, { Timestamp.parse($0) }) {
            reading.measured = measured.time
            reading.measuredOffset = measured.offset
        }
        reading.rule = rule
        reading.text = string(.text)
        reading.person = string(.person)
        reading.decoder = string(.decoder)
        reading.remarks = remarks
        if !isNull(.metadata) { reading.metadata = JSONValue.texts(in: string(.metadata)) }
        reading.duration = integer(.duration_s).map { .seconds($0) }
        reading.isHostClockUnsynchronised = !isNull(.host_clock)
        return reading
    }

    private var content: Reading.Content? {
        switch string(.type) {
        case "blood_pressure":
            let asSent = digitsAsSent
            guard let systolic = pressure(.systolic_mmHg, .systolic_kPa, asSent[0]),
                let diastolic = pressure(.diastolic_mmHg, .diastolic_kPa, asSent[1])
            else { return nil }
            return .bloodPressure(
                BloodPressure(
                    systolic: systolic, diastolic: diastolic, mean: pressure(.mean_mmHg, .mean_kPa, asSent[2]),
                    pulse: (asSent[3] ?? digits(.pulse_per_min)).map { PulseRate($0) },
                    meanAbsence: absence(.mean_absent), pulseAbsence: absence(.pulse_absent)))
        case "pulse_rate": return (digitsAsSent[3] ?? digits(.pulse_per_min)).map { .pulseRate(PulseRate($0)) }
        case "measurement": return failure
        case "quantity":
            let mdc = UInt32(truncatingIfNeeded: integer(.mdc) ?? 0)
            var quantity = Quantity(
                partition: UInt16(truncatingIfNeeded: mdc >> 16), term: UInt16(truncatingIfNeeded: mdc),
                value: string(.value).flatMap(Self.digits),
                absence: absence(.value_absent), component: UInt8(truncatingIfNeeded: integer(.component) ?? 0))
            quantity.bits = integer(.bits).map { UInt32(truncatingIfNeeded: $0) }
            // Rows of early versions lack the code and have a known unit.
            quantity.unit = integer(.unit_mdc).map { UInt16(truncatingIfNeeded: $0) } ?? string(.unit).flatMap(Nomenclature.unitTerm) ?? 0
            return .quantity(quantity)
        default: return nil
        }
    }

    private var isClockUnset: Bool { rule == .unset }
    private var deviceTime: DeviceTime? { text(.device_time) { DeviceTime.parse($0) } }

    private var clock: DeviceClock {
        if isClockUnset { return deviceTime.map { .impossible($0) } ?? .unset }
        return deviceTime.map { DeviceClock($0) } ?? .absent
    }

    private var rule: ClockRule { choice(.clock, of: Self.rules) ?? .none }
    private static let rules: [(word: StaticString, value: ClockRule)] = [
        ("synced", .synced), ("corrected", .corrected), ("device_time", .deviceTime), ("receive_time", .receiveTime), ("unset", .unset),
        ("implausible", .implausible),
    ]

    private var origin: Reading.Origin { choice(.origin, of: Self.origins) ?? .push }
    private static let origins: [(word: StaticString, value: Reading.Origin)] = [
        ("memory", .memory), ("measurement", .measurement), ("entered", .entered), ("import", .imported),
    ]

    private var trigger: Reading.Trigger { choice(.trigger, of: Self.triggers) ?? .unknown }
    private static let triggers: [(word: StaticString, value: Reading.Trigger)] = [("manual", .manual), ("automatic", .automatic)]

    /// The meaning of the word in a column, without creating a `String`: a million rows may be read.
    private func choice<T>(_ column: ReadingColumn, of choices: [(word: StaticString, value: T)]) -> T? {
        text(column) { word in
            for choice in choices where Self.isSame(word, choice.word) { return choice.value }
            return nil
        }
    }

    private var raw: RawBytes { RawBytes(statement.bytes(ReadingColumn.raw.place) ?? []) }

    private func absence(_ column: ReadingColumn) -> Absence {
        guard let word = string(column) else { return .none }
        let all: [Absence] = [
            .notANumber, .notAtThisResolution, .positiveInfinity, .negativeInfinity, .reserved, .notMeasured,
        ]
        return all.first { $0.word?.description == word } ?? .none
    }

    private func pressure(_ mmHg: ReadingColumn, _ kPa: ReadingColumn, _ asSent: Digits?) -> Pressure? {
        if let digits = digits(kPa) { return Pressure(asSent ?? digits, .kPa) }
        return digits(mmHg).map { Pressure(asSent ?? $0, .mmHg) }
    }

    /// Systolic, diastolic, mean and pulse as the cuff sent them, if the number columns lose digits.
    private var digitsAsSent: [Digits?] {
        guard !isNull(.digits), let text = string(.digits) else { return [nil, nil, nil, nil] }
        let cells = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.digits(String($0)) }
        return cells.count == 4 ? cells : [nil, nil, nil, nil]
    }

    private func digits(_ column: ReadingColumn) -> Digits? {
        if isNull(column) { return nil }
        if statement.isInteger(column.place) { return Digits(mantissa: statement.number(column.place)) }
        return Self.digits(statement.double(column.place))
    }

    /// The shortest decimal of at most four places, within the range of cuffs.
    static func digits(_ value: Double) -> Digits? {
        guard value.magnitude < 1e12 else { return nil }
        var scale = 1.0
        for exponent in 0...4 {
            let scaled = (value * scale).rounded()
            if exponent == 4 || (scaled / scale - value).magnitude < 1e-9 {
                return Digits(mantissa: Int64(scaled), exponent: Int8(-exponent))
            }
            scale *= 10
        }
        return nil
    }

    static func digits(_ text: String) -> Digits? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let first = parts.first, let mantissa = Int64(first + (parts.count == 2 ? parts[1] : "")) else {
            return nil
        }
        return Digits(mantissa: mantissa, exponent: parts.count == 2 ? Int8(clamping: -parts[1].count) : 0)
    }

    private func isNull(_ column: ReadingColumn) -> Bool { statement.isNull(column.place) }
    private func integer(_ column: ReadingColumn) -> Int64? { statement.integer(column.place) }
    private func double(_ column: ReadingColumn) -> Double? { isNull(column) ? nil : statement.double(column.place) }
    func string(_ column: ReadingColumn) -> String? { statement.text(column.place) }
    private func text<T>(_ column: ReadingColumn, _ body: (Span<UInt8>) -> T?) -> T? { statement.withText(column.place, body) }
}
