/// References between resources: within a transaction by UUIDs of their names, in bulk files by ids.
enum FHIRReferences: Sendable, Hashable {
    case transaction, bulk

    /// An Observation of a reading; `suffix` as in its identifier.
    func observation(_ id: String, _ suffix: String) -> String { self[.observation, "reading/" + id + suffix, Self.bulkID(id, suffix)] }
    func cuff(_ device: String) -> String { self[.device, "device/" + device, FHIRCodes.resourceID(device)] }
    func gateway(_ host: String) -> String { self[.device, "gateway/" + host, FHIRCodes.resourceID(host)] }
    func program(_ name: String) -> String { self[.device, "program/" + name, FHIRCodes.resourceID(name)] }
    func clock(_ name: String) -> String { self[.observation, "clock/" + name, FHIRCodes.resourceID(name)] }

    static func bulkID(_ id: String, _ suffix: String) -> String {
        FHIRCodes.resourceID(id + suffix.map { $0 == ":" ? "." : String($0) }.joined())
    }

    private enum Kind: String { case observation = "Observation", device = "Device" }

    private subscript(kind: Kind, name: String, id: String) -> String {
        switch self {
        case .transaction: "urn:uuid:" + NameUUID.string(name, in: FHIRCodes.space)
        case .bulk: kind.rawValue + "/" + id
        }
    }
}
