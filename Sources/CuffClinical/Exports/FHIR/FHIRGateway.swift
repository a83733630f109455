/// This computer in resources.
public struct FHIRGateway: Sendable, Hashable {
    /// The computer's name.
    public var name: String
    /// The version of the program that sends.
    public var version: String

    /// Sets each property as given.
    public init(name: String, version: String) {
        self.name = name
        self.version = version
    }
}
