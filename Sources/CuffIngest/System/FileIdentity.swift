import Glibc

/// Identifies the file of a descriptor or path. They differ if the file of a descriptor was renamed, removed or replaced; later
/// writes go to the file that lost its name.
struct FileIdentity: Hashable, Sendable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }

    /// `nil` if there is no file. Follows links, as readers of the path do.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    /// What happened to the file of a path since it was opened.
    enum Change: Sendable {
        /// The path names another file or none.
        case replaced
        /// The file is shorter than what was written: emptied, as by `copytruncate`.
        case shortened
    }

    /// `nil` if `path` still names the file of `descriptor`, with at least `size` bytes.
    static func change(of descriptor: Int32, _ path: String, size: Int) -> Change? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, let named = FileIdentity(path), named == FileIdentity(status) else { return .replaced }
        return Int(status.st_size) < size ? .shortened : nil
    }
}
