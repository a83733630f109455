import Glibc

/// Opens files that this program writes safely: symbolic links are not followed, and files that belong to other users or are
/// writable by them are refused.
enum OwnFile {
    enum Owner: Sendable {
        case user
        /// For root also the owner of the folder: a service's files belong to the service.
        case userOrFolder
    }

    /// Opens for writing, without creating; `nil` if it does not exist.
    static func existing(_ path: String, _ flags: Int32, owner: Owner = .user) throws(IngestError) -> Int32? {
        let given = isDescriptor(path)
        let descriptor: Int32
        do throws(SystemFault) { descriptor = try Descriptor.open(path, flags | O_NOCTTY | (given ? 0 : O_NOFOLLOW)) } catch {
            if error.number == ENOENT { return nil }
            throw error.number == ELOOP ? link(path) : .writing(path, error.number)
        }
        var status = stat()
        if !given, fstat(descriptor, &status) == 0, let refusal = refusal(status, path, owner) {
            close(descriptor)
            throw refusal
        }
        return descriptor
    }

    /// A new file, mode 0600, with a durable name; `nil` if it exists.
    static func created(_ path: String, _ flags: Int32) throws(IngestError) -> Int32? {
        do throws(SystemFault) {
            let descriptor = try Descriptor.open(path, flags | O_CREAT | O_EXCL | O_NOCTTY)
            do throws(SystemFault) { try Descriptor.synchroniseFolder(of: path) } catch {
                close(descriptor)
                unlink(path)
                throw error
            }
            return descriptor
        } catch {
            if error.number == EEXIST { return nil }
            throw .writing(path, error.number)
        }
    }

    static func open(_ path: String, _ flags: Int32, owner: Owner = .user) throws(IngestError) -> Int32 {
        // The file may be created and removed between the two calls; the number of tries is limited.
        for _ in 0..<10 {
            if let descriptor = try existing(path, flags, owner: owner) { return descriptor }
            if let descriptor = try created(path, flags) { return descriptor }
        }
        // A dangling link exists for one call and not for the other.
        throw .writing(path, EEXIST)
    }

    /// Why an existing file is refused; `nil` if it is accepted.
    static func refusal(_ status: stat, _ path: String, _ owner: Owner = .user) -> IngestError? {
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG || kind == S_IFIFO else { return nil }
        guard status.st_uid == geteuid() || status.st_uid == 0 || owner == .userOrFolder && isFolderOwner(status.st_uid, path) else {
            return IngestError(FileFault.foreignOwner(path, user: status.st_uid))
        }
        guard kind != S_IFREG || status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            return IngestError(FileFault.writableByOthers(path))
        }
        return nil
    }

    private static func isFolderOwner(_ user: uid_t, _ path: String) -> Bool {
        var status = stat()
        guard geteuid() == 0, stat(Descriptor.folder(of: path), &status) == 0 else { return false }
        return status.st_uid == user && status.st_mode & (S_IWGRP | S_IWOTH) == 0
    }

    static func link(_ path: String) -> IngestError {
        let target = realpath(path, nil).map { found in
            defer { free(found) }
            return String(cString: found)
        }
        return IngestError(FileFault.symbolicLink(path, target: target))
    }

    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Paths of inherited descriptors, such as /dev/stdout, which are links made by the kernel.
    static func isDescriptor(_ path: String) -> Bool {
        if ["/dev/stdin", "/dev/stdout", "/dev/stderr"].contains(path) { return true }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.utf8.count)) != nil
        }
        return false
    }
}
