import CuffCore

/// How resources refer to each other: within a transaction by UUIDs of their names, in bulk files by ids.
enum FHIRReferences: Sendable, Hashable {
    case transaction, bulk

    /// An Observation of a reading; `suffix` as in its identifier.
    func observation(_ id: String, _ suffix: String) -> String { self[.observation, "reading/" + id + suffix, Self.bulkID(id, suffix)] }
    /// The Device of a cuff.
    func cuff(_ device: String) -> String { self[.device, "device/" + device, FHIRCodes.resourceID(device)] }
    /// The Device of a computer.
    func gateway(_ host: String) -> String { self[.device, "gateway/" + host, Self.gatewayID(host)] }
    /// The Observation of a cuff's clock.
    func clock(_ name: String) -> String { self[.observation, "clock/" + name, FHIRCodes.resourceID(name)] }

    static func bulkID(_ id: String, _ suffix: String) -> String {
        FHIRCodes.resourceID(id + suffix.map { $0 == ":" ? "." : String($0) }.joined())
    }
    static func gatewayID(_ host: String) -> String { FHIRCodes.resourceID(host) }

    private enum Kind: String { case observation = "Observation", device = "Device" }

    private subscript(kind: Kind, name: String, id: String) -> String {
        switch self {
        case .transaction: "urn:uuid:" + NameUUID.string(name, in: FHIRCodes.space)
        case .bulk: kind.rawValue + "/" + id
        }
    }
}

/// A resource, and what names it.
struct FHIRResource: Sendable {
    /// How others in the same export refer to it.
    let reference: String
    /// Its id in a bulk file.
    let id: String
    /// The search that finds it on a server.
    let criterion: String
    let type: String
    /// Its members behind `resourceType`.
    let members: [(String, JSONOutput)]

    /// As an entry of a transaction, where the server gives the id.
    var body: JSONOutput { .object([("resourceType", .text(type))] + members) }
    /// As a line of a bulk file.
    var withID: JSONOutput { .object([("resourceType", .text(type)), ("id", .text(id))] + members) }
}

/// This computer, as it stands in a resource.
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
