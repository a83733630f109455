import CuffClinical

/// Why an import is not done. The first text is the name of the file.
package enum ImportRunFault: Fault {
    /// The reader's own reason.
    case file(String, ImportFault)
    case emptyArchive(String, members: Int)
    /// A database with changes that are still in its log.
    case openLog(String)
    case database(String, why: String)
    case empty(String)
    case inputTooLong(String, limit: Int)
    /// With `--strict`: the number of records that cannot be read.
    case strict(String, refused: Int)
    case unknownImport(String, known: [String])
    case alreadyUndone(String)
    /// No terminal, and neither `--yes` nor `--dry-run`.
    case notConfirmed

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .file(let name, let fault):
            switch fault {
            case .badOption, .needsMapping, .ambiguousDates, .unmappedColumn, .severalPersons: (.usage, "\(name): \(fault)")
            default: (.badData, "\(name): \(fault)")
            }
        case .emptyArchive(let name, let members):
            (.badData, "\(name): no file with a known layout among its \(Plural.text(members, "member"))")
        case .openLog(let name): (.badData, "\(name): a part of the database is still in \(name)-wal")
        case .database(let name, let why): (.badData, "\(name): \(why)")
        case .empty(let name): (.badData, "\(name) is empty")
        case .inputTooLong(let name, let limit): (.badData, "\(name) is longer than \(limit >> 30) GiB")
        case .strict(let name, let refused): (.badData, "\(name): \(Plural.text(refused, "record")) cannot be read, and --strict was given")
        case .unknownImport(let name, let known):
            (.usage, "no import is named `\(name)`" + (known.isEmpty ? "" : "; there are \(known.joined(separator: ", "))"))
        case .alreadyUndone(let name): (.usage, "import `\(name)` was removed before")
        case .notConfirmed: (.usage, "nothing was imported: not confirmed")
        }
    }
}
