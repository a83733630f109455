import CuffClinical
import CuffCore
import SQLite

extension ImportInput {
    /// The layout of a database. A damaged database is refused whole: SQLite would leave rows out without an error.
    func database(_ path: String, _ file: TemporaryFile?) throws(IngestError) -> Part {
        let tables: [String: Set<String>]
        do {
            let db = try Self.open(path)
            let finding = try db.first("PRAGMA quick_check(1)") { $0.text(0) ?? "" } ?? ""
            guard finding == "ok" else { throw IngestError(ImportRunFault.database(name, why: "damaged database: \(finding)")) }
            tables = try Self.tables(db)
        } catch let error as IngestError { throw error } catch {
            throw IngestError(ImportRunFault.database(name, why: "\(error)"))
        }
        guard let importer = Importer.recognised(tables: tables) else { throw failed(.unknownLayout(firstLine: "")) }
        return Part(importer: importer, content: .database(path: path, file), head: [])
    }

    private static func open(_ path: String) throws -> SQLiteConnection {
        let db = try SQLiteConnection(path, .immutable)
        db.distrustFile(longest: 1 << 20)
        return db
    }

    private static func tables(_ db: SQLiteConnection) throws -> [String: Set<String>] {
        var tables: [String: Set<String>] = [:]
        for table in try db.rows("SELECT name FROM sqlite_master WHERE type = 'table'", read: { $0.text(0) ?? "" }) {
            tables[table] = Set(try db.rows("SELECT name FROM pragma_table_info(?)", table) { $0.text(0) ?? "" })
        }
        return tables
    }

    func readRows(
        _ database: ImportDatabase, _ path: String, _ hand: (inout ImportOutput) throws(ImportFault) -> Void
    ) throws(ImportFault) {
        var output = ImportOutput()
        do {
            let db = try Self.open(path)
            let statement = try db.prepare(database.query(try Self.tables(db)))
            var number = 0
            while try statement.step() {
                number += 1
                let cells = (0..<statement.columnCount).map { statement.cell($0) }
                let place = ImportPlace(.record, number)
                do throws(ImportRefusal) { output.add(try database.row(cells, place)) } catch { output.refuse(place, error) }
                if number % 1000 == 0 { try hand(&output) }
            }
            try hand(&output)
        } catch let fault as ImportFault { throw fault } catch {
            try hand(&output)
            throw .damaged("\(error)")
        }
    }
}

extension SQLiteStatement {
    /// A value of the current row.
    fileprivate func cell(_ column: Int32) -> ImportDatabase.Cell {
        if isNull(column) { return .null }
        if isInteger(column) { return .integer(number(column)) }
        if isReal(column) { return .real(double(column)) }
        return isBlob(column) ? .blob(bytes(column) ?? []) : .text(text(column) ?? "")
    }
}
