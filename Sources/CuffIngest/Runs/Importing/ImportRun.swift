import CuffClinical
import CuffCore
import Glibc

package struct ImportRequest: Sendable {
    /// Facts about the files from the user.
    package var options: ImportOptions
    /// The layout; `nil`: each file is recognised.
    package var layout: Importer?
    /// The user of every reading; `nil`: as the file says.
    package var user: Int32?
    package var household = Household()
    /// Of times without a zone.
    package var zone: ZoneTable
    /// The name of `zone`; `nil` for the zone of this machine.
    package var zoneName: String?
    /// The name of the import; `nil`: the file's.
    package var name: String?
    /// Whether to import readings that may be stored ones in another zone.
    package var includesSuspects = false
    /// This program with its version, as in `IngestOptions.program`.
    package var program: String?
    /// Whether a record that cannot be read rejects the whole file.
    package var isStrict = false

    package init(zone: ZoneTable, zoneName: String? = nil) {
        (self.zone, self.zoneName) = (zone, zoneName)
        options = ImportOptions { (try? HostZone.named($0)) ?? nil }
    }
}

/// Imports files of other programs into a database.
package struct ImportRun {
    private let request: ImportRequest
    private let path: String
    private let received: Timestamp
    private var index = ImportIndex()

    /// Whether the file can be read once for a preview and again for the import; a pipe cannot.
    package static func canRepeat(_ path: String) -> Bool {
        var status = stat()
        // Other files are refused when they are opened.
        guard path != "-", stat(path, &status) == 0 else { return path != "-" }
        return [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }
    /// The number of files read; matches are reserved per file.
    private var pass: Int32 = 0
    private var store: Store?

    /// So many are stored in one transaction, in order of time: records of a file may be in any order.
    private static let batch = 4096

    /// For the database at `path`, which need not exist.
    package init(_ request: ImportRequest, database path: String) {
        (self.request, self.path, received) = (request, path, HostClock.reproducibleNow())
    }

    /// Reads a file without storing anything. `progress` gets the completed fraction, 0…1.
    package mutating func preview(_ file: String, progress: (Double) -> Void = { _ in }) throws(IngestError) -> ImportSummary {
        store = access(path, F_OK) == 0 ? try Store(path, access: .read) : nil
        return try walk(file, progress: progress) { _ throws(IngestError) in }
    }

    /// Imports a file. With `isStrict` it is read to its end before anything is stored.
    package mutating func perform(_ file: String, progress: (Double) -> Void = { _ in }) throws(IngestError) -> ImportSummary {
        if request.isStrict {
            let summary = try preview(file)
            if let fault = summary.fault { throw fault }
            guard summary.refused == 0 else { throw IngestError(ImportRunFault.strict(summary.file, refused: summary.refused)) }
        }
        let store = try Store(path, access: .write)
        self.store = store
        let fileName = Self.fileName(file)
        let wanted = request.name ?? fileName
        var record = Store.ImportRecord(
            name: try store.freeImportName(wanted), file: fileName, layout: "", imported: received.utcText, readings: 0)
        var waiting: [Store.Arrival] = []
        var program = ""
        var changed = 0
        var summary = try walk(file, progress: progress) { (item) throws(IngestError) in
            if let item {
                waiting.append(item.arrival)
                (record.layout, program) = (item.importer.name, item.importer.program)
            }
            guard item == nil || waiting.count >= Self.batch else { return }
            changed += try store.add(waiting, import: record, program: program)
            waiting = []
        }
        changed += try store.add(waiting, import: record, program: program)
        if changed > 0 { summary.name = record.name }
        try store.close()
        self.store = nil
        return summary
    }

    private static func fileName(_ file: String) -> String {
        file == "-" ? "standard input" : file.split(separator: "/").last.map(String.init) ?? file
    }

    private struct Item {
        var arrival: Store.Arrival
        var importer: Importer
    }

    /// Reads a file, classifies each reading, and passes on those to store; `nil`: the next record may be a later revision of one of them.
    private mutating func walk(
        _ file: String, progress: (Double) -> Void, _ take: (Item?) throws(IngestError) -> Void
    ) throws(IngestError) -> ImportSummary {
        pass += 1
        index = ImportIndex()
        if let store {
            var index = ImportIndex()
            var selection = ReadingSelection(kinds: [.bloodPressure], zone: request.zone)
            selection.household = request.household
            try store.forEach(selection) { reading, _ in
                index.insert(reading)
                return true
            }
            self.index = index
        }
        let input = try ImportInput(file)
        var options = request.options
        options.fileName = Self.fileName(file)
        options.isOfOnePerson = request.user != nil
        var summary = ImportSummary()
        summary.file = options.fileName
        (summary.zoneName, summary.includesSuspects) = (request.zoneName, request.includesSuspects)
        let parts = try input.parts(options, chosen: request.layout)
        summary.fault = input.damage
        var ids: Set<Reading.ID> = []
        for part in parts {
            summary.layouts.append(part.importer.name)
            do throws(IngestError) {
                try input.read(part, options, progress: progress) { (output) throws(IngestError) in
                    for complaint in output.complaints { summary.add(complaint) }
                    summary.unused += output.unused
                    for imported in output.readings {
                        let reading = imported.reading(of: part.importer, user: request.user, received: received, zone: request.zone)
                        if ids.contains(reading.id) { try take(nil) }
                        guard let item = try judge(reading, imported, part.importer, &ids, &summary) else { continue }
                        try take(item)
                    }
                }
            } catch {
                guard error.fault is ImportRunFault else { throw error }
                summary.fault = error
            }
        }
        return summary
    }

    /// Classifies one reading; `nil` if it is not stored.
    private mutating func judge(
        _ read: Reading, _ imported: ImportedReading, _ importer: Importer, _ ids: inout Set<Reading.ID>,
        _ summary: inout ImportSummary
    ) throws(IngestError) -> Item? {
        var reading = read
        summary.read += 1
        if case .wall = imported.time { summary.withoutZone += 1 }
        // The importer decoded it, unless the file says what did.
        if reading.decoder == nil, imported.driver == nil { reading.decoder = request.program.map { importer.decoder(of: $0) } }
        var isRevival = false
        if let held = try store?.held(reading.id) {
            if held.isTombstone {
                guard held.isUndone else {
                    summary.deleted += 1
                    return nil
                }
                isRevival = true
            } else {
                guard isLater(reading, imported, than: held, importer) else {
                    summary.known += 1
                    return nil
                }
                if imported.original == nil, imported.id == nil {
                    guard held.revision < Reading.lastRevision - 1 else { return nil }
                    reading.revision = held.revision + 1
                }
                ids.insert(reading.id)
                summary.revised += 1
                summary.add(ImportSummary.Line(reading: reading, place: imported.place, word: "revision"))
                return item(reading, imported, importer, summary.file, isRevival: false)
            }
        }
        // Repeated within the file: without seconds or ids two measurements of one minute cannot be distinguished.
        guard ids.insert(reading.id).inserted else {
            summary.known += 1
            return nil
        }
        var named = reading
        named.person = owner(of: reading, imported, summary.file)
        if imported.original == nil, let match = index.match(named, file: pass) {
            switch match {
            case .same:
                summary.duplicates += 1
                return nil
            case .shifted(let other, _):
                summary.suspects += 1
                summary.add(ImportSummary.Line(reading: reading, place: imported.place, word: "suspect", other: other))
                guard request.includesSuspects else { return nil }
            }
        } else {
            summary.new += 1
            summary.add(ImportSummary.Line(reading: reading, place: imported.place, word: "new"))
        }
        index.insert(named)
        return item(reading, imported, importer, summary.file, isRevival: isRevival)
    }

    private func isLater(_ reading: Reading, _ imported: ImportedReading, than held: Store.Held, _ importer: Importer) -> Bool {
        if imported.original != nil { return reading.revision > held.revision }
        // A reading of this program in another layout, which has no place for all of it.
        if imported.id != nil { return reading.revision > held.revision && held.layout == importer.name }
        return imported.version > held.version ?? .max
    }

    /// The name of its person, by the file or by the configuration.
    private func owner(of reading: Reading, _ imported: ImportedReading, _ file: String) -> String? {
        var reading = reading
        if request.user != nil { reading.person = nil }
        return request.household.person(of: reading, device: device(of: imported, file)).name
    }

    /// A reading of this program without a device keeps none, such as one that was typed in.
    private func device(of imported: ImportedReading, _ file: String) -> String {
        imported.device ?? (imported.original == nil ? file : "")
    }

    private func item(
        _ reading: Reading, _ imported: ImportedReading, _ importer: Importer, _ file: String, isRevival: Bool
    ) -> Item {
        let isOfFile = imported.device == nil && imported.original == nil
        let device = device(of: imported, file)
        let identity = DeviceIdentity(id: device, model: isOfFile ? importer.program : nil)
        // Where the configuration names the same person, a later change of it holds for this reading too.
        var reading = reading
        let name = request.user == nil ? reading.person : nil
        reading.person = nil
        if let name, request.household.person(of: reading, device: device).name?.lowercased() != name.lowercased() { reading.person = name }
        return Item(
            arrival: Store.Arrival(
                reading: reading, driver: reading.driver, device: device, identity: identity, version: imported.version,
                isRevival: isRevival),
            importer: importer)
    }
}
