import CuffCore
import Glibc

/// How a command ends, as sysexits and the shell's conventions number it.
public enum ExitCode: Int32, Sendable {
    case done = 0
    /// The asked-for condition is false.
    case no = 1
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case osError = 71
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case protocolFault = 76
    case noPermission = 77
    case badConfiguration = 78
    case timedOut = 124
    /// Ended in order by SIGINT, or by SIGTERM.
    case interrupted = 130
    case terminated = 143
}

/// Why a run could not begin or go on, for a person: what happened, why, and what to do about it.
public struct IngestError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What the process exits with.
    public var status: ExitCode
    /// What failed, in lower case and without a full stop.
    public var what: String
    /// Why; empty where it is not known.
    public var why: String
    /// What to do; empty where nothing is known to help.
    public var hint: String

    /// Sets each property as given.
    public init(_ status: ExitCode, _ what: String, why: String = "", hint: String = "") {
        self.status = status
        self.what = what
        self.why = why
        self.hint = hint
    }

    /// One line of what and why.
    public var sentence: String { what + (why.isEmpty ? "" : ": \(why)") }

    /// One line of what and why, one of the hint.
    public var description: String {
        sentence + (hint.isEmpty ? "" : "\n  fix: \(hint)")
    }
}

extension IngestError {
    /// A file to be read does not open or ends in an error.
    static func reading(_ path: String, _ number: Int32) -> IngestError {
        let hint =
            switch number {
            case ENOENT: "check the name; `-` reads standard input"
            case EISDIR: "name a file in it"
            case EACCES, EPERM: "ask its owner, or `chmod +r` it"
            default: ""
            }
        let status: ExitCode = number == EIO ? .inputOutput : .noInput
        return IngestError(status, "cannot read \(path)", why: lowercased(number), hint: hint)
    }

    /// A file to be written does not open or does not take what is written.
    static func writing(_ path: String, _ number: Int32) -> IngestError {
        switch number {
        case ENOSPC, EDQUOT:
            IngestError(
                .inputOutput, "cannot write \(path)", why: lowercased(number),
                hint: "free some space and run it again; what was stored before is whole, nothing is stored twice")
        case EIO:
            IngestError(.inputOutput, "cannot write \(path)", why: lowercased(number), hint: "check the disk (dmesg)")
        case EFBIG:
            IngestError(
                .inputOutput, "cannot write \(path)", why: "it has reached the size that a file may have here",
                hint: "raise the limit (ulimit -f), or rename the file: a new one is begun; what was stored before is whole")
        case EROFS:
            IngestError(
                .cannotCreate, "cannot write \(path)", why: lowercased(number),
                hint: "name a file on a writable file system")
        case EISDIR:
            IngestError(.cannotCreate, "cannot write \(path)", why: lowercased(number), hint: "name a file in it")
        case ENOENT:
            IngestError(
                .cannotCreate, "cannot create \(path)", why: "its folder does not exist", hint: "create the folder first")
        case EWOULDBLOCK:
            IngestError(
                .tryAgain, "cannot write \(path)", why: "another program is writing it",
                hint: "wait until it ends, or name another file")
        default:
            IngestError(
                .cannotCreate, "cannot write \(path)", why: lowercased(number),
                hint: number == EACCES || number == EPERM ? "name a file in a folder of your own" : "")
        }
    }

    /// The error for a driver id that is not in the list.
    public static func unknownDriver(_ id: String, known: [String] = CuffFamilies.all.map(\.id.description)) -> IngestError {
        IngestError(
            .usage, "unknown driver `\(id)`", why: "drivers are \(known.joined(separator: " "))",
            hint: "`cuff drivers` lists them")
    }

    static func lowercased(_ number: Int32) -> String {
        let text = SystemFault.text(number)
        return text.prefix(1).lowercased() + text.dropFirst()
    }
}
