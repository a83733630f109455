/// Confirmed reports whose readings are not yet on disk, in order.
struct PHDConfirmations: Sendable {
    struct Pending: Sendable {
        var through: Int
        var digest: UInt64
        var invoke: UInt16
        var handle: UInt16
        var event: UInt16
        var segment: PHDSegmentEvent?
    }

    /// Length limit of a write with several confirmations: policy.
    private static let writeLimit = 4096

    private var pending: [Pending] = []
    private var head = 0
    private(set) var emitted = 0
    private(set) var committed = 0

    var count: Int { pending.count }
    var isCommitOutstanding: Bool { committed < emitted }
    var areDue: Bool { !pending.isEmpty || isCommitOutstanding }

    @inline(__always)
    mutating func noteEmitted(_ readings: Int) { emitted &+= readings }
    mutating func noteCommitted(through: Int) { committed = max(committed, through) }
    @inline(__always)
    mutating func append(_ report: PHDReportHead, digest: UInt64, segment: PHDSegmentEvent? = nil) {
        pending.append(
            Pending(
                through: emitted, digest: digest, invoke: report.invoke, handle: report.handle, event: report.event, segment: segment))
    }
    mutating func removeAll() {
        pending.removeAll(keepingCapacity: true)
        head = 0
    }

    /// The number of readings covered by the confirmations now due, if any.
    var due: Int? { pending[head...].prefix { $0.through <= committed }.last?.through }

    /// The next due confirmations that form one write: several scan reports, or one segment event.
    mutating func nextDue() -> Range<Int> {
        let first = head
        while head < pending.count, pending[head].through <= committed, pending[head].segment == nil,
            (head &- first) &* PHDManagerAPDU.confirmationLength < Self.writeLimit
        { head &+= 1 }
        if head == first, head < pending.count, pending[head].through <= committed { head &+= 1 }
        return first..<head
    }

    subscript(_ places: Range<Int>) -> ArraySlice<Pending> { pending[places] }

    mutating func removeConfirmed() { if head == pending.count { removeAll() } }
}

/// What an event report and its confirmation have in common.
struct PHDReportHead: Sendable {
    /// Where the report's information begins; different in the answer to a data request.
    var info = Self.usualInfo
    var invoke: UInt16
    var handle: UInt16
    var event: UInt16
    var isConfirmed: Bool

    static let usualInfo = 22
}
