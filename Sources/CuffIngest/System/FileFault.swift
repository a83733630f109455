import Glibc

package enum FileFault: Fault {
    case unreadable(String, errno: Int32)
    case unwritable(String, errno: Int32)
    case outputUnwritable(errno: Int32)
    /// The reader of standard output has exited. Ends the run without a message.
    case outputClosed
    case foreignOwner(String, user: UInt32)
    case writableByOthers(String)
    case readableByOthers(String)
    /// `target`: where the link points; `nil` if nothing is there.
    case symbolicLink(String, target: String?)
    case exists(String)
    /// A database would be replaced by an output, or its log.
    case isDatabase(String)
    case captureExists(String)
    /// An empty name, or `-`.
    case captureUnnamed(String)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .unreadable(let path, let number):
            (number == EIO ? .inputOutput : .noInput, "cannot read \(path): \(SystemFault.lowercased(number))")
        case .unwritable(let path, EFBIG): (.inputOutput, "cannot write \(path): it has reached the size that a file may have here")
        case .unwritable(let path, ENOENT): (.cannotCreate, "cannot create \(path): its folder does not exist")
        case .unwritable(let path, EWOULDBLOCK): (.tryAgain, "\(path) is locked by another program")
        case .unwritable(let path, let number):
            (
                [ENOSPC, EDQUOT, EIO].contains(number) ? .inputOutput : .cannotCreate,
                "cannot write \(path): \(SystemFault.lowercased(number))"
            )
        case .outputUnwritable(let number): (.inputOutput, FileFault.unwritable("standard output", errno: number).description)
        case .outputClosed: (.done, "standard output was closed")
        case .foreignOwner(let path, let user): (.noPermission, "cannot write \(path): it belongs to another user (uid \(user))")
        case .writableByOthers(let path): (.noPermission, "cannot write \(path): other users may change it")
        case .readableByOthers(let path): (.noPermission, "cannot use \(path): other users may read it")
        case .symbolicLink(let path, _): (.cannotCreate, "cannot write \(path): it is a symbolic link")
        case .isDatabase(let path): (.cannotCreate, "cannot write \(path): a database has this name, or its log")
        case .exists(let path): (.cannotCreate, "\(path) already exists")
        case .captureExists(let path): (.cannotCreate, "\(path) exists: a capture is never overwritten")
        case .captureUnnamed(""): (.usage, "cannot write the capture: its name is empty")
        case .captureUnnamed: (.usage, "cannot write the capture to standard output: the readings are printed there")
        }
    }
}
