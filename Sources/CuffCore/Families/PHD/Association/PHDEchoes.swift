/// Writes of this session not yet seen as `sent`. Anything else sent comes from another manager.
struct PHDEchoes: Sendable {
    /// Limit of confirmations awaiting their echo: more than two chunks of 64 KiB cause. Policy.
    private static let confirmationLimit = 64
    /// More than a thousand APDUs in one chunk need.
    private static let limit = 8192

    private var apdus: [[UInt8]] = []
    /// Whole writes, to avoid comparing each confirmation.
    private var confirmations: [[UInt8]] = []

    mutating func expect(_ apdu: [UInt8]) {
        if apdus.count >= Self.limit { apdus.removeAll(keepingCapacity: true) }
        apdus.append(apdu)
    }

    mutating func expect(confirmations bytes: [UInt8]) {
        if confirmations.count >= Self.confirmationLimit { confirmations.removeAll(keepingCapacity: true) }
        confirmations.append(bytes)
    }

    mutating func isEcho(confirmations bytes: [UInt8]) -> Bool {
        guard let first = confirmations.first, first == bytes else { return false }
        confirmations.removeFirst()
        return true
    }

    mutating func isEcho(_ apdu: [UInt8]) -> Bool {
        guard let index = apdus.firstIndex(of: apdu) else { return false }
        apdus.removeFirst(index + 1)
        return true
    }

    mutating func removeAll() { apdus.removeAll() }
}
