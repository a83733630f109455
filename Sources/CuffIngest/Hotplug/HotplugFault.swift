import Glibc

/// A system or libudev call that failed in listing or watching devices.
package struct HotplugFault: Error, Sendable, Hashable, CustomStringConvertible {
    package var call: String
    package var errno: Int32
    package var description: String { "\(call): \(String(cString: strerror(errno)))" }

    init(_ call: String, _ errno: Int32) {
        self.call = call
        self.errno = errno == 0 ? ENODEV : errno
    }
}
