import CuffCore

/// The subjects of the readings of a file. They are not stored, so several of them would become one person.
struct FHIRSubjects {
    /// By the reference of a cuff of this program; of everything else under an empty name.
    private var subjects: [String: Set<String>] = [:]

    mutating func add(_ one: JSONValue, isOwn: Bool) {
        guard let subject = one["subject"]?["reference"]?.text else { return }
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
