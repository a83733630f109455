/// What this session wrote and has not seen as `sent`. Anything else that was sent comes from another manager.
struct PHDEchoes: Sendable {
    /// Writes of confirmations whose echo is awaited: more than two chunks of 64 KiB bring. Policy.
    private static let confirmationLimit = 64
    /// An association costs a few; a thousand APDUs in one chunk stay below it.
    private static let limit = 8192

    private var apdus: [[UInt8]] = []
    /// Whole writes, so that not each confirmation has to be compared.
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
