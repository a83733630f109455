import Glibc

/// Why a file cannot be read or written.
public enum FileFault: Fault {
    case unreadable(String, errno: Int32)
    case unwritable(String, errno: Int32)
    /// Standard output does not take what is written.
    case outputUnwritable(errno: Int32)
    /// The reader of standard output went away. It ends a run, and nobody needs to be told.
    case outputClosed
    case foreignOwner(String, user: UInt32)
    case writableByOthers(String)
    /// `target` is what the link leads to; `nil` for nothing.
    case symbolicLink(String, target: String?)
    case exists(String)
    /// A capture is never overwritten.
    case captureExists(String)

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .outputClosed: .done
        case .unreadable(_, let number): number == EIO ? .inputOutput : .noInput
        case .unwritable(_, let number):
            switch number {
            case ENOSPC, EDQUOT, EIO, EFBIG: .inputOutput
            case EWOULDBLOCK: .tryAgain
            default: .cannotCreate
            }
        case .outputUnwritable: .inputOutput
        case .foreignOwner, .writableByOthers: .noPermission
        case .symbolicLink, .exists, .captureExists: .cannotCreate
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .unreadable(let path, let number): "cannot read \(path): \(SystemFault.lowercased(number))"
        case .unwritable(let path, EFBIG): "cannot write \(path): it has reached the size that a file may have here"
        case .unwritable(let path, ENOENT): "cannot create \(path): its folder does not exist"
        case .unwritable(let path, EWOULDBLOCK): "cannot write \(path): another program is writing it"
        case .unwritable(let path, let number): "cannot write \(path): \(SystemFault.lowercased(number))"
        case .outputUnwritable(let number): FileFault.unwritable("standard output", errno: number).description
        case .outputClosed: "standard output was closed"
        case .foreignOwner(let path, let user): "cannot write \(path): it belongs to another user (uid \(user))"
        case .writableByOthers(let path): "cannot write \(path): other users may change it"
        case .symbolicLink(let path, _): "cannot write \(path): it is a symbolic link"
        case .exists(let path): "\(path) already exists"
        case .captureExists(let path): "\(path) exists: a capture is never overwritten"
        }
    }
}
