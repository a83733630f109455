import CuffCore

/// A Bundle of type `transaction`: a first revision is created unless it exists, a later revision replaces it. A server stores all of it
/// or nothing.
public struct FHIRTransaction: Sendable {
    /// 50 readings are some 200 resources; servers limit the time of a transaction.
    public static let mostReadings = 50

    /// How many readings it holds.
    public private(set) var readings = 0
    let subject: Patients
    private let profile: FHIRProfile
    private var entries: [JSONOutput] = []
    private var named: Set<String> = []

    /// An empty one.
    public init(subject: Patients, profile: FHIRProfile) {
        self.subject = subject
        self.profile = profile
    }

    /// How many resources it holds; a server answers for each.
    public var count: Int { entries.count }
    /// The Bundle on one line, without a line feed.
    public var json: JSONOutput { ["resourceType": "Bundle", "type": "transaction", "entry": .list(entries)] }

    /// Adds a reading, with its Devices unless they are there already. `identity` describes the cuff.
    /// - Throws: An `ExportOmission`: why it is left out, as ``omission(_:subject:)`` says.
    public mutating func append(_ reading: ExchangeReading, identity: DeviceIdentity? = nil) throws(ExportOmission) {
        let all = try FHIRResources(reading, identity: identity, subject: subject, profile: profile, references: .transaction)
        for shared in all.shared where named.insert(shared.reference).inserted {
            entries.append(Self.entry(shared, ["method": "POST", "url": .text(shared.type), "ifNoneExist": .text(shared.criterion)]))
        }
        for resource in all.own {
            // A conditional create that finds a match changes nothing, so a later revision must replace.
            let request: JSONOutput =
                reading.revision > 0
                ? ["method": "PUT", "url": .text("\(resource.type)?\(resource.criterion)")]
                : ["method": "POST", "url": .text(resource.type), "ifNoneExist": .text(resource.criterion)]
            entries.append(Self.entry(resource, request))
        }
        readings += 1
    }

    /// Adds the resources of one reading, which replace those with the same identifiers.
    mutating func replace(with resources: [FHIRResource]) {
        for resource in resources {
            entries.append(Self.entry(resource, ["method": "PUT", "url": .text("\(resource.type)?\(resource.criterion)")]))
        }
        readings += 1
    }

    private static func entry(_ resource: FHIRResource, _ request: JSONOutput) -> JSONOutput {
        ["fullUrl": .text(resource.reference), "resource": resource.body, "request": request]
    }

    /// Why a reading is left out of a transaction; `nil` if it is not.
    public static func omission(_ reading: ExchangeReading, subject: Patients) -> ExportOmission? {
        if let omission = FHIRObservations.omission(reading) { return omission }
        return subject.patient(of: reading.owner) == nil ? .noSubject(reading.owner) : nil
    }

    /// The suffix of a reading's first Observation's identifier, after the reading's id.
    public static func mainSuffix(_ reading: ExchangeReading) -> String { FHIRObservations.mainSuffix(reading) }

    /// The reference to a reading's first Observation within a transaction.
    public static func reference(_ reading: ExchangeReading) -> String {
        FHIRReferences.transaction.observation(reading.id, mainSuffix(reading))
    }
}
