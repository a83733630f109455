/// The program that wrote a sample, as HealthKit's `HKSource` with its revision.
public struct HealthSource: Sendable, Hashable {
    /// The program's name.
    public var name: String
    /// The program's version; `nil` if unknown.
    public var version: String?
    /// Sets each property as given.
    public init(name: String, version: String? = nil) {
        self.name = name
        self.version = version
    }
}
