import CuffClinical
import RemoteSink

/// All decisions of the helper. A pure state machine without socket or clock; `Run` performs the effects.
///
/// One message is under way at a time, as MLLP prescribes; a reading gets its `ok` after the receiver's AA.
public struct HL7State: Sendable {
    public struct Limits: Sendable {
        /// The limit for the answer to a message. `cuff` gives up after 60 s.
        public var answer = 30.0
        /// After the end of input.
        public var farewell = 8.0
        /// The protocol's limit of unanswered lines; reading pauses there.
        public var unanswered = 1000
        public init() {}
    }

    public enum Event: Sendable {
        case reading(ReadingLine)
        case unreadable
        case inputClosed
        /// The connection is open; TLS is verified.
        case connected
        /// It could not be opened: `later` or `fatal`.
        case failed(Answer)
        case received([UInt8])
        case lost(String)
        /// A timer may have expired.
        case time
    }

    public enum Effect: Sendable, Equatable {
        case connect
        case send([UInt8])
        case answer(Answer)
        case drop
        case exit
    }

    private enum Connection { case none, connecting, open }

    private struct Flight {
        let line: ReadingLine
        let message: PCDMessage
        let deadline: Double
        /// The connection was open before; the receiver may have closed it meanwhile.
        let isOnOldConnection: Bool
    }

    private let target: HL7Target
    private let limits: Limits
    private var waiting: [(line: ReadingLine, message: PCDMessage)] = []
    private var flight: Flight?
    private var seen = Patients.Seen()
    private var connection = Connection.none
    /// Messages sent over this connection.
    private var sent = 0
    private var blocks = MLLP()
    private var closedAt: Double?
    public private(set) var isOver = false
    private var effects: [Effect] = []

    public init(_ target: HL7Target, limits: Limits = Limits()) {
        self.target = target
        self.limits = limits
    }

    public var wantsInput: Bool { !isOver && closedAt == nil && waiting.count < limits.unanswered }
    /// Call `handle(.time)` by this time.
    public var wakeAt: Double? { [flight?.deadline, closedAt.map { $0 + limits.farewell }].compactMap { $0 }.min() }

    public mutating func handle(_ event: Event, at now: Double) -> [Effect] {
        effects.removeAll()
        guard !isOver else { return [] }
        switch event {
        case .reading(let line): accept(line)
        case .unreadable: finish(.fatal("cuff sent a line that is not a reading; do both programs have the same version?"))
        case .inputClosed: closedAt = closedAt ?? now
        case .connected:
            connection = .open
            sent = 0
            blocks = MLLP()
        case .failed(let answer): finish(answer)
        case .received(let bytes): receive(bytes)
        case .lost(let text): lost(text)
        case .time:
            if let flight, now >= flight.deadline {
                finish(.later("the receiver at \(target.place) has not answered within \(Int(limits.answer)) s"))
            }
        }
        advance(now)
        return effects
    }

    /// The same slot of two cuffs is two persons, who must not have one patient.
    private mutating func checkPerson(of line: ReadingLine) throws(Refusal) {
        guard let patients = target.patients, let other = seen.other(than: line.owner, in: patients) else { return }
        let cuff = line.owner.cuff ?? ""
        throw Refusal(
            text: "`\(cuff)` and `\(other.cuff ?? "")` are cuffs of different persons and would have one patient; "
                + "add patient.\(Household.place(cuff: cuff, slot: line.user))=ID to the address")
    }

    private mutating func accept(_ line: ReadingLine) {
        // The completed reading follows under the same id. What was never sent needs no deletion; another patient may have been sent.
        let isNothing = line.isPending || line.isDeletion && (line.measured == nil || (try? Metric.all(of: line)) == nil)
        guard !isNothing else { return effects.append(.answer(.ok(line))) }
        do throws(Refusal) {
            let message = try PCDMessage(line, to: target)
            try checkPerson(of: line)
            waiting.append((line, message))
        } catch {
            effects.append(.answer(.refuse(line, error.text)))
        }
    }

    private mutating func advance(_ now: Double) {
        guard !isOver else { return }
        if flight == nil, let next = waiting.first {
            switch connection {
            case .none:
                connection = .connecting
                effects.append(.connect)
            case .connecting: break
            case .open:
                waiting.removeFirst()
                flight = Flight(
                    line: next.line, message: next.message, deadline: now + limits.answer, isOnOldConnection: sent > 0)
                sent += 1
                effects.append(.send(MLLP.block(next.message.text)))
            }
        }
        let isDone = flight == nil && waiting.isEmpty
        if let closedAt, isDone || now >= closedAt + limits.farewell { end() }
    }

    private mutating func receive(_ bytes: [UInt8]) {
        for message in blocks.receive(bytes) {
            // What answers another message acknowledges nothing.
            guard let flight, let answer = Acknowledgement(message), answer.controlID == flight.message.controlID else { continue }
            let text = answer.text.isEmpty ? "without a reason" : answer.text
            switch answer.code {
            case .received: continue
            case .accepted: effects.append(.answer(.ok(flight.line)))
            case .rejected: effects.append(.answer(.refuse(flight.line, "the receiver rejects it (AR): \(text)")))
            case .error: return finish(.later("the receiver at \(target.place) could not process a message (AE): \(text)"))
            }
            self.flight = nil
        }
        if blocks.isTooLong { finish(.later("the receiver at \(target.place) sends something other than HL7 answers")) }
    }

    private mutating func lost(_ text: String) {
        connection = .none
        effects.append(.drop)
        guard let flight else { return }
        guard flight.isOnOldConnection else { return finish(.later(text)) }
        // Once more over a new connection: the receiver may have closed the old one before the message.
        self.flight = nil
        waiting.insert((flight.line, flight.message), at: 0)
    }

    private mutating func finish(_ answer: Answer) {
        guard !isOver else { return }
        effects.append(.answer(answer))
        end()
    }

    private mutating func end() {
        isOver = true
        effects += [.drop, .exit]
    }
}
