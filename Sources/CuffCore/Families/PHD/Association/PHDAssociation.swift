struct PHDAssociation: Sendable {
    enum End: Sendable {
        case inOrder
        /// By the agent's ABRT or its request for another association.
        case byAgent
        case otherwise
    }

    private(set) var state = PHDState.disconnected
    /// Whether the table processes reports in this state; cached, because it is needed for every report.
    private(set) var processesReports = false
    private(set) var request: PHDAssociationRequest?
    /// An AARQ that waits until earlier readings are on disk.
    private(set) var applicant: PHDAssociationRequest?
    private(set) var end = End.otherwise
    /// Our ABRT was the last APDU; the agent may not have received it.
    private(set) var doubtsAbort = false
    var isHoldingOff = false
    private var identified: [UInt8] = []

    mutating func enter(_ next: PHDState) {
        state = next
        let reports: [PHDInput] = [.confirmedReport, .unconfirmedReport]
        processesReports = reports.allSatisfy { PHDStateTable.row(next, $0)?.act == .process }
    }

    mutating func noteEnd(by input: PHDInput) {
        switch input {
        case .releaseRequest, .releaseResponse: end = .inOrder
        case .abort, .requestKnown, .requestUnknown, .requestUnacceptable: end = .byAgent
        default: end = .otherwise
        }
    }

    mutating func noteLineEnd() { if end == .byAgent { end = .otherwise } }

    mutating func noteAbort() { doubtsAbort = true }

    /// The agent knows of the end. Returns whether that was in doubt.
    mutating func clearAbort() -> Bool {
        defer { doubtsAbort = false }
        return doubtsAbort
    }

    mutating func begin(_ request: PHDAssociationRequest) { self.request = request }
    mutating func hold(_ applicant: PHDAssociationRequest) { self.applicant = applicant }

    @inline(__always)
    mutating func takeApplicant() -> PHDAssociationRequest? {
        // Not `applicant == nil`, which copies it for every report.
        guard case .some(let found) = applicant else { return nil }
        applicant = nil
        return found
    }

    /// The present agent, if not identified yet.
    mutating func newAgent() -> DeviceIdentity? {
        guard let request, request.systemID != identified else { return nil }
        identified = request.systemID
        return DeviceIdentity(id: request.deviceID)
    }
}
