import CuffClinical
import CuffCore
import Glibc

extension HealthRuns {
    /// The result of an export.
    public struct ExportReport: Sendable, Hashable {
        /// Readings written.
        public var written = 0
        /// Series written.
        public var series = 0
        /// Readings that the format cannot contain, by reason.
        public var leftOut: [ExportOmission: Int] = [:]
        /// Readings written by earlier exports of this name that are deleted since, or no longer of the selected person or user; each is
        /// reported once.
        public var deleted: [Reading.ID] = []
        /// Whether the format itself reports them.
        public var saysDeleted = false
        /// The name under which the delivered readings are stored.
        public var cursor: String?
    }

    package static func exportContext(_ zone: ZoneTable, version: String) -> ExportContext {
        var name = [CChar](repeating: 0, count: 256)
        let isKnown = gethostname(&name, name.count - 1) == 0
        let host = isKnown ? String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self) : ""
        return ExportContext(
            zone: zone, made: HostClock.reproducibleNow(), source: HealthSource(name: "cuff", version: version), host: host)
    }

    /// Throws if a type chosen by name is not supported by the format, or if events are combined with `--new`.
    package static func check(_ types: TypeChoice, _ selection: ReadingSelection, for exporter: Exporter) throws(ExportFault) {
        guard types.isChosen else { return }
        var missing = types.series.subtracting(exporter.parts.series).map(\.rawValue).sorted()
        if types.events, !exporter.parts.contains(.events) { missing.append("event") }
        if let first = missing.first { throw .noPlace(type: first, exporter: exporter.name) }
        if selection.newFor != nil, !types.hasReadings, types.events { throw .eventsAlone }
    }

    /// Writes the selected readings as they come from the database; with `isArchive`, into a zip file of the format's layout.
    /// Memory is constant, except for 24 bytes per reading with `newFor`, and the ids of the inflations in a cuff's averages.
    package static func export(
        _ store: Store, _ types: TypeChoice = .everything, _ selection: ReadingSelection, as exporter: Exporter,
        choices: ExportChoices = ExportChoices(), context: ExportContext, isArchive: Bool = false, to output: OutputFile
    ) throws -> ExportReport {
        try check(types, selection, for: exporter)
        var archive: StoredZip?
        if isArchive {
            guard let path = exporter.archivePath, output.isRegularFile else { throw ExportFault.noArchive(exporter: exporter.name) }
            let wall = context.made.seconds + Int64(context.zone.offset(at: context.made.seconds))
            archive = StoredZip(path: path, modified: DeviceTime(wallSeconds: wall))
        }
        var context = context
        context.isPartial = selection.isOfOne || selection.device != nil || selection.driver != nil || !selection.kinds.isEmpty
        if let cursor = selection.newFor { context.withdrawn = try store.withdrawn(by: cursor) }
        if exporter.writesExclusions, types.hasReadings { context.partsOfAverages = try store.partsOfAverages(selection) }
        let writer = try exporter.writer(choices, context)
        try writer.indistinct(among: try store.persons(selection)).requireOne(for: "this \(exporter.name) export")
        var run = ExportRun(store: store, types: types, selection: selection, contents: exporter.parts, writer: writer) {
            exporter.omission($0, context)
        }
        try run.write(to: try BufferedOutput(output, archive: archive))
        try output.finish()
        if let cursor = selection.newFor {
            try store.remember(run.given, for: cursor)
            try store.rememberWithdrawn(run.report.deleted, by: cursor)
        }
        run.report.cursor = selection.newFor
        return run.report
    }
}

extension ReadingSelection {
    /// Whether it leaves out readings of some persons or users.
    fileprivate var isOfOne: Bool { person != nil || user != nil || isWithoutUser }

    /// The selected person as the database remembers it of an export.
    fileprivate var exportedPerson: String? { person?.name?.lowercased() }
}

extension ExportParts {
    var series: Set<SeriesSelection.Kind> {
        var kinds: Set<SeriesSelection.Kind> = []
        if contains(.quantitySeries) { kinds.insert(.quantity) }
        if contains(.heartbeatSeries) { kinds.insert(.heartbeats) }
        if contains(.waveformSeries) { kinds.insert(.waveforms) }
        return kinds
    }
}

/// Delivered ids, held until the file is complete.
struct GivenAway {
    /// The person whose readings these are, if one was selected by name; in lower case.
    var person: String?
    var readings: [(id: Reading.ID, revision: UInt8)] = []
    var series: [Int64] = []
}

private struct ExportRun {
    let store: Store
    let types: TypeChoice
    let selection: ReadingSelection
    let contents: ExportParts
    var writer: any ExportWriter
    let omission: (borrowing Reading) -> ExportOmission?
    var report = HealthRuns.ExportReport()
    var given = GivenAway()

    mutating func write(to text: BufferedOutput) throws {
        writer.begin(to: &text.buffer)
        try writeReadings(to: text)
        try writeSeries(to: text)
        try writeDeletions(to: text)
        writer.end(to: &text.buffer)
        try text.end()
        if text.isTooLarge { throw ExportFault.archiveTooLarge }
    }

    private mutating func writeReadings(to text: BufferedOutput) throws(IngestError) {
        let hasEvents = types.events && contents.contains(.events)
        guard types.hasReadings || hasEvents else { return }
        given.person = selection.exportedPerson
        let isNoted = selection.newFor != nil
        var selection = selection
        // Events need readings that may not be selected.
        if hasEvents, !selection.kinds.isEmpty || !types.hasReadings { selection.kinds.formUnion([.bloodPressure, .pulseRate]) }
        try store.forEach(selection) { reading, provenance in
            let parts = types.parts(of: reading)
            // Not remembered as delivered: it can be exported once the zone is known.
            if let omission = omission(reading) {
                report.leftOut[omission, default: 0] += 1
                return true
            }
            do throws(ExportOmission) {
                try writer.append(reading, from: provenance, parts: parts, to: &text.buffer)
                if parts.contains(.values) {
                    report.written += 1
                    if isNoted { given.readings.append((reading.id, reading.revision)) }
                }
            } catch { report.leftOut[error, default: 0] += 1 }
            return try text.flush()
        }
    }

    private mutating func writeDeletions(to text: BufferedOutput) throws(IngestError) {
        guard let cursor = selection.newFor else { return }
        report.deleted = try store.deletedSince(cursor) + store.movedSince(cursor, from: selection)
        for id in report.deleted {
            guard writer.append(deleted: id, to: &text.buffer) else { return }
            report.saysDeleted = true
            _ = try text.flush()
        }
    }

    private mutating func writeSeries(to text: BufferedOutput) throws(IngestError) {
        let kinds = contents.series.intersection(types.series)
        guard !kinds.isEmpty else { return }
        let isNoted = selection.newFor != nil
        try store.forEachSeries(SeriesSelection(selection, kinds: kinds)) { stored in
            if isNoted { given.series.append(stored.number) }
            writer.append(
                stored.series, user: stored.user, person: stored.person.name, from: stored.provenance, to: &text.buffer)
            report.series += 1
            return try text.flush()
        }
    }
}

extension Store {
    /// Stores what an export delivered under its name. Done last, so that after a crash it is delivered again rather than never.
    func remember(_ given: GivenAway, for cursor: String) throws(IngestError) {
        try commit { db in
            let statement = try db.prepare("INSERT OR REPLACE INTO exported (cursor, id, revision, person) VALUES (?, ?, ?, ?)")
            for one in given.readings { try statement.run(cursor, one.id.description, Int(one.revision), given.person) }
            for number in given.series { try statement.run(cursor, "series-\(number)", 0, given.person) }
        }
    }

    /// The ids of readings that exports of this name delivered and that are deleted, until `rememberWithdrawn`.
    func deletedSince(_ cursor: String) throws(IngestError) -> [Reading.ID] {
        try read { db in
            try db.rows(
                """
                SELECT exported.id FROM exported JOIN reading USING (id)
                WHERE cursor = ? AND exported.revision >= 0 AND type = '\(Self.tombstone)' ORDER BY id
                """, cursor
            ) { $0.text(0) ?? "" }.compactMap { Reading.ID.parse($0) }
        }
    }

    /// The ids of readings that exports of this name delivered and that are no longer of the selected person or user, until
    /// `rememberWithdrawn`: those that were delivered as this person's, and, where the person was not stored, those that were changed since.
    func movedSince(_ cursor: String, from selection: ReadingSelection) throws(IngestError) -> [Reading.ID] {
        guard selection.isOfOne else { return [] }
        let delivered = try read { db in
            try db.rows(
                """
                SELECT exported.id FROM exported JOIN reading USING (id)
                WHERE cursor = ? AND exported.revision >= 0 AND type <> '\(Self.tombstone)' AND NOT pending AND \(isIntact)
                  AND (exported.person = ? OR exported.person IS NULL AND exported.revision < \(ReadingColumn.fullRevision))
                ORDER BY id
                """, cursor, selection.exportedPerson
            ) { $0.text(0) ?? "" }.compactMap { Reading.ID.parse($0) }
        }
        var moved: [Reading.ID] = []
        for start in stride(from: 0, to: delivered.count, by: 1000) {
            var whose = ReadingSelection(zone: selection.zone)
            (whose.person, whose.household) = (selection.person, selection.household)
            (whose.user, whose.isWithoutUser) = (selection.user, selection.isWithoutUser)
            whose.ids = Array(delivered[start..<min(start + 1000, delivered.count)])
            var owned: Set<Reading.ID> = []
            try forEach(whose) { reading, _ in
                owned.insert(reading.id)
                return true
            }
            moved += whose.ids.filter { !owned.contains($0) }
        }
        return moved
    }

    /// The readings that exports of this name delivered and withdrew; a cuff or an import may have delivered them here again.
    func withdrawn(by cursor: String) throws(IngestError) -> Set<Reading.ID> {
        try read { db in
            try Set(
                db.rows("SELECT id FROM exported WHERE cursor = ? AND revision < 0", cursor) { $0.text(0) ?? "" }
                    .compactMap { Reading.ID.parse($0) })
        }
    }

    /// Withdrawn readings are delivered again if they are selected again. Done last, as `remember`.
    func rememberWithdrawn(_ ids: [Reading.ID], by cursor: String) throws(IngestError) {
        try changeGiven("UPDATE exported SET revision = -1", ids, cursor)
    }

    /// Forgets that these readings were delivered. Done last, as `remember`.
    func forgetGiven(_ ids: [Reading.ID], by cursor: String) throws(IngestError) { try changeGiven("DELETE FROM exported", ids, cursor) }

    private func changeGiven(_ change: String, _ ids: [Reading.ID], _ cursor: String) throws(IngestError) {
        guard !ids.isEmpty else { return }
        try commit { db in
            let statement = try db.prepare(change + " WHERE cursor = ? AND id = ?")
            for id in ids { try statement.run(cursor, id.description) }
        }
    }
}
