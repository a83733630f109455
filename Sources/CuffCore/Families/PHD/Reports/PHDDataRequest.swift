/// A request to an agent that sends data on demand (MDS action DATA_REQUEST): options `data-request` and `data-period`. Layout and bits:
/// documented [1] of PHD.swift.
///     u16 data-req-id, u16 mode, u32 time, u16 person, u16 class, list of handles
struct PHDDataRequest: Sendable, Hashable {
    enum Scope: Sendable, Hashable {
        case all
        case objectClass(UInt16)
        case handles([UInt16])
    }

    static let id: UInt16 = 1
    /// Handles in one request: 24 + 2 x 64 bytes stay below the 224 that every agent accepts.
    static let handleLimit = 64
    private static let everybody: UInt16 = 0xFFFF

    var scope: Scope
    /// Seconds for which the agent sends; 0: until stopped; `nil`: one answer.
    var period: UInt32?

    /// `yes` or `all`, `class:6`, `handle:1+10`; `nil` for other text.
    init?(_ text: String?, period: String?) {
        guard let text else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1)
        switch (parts.first ?? "", parts.count == 2 ? parts[1] : "") {
        case ("yes", ""), ("all", ""): scope = .all
        case ("class", let number):
            guard let code = UInt16(number) else { return nil }
            scope = .objectClass(code)
        case ("handle", let numbers):
            let handles = numbers.split(separator: "+").map { UInt16($0) }
            guard !handles.isEmpty, handles.count <= Self.handleLimit, !handles.contains(nil) else { return nil }
            scope = .handles(handles.compactMap { $0 })
        default: return nil
        }
        guard let period else { return }
        // The field has ticks of 125 µs in 32 bits: six days.
        guard let seconds = UInt32(period), seconds <= 500_000 else { return nil }
        self.period = seconds
    }

    private var scopeBit: UInt16 {
        switch scope {
        case .all: PHDDataRequestMode.all
        case .objectClass: PHDDataRequestMode.byClass
        case .handles: PHDDataRequestMode.byHandle
        }
    }

    private var mode: UInt16 {
        scopeBit
            | (period.map { $0 == 0 ? PHDDataRequestMode.unlimited : PHDDataRequestMode.period } ?? PHDDataRequestMode.single)
    }

    func isAllowed(by request: PHDAssociationRequest) -> Bool { request.managerRequests > 0 && request.requestModes & mode == mode }

    func needsStop(_ request: PHDAssociationRequest) -> Bool { period != nil && request.requestModes & PHDDataRequestMode.stops != 0 }

    func apdu(invoke: UInt16, starts: Bool) -> [UInt8] {
        PHDManagerAPDU.action(invoke: invoke, handle: 0, PHDAction.dataRequest) {
            $0.append16(Self.id)
            $0.append16(mode | (starts ? PHDDataRequestMode.start : 0))
            $0.append32(starts ? (period ?? 0) * 8000 : 0)
            $0.append16(Self.everybody)
            switch scope {
            case .all:
                $0.append16(0)
                $0.append32(0)
            case .objectClass(let code):
                $0.append16(code)
                $0.append32(0)
            case .handles(let handles):
                $0.append16(0)
                $0.list(handles.count) { for handle in handles { $0.append16(handle) } }
            }
        }
    }
}
