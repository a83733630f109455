import CuffClinical
import CuffCore

/// A name under which a store remembers what a program has taken of its changes. Each name sees every change once, also after a
/// restart.
public struct ChangeAnchor: Sendable, Hashable {
    /// The program's own word, e.g. `diary`.
    public let name: String

    /// The anchor of this name.
    public init(_ name: String) { self.name = name }

    /// Exports have names, too.
    var cursor: String { "changes/\(name)" }
}

/// What happened to a reading since the anchor.
public enum StoreChange: Sendable, Hashable {
    /// It was not there before.
    case added(Reading, Provenance)
    /// A cuff completed it, or a person changed it; the revision is higher.
    case revised(Reading, Provenance)
    /// It was deleted, or its sender withdrew it.
    case deleted(Reading.ID)
}

/// The changes of a store since an anchor, for `for try await`, by the ids of their readings; deletions first.
///
/// Changes are remembered as taken when the loop asks for one beyond the up to `page` that were read together, or for one that has not
/// come yet. After a crash, or if the loop is left, the last of them come again. Whatever program changed the database, a change is seen
/// within a second.
public struct StoreChanges: AsyncSequence, Sendable {
    /// Why the database could not be read, or not remember the anchor.
    public typealias Failure = IngestError
    /// How many changes are read together.
    public static let page = 100

    let store: Store
    let anchor: ChangeAnchor
    let follows: Bool

    /// Continues where the last loop with this anchor ended.
    public func makeAsyncIterator() -> Iterator { Iterator(loop: Loop(store: store, anchor: anchor, follows: follows)) }

    /// One loop; for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var loop: Loop

        /// The next change; `nil` at the end of a loop that does not follow, or after a cancellation.
        /// - Throws: An `IngestError` of reading or writing, as ``Store`` says: the anchor is stored.
        public mutating func next() async throws(IngestError) -> StoreChange? { try await loop.next() }

        /// The next change; `nil` at the end of a loop that does not follow, or after a cancellation.
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(IngestError) -> StoreChange? {
            try await loop.next()
        }
    }

    fileprivate struct Loop: Sendable {
        fileprivate let store: Store
        fileprivate let anchor: ChangeAnchor
        fileprivate let follows: Bool
        /// Not read yet, last first.
        private var due: [Store.DueChange] = []
        /// Read and not handed over, last first.
        private var page: [(StoreChange, Store.DueChange)] = []
        private var given: [Store.DueChange] = []
        private var version: Int64?

        fileprivate init(store: Store, anchor: ChangeAnchor, follows: Bool) {
            (self.store, self.anchor, self.follows) = (store, anchor, follows)
        }

        mutating func next() async throws(IngestError) -> StoreChange? {
            while !Task.isCancelled {
                if let (change, due) = page.popLast() {
                    given.append(due)
                    return change
                }
                try await remember()
                if due.isEmpty { try await look() }
                if due.isEmpty {
                    guard follows else { return nil }
                    do { try await Task.sleep(for: HealthRuns.followInterval) } catch { return nil }
                    continue
                }
                let chosen = Array(due.suffix(StoreChanges.page))
                due.removeLast(chosen.count)
                let store = store
                page = try await DetachedThread.run { () throws(IngestError) in try store.read(chosen) }
            }
            return nil
        }

        private mutating func remember() async throws(IngestError) {
            guard !given.isEmpty else { return }
            let (taken, store, cursor) = (given, store, anchor.cursor)
            try await DetachedThread.run { () throws(IngestError) in try store.remember(taken, for: cursor) }
            given = []
        }

        private mutating func look() async throws(IngestError) {
            let (store, cursor, known) = (store, anchor.cursor, version)
            let found = try await DetachedThread.run { () throws(IngestError) -> (version: Int64, due: [Store.DueChange])? in
                let version = try store.changeCounter()
                return version == known ? nil : (version, try store.due(since: cursor))
            }
            guard let found else { return }
            (version, due) = (found.version, found.due)
        }
    }
}

extension Store {
    /// The changes since the anchor and, with `follow`, those that come later, until the loop is left. The store remembers the anchor, so
    /// it must be open for writing.
    public func changes(since anchor: ChangeAnchor, follow: Bool = true) -> StoreChanges {
        StoreChanges(store: self, anchor: anchor, follows: follow)
    }

    /// Forgets what was taken under an anchor: every reading is `added` again.
    /// - Throws: An `IngestError` of writing, as ``Store`` says.
    public func forget(_ anchor: ChangeAnchor) async throws(IngestError) {
        try await DetachedThread.run { [self] () throws(IngestError) in
            try commit { try $0.run("DELETE FROM exported WHERE cursor = ?", anchor.cursor) }
        }
    }

    /// A change that an anchor has not seen.
    struct DueChange: Sendable {
        enum Kind { case added, revised, deleted }
        var id: Reading.ID
        var revision: UInt8
        var kind: Kind
    }

    /// The changes that the anchor has not seen, last first. Pending readings are no change before they are completed.
    fileprivate func due(since cursor: String) throws(IngestError) -> [DueChange] {
        let kinds = ReadingSelection.Kind.allCases.map { ReadingSelection.quoted($0.rawValue) }.joined(separator: ",")
        return try read { db in
            let deleted = try db.rows(
                """
                SELECT exported.id FROM exported LEFT JOIN reading USING (id)
                WHERE cursor = ? AND (reading.id IS NULL OR reading.type = '\(Self.tombstone)') ORDER BY exported.id DESC
                """, cursor
            ) { $0.text(0) ?? "" }.compactMap { Reading.ID.parse($0).map { DueChange(id: $0, revision: .max, kind: .deleted) } }
            let present = try db.rows(
                """
                SELECT reading.id, \(ReadingColumn.fullRevision), exported.id IS NOT NULL
                FROM reading LEFT JOIN exported ON exported.cursor = ? AND exported.id = reading.id
                WHERE NOT pending AND type IN (\(kinds))
                  AND (exported.id IS NULL OR exported.revision < \(ReadingColumn.fullRevision))
                ORDER BY reading.id DESC
                """, cursor
            ) { ($0.text(0) ?? "", $0.number(1), $0.flag(2)) }
            return present.compactMap { text, revision, isKnown in
                Reading.ID.parse(text).map { DueChange(id: $0, revision: UInt8(clamping: revision), kind: isKnown ? .revised : .added) }
            } + deleted
        }
    }

    /// The readings of these changes, last first. One that is damaged, or was deleted meanwhile, is left out.
    fileprivate func read(_ due: [DueChange]) throws(IngestError) -> [(StoreChange, DueChange)] {
        var selection = ReadingSelection(zone: .utc)
        selection.ids = due.filter { $0.kind != .deleted }.map(\.id)
        var found: [Reading.ID: (Reading, Provenance)] = [:]
        if !selection.ids.isEmpty {
            try forEach(selection) { reading, provenance in
                found[reading.id] = (reading, provenance)
                return true
            }
        }
        return due.compactMap { change in
            if change.kind == .deleted { return (.deleted(change.id), change) }
            guard let (reading, provenance) = found[change.id] else { return nil }
            var seen = change
            seen.revision = reading.revision
            return (change.kind == .added ? .added(reading, provenance) : .revised(reading, provenance), seen)
        }
    }

    fileprivate func remember(_ taken: [DueChange], for cursor: String) throws(IngestError) {
        var given = GivenAway()
        given.readings = taken.filter { $0.kind != .deleted }.map { ($0.id, $0.revision) }
        try remember(given, for: cursor)
        try forgetGiven(taken.filter { $0.kind == .deleted }.map(\.id), by: cursor)
    }
}
