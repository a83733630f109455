struct PHDOptions: Sendable {
    /// The system id used in the examples of other stacks; it identifies no real manager.
    static let exampleManager: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]

    let manager: [UInt8]
    let asksConfiguration: Bool
    let startsScanners: Bool
    let asksFactsEarly: Bool
    let dataRequest: PHDDataRequest?
    let timeRange: PHDTimeRange.Wish
    let error: String?
    let patience: Duration
    let keepsReadings: Bool
    /// System ids of agents that may associate (empty: all), and of those that may not.
    private let allowed: Set<String>
    private let unwanted: Set<String>

    init(_ context: SessionContext) {
        let id = Hex.bytes(context.options["manager-id"] ?? "") ?? []
        manager = id.count == 8 ? id : Self.exampleManager
        asksConfiguration = context.options["configuration"] == "ask"
        startsScanners = context.options["scanners"] == "yes"
        asksFactsEarly = context.options["attributes"] == "early"
        let text = context.options["data-request"]
        dataRequest = PHDDataRequest(text, period: context.options["data-period"])
        timeRange = PHDTimeRange.wish(context.options)
        if case .malformed(let text) = timeRange {
            error = "`\(text)` is not a date and time (options from and to): write e.g. 2026-05-05T07:31"
        } else if text != nil, dataRequest == nil {
            error = "write the option data-request as all, class:6 or handle:1+10, and data-period in seconds"
        } else {
            error = nil
        }
        patience = PHDProgress.patience(context.options)
        keepsReadings = context.keepsReadings
        allowed = Set((context.options["agents"] ?? "").split(separator: "+").map { $0.lowercased() })
        unwanted = Set((context.options["unwanted"] ?? "").split(separator: "+").map { $0.lowercased() })
    }

    func objection(to device: String) -> (result: UInt16, why: String)? {
        if unwanted.contains(device) {
            return (PHDAssociationRequest.rejectedPermanent, "agent \(device) is among those named in the option unwanted")
        }
        if !allowed.isEmpty, !allowed.contains(device) {
            return (PHDAssociationRequest.unauthorized, "agent \(device) is not among those named in the option agents")
        }
        return nil
    }
}
