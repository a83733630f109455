/// Which reading a correction or a withdrawal is of (`Reading.Reference`), over connections and restarts too: ids are remembered, and no
/// values. A record refers to the reading with the same order number, else to the one with the same time and group, of the same device.
/// Where two readings have the same name, the name refers to none.
struct ReadingReferences: Sendable {
    /// What became of a record.
    enum Outcome: Sendable, Hashable {
        case named
        /// A correction of a reading that is not known here: it is stored as a reading of its own.
        case correctsUnknown
        /// A withdrawal of a reading that is not known here, or a correction of a withdrawn one: there is nothing to store.
        case dropped

        /// What to report; `nil` where nothing is missing.
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
        /// A hash of the latest record, by which its repetition is recognised.
        var record: UInt64 = 0

        var isWithdrawn: Bool { revision == Reading.lastRevision }
        var isAmbiguous: Bool { id == .none }
    }

    /// Names of one connection. What lies longer back is found in what is remembered.
    private static let mostNames = 512
    private var entries: [UInt64: Entry] = [:]
    private var names: [UInt64] = []

    /// Gives the reading the id and revision of the one that it refers to. `memory` is what earlier links left; what is to be remembered
    /// is put into it, and its keys into `changed`.
    mutating func resolve(
        _ reading: inout Reading, memory: inout [String: [UInt8]], changed: inout Set<String>
    ) -> Outcome {
        let reference = reading.reference
        reading.reference = .none
        let record = reading.raw.withBytes { XXHash64.hash($0, seed: 0) }
        let names = [reference.order, reference.time].filter { $0 != 0 }
        let known = names.compactMap { entry($0, memory) }.first { !$0.isAmbiguous }
        func remember(_ entry: Entry, _ me: inout ReadingReferences) {
            for name in names {
                // Another reading has this name already.
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
            let isChange = reference.standing == .correction || entry.isPreliminary && reference.standing == .result
            if !isChange, entry.id == reading.id { return .named }
            if !isChange, entry.record != record {
                // Another determination.
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

    // MARK: What is remembered

    /// In each of 256 places: 4096 names, 2048 readings.
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
