/// The state of the association, the agent that it is with, and how the last one ended.
struct PHDAssociation: Sendable {
    enum End: Sendable {
        /// By release: the agent has sent all that it wanted to send.
        case inOrder
        /// By the agent's ABRT, or by its request for another association.
        case byAgent
        case otherwise
    }

    private(set) var state = PHDState.disconnected
    /// Whether the table processes reports in this state: looked up when it changes, and not for each report.
    private(set) var processesReports = false
    private(set) var request: PHDAssociationRequest?
    /// An AARQ that waits until earlier readings are on disk.
    private(set) var applicant: PHDAssociationRequest?
    private(set) var end = End.otherwise
    /// Our ABRT was the last word: the agent may not have received it.
    private(set) var doubtsAbort = false
    /// The pause between two ABRTs outside an association.
    private(set) var isHoldingOff = false
    /// System id of the agent that was named last.
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

    /// The line ended, not the agent's association.
    mutating func noteLineEnd() { if end == .byAgent { end = .otherwise } }

    mutating func noteAbort() { doubtsAbort = true }
    mutating func holdOff() { isHoldingOff = true }
    mutating func endHoldOff() { isHoldingOff = false }

    /// The agent knows of the end. Answers whether that was in doubt.
    mutating func clearAbort() -> Bool {
        defer { doubtsAbort = false }
        return doubtsAbort
    }

    mutating func begin(_ request: PHDAssociationRequest) { self.request = request }
    mutating func hold(_ applicant: PHDAssociationRequest) { self.applicant = applicant }

    /// The AARQ that waited, if one did.
    @inline(__always)
    mutating func takeApplicant() -> PHDAssociationRequest? {
        // Not `applicant == nil`: that copies it, and this is asked for every report.
        guard case .some(let found) = applicant else { return nil }
        applicant = nil
        return found
    }

    /// The agent whose readings come now, if it is not the one that was named last.
    mutating func newAgent() -> DeviceIdentity? {
        guard let request, request.systemID != identified else { return nil }
        identified = request.systemID
        return DeviceIdentity(id: request.deviceID)
    }
}
