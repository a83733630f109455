import CuffCore

/// The subjects of the readings of a file. They are not stored, so several of them would become one person.
struct FHIRSubjects {
    /// The names, by the reference of a cuff of this program; of everything else under an empty name.
    private var subjects: [String: Set<String>] = [:]

    /// What names the subject of an Observation: a reference, an identifier or a display name; empty if nothing does.
    static func name(_ one: JSONValue) -> String {
        let subject = one["subject"]
        if let reference = subject?["reference"]?.text { return reference }
        let identifier = subject?["identifier"]
        if let value = identifier?["value"]?.text { return "\(identifier?["system"]?.text ?? "")|\(value)" }
        return subject?["display"]?.text ?? ""
    }

    static func key(_ one: JSONValue, withDevice: Bool = false, isOfAny: Bool = false, _ pressure: BloodPressure? = nil) -> UInt64? {
        guard case .instant(let time, _)? = try? ImportTime.instant(of: one) else { return nil }
        var names = [isOfAny ? "" : name(one), withDevice ? one["device"]?["reference"]?.text ?? "" : ""]
        if let pressure { names.append("\(pressure.systolic.inMmHg) \(pressure.diastolic.inMmHg)") }
        return XXHash64.hash(Array("\(names)\(time.milliseconds)".utf8).span, seed: withDevice ? 1 : 0)
    }

    mutating func add(_ one: JSONValue, isOwn: Bool) {
        let subject = Self.name(one)
        guard !subject.isEmpty else { return }
        let cuff = isOwn && subjects.count < FHIROwnRecords.mostCuffs ? one["device"]?["reference"]?.text ?? "" : ""
        // Two are enough to know.
        if subjects[cuff, default: []].count < 2 { subjects[cuff, default: []].insert(subject) }
    }

    /// Whether readings of one place have several. Each cuff of this program is a place of its own, with a person of its own.
    func areSeveral(_ own: FHIROwnRecords) -> Bool {
        var places: [String: Set<String>] = [:]
        for (reference, found) in subjects { places[own.device(reference) ?? "", default: []].formUnion(found) }
        return places.values.contains { $0.count > 1 }
    }
}

extension ImportTime {
    /// The time of an Observation, or the beginning of the period of one measurement; that of an average is hours long.
    static func instant(of one: JSONValue) throws(ImportRefusal) -> ImportedReading.Time {
        let text = one["effectiveDateTime"]?.text ?? one["effectiveInstant"]?.text ?? ""
        guard text.isEmpty else { return try instant(text) }
        guard let start = one["effectivePeriod"]?["start"]?.text, let end = one["effectivePeriod"]?["end"]?.text else { throw .noTime("") }
        let time = try instant(start)
        guard case .instant(let first, _) = time, case .instant(let last, _) = try instant(end), first <= last,
            last.seconds - first.seconds < 3600
        else { throw .average("effectivePeriod") }
        return time
    }
}
