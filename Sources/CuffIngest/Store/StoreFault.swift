import CuffCore
import Glibc

/// Errors of the database. The first text is its path.
public enum StoreFault: Fault {
    case notThere(String, isStandard: Bool)
    /// This user has no database; the service has one.
    case onlyOfService(own: String, service: String)
    case noStandardPlace
    case emptyFile(String)
    /// A symbolic link, for example to a disk that is not mounted.
    case danglingLink(String)
    case nothingStored(String)
    case notADatabase(String)
    case foreign(String)
    case tooNew(String, isReading: Bool)
    /// SQLite needs room for its index, even for reading.
    case noRoomForIndex(String)
    case readOnly(String)
    case cannotOpen(String, why: String)
    /// This user may not read it, or not write it.
    case accessDenied(String)
    case damaged(String, why: String)
    case failedWriting(String, why: String)
    case failed(String, why: String)
    /// `isLogHeld`: another program reads the database, so the log cannot be emptied.
    case full(String, isLogHeld: Bool)
    case cutShort(String)
    /// Another program changes the files while they are written.
    case astray(String, why: String)
    /// The file or its log may still hold deleted readings; the cause is `nil` if another program reads the database.
    case remains(String, cause: IngestError?)
    case seriesDamaged(String, number: Int64)
    case damagedReadings(String, count: Int)
    case cellTooLarge(String)
    case keptOut(String, id: String, triggers: [String])
    /// The values have too many digits to be packed.
    case seriesTooPrecise
    case notAnID(String)
    /// No complete reading has this id, or it was deleted.
    case noSuchReading(String, String)
    /// Only entered readings can be edited; this one came from the driver.
    case notEntered(String, driver: String)
    case tooManyChanges(String, most: Int)
    case remarkRefused(Remarks.Refusal)
    /// The target is standard output, a pipe or a device.
    case backupNeedsFile(String)
    case backupOntoItself(String)
    /// The file that the backup would replace is a database in use, or left its log.
    case backupBesideLog(String, log: String)
    case problems(String, count: Int)
    case purgeNotConfirmed
    case redecodingNotConfirmed
    /// The file was moved, removed or replaced while it was open, and was reopened. Nothing is lost.
    case replaced(String)
    /// The log was removed while readings were written. Nothing is lost.
    case logRemoved(String)
    /// Nothing is lost, but the log takes room until another program ends its transaction.
    case logGrown(String, kibibytes: Int64)

    private static func origin(_ driver: String) -> String { driver.hasPrefix("import-") ? "it was imported" : "a cuff measured it" }

    /// The kind of failure, and a message.
    public var statement: (status: RunStatus, text: String) {
        switch self {
        case .notThere(let path, _): (.noInput, "there is no database \(path)")
        case .onlyOfService(let own, let service):
            (.noInput, "you have no readings of your own (\(own)); the service keeps its readings in \(service)")
        case .noStandardPlace: (.usage, "there is no place for a database: neither XDG_DATA_HOME nor HOME is set")
        case .emptyFile(let path): (.noInput, "there are no readings in \(path): the file is empty")
        case .danglingLink(let path): (.cannotCreate, "cannot write \(path): it is a link, and its target does not exist")
        case .nothingStored(let path): (.noInput, "there are no readings in \(path): nothing was stored yet")
        case .notADatabase(let path): (.badData, "cannot use \(path): it is not an SQLite database")
        case .foreign(let path): (.cannotCreate, "cannot use \(path): it is another program's database")
        case .tooNew(let path, let isReading):
            (isReading ? .badData : .cannotCreate, "cannot use \(path): a newer version of cuff wrote it")
        case .noRoomForIndex(let path): (.inputOutput, "cannot read \(path): \(SystemFault.lowercased(ENOSPC))")
        case .readOnly(let path): (.cannotCreate, "cannot write \(path): the database is read-only")
        case .accessDenied(let path): (.noPermission, "cannot open \(path): permission denied")
        case .cannotOpen(let path, let why): (.cannotCreate, "cannot open \(path): \(why)")
        case .damaged(let path, let why): (.badData, "cannot use \(path): \(why)")
        case .failedWriting(let path, let why): (.inputOutput, "cannot write \(path): \(why)")
        case .failed(let path, let why): (.software, "the database \(path) failed: \(why)")
        case .full(let path, _): (.inputOutput, FileFault.unwritable(path, errno: ENOSPC).description)
        case .cutShort(let path): (.inputOutput, "cannot use \(path): another program has cut the database short")
        case .astray(let path, let why): (.tryAgain, "cannot write \(path): \(why)")
        case .remains(let path, let cause):
            (
                cause?.status ?? .tryAgain,
                "the readings are deleted, but \(path) or its log may hold copies of them still: "
                    + (cause?.description ?? "another program reads in the database")
            )
        case .seriesDamaged(let path, let number): (.badData, "a series in \(path) is damaged: number \(number) cannot be unpacked")
        case .damagedReadings(let path, let count):
            (.badData, "\(Plural.text(count, "row")) of \(path) \(count == 1 ? "is" : "are") damaged; damaged readings are left out")
        case .cellTooLarge(let path): (.badData, "cannot read \(path): a cell holds more than \(RowChecksum.largestCell >> 20) MiB")
        case .keptOut(let path, let id, let triggers):
            (
                .cannotCreate,
                "cannot write \(path): \(id) is not in it after it was stored"
                    + (triggers.isEmpty ? "" : ": the database has triggers (\(triggers.joined(separator: ", ")))")
            )
        case .seriesTooPrecise: (.software, "a series could not be packed: its values have too many digits")
        case .notAnID(let text): (.usage, "`\(text)` is not an id: an id looks like 20260505T073110-9f0c61d2a4b7e3f0")
        case .noSuchReading(let id, let path): (.noInput, "there is no reading \(id) in \(path)")
        case .notEntered(let id, let driver):
            (.usage, "\(id) was not changed: \(Self.origin(driver)) (\(driver)), and only what was typed in is edited")
        case .tooManyChanges(let id, let most): (.cannotCreate, "\(id) was not changed: it was changed \(most) times before")
        case .remarkRefused(let refusal): (.usage, Self.text(refusal))
        case .backupNeedsFile(let path): (.usage, "cannot back up to \(path): a backup is a regular file")
        case .backupOntoItself(let path): (.usage, "cannot back up \(path) onto itself")
        case .backupBesideLog(let path, let log): (.cannotCreate, "cannot back up to \(path): \(log) is the log of another database")
        case .problems(let path, let count): (.badData, "\(path) has \(Plural.text(count, "problem"))")
        case .purgeNotConfirmed: (.usage, "nothing was purged: it was not confirmed")
        case .redecodingNotConfirmed: (.usage, "no reading was corrected: it was not confirmed")
        case .replaced(let path): (.done, "\(path) was moved, removed or replaced while readings were written: it was reopened")
        case .logRemoved(let path):
            (.done, "the log \(path)-wal was removed while readings were written: nothing is lost: the database holds them")
        case .logGrown(let path, let size):
            (.tryAgain, "the log \(path)-wal has grown to \(size) KiB: another program reads in the database in an open transaction")
        }
    }
    private static func text(_ refusal: Remarks.Refusal) -> String {
        switch refusal {
        case .tooLong(let key, let bytes): "the \(key.rawValue) is too long: \(bytes) bytes, and \(key.longest) have room"
        case .unknownWord(let key, let word): "unknown \(key.rawValue) `\(word)`: it is one of \(key.words.joined(separator: ", "))"
        case .controlCharacter(let key): "the \(key.rawValue) holds a line feed or another control character"
        }
    }
}
