import CuffCore

/// The name under which a device is known for as long as it exists: its USB serial number, or, where it has none worth
/// the name, the socket it sits in. Never `ttyUSB0`, which the kernel gives to whoever comes first.
public struct DeviceKey: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The key as text.
    public let description: String
    /// A key from its text; nothing is checked.
    public init(_ text: String) { description = text }
    /// In the order of the text.
    public static func < (a: DeviceKey, b: DeviceKey) -> Bool { a.description < b.description }
}
