import CUdev
import CuffCore
import Glibc

/// Why devices cannot be watched or listed.
public struct HotplugFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The function that failed.
    public var call: String
    /// Its errno.
    public var errno: Int32
    /// The function and what errno means.
    public var description: String { "\(call): \(String(cString: strerror(errno)))" }

    init(_ call: String, _ errno: Int32) {
        self.call = call
        self.errno = errno == 0 ? ENODEV : errno
    }
}
