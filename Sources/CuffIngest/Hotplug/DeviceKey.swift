import CuffCore

/// The stable name of a device: its USB serial number, or without a unique one, its USB port. Never `ttyUSB0`, which the kernel
/// reassigns.
package struct DeviceKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The key as text.
    package let description: String
    /// Any text; not validated.
    package init(_ text: String) { description = text }
    /// In the order of the text.
    package static func < (a: DeviceKey, b: DeviceKey) -> Bool { a.description < b.description }
}
