import ArgumentParser
import CuffCore
import CuffIngest

/// Damaged rows that a verb has met: what it printed is right and not all.
enum Damage {
    // Verbs run on the main thread alone.
    nonisolated(unsafe) static var stores: [Store] = []

    /// Throws where something was left out. Asked once a verb has done its work.
    static func told() throws(IngestError) {
        for store in stores { if let damage = store.damage { throw damage } }
    }
}
