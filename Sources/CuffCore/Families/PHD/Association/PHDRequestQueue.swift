struct PHDRequestQueue: Sendable {
    /// Other managers may have several open; more than sixteen mean that the agent answers none.
    private static let limit = 16

    private var open: [PHDRequest] = []
    private var nextInvoke: UInt16 = 1

    var isEmpty: Bool { open.isEmpty }
    var count: Int { open.count }
    var first: PHDRequest? { open.first }

    mutating func number() -> UInt16 {
        defer { nextInvoke = nextInvoke == 0xFFFF ? 1 : nextInvoke + 1 }
        return nextInvoke
    }

    mutating func note(_ apdu: [UInt8]) {
        guard let request = PHDRequest(apdu.span) else { return }
        open.removeAll { $0.invoke == request.invoke }
        if open.count >= Self.limit { open.removeFirst() }
        open.append(request)
    }

    func contains(_ invoke: UInt16) -> Bool { open.contains { $0.invoke == invoke } }

    mutating func take(_ invoke: UInt16) -> PHDRequest? {
        open.firstIndex { $0.invoke == invoke }.map { open.remove(at: $0) }
    }

    mutating func takeFirst() -> PHDRequest? { open.isEmpty ? nil : open.removeFirst() }
    mutating func removeAll() { open.removeAll(keepingCapacity: true) }
}
