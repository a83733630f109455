import CuffCore

// Sources: HL7 FHIR R4 vital signs profiles; LOINC 85354-9, 55417-0, 8480-6, 8462-4, 8478-0, 8867-4, 96607-7; MDC codes
// of IEEE 11073-10101. `Precision is meaning`: numbers keep their zeros.

extension Importer {
    /// FHIR R4: a Bundle, an Observation, or lines of them.
    static let fhir = Importer(
        driver: "import-fhir", program: "FHIR", help: "FHIR R4 Bundle, Observation or NDJSON, also of cuff",
        sign: "JSON with resourceType Bundle or Observation",
        form: .bytes { (options, _) throws(ImportFault) in
            RecordImport(FHIRRecords(isOfOnePerson: options.isOfOnePerson)) {
                JSONRecords.isTop($0) || $0.suffix(2) == ["entry", "entry"] && JSONRecords.isTop($0.dropLast(2))
            }
        },
        recognise: { head in
            JSONHead.has(["resourceType"], in: head) && ["Bundle", "entry", "Observation"].contains { JSONHead.has([$0], in: head) }
        })
}

struct FHIRRecords: RecordJudge {
    /// Values in other Observations of the same subject and time.
    private struct Companion {
        var pulses = FHIRHeartRates()
        var systolic: Pressure?
        var diastolic: Pressure?
        /// Which of several pressures belong together is not known.
        var isUnclear = false
        var flags: MeasurementFlags = []
    }

    let passes = 2
    /// At 150 bytes each, 30 MB.
    let most = 200_000
    private(set) var isFull = false
    private var companions: [UInt64: Companion] = [:]
    /// Panels, by subject, moment and pressures: their parts may also be Observations of their own. With too many, those are readings.
    private var panels: Set<UInt64> = []
    private var own = FHIROwnRecords()
    private var subjects = FHIRSubjects()
    private let isOfOnePerson: Bool
    /// Blood pressures without their heart rates, and why.
    private var withoutPulse: [(place: ImportPlace, reason: ImportRefusal)] = []

    private static let statusBits: [String: MeasurementFlags] = [
        "8410608.0": .bodyMovement, "8410608.1": .cuffLoose, "8410608.2": .irregularPulse, "8410608.3": .pulseOverRange,
        "8410608.4": .pulseUnderRange, "8410608.5": .improperPosition,
    ]

    init(isOfOnePerson: Bool) { self.isOfOnePerson = isOfOnePerson }

    var isOfSeveralPersons: Bool { !isOfOnePerson && subjects.areSeveral(own) }

    private static func observation(_ record: JSONValue) -> JSONValue? {
        let resource = record["resource"] ?? record
        return resource["resourceType"]?.text == "Observation" ? resource : nil
    }

    private static func codes(_ concept: JSONValue?) -> Set<String> {
        Set(FHIROwnRecords.codes(concept))
    }

    private static func rate(_ quantity: JSONValue?) throws(ImportRefusal) -> Digits? {
        if let unit = FHIRHeartRates.otherUnit(quantity) { throw .unknownUnit(unit) }
        return try quantity?.value()
    }

    private static func isHeartRate(_ codes: Set<String>) -> Bool { codes.contains("8867-4") || codes.contains("149546") }

    private static func pressure(_ one: JSONValue) throws(ImportRefusal) -> Pressure? {
        guard let value = one["valueQuantity"] else { return nil }
        // A cuff that counts in kPa: `cuff` writes its own digits beside those in mmHg.
        let own = (value["extension"]?.list ?? []).first { $0["url"]?.text == FHIRCodes.core + "iso21090-PQ-translation" }
        let quantity = own?["valueQuantity"] ?? value
        guard let digits = try quantity.value() else { return nil }
        switch quantity["code"]?.text ?? quantity["unit"]?.text {
        case "mm[Hg]", "mmHg": return Pressure(digits, .mmHg)
        case "kPa": return Pressure(digits, .kPa)
        case let unit: throw .unknownUnit(unit ?? "")
        }
    }

    private static func isWithdrawn(_ one: JSONValue) -> String? {
        guard let status = one["status"]?.text else { return nil }
        return ["entered-in-error", "cancelled", "preliminary"].contains(status) ? status : nil
    }

    mutating func prepare(_ record: JSONValue) {
        guard let one = Self.observation(record) else { return own.prepare(record) }
        let named = FHIROwnRecords.identifier(one).map { FHIROwnRecords.key($0.id) }
        guard Self.isWithdrawn(one) == nil, let key = named ?? FHIRSubjects.key(one) else { return }
        guard companions.count < most else { return isFull = true }
        let codes = Self.codes(one["code"])
        if Self.isReading(one, codes, isOwn: named != nil) { subjects.add(one, isOwn: named != nil) }
        if Self.hasPressures(one), panels.count < most, let pressure = try? panel(one) {
            panels.formUnion([true, false].compactMap { FHIRSubjects.key(one, withDevice: $0, pressure) })
        }
        if Self.isHeartRate(codes) {
            guard let digits = try? Self.rate(one["valueQuantity"]) else { return }
            // An identifier of this program names one pulse, and the last revision counts.
            companions[key, default: Companion()].pulses.add(digits, of: one, isOnly: named != nil)
        } else if codes.contains("8410608") {
            for part in one["component"]?.list ?? [] where part["valueBoolean"] == .bool(true) {
                for code in Self.codes(part["code"]) { companions[key, default: Companion()].flags.formUnion(Self.statusBits[code] ?? []) }
            }
        } else if let pair = FHIRSubjects.key(one, withDevice: true), one["component"] == nil, let pressure = try? Self.pressure(one) {
            for (code, part) in [("8480-6", \Companion.systolic), ("8462-4", \Companion.diastolic)] where codes.contains(code) {
                var companion = companions[pair] ?? Companion()
                companion.isUnclear = companion.isUnclear || companion[keyPath: part].map { $0 != pressure } ?? false
                companion[keyPath: part] = pressure
                companions[pair] = companion
            }
        }
    }

    mutating func reading(_ record: JSONValue, _ path: [String], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading? {
        guard let one = Self.observation(record) else {
            // Other resources of a Bundle. One with components, or without a type, may be a damaged Observation.
            let resource = record["resource"] ?? record
            if resource["resourceType"]?.text == "Bundle" {
                // Another program's search that found nothing.
                if resource["total"]?.integer == 0 { return nil }
                throw .malformed("a Bundle without entries, or in another one")
            }
            // A List has entries, too.
            if resource["resourceType"]?.text == nil && resource["item"] == nil || resource["component"] != nil {
                throw .malformed("a resource of an unknown type")
            }
            return nil
        }
        let codes = Self.codes(one["code"])
        let named = FHIROwnRecords.identifier(one)
        if codes.contains(Self.average) { throw .average(Self.average) }
        let isPanel = Self.isPanel(one, codes)
        let isSystolic = codes.contains("8480-6")
        let isOther = !isPanel && named != nil && !Self.isCompanion(one, codes)
        guard Self.isReading(one, codes, isOwn: named != nil) else {
            // Its number is read with the blood pressure; only a limit or another unit is reported here.
            if Self.isHeartRate(codes), Self.isWithdrawn(one) == nil { _ = try Self.rate(one["valueQuantity"]) }
            return nil
        }
        if let status = Self.isWithdrawn(one) { throw .status(status) }
        let time = try ImportTime.instant(of: one)
        var reading: ImportedReading
        if isOther, let named {
            guard let content = try FHIROwnRecords.content(one, suffix: named.suffix) else { return nil }
            reading = ImportedReading(content, at: time, place: place)
        } else {
            guard var pressure = try pressures(one, isPanel: isPanel, isSystolic: isSystolic) else { return nil }
            if let unit = FHIRHeartRates.otherUnit(ofPanel: one) { withoutPulse.append((place, .unknownUnit(unit))) }
            if pressure.pulse == nil { pressure.pulse = pulse(of: one, named?.id, place) }
            reading = ImportedReading(pressure, at: time, place: place)
            reading.flags = companion(of: one, named?.id)?.flags ?? []
        }
        name(&reading, one, named?.id)
        describe(&reading, one)
        if named != nil { own.complete(&reading, one) }
        return reading
    }

    private static let average = "96607-7"

    private static func isPanel(_ one: JSONValue, _ codes: Set<String>) -> Bool {
        codes.contains("85354-9") || codes.contains("55417-0") || codes.contains("150020") || hasPressures(one)
    }

    /// Whether it is a blood pressure, a part of one, or another reading of this program.
    private static func isReading(_ one: JSONValue, _ codes: Set<String>, isOwn: Bool) -> Bool {
        guard !codes.contains(average) else { return false }
        return isPanel(one, codes) || codes.contains("8480-6") || codes.contains("8462-4") || isOwn && !isCompanion(one, codes)
    }

    /// Whether it belongs to a blood pressure.
    private static func isCompanion(_ one: JSONValue, _ codes: Set<String>) -> Bool {
        codes.contains("8410608") || one["derivedFrom"] != nil || codes.contains("67975")
    }

    /// A panel of this program has its pulse and flags under its own id.
    private func companion(of one: JSONValue, _ id: Reading.ID?) -> Companion? {
        (id.map(FHIROwnRecords.key) ?? FHIRSubjects.key(one)).flatMap { companions[$0] }
    }

    /// `nil` if another Observation becomes the reading.
    private func pressures(_ one: JSONValue, isPanel: Bool, isSystolic: Bool) throws(ImportRefusal) -> BloodPressure? {
        if isPanel { return try panel(one) }
        let pair = FHIRSubjects.key(one, withDevice: true).flatMap { companions[$0] }
        // The Observation of the systolic pressure becomes the reading.
        guard isSystolic else {
            if pair?.systolic != nil { return nil }
            throw .half
        }
        if pair?.isUnclear == true { throw .malformed("several pressures of one moment") }
        guard let systolic = try Self.pressure(one), let diastolic = pair?.diastolic else { throw .half }
        let pressure = BloodPressure(systolic: systolic, diastolic: diastolic)
        return FHIRSubjects.key(one, withDevice: one["device"] != nil, pressure).map(panels.contains) == true ? nil : pressure
    }

    /// The pulse of another Observation; `nil` without one, and with several of different values.
    private mutating func pulse(of one: JSONValue, _ id: Reading.ID?, _ place: ImportPlace) -> PulseRate? {
        var rates = companion(of: one, id)?.pulses ?? FHIRHeartRates()
        // A heart rate without a subject is matched by its time.
        if rates.isEmpty, id == nil { rates = FHIRSubjects.key(one, isOfAny: true).flatMap { companions[$0] }?.pulses ?? rates }
        let found = rates.candidates(for: one)
        if found.count > 1 { withoutPulse.append((place, .malformed("several heart rates of one moment"))) }
        return found.count == 1 ? found.first.map { PulseRate($0) } : nil
    }

    mutating func end(_ output: inout ImportOutput) {
        for (place, reason) in withoutPulse { output.refuse(place, reason) }
    }

    /// A panel of another code, such as a national one, is known by its components.
    private static func hasPressures(_ one: JSONValue) -> Bool {
        (one["component"]?.list ?? []).contains { !codes($0["code"]).isDisjoint(with: ["8480-6", "8462-4"]) }
    }

    private func panel(_ one: JSONValue) throws(ImportRefusal) -> BloodPressure {
        var found: [String: Pressure] = [:]
        var meanAbsence = Absence.none
        var pulse: Digits?
        for part in one["component"]?.list ?? [] {
            let codes = Self.codes(part["code"])
            let value = part["valueQuantity"]
            if codes.contains("8867-4"), FHIRHeartRates.otherUnit(value) == nil { pulse = try value?.value() }
            for (name, own) in [("systolic", ["8480-6", "150021"]), ("diastolic", ["8462-4", "150022"]), ("mean", ["8478-0", "150023"])]
            where !codes.isDisjoint(with: own) {
                if name == "mean" { meanAbsence = FHIROwnRecords.absence(part["dataAbsentReason"]) }
                guard let pressure = try Self.pressure(part) else { continue }
                guard found.updateValue(pressure, forKey: name) == nil else { throw .malformed("two components are \(name)") }
            }
        }
        var pressure = try BloodPressure(found["systolic"], found["diastolic"])
        (pressure.mean, pressure.meanAbsence) = (found["mean"], meanAbsence)
        pressure.pulse = pulse.map { PulseRate($0) }
        return pressure
    }

    /// `cuff`'s own identifier is the id of the reading; another one is the record's.
    private func name(_ reading: inout ImportedReading, _ one: JSONValue, _ id: Reading.ID?) {
        let identifiers = one["identifier"]?.list ?? []
        if let id {
            reading.id = id
            let tag = (one["meta"]?["tag"]?.list ?? []).first { $0["system"]?.text == FHIRCodes.revisions }
            reading.revision = tag?["code"]?.integer.flatMap { UInt8(exactly: $0) } ?? 0
        } else if let first = identifiers.first, let value = first["value"]?.text {
            reading.key = "\(first["system"]?.text ?? "")|\(value)"
        } else if let id = one["id"]?.text {
            reading.key = id
        }
        reading.version = Self.version(one)
    }

    /// R4: `versionId` is an opaque text; servers that do not number the versions have their times. A correction with neither is later
    /// than its original.
    private static func version(_ one: JSONValue) -> Int64 {
        if let number = one["meta"]?["versionId"]?.integer { return number }
        if let text = one["meta"]?["lastUpdated"]?.text, case .instant(let time, _)? = try? ImportTime.instant(text) {
            return time.milliseconds
        }
        return ["amended", "corrected"].contains(one["status"]?.text) ? 1 : 0
    }

    private func describe(_ reading: inout ImportedReading, _ one: JSONValue) {
        let site = Self.codes(one["bodySite"])
        let arm = site.contains("368208006") ? "left" : site.contains("368209003") ? "right" : nil
        let position = (one["extension"]?.list ?? []).first { $0["url"]?.text == FHIRCodes.core + "observation-bodyPosition" }
        let posture = position?["valueCodeableConcept"]?["text"]?.text
        var notes: [String] = []
        var medication: String?
        for text in (one["note"]?.list ?? []).compactMap({ $0["text"]?.text }) {
            switch reading.id == nil ? .remark(text) : FHIRNote(text) {
            case .flags(let words): reading.flags.formUnion(MeasurementFlags.named(among: words))
            case .entered: reading.isEntered = true
            case .medication(let name) where medication == nil && notes.isEmpty: medication = name
            case .medication: notes.append(text)
            case .remark(let remark): notes.append(remark)
            }
        }
        let known = posture.flatMap { Remarks.Key.posture.words.contains($0) ? $0 : nil }
        let text = notes.joined(separator: "; ")
        if reading.id == nil { reading.remark(note: text) }
        let note = reading.id == nil ? reading.remarks?[.note] : text
        let said = [Remarks.Key.note: note, .medication: medication, .posture: known, .arm: arm]
        reading.remarks = Remarks(stored: { said[$0] ?? nil })
    }
}

extension JSONValue {
    /// The number of a FHIR Quantity, with its zeros. With a comparator such as `>` it is a limit, not a value.
    fileprivate func value() throws(ImportRefusal) -> Digits? {
        if let comparator = self["comparator"]?.text {
            throw .unreadableNumber(column: "value", text: comparator + (self["value"]?.numeral ?? ""))
        }
        return try digits("value", keepsZeros: true)
    }
}
