/// The bytes between two silences, for cuffs whose messages have no other end.
struct Burst: Sendable {
    private let limit: Int
    private var bytes: [UInt8] = []
    private var lost = 0

    init(limit: Int) { self.limit = limit }

    mutating func append(_ more: [UInt8]) {
        if lost > 0 || bytes.count + more.count > limit { lost += bytes.count + more.count } else { bytes += more }
        if lost > 0 { bytes = [] }
    }

    /// What came since the last silence: `nil` if nothing did, empty if too much, which is reported.
    mutating func take(into actions: inout SessionActions) -> [UInt8]? {
        defer { (bytes, lost) = ([], 0) }
        if lost > 0 { actions.report(skipped: lost, .tooLong) }
        return bytes.isEmpty && lost == 0 ? nil : bytes
    }
}
