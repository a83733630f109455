import CuffCore
import Glibc

/// The output of a finite command: standard output, or a file that appears only when complete. The file is written under a
/// temporary name, mode 0600, and renamed at the end.
public final class OutputFile {
    /// The path as given; `-` is standard output.
    public let path: String
    private var descriptor: Int32
    /// The temporary path; `nil` for standard output, a device or a pipe.
    let temporary: String?
    private let replaces: Bool
    /// The width to which lines are folded, if any.
    private let width: Int?
    private var isDone = false

    /// `-` is standard output. An existing file is refused unless `replaces`. `width` folds longer lines; each `append` must then
    /// contain whole lines.
    /// - Throws: An `IngestError` of status `cannotCreate` for an existing file, a database that would be replaced, the name of a
    ///   database's log, a folder, a symbolic link, and a folder that is missing or may not be written; of `noPermission` for a pipe of
    ///   another user.
    public convenience init(_ path: String, replaces: Bool = false, width: Int? = nil) throws(IngestError) {
        try self.init(path, replaces: replaces, width: width, replacesDatabase: false)
    }

    init(_ path: String, replaces: Bool, width: Int? = nil, replacesDatabase: Bool) throws(IngestError) {
        self.width = width
        self.path = path
        self.replaces = replaces
        guard path != "-" else {
            (descriptor, temporary) = (STDOUT_FILENO, nil)
            return
        }
        let isGiven = OwnFile.isDescriptor(path)
        if OwnFile.isLink(path) && !isGiven { throw OwnFile.link(path) }
        for log in Self.logs where path.hasSuffix(log) && Self.isDatabase(String(path.dropLast(log.utf8.count))) {
            throw IngestError(FileFault.isDatabase(path))
        }
        var status = stat()
        if stat(path, &status) == 0 {
            if status.st_mode & S_IFMT == S_IFDIR { throw .writing(path, EISDIR) }
            // Devices and pipes are written to directly.
            if status.st_mode & S_IFMT != S_IFREG || isGiven {
                guard let opened = try OwnFile.existing(path, O_WRONLY) else { throw .writing(path, ENOENT) }
                descriptor = opened
                temporary = nil
                return
            }
            if !replaces { throw Self.exists(path) }
            if !replacesDatabase, Self.isDatabase(path) { throw IngestError(FileFault.isDatabase(path)) }
        }
        let name = "\(path).\(getpid()).part"
        do throws(SystemFault) { descriptor = try Descriptor.open(name, O_WRONLY | O_CREAT | O_EXCL | O_TRUNC) } catch {
            throw .writing(path, error.number)
        }
        temporary = name
    }

    deinit { discard() }

    private static func exists(_ path: String) -> IngestError {
        IngestError(FileFault.exists(path))
    }

    /// What SQLite appends to the name of a database for its log, the log's index and the older form of a log.
    static let logs = ["-wal", "-shm", "-journal"]

    private static func isDatabase(_ path: String) -> Bool {
        guard let descriptor = try? Descriptor.open(path, O_RDONLY) else { return false }
        defer { close(descriptor) }
        return (try? Descriptor.chunk(descriptor, 16))?.starts(with: "SQLite format 3".utf8) ?? false
    }

    /// The first free name of `page.html`, `page-2.html`, `page-3.html` …; `nil` after a thousand.
    public static func free(_ path: String) -> String? {
        var status = stat()
        return (1...1000).lazy.map { numbered(path, $0) }.first { lstat($0, &status) != 0 }
    }

    /// `page.html`, `page-2.html`, …
    static func numbered(_ path: String, _ number: Int) -> String {
        guard number > 1 else { return path }
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[name...].lastIndex(of: ".").flatMap { $0 > name ? $0 : nil } ?? path.endIndex
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Writes a text to standard output.
    /// - Throws: As ``append(_:)``.
    public static func put(_ text: String) throws(IngestError) { try write(text, to: "-") }

    /// Writes a file of this text, or replaces it. `nil`: mode 0600.
    static func write(_ text: String, to path: String, mode: mode_t? = nil) throws(IngestError) {
        var buffer = TextBuffer(capacity: text.utf8.count)
        buffer.append(string: text)
        let output = try OutputFile(path, replaces: true)
        try output.append(&buffer)
        try output.finish()
        if let mode, chmod(path, mode) != 0 { throw .writing(path, errno) }
    }

    /// Writes and empties the buffer.
    /// - Throws: An `IngestError` of status `inputOutput`, e.g. on a full disk, or `cannotCreate`; of `done` if the reader of a pipe
    ///   has exited.
    public func append(_ text: inout TextBuffer) throws(IngestError) {
        if let width {
            let folded = TextTable.folded(text.string, width: width)
            text.removeAll()
            text.append(string: folded)
        }
        do throws(SystemFault) {
            try text.withBytes { (bytes) throws(SystemFault) in try Descriptor.writeAll(descriptor, bytes) }
        } catch {
            guard error.number != EPIPE else { throw .outputClosed }
            guard path == "-" else { throw .writing(path, error.number) }
            throw IngestError(FileFault.outputUnwritable(errno: error.number))
        }
        text.removeAll()
    }

    /// Whether it is a regular file, in which written bytes can be overwritten until `finish`.
    public var isRegularFile: Bool { temporary != nil }

    func overwrite(_ bytes: [UInt8], at offset: Int) throws(IngestError) {
        let written = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
        guard written == bytes.count else { throw .writing(path, written < 0 ? errno : ENOSPC) }
    }

    /// Makes the file durable and renames it.
    /// - Throws: As ``append(_:)``, and of status `cannotCreate` if a file of the name was created meanwhile; an earlier file then
    ///   stays.
    public func finish() throws(IngestError) {
        guard !isDone else { return }
        guard let temporary else {
            isDone = true
            if descriptor != STDOUT_FILENO { close(descriptor) }
            return
        }
        do throws(SystemFault) { try Descriptor.synchronise(descriptor) } catch { throw .writing(path, error.number) }
        close(descriptor)
        descriptor = -1
        // link(2), unlike rename(2), does not replace a file that was created meanwhile.
        guard replaces ? rename(temporary, path) == 0 : link(temporary, path) == 0 else {
            let number = errno
            throw number == EEXIST ? Self.exists(path) : .writing(path, number)
        }
        if !replaces { unlink(temporary) }
        isDone = true
        do throws(SystemFault) { try Descriptor.synchroniseFolder(of: path) } catch { throw .writing(path, error.number) }
    }

    private func discard() {
        guard !isDone, let temporary else { return }
        if descriptor >= 0 { close(descriptor) }
        unlink(temporary)
    }
}
