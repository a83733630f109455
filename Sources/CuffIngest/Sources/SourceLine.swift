import CuffClinical
import CuffCore

/// A line of a source helper: a reading in the words of `cuff`'s own JSON Lines, with an id of the helper's own.
struct SourceLine: Sendable {
    /// The helper's name for the measurement: the same whenever it sends it again.
    let id: String
    /// The cuff, if the helper names one.
    let device: String?
    let reading: Reading

    /// Why a line is not a reading. `id` is `nil` if the line cannot be answered.
    struct Refusal: Error, Equatable {
        let id: String?
        let text: String
    }

    /// A line of `cuff` has at most some hundred bytes.
    static let longest = 4096

    /// The most by which the clocks of two computers may differ. The time has an offset, so that no zone is in doubt.
    private static let slack = Duration.seconds(600)

    /// `name` is the source's.
    init(_ bytes: [UInt8], source name: String, received: Timestamp) throws(Refusal) {
        guard let line = JSONValue(bytes[...]), case .object = line else { throw Refusal(id: nil, text: "it is not a JSON object") }
        guard let id = line["id"]?.text, Self.isName(id, most: 64) else {
            throw Refusal(id: nil, text: "it has no `id` of 1 to 64 printable ASCII characters without blanks")
        }
        func refuse(_ text: String) -> Refusal { Refusal(id: id, text: text) }
        guard let text = line["measured"]?.text, let (time, offset) = Timestamp.parse(text) else {
            throw refuse("`measured` is not a time of RFC 3339 with an offset, such as 2026-05-05T07:33:20+02:00")
        }
        // A clock that was never set is usually in 1970 or 1980.
        guard time.seconds >= 631_152_000, ClockCorrection.isCredible(time, received: received, slack: Self.slack) else {
            throw refuse("`measured` is in the future or before 1990")
        }
        var device: String?
        if let value = line["device"] {
            guard let text = value.text, Self.isName(text, most: 64) else {
                throw refuse("`device` is not a text of 1 to 64 printable ASCII characters without blanks")
            }
            device = text
        }
        var flags: MeasurementFlags = []
        if let value = line["flags"] {
            guard let words = value.list else { throw refuse("`flags` is not a list of words") }
            for word in words {
                guard let flag = word.text.flatMap(MeasurementFlags.named) else { throw refuse("a word of `flags` is not known") }
                flags.insert(flag)
            }
        }
        var origin = Reading.Origin.push
        if let value = line["origin"] {
            switch value.text {
            case "push": break
            case "memory": origin = .memory
            case "measurement": origin = .measurement
            default: throw refuse("`origin` is not push, memory or measurement")
            }
        }
        let content: Reading.Content
        do throws(Unusable) { content = try Self.content(line) } catch { throw refuse(error.text) }
        let user = try Self.whole(line, "user", 1...Int64(Int32.max), refuse)
        let revision = try Self.whole(line, "revision", 0...254, refuse)
        var reading = Reading.reported(
            content, key: "\(name)\u{0}\(device ?? "")\u{0}\(id)", raw: bytes, at: time, offset: offset,
            user: user.map { Int32(truncatingIfNeeded: $0) }, flags: flags, origin: origin, received: received)
        reading.revision = UInt8(truncatingIfNeeded: revision ?? 0)
        if let text = line["decoder"] {
            guard let decoder = Reading.decoder(text.text) else {
                throw refuse("`decoder` is not a text of 1 to \(Reading.longestDecoder) printable ASCII characters")
            }
            reading.decoder = decoder
        }
        (self.id, self.device, self.reading) = (id, device, reading)
    }

    private static func isName(_ text: String, most: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= most && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// `nil` without the member.
    private static func whole(
        _ line: JSONValue, _ key: String, _ range: ClosedRange<Int64>, _ refuse: (String) -> Refusal
    ) throws(Refusal) -> Int64? {
        guard let value = line[key] else { return nil }
        guard let number = value.number.flatMap({ Int64(exactly: $0) }), range.contains(number) else {
            throw refuse("`\(key)` is not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    // MARK: Content

    private struct Unusable: Error { let text: String }

    private static func content(_ line: JSONValue) throws(Unusable) -> Reading.Content {
        switch line["type"]?.text {
        case "blood_pressure":
            guard let systolic = try pressure(line, "systolic"), let diastolic = try pressure(line, "diastolic") else {
                throw Unusable(text: "a blood pressure needs `systolic_mmHg` and `diastolic_mmHg`, or both in kPa")
            }
            let mean = try pressure(line, "mean")
            guard Set([systolic, diastolic, mean ?? systolic].map(\.unit)).count == 1 else {
                throw Unusable(text: "the pressures have different units")
            }
            return .bloodPressure(BloodPressure(systolic: systolic, diastolic: diastolic, mean: mean, pulse: try pulse(line)))
        case "pulse_rate":
            guard let pulse = try pulse(line) else { throw Unusable(text: "a pulse rate needs `pulse_per_min`") }
            return .pulseRate(pulse)
        case "quantity":
            guard let mdc = line["mdc"]?.number.flatMap({ UInt32(exactly: $0) }), let value = try digits(line, "value") else {
                throw Unusable(text: "a quantity needs `mdc`, a code of ISO/IEEE 11073-10101, and `value`")
            }
            guard let unit = line["unit"]?.text.flatMap(Nomenclature.unitTerm) else {
                throw Unusable(text: "`unit` is not a unit that is known")
            }
            return .quantity(
                Quantity(partition: UInt16(truncatingIfNeeded: mdc >> 16), term: UInt16(truncatingIfNeeded: mdc), value: value, unit: unit))
        default: throw Unusable(text: "`type` is not blood_pressure, pulse_rate or quantity")
        }
    }

    private static func pressure(_ line: JSONValue, _ stem: String) throws(Unusable) -> Pressure? {
        if let digits = try digits(line, "\(stem)_mmHg") { return Pressure(digits, .mmHg) }
        return try digits(line, "\(stem)_kPa").map { Pressure($0, .kPa) }
    }

    private static func pulse(_ line: JSONValue) throws(Unusable) -> PulseRate? { try digits(line, "pulse_per_min").map { PulseRate($0) } }

    /// At most three decimals; `nil` without the member.
    private static func digits(_ line: JSONValue, _ key: String) throws(Unusable) -> Digits? {
        guard let value = line[key] else { return nil }
        if let number = value.number, number >= 0, number < 100_000 {
            for (exponent, factor) in [(Int8(0), 1.0), (-1, 10), (-2, 100), (-3, 1000)] {
                let scaled = (number * factor).rounded()
                if abs(scaled / factor - number) < 1e-9 { return Digits(mantissa: Int64(scaled), exponent: exponent) }
            }
        }
        throw Unusable(text: "`\(key)` is not a number from 0 to 99999 with at most three decimals")
    }
}
