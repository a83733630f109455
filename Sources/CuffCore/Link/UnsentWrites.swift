/// The writes of a link that `sent` has not answered, in their order, and which of them a session wrote that has ended since.
///
/// A transport that loses a write may answer it before an earlier one, so an answer is matched by its bytes first.
struct UnsentWrites: Sendable {
    enum Writer: Sendable { case presentSession, formerSession, other }

    private var writes: [[UInt8]] = []
    /// How many of them, from the first on, are former sessions'.
    private var former = 0
    /// All of them together.
    private(set) var bytes = 0
    /// No: nothing that is written reaches a cuff, as in a recording of both sides, and nothing answers it.
    var isKept = true {
        didSet { if !isKept { (writes, former, bytes) = ([], 0, 0) } }
    }

    var count: Int { writes.count }
    var isEmpty: Bool { writes.isEmpty }

    mutating func append(_ write: [UInt8]) {
        guard isKept else { return }
        writes.append(write)
        bytes += write.count
    }

    /// What is unsent now was written by sessions that have ended.
    mutating func sessionBegins() { former = writes.count }

    /// One write has reached the kernel; answers who wrote it. Bytes that nobody here wrote still answer the first write.
    mutating func take(_ sent: [UInt8]) -> Writer {
        let found = writes.firstIndex(of: sent)
        guard let index = found ?? writes.indices.first else { return .other }
        let isFormer = index < former
        if isFormer { former -= 1 }
        bytes -= writes.remove(at: index).count
        return found == nil ? .other : isFormer ? .formerSession : .presentSession
    }
}
