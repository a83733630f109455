import CuffCore

enum FHIRDevices {
    /// The cuff by its identity: an IEEE 11073 system id where it has one, otherwise the name its readings are stored under.
    /// `isAgent`: described as an IEEE 11073 agent for blood pressure of the Personal Health Device guide. Its profile is claimed if
    /// everything it requires is known.
    static func cuff(
        _ device: String, driver: String, identity: DeviceIdentity?, isAgent: Bool, _ references: FHIRReferences
    ) -> FHIRResource {
        let isEUI = device.utf8.count == 16 && device.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
        let system = isEUI ? "urn:oid:1.2.840.10004.1.1.1.0.0.1.0.0.1.2680" : FHIRCodes.devices
        let value = isEUI ? dashed(device) : device
        let systemID = FHIRCodes.concept((FHIRCodes.terminology + "ContinuaDeviceIdentifiers", "SYSID", nil))
        let manufacturer = present(identity?.manufacturer)
        let model = present(identity?.model)
        let firmware = present(identity?.firmware)
        let isComplete = manufacturer != nil && model != nil && firmware != nil
        let members: [(String, JSONOutput?)] = [
            ("meta", isAgent && isComplete ? ["profile": [.text(FHIRCodes.phd + "PhdDevice")]] : nil),
            ("identifier", [["type": isEUI ? systemID : nil, "system": .text(system), "value": .text(value)]]),
            ("manufacturer", manufacturer), ("serialNumber", present(identity?.serial)), ("modelNumber", model),
            ("deviceName", [["name": .text("cuff driver " + driver), "type": "other"]]),
            ("type", FHIRCodes.concept((FHIRCodes.mdc, "65573", "MDC_MOC_VMS_MDS_SIMP"))),
            ("specialization", isAgent ? [specialization(identity)] : nil),
            ("version", firmware.map { [["type": FHIRCodes.concept((FHIRCodes.mdc, "531976", "MDC_ID_PROD_SPEC_FW")), "value": $0]] }),
        ]
        return FHIRResource(
            reference: references.cuff(device), id: FHIRCodes.resourceID(device),
            criterion: FHIRCodes.criterion(system: system, value: value), type: "Device", members: members)
    }

    /// IEEE 11073-10407, MDC 528391 (8 * 65536 + 4103). Its version is the agent's own if it is known; otherwise 1, as in all
    /// published recordings of agents (observed in 18 associations; for this agent a guess).
    private static func specialization(_ identity: DeviceIdentity?) -> JSONOutput {
        let version = identity?.details.first { $0.name == "specialization version" }?.value ?? "1"
        return ["systemType": FHIRCodes.concept((FHIRCodes.mdc, "528391", "MDC_DEV_SPEC_PROFILE_BP")), "version": .text(version)]
    }

    /// This computer, as a gateway of the Personal Health Device guide.
    static func gateway(_ gateway: FHIRGateway, _ references: FHIRReferences) -> FHIRResource {
        host(gateway.name, references.gateway(gateway.name), isOfGuide: true, [software(gateway.version)])
    }

    private static func software(_ version: String) -> JSONOutput {
        ["type": FHIRCodes.concept((FHIRCodes.mdc, "531975", "MDC_ID_PROD_SPEC_SW")), "value": .text(version)]
    }

    private static func host(
        _ name: String, _ reference: String, isOfGuide: Bool, decoder: String? = nil, _ versions: [JSONOutput]
    ) -> FHIRResource {
        FHIRResource(
            reference: reference, id: FHIRCodes.resourceID(name),
            criterion: FHIRCodes.criterion(system: FHIRCodes.gateways, value: name), type: "Device",
            members: [
                ("meta", isOfGuide ? ["profile": [.text(FHIRCodes.phd + "PhgDevice")]] : nil),
                ("identifier", FHIRCodes.identifier(FHIRCodes.gateways, name)), ("manufacturer", "cuff"), ("modelNumber", "cuff"),
                ("deviceName", decoder.map { [["name": .text($0), "type": "other"]] }),
                ("type", FHIRCodes.concept((FHIRCodes.mdc, "531981", "MDC_MOC_VMS_MDS_AHD"))), ("version", .list(versions)),
            ])
    }

    /// The program and the driver that decoded a reading, each with its version: a gateway of its own, because a Device that a server has
    /// keeps its version. `gateway`: the computer, with the profiles of the PHD guide.
    static func program(_ decoder: String, on gateway: FHIRGateway?, _ references: FHIRReferences) -> FHIRResource {
        let name = programName(decoder, on: gateway)
        let parts = decoder.split(separator: " ", maxSplits: 1).map { $0.split(separator: "/", maxSplits: 1).map(String.init) }
        let driver = parts.count > 1 ? parts[1] : []
        var versions = [software(parts.first.flatMap { $0.count > 1 ? $0[1] : $0.first } ?? decoder)]
        if driver.count > 1 { versions.append(["type": ["text": .text("driver " + driver[0])], "value": .text(driver[1])]) }
        return host(name, references.program(name), isOfGuide: gateway != nil, decoder: decoder, versions)
    }

    static func programName(_ decoder: String, on gateway: FHIRGateway?) -> String { (gateway.map { $0.name + " " } ?? "") + decoder }

    /// FHIR has no empty text.
    private static func present(_ text: String?) -> JSONOutput? { text.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : .text($0) } }

    /// `00091ffffe000101` as the guide writes it: `00-09-1F-FF-FE-00-01-01`.
    private static func dashed(_ text: String) -> String {
        var result = ""
        for (index, character) in text.uppercased().enumerated() { result += (index > 0 && index % 2 == 0 ? "-" : "") + String(character) }
        return result
    }
}
