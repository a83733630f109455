import RemoteSink

import enum CuffCore.Nomenclature

/// One value of a reading: an OBX with a number.
struct Metric: Sendable, Equatable {
    /// Code and reference id of the nomenclature.
    let code: String
    /// The cuff's own digits; empty in a deletion.
    let value: String
    /// OBX-6.
    let unit: String

    /// As in RTMMS, the rosetta of IHE: MDC unit and its UCUM code.
    private static let units = [
        "mmHg": "266016^MDC_DIM_MMHG^MDC^mm[Hg]^mm[Hg]^UCUM", "kPa": "265987^MDC_DIM_KILO_PASCAL^MDC^kPa^kPa^UCUM",
    ]
    private static let perMinute = "264864^MDC_DIM_BEAT_PER_MIN^MDC^{beat}/min^{beat}/min^UCUM"
    private static let pressures = [
        (word: "systolic", code: "150021^MDC_PRESS_BLD_NONINV_SYS"), (word: "diastolic", code: "150022^MDC_PRESS_BLD_NONINV_DIA"),
        (word: "mean", code: "150023^MDC_PRESS_BLD_NONINV_MEAN"),
    ]
    private static let pulse = "149546^MDC_PULS_RATE_NON_INV"

    /// Throws why the reading has no value that can be sent.
    static func all(of reading: ReadingLine) throws(Refusal) -> [Metric] {
        if reading.isDeletion { return try deleted(reading) }
        for word in ["invalid", "not_available", "ongoing"] where reading.flags.contains(word) {
            throw Refusal(text: "the cuff says that the values are not usable: \(word)")
        }
        switch reading.type {
        case "blood_pressure":
            let found = pressures.map { pressure(reading, $0.word, $0.code) }
            // One pressure alone is not a blood pressure.
            guard let systolic = found[0], let diastolic = found[1] else {
                throw Refusal(text: "the reading has no systolic and diastolic pressure")
            }
            return [systolic, diastolic] + [found[2], pulse(reading)].compactMap { $0 }
        case "pulse_rate":
            guard let metric = pulse(reading) else { throw Refusal(text: "the reading has no pulse") }
            return [metric]
        case "quantity": return [try quantity(reading)]
        case "measurement": throw Refusal(text: "a measurement that failed is not an observation")
        default: throw Refusal(text: "`\(reading.type)` is not supported for HL7")
        }
    }

    private static func pressure(_ reading: ReadingLine, _ word: String, _ code: String) -> Metric? {
        for unit in ["kPa", "mmHg"] {
            guard let value = reading["\(word)_\(unit)"]?.digits, let field = units[unit] else { continue }
            return Metric(code: code, value: value, unit: field)
        }
        return nil
    }

    private static func pulse(_ reading: ReadingLine) -> Metric? {
        reading["pulse_per_min"]?.digits.map { Metric(code: pulse, value: $0, unit: perMinute) }
    }

    private static func quantity(_ reading: ReadingLine) throws(Refusal) -> Metric {
        guard let code = term(reading), let digits = reading["value"].flatMap({ $0.string ?? $0.digits }),
            JSONValue(parsing: Array(digits.utf8))?.digits != nil
        else { throw Refusal(text: "the reading has no value with a code of the nomenclature") }
        guard let unit = reading["unit"]?.string, let term = Nomenclature.unitTerm(unit), let ucum = Nomenclature.ucum(term) else {
            throw Refusal(text: "the reading has no unit with a UCUM code")
        }
        let number = Nomenclature.dimensions << 16 | UInt32(term)
        return Metric(code: code, value: digits, unit: "\(number)^\(unit)^MDC^\(ucum)^\(ucum)^UCUM")
    }

    private static func term(_ reading: ReadingLine) -> String? {
        reading["mdc"]?.digits.map { PCDMessage.components([$0, reading["code"]?.string ?? ""]) }
    }

    /// Of a deleted reading only the kinds of its values are known.
    private static func deleted(_ reading: ReadingLine) throws(Refusal) -> [Metric] {
        func gone(_ code: String) -> Metric { Metric(code: code, value: "", unit: "") }
        switch reading.formerType {
        case "blood_pressure":
            let parts = reading["parts"]?.array?.compactMap(\.string) ?? []
            return pressures.prefix(2).map { gone($0.code) } + (parts.contains("pulse_rate") ? [gone(pulse)] : [])
        case "pulse_rate": return [gone(pulse)]
        case "quantity":
            if let code = term(reading) { return [gone(code)] }
        default: break
        }
        throw Refusal(text: "the deleted reading was never sent")
    }
}
