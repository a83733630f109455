import CuffCore

// Source: omh:blood-pressure:4.0, omh:heart-rate:2.0 and both headers: schemas (A).

extension Importer {
    /// Open mHealth data points, one a line or in a list.
    static let omh = Importer(
        driver: "import-omh", program: "Open mHealth", help: "Open mHealth and IEEE 1752 data points, also of cuff",
        sign: "JSON with header.schema_id.name blood-pressure",
        form: .bytes { (options, _) throws(ImportFault) in
            RecordImport(OMHRecords(isOfOnePerson: options.isOfOnePerson)) { JSONRecords.isTop($0) }
        },
        recognise: { JSONHead.has(["header", "schema_id", "body"], in: $0) })
}

struct OMHRecords: RecordJudge {
    let passes = 2
    /// At 50 bytes each, 25 MB.
    let most = 500_000
    private(set) var isFull = false
    /// `nil`: of several, which one belongs is not known.
    private var pulses: [UInt64: Digits?] = [:]
    /// Blood pressures without their pulse.
    private var withoutPulse: [ImportPlace] = []
    /// Of blood pressures; two are enough to know that there are several.
    private var users: Set<String> = []
    private let isOfOnePerson: Bool

    init(isOfOnePerson: Bool) { self.isOfOnePerson = isOfOnePerson }

    var isOfSeveralPersons: Bool { !isOfOnePerson && users.count > 1 }

    /// `isOfAny`: of a point that names no user.
    private static func key(_ point: JSONValue, isOfAny: Bool = false) -> UInt64? {
        guard case .instant(let time, _)? = try? Self.time(of: point["body"]?["effective_time_frame"]) else { return nil }
        return XXHash64.hash(Array("\(isOfAny ? "" : point["header"]?["user_id"]?.text ?? "")\u{0}\(time.milliseconds)".utf8).span)
    }

    /// The instant, or the beginning of the interval of one measurement; that of an average is hours long.
    private static func time(of frame: JSONValue?) throws(ImportRefusal) -> ImportedReading.Time {
        guard let interval = frame?["time_interval"] else {
            guard let text = frame?["date_time"]?.text else { throw .noTime("") }
            return try ImportTime.instant(text)
        }
        let (start, end) = (try bound(interval["start_date_time"]), try bound(interval["end_date_time"]))
        var seconds: Double?
        if let start, let end {
            seconds = Double(end.time.seconds - start.time.seconds)
        } else if let duration = interval["duration"], let unit = ["ms": 0.001, "sec": 1, "min": 60][duration["unit"]?.text ?? ""] {
            seconds = duration["value"]?.number.map { $0 * unit }
        }
        guard let seconds, 0..<3600 ~= seconds else { throw .average("time_interval") }
        if let start { return .instant(start.time, offset: start.offset) }
        guard let end else { throw .average("time_interval") }
        return .instant(Timestamp(milliseconds: end.time.milliseconds - Int64(seconds * 1000)), offset: end.offset)
    }

    private static func bound(_ value: JSONValue?) throws(ImportRefusal) -> (time: Timestamp, offset: Int16?)? {
        guard let text = value?.text, case .instant(let time, let offset) = try ImportTime.instant(text) else { return nil }
        return (time, offset)
    }

    private static func schema(_ point: JSONValue) -> String { point["header"]?["schema_id"]?["name"]?.text ?? "" }

    mutating func prepare(_ point: JSONValue) {
        if Self.schema(point) == "blood-pressure", point["body"]?["descriptive_statistic"] == nil, users.count < 2,
            let user = point["header"]?["user_id"]?.text
        {
            users.insert(user)
        }
        guard Self.schema(point) == "heart-rate", let body = point["body"], body["descriptive_statistic"] == nil, let key = Self.key(point),
            body["heart_rate"]?["unit"]?.text == "beats/min", let pulse = body["heart_rate"].flatMap({ try? $0.digits("value") })
        else { return }
        guard pulses.count < most else { return isFull = true }
        let isOther = pulses[key].map { $0 != pulse } ?? false
        pulses[key] = .some(isOther ? nil : pulse)
    }

    mutating func reading(_ point: JSONValue, _ path: [String], _ place: ImportPlace) throws(ImportRefusal) -> ImportedReading? {
        guard point["header"] != nil, let body = point["body"] else { throw .malformed("no header or no body") }
        let schema = Self.schema(point)
        if schema == "heart-rate" { return nil }
        guard schema == "blood-pressure" else { throw .otherKind(schema) }
        if body["descriptive_statistic"] != nil { throw .average("descriptive_statistic") }
        let time = try Self.time(of: body["effective_time_frame"])
        guard let systolic = try Self.pressure(body["systolic_blood_pressure"]),
            let diastolic = try Self.pressure(body["diastolic_blood_pressure"])
        else { throw .half }
        var pressure = BloodPressure(systolic: systolic, diastolic: diastolic)
        let pulse = Self.key(point).flatMap { pulses[$0] } ?? Self.key(point, isOfAny: true).flatMap { pulses[$0] }
        if case .some(nil) = pulse { withoutPulse.append(place) }
        pressure.pulse = pulse?.map { PulseRate($0) }
        var reading = ImportedReading(pressure, at: time, place: place)
        let header = point["header"]
        reading.key = header?["id"]?.text ?? header?["uuid"]?.text
        let modality = header?["acquisition_provenance"]?["modality"]?.text ?? header?["modality"]?.text
        reading.isEntered = modality == "self-reported"
        let posture = body["body_posture"]?.text.flatMap { Remarks.Key.posture.words.contains($0) ? $0 : nil }
        let arm: String? =
            switch body["measurement_location"]?.text {
            case "left upper arm", "left wrist": "left"
            case "right upper arm", "right wrist": "right"
            default: nil
            }
        reading.remark(note: nil, posture: posture, arm: arm)
        return reading
    }

    mutating func end(_ output: inout ImportOutput) {
        for place in withoutPulse { output.refuse(place, .malformed("several heart rates of one moment")) }
    }

    private static func pressure(_ value: JSONValue?) throws(ImportRefusal) -> Pressure? {
        guard let value, let digits = try value.digits("value", keepsZeros: true) else { return nil }
        guard value["unit"]?.text == "mmHg" else { throw .unknownUnit(value["unit"]?.text ?? "") }
        return Pressure(digits, .mmHg)
    }
}
