import Glibc

/// Which file a descriptor or a path refers to. Both agree until somebody renames, removes or replaces the file under an
/// open descriptor; what is written after that is in a file without that name.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// `nil` for a descriptor that is not open.
    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    /// `nil` where there is no such file. Links are followed: what counts is where a reader of the path arrives.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What became of an open file under its name.
    enum Change: Sendable {
        /// The path names another file or none: renamed, removed or replaced.
        case replaced
        /// The same file is shorter than what was written to it: emptied, as `copytruncate` does.
        case shortened
    }

    /// `nil` while `path` names the file of `descriptor`, and that file is not shorter than `size` bytes.
    static func change(of descriptor: Int32, _ path: String, size: Int) -> Change? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, let named = FileIdentity(path), named == FileIdentity(status) else { return .replaced }
        return Int(status.st_size) < size ? .shortened : nil
    }
}
