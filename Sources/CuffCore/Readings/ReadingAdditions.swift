/// What few readings have besides facts and bytes. One reference: a copy of a reading retains one object instead of four.
struct ReadingAdditions: Sendable, Hashable {
    struct Values: Sendable, Hashable {
        var text: String?
        var remarks: Remarks?
        var metadata: [String: String] = [:]
        var person: String?
    }

    private final class Storage: Sendable {
        let values: Values
        init(_ values: Values) { self.values = values }
    }

    /// `nil` for no values.
    private var storage: Storage?

    var isEmpty: Bool { storage == nil }
    var text: String? { storage?.values.text }
    var remarks: Remarks? { storage?.values.remarks }
    var metadata: [String: String] { storage?.values.metadata ?? [:] }
    var person: String? { storage?.values.person }

    mutating func set<Value: Equatable>(_ field: WritableKeyPath<Values, Value>, _ value: Value) {
        var values = storage?.values ?? Values()
        guard values[keyPath: field] != value else { return }
        values[keyPath: field] = value
        storage = values == Values() ? nil : Storage(values)
    }

    static func == (a: Self, b: Self) -> Bool { a.storage === b.storage || a.storage?.values == b.storage?.values }

    func hash(into hasher: inout Hasher) { hasher.combine(storage?.values) }
}

extension Reading {
    /// The text of an IEEE 11073 enumeration, printable and at most `longestText` bytes; `raw` is complete.
    public var text: String? {
        get { additions.text }
        set { additions.set(\.text, newValue) }
    }
    /// A person's remarks, if any; never from a cuff.
    public var remarks: Remarks? {
        get { additions.remarks }
        set { additions.set(\.remarks, newValue) }
    }
    /// Facts of the program that saved it, under keys of its own, e.g. those of a sample's metadata; kept, and not shown to persons.
    public var metadata: [String: String] {
        get { additions.metadata }
        set { additions.set(\.metadata, newValue) }
    }
    /// The name of the person whose reading it is; `nil` if only the cuff and its user slot are known. No driver sets it: it is looked up
    /// in the user's configuration, or a person has said it of this reading.
    public var person: String? {
        get { additions.person }
        set { additions.set(\.person, newValue) }
    }
}
