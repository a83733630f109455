import CuffClinical
import CuffCore
import SQLite

extension Store {
    /// Stores beside a reading whose it is; `nil` removes that, and the configuration decides again. The record and its values stay.
    /// Returns whether anything differs.
    /// - Throws: `StoreFault.noSuchReading`, `damagedReadings` or `tooManyChanges` in an `IngestError`, or one of writing, as ``Store``
    ///   says.
    public func move(_ id: Reading.ID, to person: String?) throws(IngestError) -> Bool {
        try commit { db in
            var (reading, provenance) = try whole(id, in: db)
            guard reading.person != person else { return false }
            let former = redelivery.household.person(of: reading, device: provenance.device)
            reading.person = person
            try noteChange(&reading, in: db)
            try db.run("UPDATE reading SET person = ? WHERE id = ?", person, id.description)
            try seal(id, in: db)
            try queueAgain(reading, provenance, movedFrom: former, in: db)
            return true
        }
    }

    /// The persons of readings that a user moved, or measured or entered for a person; one by one, because a copy may have very many.
    func forEachMoved(_ body: (Reading.ID, String) -> Void) throws(IngestError) {
        try read { db in
            _ = try db.rows("SELECT id, person FROM reading WHERE person IS NOT NULL") { row in
                if let id = Reading.ID.parse(row.text(0) ?? ""), let person = row.text(1) { body(id, person) }
            }
        }
    }

    /// Renames the person of readings that were moved, and in what exports remember; case does not matter. Returns how many readings.
    /// - Throws: As ``move(_:to:)``.
    public func rename(_ old: String, to new: String) throws(IngestError) -> Int {
        var count = 0
        var ids: [Reading.ID] = []
        try forEachMoved { id, person in if person.lowercased() == old.lowercased() { ids.append(id) } }
        for id in ids where try move(id, to: new) { count += 1 }
        try commit { try $0.run("UPDATE exported SET person = ? WHERE person = ?", new.lowercased(), old.lowercased()) }
        return count
    }

    /// Queues the reading again for every sink that received it, after any line of an earlier revision. A sink that may no longer have
    /// it gets a notice of deletion, and one that may have only some persons or types gets it now if it may. `movedFrom`: whose it was
    /// before; the notice names that person, not the new one, and goes only to sinks that may have readings of that person.
    func queueAgain(_ reading: Reading, _ provenance: Provenance, movedFrom former: Person? = nil, in db: SQLiteConnection) throws {
        let view = redelivery
        var named = reading
        named.person = view.household.person(of: reading, device: provenance.device).name
        let id = reading.id.description
        let sinks = try db.rows(
            "SELECT number, spec, EXISTS (SELECT 1 FROM outbox WHERE sink = number AND id = ?1) FROM sink ORDER BY number", id
        ) { (number: $0.number(0), consent: view.consents[SinkSpec.place(of: $0.text(1) ?? "")], had: $0.flag(2)) }
        func list(_ isMeant: (SinkConsent?, Bool) -> Bool) -> String {
            sinks.filter { isMeant($0.consent, $0.had) }.map { "\($0.number)" }.joined(separator: ",")
        }
        var text = TextBuffer(capacity: 512)
        ReadingLine().append(named, device: provenance.device, to: &text)
        try Self.queue(
            text.string, id, Int(reading.revision), for: list { consent, had in consent?.permits(named) ?? had }, in: db)
        let refused = list { consent, had in
            had && consent?.permits(named) == false && (former.map { consent?.permits(person: $0.name) == true } ?? true)
        }
        guard !refused.isEmpty else { return }
        try db.run(
            """
            UPDATE outbox SET sequence = NULL, queued = NULL, line = NULL, refused = NULL
            WHERE id = ? AND sink IN (\(refused)) AND line IS NOT NULL AND revision < \(DeletionNotice.revision)
            """, id)
        try DeletionNotices(db, view.household).put(id, of: former, only: " AND sink IN (\(refused))", in: db)
    }
}
