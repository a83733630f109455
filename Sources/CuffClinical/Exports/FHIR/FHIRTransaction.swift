import CuffCore

/// A Bundle of type `transaction`: a first revision is created unless it exists, a later revision replaces it. A server stores all of it
/// or nothing.
public struct FHIRTransaction: Sendable {
    /// 50 readings are some 200 resources; servers limit the time of a transaction.
    public static let mostReadings = 50

    /// How many readings it holds.
    public internal(set) var readings = 0
    let subject: Patients
    let profile: FHIRProfile
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

    /// Adds a reading, with its Devices unless they are there already. `identity` describes the cuff. `replaces`: the server may have
    /// another version of a first revision, `entered-in-error`.
    /// - Throws: An `ExportOmission`: why it is left out, as ``omission(_:subject:)`` says.
    public mutating func append(
        _ reading: ExchangeReading, identity: DeviceIdentity? = nil, replaces: Bool = false
    ) throws(ExportOmission) {
        let all = try FHIRResources(reading, identity: identity, subject: subject, profile: profile, references: .transaction)
        for shared in all.shared where named.insert(shared.reference).inserted {
            entries.append(Self.entry(shared, ["method": "POST", "url": .text(shared.type), "ifNoneExist": .text(shared.criterion)]))
        }
        for resource in all.own {
            // A conditional create that finds a match changes nothing, so a later revision must replace.
            let request: JSONOutput =
                replaces || reading.revision > 0
                ? ["method": "PUT", "url": .text("\(resource.type)?\(resource.criterion)")]
                : ["method": "POST", "url": .text(resource.type), "ifNoneExist": .text(resource.criterion)]
            entries.append(Self.entry(resource, request))
        }
        putAll(removed(from: reading, except: all.own))
        readings += 1
    }

    /// The pulse and the flags that a reading typed in no longer has after a correction: the server may have those of an earlier
    /// revision. Of a cuff's reading a person cannot remove any.
    private func removed(from reading: ExchangeReading, except own: [FHIRResource]) -> [FHIRResource] {
        guard reading.revision > 0, reading.isEntered, let patient = subject.patient(of: reading.owner) else { return [] }
        let present = Set(own.map(\.reference))
        return FHIRDeletion(removedFrom: reading).resources(subject: patient, .transaction).filter { !present.contains($0.reference) }
    }

    /// Resources that replace those with the same identifiers.
    mutating func putAll(_ resources: [FHIRResource]) {
        for resource in resources {
            entries.append(Self.entry(resource, ["method": "PUT", "url": .text("\(resource.type)?\(resource.criterion)")]))
        }
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
