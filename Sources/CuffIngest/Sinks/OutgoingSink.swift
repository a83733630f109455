import CuffCore
import Glibc
import SQLite

/// Sends readings as JSON Lines to a program or a socket: `exec:`, `unix:`, `tcp:`. `write` returns when the lines are in the
/// outbox on disk, so the cuff never waits for another program; a courier delivers them, possibly in a later run. Live events are
/// not sent, except alerts if the kind takes them.
///
/// With `+ack` a line is kept until the receiver has acknowledged it, so the sink is durable. Otherwise a line leaves the outbox
/// on delivery: the sink passes through.
///
/// If the outbox is in the database of a sink of the same run, this sink follows that one: readings and lines are written in one
/// transaction.
final class OutgoingSink: FollowingSink, GroupingSink {
    let label: String
    let isDurable: Bool
    let takesAlerts: Bool
    private let line: ReadingLine
    private let outbox: Outbox
    private let courier: Courier
    private let answers: Bool
    private let isRequired: Bool
    private let consent: SinkConsent
    let leader: ObjectIdentifier?
    private let written = Locked((known: 0, missed: 0))
    private let kept = Locked(0)

    /// How long a full outbox may delay a write before it fails.
    private static let roomLimit = Duration.seconds(5)
    /// How long the end of a run waits for a receiver that accepts nothing, or must still answer.
    private static let patience = Duration.seconds(3)
    private static let answerPatience = Duration.seconds(10)

    init(_ spec: SinkSpec, _ context: SinkContext, to peer: any LinePeer, isAnswering: Bool) throws(IngestError) {
        guard let path = context.outbox else {
            throw IngestError(SinkFault.noOutbox(spec.name))
        }
        label = spec.name
        answers = isAnswering
        isRequired = spec.isRequired
        consent = spec.consent
        leader = context.database.map { ObjectIdentifier($0) }
        takesAlerts = spec.kind.traits.contains(.alerts)
        // Without answers it is unknown whether a line was received.
        isDurable = isAnswering && spec.consent.isUnlimited && SinkSpec.isRegularFile(path) != false
        line = context.line
        let (name, onFault) = (spec.name, context.onFault)
        let store = if let database = context.database { database.store } else { try Store(path, access: .write) { onFault(name, $0) } }
        outbox = try Outbox(store, spec: spec.name)
        if !consent.isUnlimited { try outbox.limit(to: consent) }
        courier = Courier(outbox, peer, isAnswering: isAnswering) { onFault(name, $0) }
        context.database?.lead(self)
        courier.start()
    }

    var withheld: Int { kept.withLock { $0 } }

    var backlog: SinkBacklog? {
        let fault = courier.fault
        return SinkBacklog(
            waiting: outbox.waiting, refused: outbox.refused, refusals: outbox.refusals, lost: outbox.lost, fault: fault?.error,
            nextTry: fault?.nextTry)
    }

    func write(_ batches: [ReadingBatch]) throws(IngestError) -> Int {
        let parts = limited(batches)
        try waitForRoom(parts, Self.roomLimit)
        let (repeated, added) = try outbox.put(parts, line: line, alerts: takesAlerts)
        kept.withLock { $0 += Self.readings(batches) - Self.readings(parts) }
        if added > 0 { courier.wake() }
        return repeated
    }

    private func limited(_ batches: [ReadingBatch]) -> [ReadingBatch] {
        consent.isUnlimited ? batches : batches.map { $0.limited(to: consent) }
    }

    private static func readings(_ batches: [ReadingBatch]) -> Int { batches.reduce(0) { $0 + $1.readings } }

    private func waitForRoom(_ batches: [ReadingBatch], _ limit: Duration) throws(IngestError) {
        let until = HostClock.monotonic() + limit.nanoseconds
        let lines = Self.readings(batches) + (takesAlerts ? batches.reduce(0) { $0 + $1.entries.alertCount } : 0)
        while outbox.waiting + lines > Outbox.capacity && outbox.waiting > 0 {
            guard HostClock.monotonic() < until else {
                throw IngestError(SinkFault.outboxFull(label, waiting: outbox.waiting))
            }
            usleep(10_000)
        }
    }

    func close() throws(IngestError) {
        courier.finish(patience: answers ? Self.answerPatience : Self.patience, whenAway: Self.patience)
        if leader == nil { try outbox.store.close() }
    }

    // MARK: In the transaction of another sink

    /// Whether there is room for the batches. If not, throws if the sink is required, else counts them as missed.
    func makeRoom(for batches: [ReadingBatch]) throws(IngestError) -> Bool {
        let parts = limited(batches)
        do throws(IngestError) { try waitForRoom(parts, isRequired ? Self.roomLimit : .zero) } catch {
            guard !isRequired else { throw error }
            written.withLock { $0.missed += Self.readings(parts) }
            return false
        }
        return true
    }

    /// Queues the lines of the batches in the leader's transaction.
    func put(_ batches: [ReadingBatch], except deleted: Set<Reading.ID>, in db: SQLiteConnection, _ put: inout Outbox.Put) throws {
        try outbox.put(limited(batches), line: line, alerts: takesAlerts, except: deleted, in: db, &put)
    }

    func committed(_ batches: [ReadingBatch], _ put: Outbox.Put) {
        outbox.committed(put)
        let readings = Self.readings(limited(batches))
        kept.withLock { $0 += Self.readings(batches) - readings }
        written.withLock { $0.known += readings - put.readings }
        if put.lines > 0 { courier.wake() }
    }

    func rolledBack() {
        _ = takeWritten()
        _ = try? outbox.refresh()
    }

    func takeWritten() -> (known: Int, missed: Int) {
        written.withLock { written in
            defer { written = (0, 0) }
            return written
        }
    }
}
