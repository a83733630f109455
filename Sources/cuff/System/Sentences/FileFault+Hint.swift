import CuffIngest
import Glibc

extension FileFault: Hinted {
    var hint: String {
        switch self {
        case .unreadable(_, let number):
            switch number {
            case ENOENT: "check the name; `-` reads standard input"
            case EISDIR: "name a file in it"
            case EACCES, EPERM: "ask its owner"
            default: "check the disk or the connection that it comes from (dmesg)"
            }
        case .unwritable(_, let number), .outputUnwritable(let number): Self.hint(number)
        case .outputClosed: ""
        case .foreignOwner(let path, _): "name another file, or make it yours: chown \(geteuid()) \(path)"
        case .writableByOthers(let path): "chmod go-w \(path), or name another file"
        case .readableByOthers(let path): "chmod 600 \(path), and `cuff web revoke` if others may have read it"
        case .symbolicLink(_, let target?): "name the file itself: \(target)"
        case .symbolicLink(_, nil): "its target does not exist: remove it, or name another file"
        case .isDatabase, .captureExists: "name another file"
        case .exists(let path): "name another file\(OutputFile.free(path).map { ", e.g. \($0)" } ?? ""), or add --force"
        case .captureUnnamed: "name a file, e.g. day.capture"
        }
    }

    /// For write errors.
    static func hint(_ number: Int32) -> String {
        switch number {
        case ENOSPC, EDQUOT:
            "free some space and run it again (a running watch goes on by itself); what was stored before is whole, nothing is stored twice"
        case EIO: "check the disk (dmesg)"
        case EFBIG: "raise the limit (ulimit -f), or rename the file: a new one is begun; what was stored before is whole"
        case EROFS: "name a file on a writable file system"
        case EISDIR: "name a file in it"
        case ENOENT: "create the folder first"
        case EWOULDBLOCK: "wait until it ends, or name another file"
        case EACCES, EPERM: "name a file in a folder of your own"
        default: "name another file; what was stored before is whole"
        }
    }
}
