import CuffCore

/// A Bundle of type `transaction` under construction: what is sent first is created unless it exists, what completes a reading
/// replaces it. A server takes all of it or nothing.
public struct FHIRTransaction: Sendable {
    /// 50 readings are some 200 resources; servers limit the time of a transaction.
    public static let mostReadings = 50

    /// How many readings it holds.
    public private(set) var readings = 0
    let subject: FHIRSubject
    private let gateway: FHIRGateway?
    private var entries: [JSONOutput] = []
    private var named: Set<String> = []

    /// An empty one. With a `gateway`, readings of IEEE 11073 agents claim the profiles of the Personal Health Device guide.
    public init(subject: FHIRSubject, gateway: FHIRGateway?) {
        self.subject = subject
        self.gateway = gateway
    }

    /// How many resources it holds; a server answers for each.
    public var count: Int { entries.count }
    /// The Bundle on one line, without a line feed.
    public var json: JSONOutput { ["resourceType": "Bundle", "type": "transaction", "entry": .list(entries)] }

    /// Adds a reading, with the Devices it refers to where they are not yet there. `identity` is what else is known of the cuff.
    /// Throws why it has no place; nothing is added then.
    public mutating func append(_ reading: ExchangeReading, identity: DeviceIdentity? = nil) throws(ExportOmission) {
        let all = try FHIRResources(reading, identity: identity, subject: subject, gateway: gateway, references: .transaction)
        for shared in all.shared where named.insert(shared.reference).inserted {
            entries.append(Self.entry(shared, ["method": "POST", "url": .text(shared.type), "ifNoneExist": .text(shared.criterion)]))
        }
        for resource in all.own {
            // A conditional create that finds a match changes nothing, so what completes a reading must replace.
            let request: JSONOutput =
                reading.revision > 0
                ? ["method": "PUT", "url": .text("\(resource.type)?\(resource.criterion)")]
                : ["method": "POST", "url": .text(resource.type), "ifNoneExist": .text(resource.criterion)]
            entries.append(Self.entry(resource, request))
        }
        readings += 1
    }

    /// Adds what becomes of one reading, in the place of whatever the server has under the same names.
    mutating func replace(with resources: [FHIRResource]) {
        for resource in resources {
            entries.append(Self.entry(resource, ["method": "PUT", "url": .text("\(resource.type)?\(resource.criterion)")]))
        }
        readings += 1
    }

    private static func entry(_ resource: FHIRResource, _ request: JSONOutput) -> JSONOutput {
        ["fullUrl": .text(resource.reference), "resource": resource.body, "request": request]
    }

    /// Why a reading has no place in a transaction; `nil` where it has one.
    public static func omission(_ reading: ExchangeReading, subject: FHIRSubject) -> ExportOmission? {
        if let omission = FHIRObservations.omission(reading) { return omission }
        return subject.reference(user: reading.user) == nil ? .noSubject(user: reading.user) : nil
    }

    /// What the identifier of the first of a reading's Observations ends in, after the reading's id.
    public static func mainSuffix(_ reading: ExchangeReading) -> String { FHIRObservations.mainSuffix(reading) }

    /// The name of a reading's first Observation within a transaction.
    public static func reference(_ reading: ExchangeReading) -> String {
        FHIRReferences.transaction.observation(reading.id, mainSuffix(reading))
    }
}

/// Everything that one reading needs on a server: the Devices that other readings share, and its own Observations.
struct FHIRResources {
    let shared: [FHIRResource]
    let own: [FHIRResource]

    init(
        _ reading: ExchangeReading, identity: DeviceIdentity?, subject: FHIRSubject, gateway: FHIRGateway?, references: FHIRReferences
    ) throws(ExportOmission) {
        if let omission = FHIRTransaction.omission(reading, subject: subject) { throw omission }
        guard let patient = subject.reference(user: reading.user) else { throw .noSubject(user: reading.user) }
        // The guide is about agents of IEEE 11073; other cuffs claim the core profiles alone.
        let gateway = reading.driver == "phd" ? gateway : nil
        var shared: [FHIRResource] = []
        if let device = reading.device {
            let isPressure = reading.type == "blood_pressure" || reading.type == "pulse_rate"
            shared.append(
                FHIRDevices.cuff(device, driver: reading.driver, identity: identity, isAgent: gateway != nil && isPressure, references))
        }
        if let gateway {
            shared.append(FHIRDevices.gateway(gateway, references))
            if let clock = FHIRClock.observation(reading, gateway: gateway, references) { shared.append(clock) }
        }
        self.shared = shared
        own = FHIRObservations(reading: reading, subject: patient, references: references, gateway: gateway).resources
    }
}
