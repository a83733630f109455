import CuffCore
import Glibc

/// Readings as JSON Lines for a program or a socket: `exec:`, `unix:`, `tcp:`. `write` returns when the lines are in the
/// outbox on disk, so the cuff never waits for somebody else's program; a courier carries them from there, now or when the
/// other side is back, in this run of the program or a later one. Live events are not kept, so they are not sent; alerts are, where the
/// kind takes them.
///
/// With `+ack` a line stays until the other side has answered for it, so the sink is durable. Without, a line leaves the outbox
/// when it is handed over: the sink passes through.
final class OutgoingSink: Sink {
    let label: String
    let isDurable: Bool
    let takesAlerts: Bool
    private let line: ReadingLine
    private let outbox: Outbox
    private let courier: Courier
    private let answers: Bool

    /// How long a full outbox may hold a write up before it says so.
    private static let roomLimit = Duration.seconds(5)
    /// How long the end of a run waits for another side that takes nothing, and for one that has just been asked to answer.
    private static let patience = Duration.seconds(3)
    private static let answerPatience = Duration.seconds(10)

    init(_ spec: SinkSpec, _ context: SinkContext, to peer: any LinePeer, isAnswering: Bool) throws(IngestError) {
        guard let path = context.outbox else {
            throw IngestError(SinkFault.noOutbox(spec.name))
        }
        label = spec.name
        answers = isAnswering
        takesAlerts = spec.kind.traits.contains(.alerts)
        // Where nothing is answered, nobody knows what became of a line that was handed over.
        isDurable = isAnswering && SinkSpec.isRegularFile(path) != false
        line = context.line
        let (name, onFault) = (spec.name, context.onFault)
        outbox = try Outbox(try Store(path, access: .write) { onFault(name, $0) }, spec: spec.name)
        courier = Courier(outbox, peer, isAnswering: isAnswering) { onFault(name, $0) }
        courier.start()
    }

    var backlog: SinkBacklog? {
        let fault = courier.fault
        return SinkBacklog(
            waiting: outbox.waiting, refused: outbox.refused, refusals: outbox.refusals, lost: outbox.lost, fault: fault?.error,
            nextTry: fault?.nextTry)
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let until = HostClock.monotonic() + Self.roomLimit.nanoseconds
        let alerts = takesAlerts ? batch.entries.alertCount : 0
        while outbox.waiting + batch.readings + alerts > Outbox.capacity && outbox.waiting > 0 {
            guard HostClock.monotonic() < until else {
                throw IngestError(SinkFault.outboxFull(label, waiting: outbox.waiting))
            }
            usleep(10_000)
        }
        let (repeated, added) = try outbox.put(batch, line: line, alerts: alerts > 0)
        if added > 0 { courier.wake() }
        return repeated
    }

    func close() throws(IngestError) {
        courier.finish(patience: answers ? Self.answerPatience : Self.patience, whenAway: Self.patience)
        try outbox.store.close()
    }
}
