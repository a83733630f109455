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
final class OutgoingSink: FollowingSink {
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

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let part = batch.limited(to: consent)
        try waitForRoom(part, Self.roomLimit)
        let (repeated, added) = try outbox.put(part, line: line, alerts: takesAlerts)
        kept.withLock { $0 += batch.readings - part.readings }
        if added > 0 { courier.wake() }
        return repeated
    }

    private func waitForRoom(_ batch: Batch, _ limit: Duration) throws(IngestError) {
        let until = HostClock.monotonic() + limit.nanoseconds
        let alerts = takesAlerts ? batch.entries.alertCount : 0
        while outbox.waiting + batch.readings + alerts > Outbox.capacity && outbox.waiting > 0 {
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

    /// Whether there is room for the batch. If not, throws if the sink is required, else counts the batch as missed.
    func makeRoom(for batch: Batch) throws(IngestError) -> Bool {
        let batch = batch.limited(to: consent)
        do throws(IngestError) { try waitForRoom(batch, isRequired ? Self.roomLimit : .zero) } catch {
            guard !isRequired else { throw error }
            written.withLock { $0.missed += batch.readings }
            return false
        }
        return true
    }

    /// Queues the lines of the batch in the leader's transaction.
    func put(_ batch: Batch, except deleted: Set<Reading.ID>, in db: SQLiteConnection, _ put: inout Outbox.Put) throws {
        try outbox.put(batch.limited(to: consent), line: line, alerts: takesAlerts, except: deleted, in: db, &put)
    }

    func committed(_ batch: Batch, _ put: Outbox.Put) {
        outbox.committed(put)
        let part = batch.limited(to: consent)
        kept.withLock { $0 += batch.readings - part.readings }
        written.withLock { $0.known += part.readings - put.readings }
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
