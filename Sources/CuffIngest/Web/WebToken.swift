import CuffCore
import Glibc

/// The secret that opens the live page: 32 random bytes as 64 hexadecimal digits, stored in a file with mode 0600.
package struct WebToken: Sendable {
    /// 64 lower-case hexadecimal digits.
    package let text: String

    private static let length = 64

    package static func path(in folder: String) -> String { "\(folder)/web-token" }

    /// The token file of the packaged service.
    package static let servicePath = path(in: "/var/lib/cuff")

    /// The token file of this user, or of the service; `nil` without a home.
    package static var standardPath: String? { DriverMemory.standard.map { path(in: $0.folder) } }

    /// The stored token; `nil` if there is no file. Throws a `FileFault` if the file cannot be read, belongs to another user, can be
    /// read or written by others, or contains no token.
    package static func stored(at path: String) throws(IngestError) -> WebToken? {
        guard let descriptor = try OwnFile.existing(path, O_RDONLY | O_NONBLOCK, owner: .userOrFolder) else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 == 0 else {
            throw IngestError(FileFault.readableByOthers(path))
        }
        let bytes: [UInt8]
        do throws(SystemFault) { bytes = try Descriptor.chunk(descriptor, StateFile.limit) } catch {
            throw IngestError(FileFault.unreadable(path, errno: error.number))
        }
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
        guard text.utf8.count == length, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) else {
            throw IngestError(FileFault.unreadable(path, errno: EBADMSG))
        }
        return WebToken(text: text)
    }

    /// A new random token, which replaces a stored one.
    @discardableResult
    package static func renewed(at path: String) throws(IngestError) -> WebToken {
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<length / 2).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let token = WebToken(text: Hex.text(bytes, separator: ""))
        try StateFile.write(token.text + "\n", to: path)
        return token
    }

    /// Whether the text is the token. The time does not depend on where the two differ.
    func isEqual(_ other: String) -> Bool {
        let (own, given) = (Array(text.utf8), Array(other.utf8))
        guard own.count == given.count else { return false }
        return zip(own, given).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
