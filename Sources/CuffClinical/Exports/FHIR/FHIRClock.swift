/// The cuff's clock and this computer's clock at one moment: the coincident timestamp of the Personal Health Device guide. It is
/// sent if a time was corrected, so that the correction can be verified.
enum FHIRClock {
    static func name(_ reading: ExchangeReading) -> String? {
        guard let device = reading.device, let check = reading.time?.clockCheck else { return nil }
        return "\(device):clock:\(check.host)"
    }

    /// The Observation: its subject is the cuff, its device this computer.
    static func observation(_ reading: ExchangeReading, gateway: FHIRGateway, _ references: FHIRReferences) -> FHIRResource? {
        guard let name = name(reading), let device = reading.device, let check = reading.time?.clockCheck else { return nil }
        return FHIRResource(
            reference: references.clock(name), id: FHIRCodes.resourceID(name),
            criterion: FHIRCodes.criterion(system: FHIRCodes.readings, value: name), type: "Observation",
            members: [
                ("meta", ["profile": [.text(FHIRCodes.phd + "PhdCoincidentTimeStampObservation")]]),
                ("identifier", FHIRCodes.identifier(FHIRCodes.readings, name)), ("status", "final"),
                ("code", FHIRCodes.concept((FHIRCodes.mdc, "67975", "MDC_ATTR_TIME_ABS"))),
                ("subject", ["reference": .text(references.cuff(device))]), ("effectiveDateTime", .text(check.host)),
                check.cuff.map { ("valueDateTime", .text($0)) }
                    ?? ("dataAbsentReason", FHIRCodes.concept((FHIRCodes.terminology + "data-absent-reason", "unknown", nil))),
                ("device", ["reference": .text(references.gateway(gateway.name))]),
            ])
    }
}
