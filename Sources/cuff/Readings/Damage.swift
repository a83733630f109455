import CuffIngest

/// Damaged rows found by a verb, whose output is correct but incomplete.
enum Damage {
    // Verbs run on the main thread only.
    nonisolated(unsafe) static var stores: [Store] = []

    /// Throws if damaged rows were left out. Called at the end of a verb.
    static func told() throws(IngestError) {
        for store in stores { if let damage = store.damage { throw damage } }
    }
}
