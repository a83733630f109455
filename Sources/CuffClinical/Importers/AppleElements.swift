import CuffCore

/// Interprets Records, Correlations and their metadata in Apple's export, and skips all other elements.
struct AppleElements {
    enum Event {
        case correlation(AppleHealthImport.Moment, systolic: Pressure, diastolic: Pressure, record: Int, AppleHealthImport.Name)
        case pressure(AppleHealthImport.Moment, Pressure, isSystolic: Bool, record: Int, AppleHealthImport.Name)
        case heartRate(AppleHealthImport.Moment, PulseRate)
        case refused(record: Int, ImportRefusal)
    }

    private struct OpenCorrelation {
        var moment: AppleHealthImport.Moment?
        var record: Int
        var systolic: Pressure?
        var diastolic: Pressure?
        var name = AppleHealthImport.Name()
        var refusal: ImportRefusal?
    }
    private struct OpenRecord {
        var isSystolic: Bool
        var moment: AppleHealthImport.Moment
        var value: Pressure
        var record: Int
        var name = AppleHealthImport.Name()
    }

    let zoneNamed: @Sendable (String) -> ZoneTable?
    /// Those looked up; `nil`: unknown.
    private var zones: [String: ZoneTable?] = [:]
    private var record = 0
    private var correlation: OpenCorrelation?
    /// Within a correlation of another type, e.g. food.
    private var isInOther = false
    private var open: OpenRecord?
    /// The root was closed.
    private(set) var hasEnded = false

    private static let systolic: StaticString = "HKQuantityTypeIdentifierBloodPressureSystolic"
    private static let diastolic: StaticString = "HKQuantityTypeIdentifierBloodPressureDiastolic"
    private static let heartRate: StaticString = "HKQuantityTypeIdentifierHeartRate"
    private static let pair: StaticString = "HKCorrelationTypeIdentifierBloodPressure"

    init(zoneNamed: @escaping @Sendable (String) -> ZoneTable?) { self.zoneNamed = zoneNamed }

    /// `onlyHeartRates`: the second pass, with the sources that matter; `nil` in the first, which gives everything else.
    mutating func take(_ token: XMLScanner.Token, _ bytes: Span<UInt8>, onlyHeartRates sources: Set<UInt64>?) -> Event? {
        switch token {
        case .malformed(let what):
            guard sources == nil else { return nil }
            return .refused(record: max(1, record), .malformed(what))
        case .end:
            if bytes.matches("Record"), bytes.count == 6 { return endRecord() }
            if bytes.matches("Correlation") { return sources == nil ? endCorrelation() : nil }
            if bytes.matches("HealthData") { hasEnded = true }
            return nil
        case .start(let isEmpty):
            if Self.isTag(bytes, "Record"), !isInOther { return startRecord(bytes, isEmpty, sources) }
            if sources != nil { return nil }
            if Self.isTag(bytes, "MetadataEntry") {
                readMetadata(bytes)
            } else if Self.isTag(bytes, "Correlation") {
                return startCorrelation(bytes)
            } else if !Self.isTag(bytes, "Record"), Self.mentionsPressure(bytes) {
                return .refused(record: max(1, record), .malformed("a blood pressure in an unknown element"))
            }
            return nil
        }
    }

    private static func isTag(_ bytes: Span<UInt8>, _ name: StaticString) -> Bool {
        guard bytes.matches(name), let next = bytes.byte(name.utf8CodeUnitCount) else { return false }
        return next <= 0x20
    }

    /// Detects a damaged element name: other elements do not have these types.
    private static func mentionsPressure(_ bytes: Span<UInt8>) -> Bool {
        guard let type = XMLScanner.attribute("type", bytes) else { return false }
        return [systolic, diastolic, pair].contains { bytes.extracting(type).matches($0) }
    }

    private mutating func startRecord(_ bytes: Span<UInt8>, _ isEmpty: Bool, _ sources: Set<UInt64>?) -> Event? {
        if correlation == nil { record += 1 }
        guard let type = XMLScanner.attribute("type", bytes) else {
            return sources == nil ? .refused(record: record, .malformed("a record without a type")) : nil
        }
        let word = bytes.extracting(type)
        if word.count == Self.heartRate.utf8CodeUnitCount, word.matches(Self.heartRate) {
            guard let sources, correlation == nil else { return nil }
            return heartRate(bytes, sources)
        }
        let isSystolic = word.count == Self.systolic.utf8CodeUnitCount && word.matches(Self.systolic)
        guard sources == nil, isSystolic || word.count == Self.diastolic.utf8CodeUnitCount && word.matches(Self.diastolic) else {
            return nil
        }
        do throws(ImportRefusal) {
            let moment = try Self.moment(bytes)
            open = OpenRecord(isSystolic: isSystolic, moment: moment, value: try Self.pressure(bytes), record: record)
        } catch {
            open = nil
            guard correlation == nil else {
                correlation?.refusal = error
                return nil
            }
            return .refused(record: record, error)
        }
        return isEmpty ? endRecord() : nil
    }

    private func heartRate(_ bytes: Span<UInt8>, _ sources: Set<UInt64>) -> Event? {
        guard let name = XMLScanner.attribute("sourceName", bytes), sources.contains(Self.hash(bytes, name)),
            let moment = try? Self.moment(bytes), let value = XMLScanner.attribute("value", bytes),
            let unit = XMLScanner.attribute("unit", bytes), bytes.extracting(unit).matches("count/min"),
            let digits = ImportText.digits(Self.text(bytes, value)), digits.mantissa > 0
        else { return nil }
        return .heartRate(moment, PulseRate(digits))
    }

    private mutating func endRecord() -> Event? {
        guard let one = open else { return nil }
        open = nil
        guard correlation != nil else {
            return .pressure(one.moment, one.value, isSystolic: one.isSystolic, record: one.record, one.name)
        }
        // A correlation and its records have the same time.
        if correlation?.moment != nil, correlation?.moment?.seconds != one.moment.seconds {
            correlation?.refusal = .malformed("a record of another time within a correlation")
        }
        let isTwice = one.isSystolic ? correlation?.systolic != nil : correlation?.diastolic != nil
        if isTwice { correlation?.refusal = .malformed("two pressures of a kind") }
        if one.isSystolic { correlation?.systolic = one.value } else { correlation?.diastolic = one.value }
        return nil
    }

    private mutating func startCorrelation(_ bytes: Span<UInt8>) -> Event? {
        record += 1
        guard let type = XMLScanner.attribute("type", bytes) else {
            isInOther = true
            return .refused(record: record, .malformed("a correlation without a type"))
        }
        guard bytes.extracting(type).matches(Self.pair) else {
            isInOther = true
            return nil
        }
        correlation = OpenCorrelation(record: record)
        do throws(ImportRefusal) { correlation?.moment = try Self.moment(bytes) } catch { correlation?.refusal = error }
        return nil
    }

    private mutating func endCorrelation() -> Event? {
        isInOther = false
        guard let one = correlation else { return nil }
        (correlation, open) = (nil, nil)
        if let refusal = one.refusal { return .refused(record: one.record, refusal) }
        guard let moment = one.moment, let systolic = one.systolic, let diastolic = one.diastolic else {
            return .refused(record: one.record, .half)
        }
        return .correlation(moment, systolic: systolic, diastolic: diastolic, record: one.record, one.name)
    }

    private mutating func readMetadata(_ bytes: Span<UInt8>) {
        guard correlation != nil || open != nil, let key = XMLScanner.attribute("key", bytes),
            let value = XMLScanner.attribute("value", bytes)
        else { return }
        var name = correlation?.name ?? open?.name ?? AppleHealthImport.Name()
        let word = bytes.extracting(key)
        if word.matches("HKMetadataKeySyncIdentifier") {
            name.key = Self.hash(bytes, value)
            let text = Self.text(bytes, value)
            if text.hasPrefix("cuff:") { name.id = Reading.ID.parse(String(text.dropFirst(5).prefix(32))) }
        } else if word.matches("HKMetadataKeySyncVersion") {
            name.version = Int32(Self.text(bytes, value)) ?? 0
        } else if word.matches("HKWasUserEntered") {
            name.isEntered = bytes.extracting(value).matches("1")
        } else if word.matches("Cuff") {
            name.own.set(Self.text(bytes, key), Self.text(bytes, value))
        }
        if correlation != nil { correlation?.name = name } else { open?.name = name }
        guard word.matches("HKTimeZone"), let moment = correlation != nil ? correlation?.moment : open?.moment,
            let offset = offset(Self.text(bytes, value), at: moment.seconds)
        else { return }
        if correlation != nil { correlation?.moment?.offset = offset } else { open?.moment.offset = offset }
    }

    /// That of a zone at the place of the reading; `startDate` has that of the export.
    private mutating func offset(_ zone: String, at seconds: Int64) -> Int16? {
        if let minutes = ImportTime.offset(zone) { return Int16(minutes) }
        if zones.count > 1000 { zones = [:] }
        let table = zones[zone] ?? zoneNamed(zone)
        zones[zone] = .some(table)
        return table.map { Int16(truncatingIfNeeded: $0.offset(at: seconds) / 60) }
    }

    // MARK: Attributes

    private static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: bytes.part(range.lowerBound, range.count), as: UTF8.self)
    }

    private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 { XXHash64.hash(bytes.extracting(range)) }

    private static func pressure(_ bytes: Span<UInt8>) throws(ImportRefusal) -> Pressure {
        guard let value = XMLScanner.attribute("value", bytes) else { throw .half }
        guard let digits = ImportText.digits(text(bytes, value)) else { throw .unreadableNumber(column: "value", text: text(bytes, value)) }
        let unit = XMLScanner.attribute("unit", bytes).map { text(bytes, $0) } ?? ""
        switch unit {
        case "mmHg": return Pressure(digits, .mmHg)
        case "kPa": return Pressure(digits, .kPa)
        default: throw .unknownUnit(unit)
        }
    }

    /// `2026-05-05 07:33:10 +0200`.
    private static func moment(_ bytes: Span<UInt8>) throws(ImportRefusal) -> AppleHealthImport.Moment {
        guard let date = XMLScanner.attribute("startDate", bytes) else { throw .noTime("") }
        guard let name = XMLScanner.attribute("sourceName", bytes) else { throw .malformed("a record without a source") }
        let span = bytes.extracting(date)
        guard date.count == 25, span.fit("####-##-## ##:##:## ") == .whole, let year = span.digits(0, 4), let month = span.digits(5, 2),
            let day = span.digits(8, 2), let hour = span.digits(11, 2), let minute = span.digits(14, 2), let second = span.digits(17, 2),
            span[20] == 0x2B || span[20] == 0x2D, let zone = span.digits(21, 4), zone % 100 < 60, zone <= 1400
        else { throw .unreadableTime(text(bytes, date)) }
        let time = DeviceTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard time.isPossible, ImportTime.years.contains(year) else { throw .impossibleTime(text(bytes, date)) }
        let offset = (zone / 100 * 60 + zone % 100) * (span[20] == 0x2D ? -1 : 1)
        return AppleHealthImport.Moment(
            source: hash(bytes, name), seconds: time.wallSeconds - Int64(offset) * 60, offset: Int16(offset))
    }
}
