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
        var members: [(String, JSONOutput)] = [
            (
                "identifier",
                [
                    [
                        "type": isEUI ? FHIRCodes.concept((FHIRCodes.terminology + "ContinuaDeviceIdentifiers", "SYSID", nil)) : nil,
                        "system": .text(system), "value": .text(value),
                    ]
                ]
            )
        ]
        let manufacturer = (identity?.manufacturer).flatMap(present)
        let model = (identity?.model).flatMap(present)
        let firmware = (identity?.firmware).flatMap(present)
        if isAgent, manufacturer != nil, model != nil, firmware != nil {
            members.insert(("meta", ["profile": [.text(FHIRCodes.phd + "PhdDevice")]]), at: 0)
        }
        for (key, text) in [
            ("manufacturer", manufacturer), ("serialNumber", (identity?.serial).flatMap(present)), ("modelNumber", model),
        ] {
            if let text { members.append((key, .text(text))) }
        }
        members.append(("deviceName", [["name": .text("cuff driver " + driver), "type": "other"]]))
        members.append(("type", FHIRCodes.concept((FHIRCodes.mdc, "65573", "MDC_MOC_VMS_MDS_SIMP"))))
        if isAgent { members.append(("specialization", [specialization(identity)])) }
        if let firmware {
            members.append(
                ("version", [["type": FHIRCodes.concept((FHIRCodes.mdc, "531976", "MDC_ID_PROD_SPEC_FW")), "value": .text(firmware)]]))
        }
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
        FHIRResource(
            reference: references.gateway(gateway.name), id: FHIRReferences.gatewayID(gateway.name),
            criterion: FHIRCodes.criterion(system: FHIRCodes.gateways, value: gateway.name), type: "Device",
            members: [
                ("meta", ["profile": [.text(FHIRCodes.phd + "PhgDevice")]]),
                ("identifier", [["system": .text(FHIRCodes.gateways), "value": .text(gateway.name)]]),
                ("manufacturer", "cuff"), ("modelNumber", "cuff"),
                ("type", FHIRCodes.concept((FHIRCodes.mdc, "531981", "MDC_MOC_VMS_MDS_AHD"))),
                (
                    "version",
                    [["type": FHIRCodes.concept((FHIRCodes.mdc, "531975", "MDC_ID_PROD_SPEC_SW")), "value": .text(gateway.version)]]
                ),
            ])
    }

    /// The program and the driver that decoded a reading, each with its version: a gateway of its own, because a Device that a server has
    /// keeps its version. `gateway`: the computer, with the profiles of the PHD guide.
    static func program(_ decoder: String, on gateway: FHIRGateway?, _ references: FHIRReferences) -> FHIRResource {
        let name = programName(decoder, on: gateway)
        let parts = decoder.split(separator: " ", maxSplits: 1).map { $0.split(separator: "/", maxSplits: 1).map(String.init) }
        let driver = parts.count > 1 ? parts[1] : []
        var versions: [JSONOutput] = [
            [
                "type": FHIRCodes.concept((FHIRCodes.mdc, "531975", "MDC_ID_PROD_SPEC_SW")),
                "value": .text(parts.first.flatMap { $0.count > 1 ? $0[1] : $0.first } ?? decoder),
            ]
        ]
        if driver.count > 1 { versions.append(["type": ["text": .text("driver " + driver[0])], "value": .text(driver[1])]) }
        let members: [(String, JSONOutput?)] = [
            ("meta", gateway == nil ? nil : ["profile": [.text(FHIRCodes.phd + "PhgDevice")]]),
            ("identifier", [["system": .text(FHIRCodes.gateways), "value": .text(name)]]),
            ("manufacturer", "cuff"), ("modelNumber", "cuff"), ("deviceName", [["name": .text(decoder), "type": "other"]]),
            ("type", FHIRCodes.concept((FHIRCodes.mdc, "531981", "MDC_MOC_VMS_MDS_AHD"))), ("version", .list(versions)),
        ]
        return FHIRResource(
            reference: references.program(name), id: FHIRCodes.resourceID(name),
            criterion: FHIRCodes.criterion(system: FHIRCodes.gateways, value: name), type: "Device",
            members: members.compactMap { key, value in value.map { (key, $0) } })
    }

    static func programName(_ decoder: String, on gateway: FHIRGateway?) -> String { (gateway.map { $0.name + " " } ?? "") + decoder }

    /// FHIR has no empty text.
    private static func present(_ text: String) -> String? { text.allSatisfy(\.isWhitespace) ? nil : text }

    /// `00091ffffe000101` as the guide writes it: `00-09-1F-FF-FE-00-01-01`.
    private static func dashed(_ text: String) -> String {
        var result = ""
        for (index, character) in text.uppercased().enumerated() { result += (index > 0 && index % 2 == 0 ? "-" : "") + String(character) }
        return result
    }
}
