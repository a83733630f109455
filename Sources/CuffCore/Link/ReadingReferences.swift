/// Finds the reading that a correction or withdrawal refers to (`Reading.Reference`), across connections and restarts; remembers ids, no
/// values. A reference means the reading of the same device with the same order number, else with the same time and group. A final result
/// replaces a preliminary one of the same time and patient only. Ambiguous names refer to none.
struct ReadingReferences: Sendable {
    enum Outcome: Sendable, Hashable {
        case named
        /// A correction of an unknown reading, stored as a reading of its own.
        case correctsUnknown
        /// A withdrawal of an unknown reading, or a correction of a withdrawn one: nothing to store.
        case dropped

        var warning: String? {
            switch self {
            case .named: nil
            case .correctsUnknown: "a correction of a reading that is not known here; kept as a reading of its own"
            case .dropped: "a withdrawal of a reading that is not known here, or a correction of a withdrawn one"
            }
        }
    }

    struct Entry: Sendable, Hashable {
        /// `none`: two readings have this name.
        var id = Reading.ID.none
        var revision: UInt8 = 0
        var isPreliminary = false
        /// A hash of the latest record, to detect repetitions.
        var record: UInt64 = 0

        var isWithdrawn: Bool { revision == Reading.lastRevision }
        var isAmbiguous: Bool { id == .none }
    }

    /// Names of one connection; older ones are in the memory.
    private static let mostNames = 512
    private var entries: [UInt64: Entry] = [:]
    private var names: [UInt64] = []

    /// Gives the reading the id and revision of the referenced one; updates `memory` and adds changed keys to `changed`.
    mutating func resolve(
        _ reading: inout Reading, memory: inout [String: [UInt8]], changed: inout Set<String>
    ) -> Outcome {
        let reference = reading.reference
        reading.reference = .none
        let record = reading.raw.withBytes { XXHash64.hash($0, seed: 0) }
        let names = [reference.order, reference.time, reference.determination].filter { $0 != 0 }
        let known = names.compactMap { entry($0, memory) }.first { !$0.isAmbiguous }
        func remember(_ entry: Entry, _ me: inout ReadingReferences) {
            for name in names {
                // Another reading already has this name.
                let isOther = me.entry(name, memory).map { $0.id != entry.id } ?? false
                me.set(isOther ? Entry() : entry, name, &memory, &changed)
            }
        }
        guard var entry = known else {
            if reference.standing == .withdrawal { return .dropped }
            remember(Entry(id: reading.id, isPreliminary: reference.standing == .preliminary, record: record), &self)
            return reference.standing == .correction ? .correctsUnknown : .named
        }
        switch reference.standing {
        case .withdrawal: entry.revision = Reading.lastRevision
        case .correction where entry.isWithdrawn: return .dropped
        case .result, .preliminary, .correction:
            let isSameDetermination =
                reference.determination == 0 || self.entry(reference.determination, memory)?.id == entry.id
            let isFinal = entry.isPreliminary && reference.standing == .result && isSameDetermination
            let isChange = reference.standing == .correction || isFinal
            if !isChange, entry.id == reading.id { return .named }
            if !isChange, entry.record != record {
                remember(Entry(id: reading.id, isPreliminary: reference.standing == .preliminary, record: record), &self)
                return .named
            }
            if entry.record != record || isChange && entry.isPreliminary {
                entry.revision = min(entry.revision + 1, Reading.lastRevision - 1)
            }
        }
        entry.record = record
        entry.isPreliminary = false
        reading.id = entry.id
        reading.revision = entry.revision
        remember(entry, &self)
        return .named
    }

    private func entry(_ name: UInt64, _ memory: [String: [UInt8]]) -> Entry? {
        entries[name] ?? Self.remembered(memory[Self.key(name)]).last { $0.name == name }?.entry
    }

    private mutating func set(
        _ entry: Entry, _ name: UInt64, _ memory: inout [String: [UInt8]], _ changed: inout Set<String>
    ) {
        if entries.updateValue(entry, forKey: name) == nil {
            names.append(name)
            if names.count > Self.mostNames { entries[names.removeFirst()] = nil }
        }
        let key = Self.key(name)
        let before = Self.remembered(memory[key]).filter { $0.name != name }
        memory[key] = (before.suffix(Self.mostRemembered - 1) + [(name, entry)]).flatMap { Self.bytes($0.name, $0.entry) }
        changed.insert(key)
    }

    /// Per each of 256 buckets: 4096 names, at least 1365 readings.
    private static let mostRemembered = 16
    private static let size = 34

    private static func key(_ name: UInt64) -> String { "reading-\(Hex.text([UInt8(truncatingIfNeeded: name)]))" }

    private static func bytes(_ name: UInt64, _ entry: Entry) -> [UInt8] {
        let words = [name, UInt64(bitPattern: entry.id.wallSeconds ?? .min), entry.id.hash, entry.record]
        return words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) } }
            + [entry.revision, entry.isPreliminary ? 1 : 0]
    }

    private static func remembered(_ value: [UInt8]?) -> [(name: UInt64, entry: Entry)] {
        guard let value, value.count <= mostRemembered * size else { return [] }
        let span = value.span
        return stride(from: 0, to: value.count, by: size).compactMap { start in
            guard let name = span.bigEndian64(start), let wall = span.bigEndian64(start + 8), let hash = span.bigEndian64(start + 16),
                let record = span.bigEndian64(start + 24), let revision = span.byte(start + 32), let isPreliminary = span.byte(start + 33)
            else { return nil }
            let seconds = Int64(bitPattern: wall)
            let id = Reading.ID(wallSeconds: seconds == .min ? nil : seconds, hash: hash)
            return (name, Entry(id: id, revision: revision, isPreliminary: isPreliminary == 1, record: record))
        }
    }
}
