import CuffIngest
import Glibc

extension StoreFault: Hinted {
    /// The address of the page, or how to have one.
    private static var page: String {
        (try? CuffConfiguration.load())?.web.map {
            $0.isLocal ? "open its page, http://\($0)/" : "open its page with the link of `sudo cuff web link --system`"
        } ?? "serve its page: web = \"127.0.0.1:6025\" in [watch] of \(CuffConfiguration.machineFile)"
    }

    var hint: String {
        switch self {
        case .notThere(let path, let isStandard):
            "read a cuff into it first, e.g. `cuff read DEVICE --driver ID\(isStandard ? "" : " --sink sqlite:\(path)")`"
        case .onlyOfService(_, let service):
            "\(Self.page); or: sudo cuff show --db \(service)"
        case .noStandardPlace: "name one: --db FILE, or --sink sqlite:FILE"
        case .emptyFile, .notADatabase, .backupOntoItself, .backupBesideLog: "name another file"
        case .danglingLink: "mount the disk that it points to, or remove the link"
        case .nothingStored: "read a cuff into it first"
        case .foreign: "name another file, e.g. sqlite:bp.db"
        case .tooNew: "install that version, or name another file"
        case .noRoomForIndex: "free 128 KiB: SQLite keeps an index beside it"
        case .readOnly: "`chmod u+w` it and its folder, or name another file"
        case .accessDenied(let path) where path == Store.serviceFile: "\(Self.page); or: sudo cuff show --db \(path)"
        case .accessDenied: "it belongs to another user, who can run the command"
        case .cannotOpen: "check the folder's permissions: SQLite keeps two files beside the database"
        case .damaged(let path, _): "name another file; `sqlite3 \(path) .recover` may save what is in this one"
        case .failedWriting: FileFault.hint(EIO)
        case .failed, .seriesTooPrecise: "please report it: `cuff doctor --report report.txt` writes down what is needed"
        case .full(let path, true):
            "end the program that reads in the database (`fuser \(path)` names it), for it keeps the log from being emptied; or "
                + FileFault.hint(ENOSPC)
        case .full(_, false): FileFault.hint(ENOSPC)
        case .cutShort(let path): "move \(path) and \(path)-wal away together, for the log may hold readings; a new database is made then"
        case .astray: "let no other program move it while cuff runs"
        case .remains(let path, let cause):
            "\(cause.map { $0.hint.isEmpty ? "" : $0.hint + ", then " } ?? "end it (`fuser \(path)` names it), then ")run the same command again"
        case .seriesDamaged(let path, let number): "`sqlite3 \(path) 'DELETE FROM series WHERE number = \(number)'` removes it"
        case .damagedReadings(let path, _):
            "`cuff db check --db \(path)` names them; `cuff delete ID`, then `cuff delete ID --forget`, and a cuff that has the reading still brings it back"
        case .cellTooLarge(let path): "`cuff db check --db \(path)` says where; `sqlite3 \(path)` can remove it"
        case .keptOut(let path, _, let triggers):
            triggers.isEmpty ? "please report it: `cuff doctor --report report.txt`" : "`sqlite3 \(path) 'DROP TRIGGER \(triggers[0])'`"
        case .notAnID: "`cuff show --format plain` prints them"
        case .noSuchReading: "`cuff show --format plain` prints the ids of those that are there"
        case .notEntered(let id, _): "add a note: `cuff note \(id) --note TEXT`; or remove it: `cuff delete \(id)`"
        case .tooManyChanges(let id, _): "`cuff delete \(id)`, then add it again if it was entered by hand"
        case .remarkRefused(.tooLong): "shorten it"
        case .remarkRefused(.unknownWord(let key, _)): "write e.g. --\(key.rawValue) \"\(key.words.first ?? "")\""
        case .remarkRefused(.controlCharacter): "write it on one line"
        case .backupNeedsFile: "name a file, e.g. readings-backup.db"
        case .problems(let path, _):
            "keep a copy (`cp` the file and its -wal), then read the cuffs into another database; `sqlite3 \(path) .recover` may save more"
        case .purgeNotConfirmed: "add --confirm purge"
        case .redecodingNotConfirmed: "add --confirm redecode"
        case .replaced: "stop cuff before the database is moved"
        case .logRemoved: "leave the files beside the database alone while cuff runs"
        case .logGrown(let path, _): "end that program (`fuser \(path)` names it); nothing is lost meanwhile"
        }
    }
}
