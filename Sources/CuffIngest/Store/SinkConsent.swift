import CuffClinical
import CuffCore

/// What a sink may have: the keys `persons` and `types` of its section. Without limits: everything.
package struct SinkConsent: Sendable, Hashable {
    /// Names of persons, and `none` for readings without a name; `nil`: of everybody.
    package var persons: [String]?
    /// Words of `SinkConsent.words`; `nil`: every type, and live events.
    package var types: [String]?

    /// The types that a section may name: types of readings, quantities, and alerts.
    package static let words = ReadingSelection.Kind.allCases.map(\.rawValue) + QuantityType.all.map(\.name) + ["alert"]

    package var isUnlimited: Bool { persons == nil && types == nil }

    /// Whether the sink may have a reading. `person` of the reading must be set as the household says.
    func permits(_ reading: Reading) -> Bool {
        var words = [ReadingSelection.Kind(reading.content).rawValue]
        if let quantity = QuantityType.of(reading) { words.append(quantity.name) }
        return permits(person: reading.person) && permits(types: words)
    }

    /// Whether the sink may have a line of its outbox. Notices of deletions are always sent.
    func permits(line bytes: [UInt8]) -> Bool {
        guard let line = JSONValue(bytes[...]), let type = line["type"]?.text else { return false }
        if type == "deleted" { return true }
        var words = [type == "pending" ? line["of"]?.text ?? "" : type]
        if let mdc = line["mdc"]?.number { words += QuantityType.all.filter { Double($0.mdc) == mdc }.map(\.name) }
        return permits(person: line["person"]?.text) && permits(types: words)
    }

    /// Live pressures and waveforms have no person and no type of these, so a limited sink gets alerts only.
    func permits(_ event: LiveEvent) -> Bool {
        if isUnlimited { return true }
        guard case .alert(let alert) = event else { return false }
        return permits(person: alert.person) && permits(types: ["alert"])
    }

    func permits(person: String?) -> Bool {
        guard let persons else { return true }
        let wanted = person?.lowercased() ?? "none"
        return persons.contains { $0.lowercased() == wanted }
    }

    private func permits(types words: [String]) -> Bool { types.map { types in words.contains { types.contains($0) } } ?? true }

    /// For users: `persons: Anna, Ben; types: blood_pressure`; empty without limits.
    package var text: String {
        [persons.map { "persons: \($0.joined(separator: ", "))" }, types.map { "types: \($0.joined(separator: ", "))" }]
            .compactMap { $0 }.joined(separator: "; ")
    }
}
