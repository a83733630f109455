/// The stable name of a device: its USB serial number, or without a unique one, its USB port. Never `ttyUSB0`, which the kernel
/// reassigns.
package struct DeviceKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let description: String
    package init(_ text: String) { description = text }
    package static func < (a: DeviceKey, b: DeviceKey) -> Bool { a.description < b.description }
}
