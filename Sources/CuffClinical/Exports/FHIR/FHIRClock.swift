/// What a cuff's clock said at a moment of this computer's: the coincident timestamp of the Personal Health Device guide. It is
/// sent where a time was corrected, so that nobody has to trust the correction.
enum FHIRClock {
    /// What its identifier is; `nil` where there is nothing to tell.
    static func name(_ reading: ExchangeReading) -> String? {
        guard let device = reading.device, let check = reading.clockCheck else { return nil }
        return "\(device):clock:\(check.host)"
    }

    /// The Observation: its subject is the cuff, its device this computer.
    static func observation(_ reading: ExchangeReading, gateway: FHIRGateway, _ references: FHIRReferences) -> FHIRResource? {
        guard let name = name(reading), let device = reading.device, let check = reading.clockCheck else { return nil }
        return FHIRResource(
            reference: references.clock(name), id: FHIRCodes.resourceID(name),
            criterion: FHIRCodes.criterion(system: FHIRCodes.readings, value: name), type: "Observation",
            members: [
                ("meta", ["profile": [.text(FHIRCodes.phd + "PhdCoincidentTimeStampObservation")]]),
                ("identifier", [["system": .text(FHIRCodes.readings), "value": .text(name)]]), ("status", "final"),
                ("code", FHIRCodes.concept((FHIRCodes.mdc, "67975", "MDC_ATTR_TIME_ABS"))),
                ("subject", ["reference": .text(references.cuff(device))]), ("effectiveDateTime", .text(check.host)),
                check.cuff.map { ("valueDateTime", .text($0)) }
                    ?? ("dataAbsentReason", FHIRCodes.concept((FHIRCodes.terminology + "data-absent-reason", "unknown", nil))),
                ("device", ["reference": .text(references.gateway(gateway.name))]),
            ])
    }
}
