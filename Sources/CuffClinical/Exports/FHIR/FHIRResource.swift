import CuffCore

struct FHIRResource: Sendable {
    /// The reference used by others in the same export.
    let reference: String
    let id: String
    /// The search that finds it on a server.
    let criterion: String
    let type: String
    /// Its members after `resourceType`.
    let members: [(String, JSONOutput?)]

    /// As an entry of a transaction, where the server gives the id.
    var body: JSONOutput { .present([("resourceType", .text(type))] + members) }
    var withID: JSONOutput { .present([("resourceType", .text(type)), ("id", .text(id))] + members) }
}

extension FHIRResource {
    /// An Observation of a reading; `suffix` as in its identifier.
    init(observation reading: String, _ suffix: String, _ references: FHIRReferences, _ members: [(String, JSONOutput?)]) {
        self.init(
            reference: references.observation(reading, suffix), id: FHIRReferences.bulkID(reading, suffix),
            criterion: FHIRCodes.criterion(system: FHIRCodes.readings, value: reading + suffix), type: "Observation", members: members)
    }
}

/// The resources of one reading: Devices, which other readings share, and its own Observations.
struct FHIRResources {
    let shared: [FHIRResource]
    let own: [FHIRResource]

    init(
        _ reading: ExchangeReading, identity: DeviceIdentity?, subject: Patients, profile: FHIRProfile, references: FHIRReferences
    ) throws(ExportOmission) {
        if let omission = FHIRTransaction.omission(reading, subject: subject) { throw omission }
        guard let patient = subject.patient(of: reading.owner) else { throw .noSubject(reading.owner) }
        // The guide is about agents of IEEE 11073; other cuffs claim only the core profiles.
        var gateway: FHIRGateway?
        if case .phd(let named) = profile, reading.driver == "phd" { gateway = named }
        var shared: [FHIRResource] = []
        if let device = reading.device {
            let isPressure = reading.type == "blood_pressure" || reading.type == "pulse_rate"
            shared.append(
                FHIRDevices.cuff(device, driver: reading.driver, identity: identity, isAgent: gateway != nil && isPressure, references))
        }
        if let decoder = reading.decoder { shared.append(FHIRDevices.program(decoder, on: gateway, references)) }
        if let gateway {
            let clock = FHIRClock.name(reading)
            if reading.decoder == nil || clock != nil { shared.append(FHIRDevices.gateway(gateway, references)) }
            if let clock = FHIRClock.observation(reading, gateway: gateway, references) { shared.append(clock) }
        }
        self.shared = shared
        own =
            FHIRObservations(
                reading: reading, subject: patient, references: references, gateway: gateway, isUSCore: profile == .usCore
            ).resources
    }
}
