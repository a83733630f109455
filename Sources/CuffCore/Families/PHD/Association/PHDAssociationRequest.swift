/// An agent's request for an association (AARQ).
struct PHDAssociationRequest: Sendable, Hashable {
    static let protocol20601: UInt16 = 0x5079
    static let accepted: UInt16 = 0
    static let rejectedPermanent: UInt16 = 1
    static let rejectedTransient: UInt16 = 2
    static let acceptedUnknownConfiguration: UInt16 = 3
    static let noCommonProtocol: UInt16 = 4
    static let noCommonParameter: UInt16 = 5
    static let rejectedUnknown: UInt16 = 6
    static let unauthorized: UInt16 = 7
    static let unsupportedAssociationVersion: UInt16 = 8

    var systemID: [UInt8]
    var configurationID: UInt16
    var protocolVersion: UInt32
    var encodingRules: UInt16
    var nomenclatureVersion: UInt32
    var functionalUnits: UInt32
    var systemType: UInt32
    var requestModes: UInt16
    var agentRequests: UInt8
    var managerRequests: UInt8

    enum Refusal: Error, Hashable { case result(UInt16) }

    /// Parses an AARQ with its header. The first acceptable 20601 entry of the protocol list counts; without one, the first refusal.
    static func read(_ bytes: Span<UInt8>) -> Result<PHDAssociationRequest, Refusal> {
        guard let version = bytes.bigEndian32(4), version == 0x8000_0000 else {
            return .failure(.result(unsupportedAssociationVersion))
        }
        var offset = 8
        guard let list = PHDList.open(bytes, &offset, bytes.count) else { return .failure(.result(noCommonParameter)) }
        var refusal: Refusal?
        for _ in 0..<list.count {
            guard let id = bytes.bigEndian16(offset), let length = bytes.bigEndian16(offset + 2),
                offset + 4 + Int(length) <= list.end
            else { return .failure(.result(noCommonParameter)) }
            if id == protocol20601 {
                let request = information(bytes, offset + 4, offset + 4 + Int(length))
                if let request, request.refusal == nil { return .success(request) }
                refusal = refusal ?? request?.refusal ?? .result(noCommonParameter)
            }
            offset += 4 + Int(length)
        }
        return .failure(refusal ?? .result(noCommonProtocol))
    }

    private static func information(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> PHDAssociationRequest? {
        guard let versions = bytes.bigEndian32(start), let rules = bytes.bigEndian16(start + 4),
            let nomenclature = bytes.bigEndian32(start + 6), let units = bytes.bigEndian32(start + 10),
            let type = bytes.bigEndian32(start + 14), let length = bytes.bigEndian16(start + 18)
        else { return nil }
        let id = start + 20
        var rest = id + Int(length)
        guard rest + 6 <= end, let configuration = bytes.bigEndian16(rest), let modes = bytes.bigEndian16(rest + 2),
            let agents = bytes.byte(rest + 4), let managers = bytes.byte(rest + 5)
        else { return nil }
        rest += 6
        // The option list may hold anything, but must be a list.
        guard PHDList.open(bytes, &rest, end) != nil else { return nil }
        return PHDAssociationRequest(
            systemID: bytes.part(id, Int(length)), configurationID: configuration, protocolVersion: versions,
            encodingRules: rules, nomenclatureVersion: nomenclature, functionalUnits: units, systemType: type,
            requestModes: modes, agentRequests: agents, managerRequests: managers)
    }

    /// Bits of the protocol versions from 1: 1 documented [1], 2 [6]; 3 and 4 by the same rule: guess.
    private static let versions: [UInt32] = [0x8000_0000, 0x4000_0000, 0x2000_0000, 0x1000_0000]

    /// The lowest offered version; `nil` without a known one. Of versions 2 to 4, only base-offset time is in a public source, so they are
    /// chosen only if the agent offers nothing lower.
    var chosenVersion: Int? { Self.versions.firstIndex { protocolVersion & $0 != 0 }.map { $0 + 1 } }
    var chosenVersionBit: UInt32 { chosenVersion.map { Self.versions[$0 - 1] } ?? 0 }

    private var refusal: Refusal? {
        guard chosenVersion != nil, encodingRules & 0x8000 != 0, nomenclatureVersion & 0x8000_0000 != 0,
            systemType & 0x0080_0000 != 0, systemID.count == 8
        else { return .result(Self.noCommonParameter) }
        return nil
    }

    /// The storage key of this agent's readings.
    var deviceID: String { Hex.text(systemID, separator: "") }

    func memoryKey(_ configuration: UInt16) -> String {
        "config/\(deviceID)/\(Hex.text([UInt8(configuration >> 8), UInt8(configuration & 255)], separator: ""))"
    }
}
