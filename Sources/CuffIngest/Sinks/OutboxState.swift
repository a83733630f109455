import CuffCore

/// The conversation with a helper that acknowledges each reading (`exec+ack:`, `unix+ack:`, `tcp+ack:`), as a value: what to
/// send, what an answer means, when to retry. `AnsweredCourier` performs the effects.
///
///     helper -> cuff   ready 1 [WORD…]             the first line, within ten seconds: the protocol version and extensions
///     cuff -> helper   {"type":"blood_pressure",…}  one line for each reading, in order, at most 1,000 unanswered
///     cuff -> helper   {"type":"status",…}          now and then, if WORD has `status`; without an answer
///     helper -> cuff   ok ID REVISION              the reading is stored
///                      later TEXT                  not now: unanswered lines are sent again after a pause
///                      refuse ID REVISION TEXT     the reading is rejected for good: it is set aside
///                      fatal TEXT                  the configuration is wrong: reported, and retried slowly
///
/// Rules:
/// - A line leaves the outbox only by its own `ok`. Any other answer, one for a line that is not unanswered, an overlong line and
///   silence are faults of the helper: they acknowledge nothing, end the conversation, and unanswered lines are sent again after
///   a pause.
/// - Pauses double with each failure; an `ok` or a `refuse` resets them. After an attempt that took long they are at least twice as long.
/// - Refusals of complete readings by a receiver that has never accepted anything count only with its first `ok`. If it refuses
///   everything that it was sent, at most 1,000 lines, its configuration is assumed to be wrong: the readings are kept, and the
///   conversation ends as by `fatal`. It never ends so while lines are unanswered, because the receiver may be storing them.
struct OutboxState: Sendable {
    struct Limits: Sendable {
        /// Unanswered lines allowed by the protocol: about 250 KB.
        var unanswered = 1000
        /// Limit of the protocol for the first line.
        var ready = Duration.seconds(10)
        /// Limit of the protocol for an answer while lines are unanswered.
        var answer = Duration.seconds(60)
        var firstPause = Duration.milliseconds(200)
        var longestPause = Duration.seconds(30)
        /// A random factor of all pauses, so that the machines of a fleet do not reconnect at the same moment.
        var spread = 1.0
        /// Longer, because a user has to fix the configuration.
        var fatalPause = Duration.seconds(300)
        /// An answer is a word, an id, a number and a sentence.
        var line = 4096
    }

    enum Event: Sendable {
        /// The number of lines in the outbox, including unanswered ones.
        case waiting(Int)
        case opened
        case notOpened(IngestError)
        /// The oldest lines of the outbox, including unanswered ones.
        case loaded([Outbox.Line])
        case received([UInt8])
        case ended
        case time
    }

    enum Effect: Sendable, Equatable {
        case open
        /// Send a line about this machine, which has no answer.
        case sendStatus
        /// To be answered with `loaded` and at most this many lines.
        case load(Int)
        case send([UInt8])
        case acknowledge(Outbox.Line)
        case setAside(Outbox.Line, reason: String)
        /// Close the helper's input and wait for its exit.
        case close
        case tell(IngestError, nextTry: Duration)
    }

    private enum Phase: Sendable, Equatable {
        case idle
        case opening
        case greeting
        case carrying
        case resting(until: Duration)
    }

    let name: String
    private let limits: Limits
    private var phase = Phase.idle
    private var pause: Duration
    private var unanswered: [Outbox.Line] = []
    /// The receiver has accepted a reading, in this conversation or before.
    private var hasAccepted: Bool
    /// Complete readings that were refused by a receiver that has never accepted any.
    private var suspended: [(line: Outbox.Line, reason: String)] = []
    private var takesDeletions = false
    private var takesStatus = false
    /// How often this machine reports its state, and when it is next due.
    private let statusInterval: Duration?
    private var statusDue = Duration.zero
    private var rest: [UInt8] = []
    /// When the expected line is overdue.
    private var deadline: Duration?
    private var limit: Duration { phase == .greeting ? limits.ready : limits.answer }

    init(name: String, hasAccepted: Bool = false, statusEvery: Duration? = nil, limits: Limits = Limits()) {
        self.name = name
        statusInterval = statusEvery
        self.hasAccepted = hasAccepted
        self.limits = limits
        pause = limits.firstPause
    }

    /// The time for the next `handle(.time)`.
    var wakeAt: Duration? {
        if case .resting(let until) = phase { return until }
        guard statusInterval != nil, phase == .idle || phase == .carrying && takesStatus else { return deadline }
        return min(deadline ?? statusDue, statusDue)
    }
    var isOpen: Bool { phase == .greeting || phase == .carrying }
    var unansweredCount: Int { unanswered.count }

    mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        var effects: [Effect] = []
        if case .resting(let until) = phase, now >= until { phase = .idle }
        switch event {
        case .waiting(let count): wait(count, now, &effects)
        case .opened:
            guard phase == .opening else { break }
            phase = .greeting
            rest.removeAll()
            deadline = now + limits.ready
        case .notOpened(let error): if phase == .opening { fail(error, pause, now, &effects, isOpen: false) }
        case .loaded(let lines): send(lines, now, &effects)
        case .received(let bytes): receive(bytes, now, &effects)
        case .ended: end(now, &effects)
        case .time: break
        }
        if let deadline, isOpen, now >= deadline { silent(now, &effects) }
        if let statusInterval, phase == .carrying, takesStatus, now >= statusDue {
            statusDue = now + statusInterval
            effects.append(.sendStatus)
        }
        return effects
    }

    private mutating func wait(_ count: Int, _ now: Duration, _ effects: inout [Effect]) {
        switch phase {
        // A machine without readings reports its state, too.
        case .idle where count > 0 || statusInterval != nil && now >= statusDue:
            phase = .opening
            effects.append(.open)
        // Half of the limit at a time: each load reads the unanswered lines again.
        case .carrying where count > underWay && underWay < limits.unanswered && unanswered.count <= limits.unanswered / 2:
            effects.append(.load(limits.unanswered))
        case .carrying where unanswered.isEmpty && !suspended.isEmpty: refusedEverything(now, &effects)
        case .idle, .opening, .greeting, .carrying, .resting: break
        }
    }

    private mutating func send(_ lines: [Outbox.Line], _ now: Duration, _ effects: inout [Effect]) {
        guard phase == .carrying else { return }
        var bytes: [UInt8] = []
        for line in lines where unanswered.count < limits.unanswered && !isUnderWay(line) {
            if line.isDeletion && !takesDeletions {
                effects.append(.setAside(line, reason: "it does not accept deletions: delete it there by hand"))
                continue
            }
            if unanswered.isEmpty { deadline = now + limits.answer }
            unanswered.append(line)
            bytes += line.bytes
        }
        if !bytes.isEmpty { effects.append(.send(bytes)) }
    }

    private var underWay: Int { unanswered.count + suspended.count }

    private func isUnderWay(_ line: Outbox.Line) -> Bool {
        unanswered.contains { $0.isSame(as: line) } || suspended.contains { $0.line.isSame(as: line) }
    }

    // MARK: Answers

    private mutating func receive(_ bytes: [UInt8], _ now: Duration, _ effects: inout [Effect]) {
        guard isOpen else { return }
        rest += bytes
        var start = rest.startIndex
        while isOpen, let end = rest[start...].firstIndex(of: 0x0A) {
            let line = Array(rest[start..<end])
            start = end + 1
            take(line, now, &effects)
        }
        guard isOpen else { return }
        rest.removeSubrange(..<start)
        if rest.count > limits.line { fault("an answer has more than \(limits.line) bytes", now, &effects) }
    }

    private mutating func take(_ line: [UInt8], _ now: Duration, _ effects: inout [Effect]) {
        let text = String(decoding: line, as: UTF8.self)
        guard phase == .carrying else {
            let words = text.split(separator: " ", omittingEmptySubsequences: false)
            guard words.count >= 2, words[0] == "ready", words[1] == "1", !words.contains("") else {
                return fault("its first line is \(Self.quoted(line)) and not `ready 1`", now, &effects)
            }
            // Words of later versions are ignored.
            takesDeletions = words.dropFirst(2).contains("deletions")
            takesStatus = words.dropFirst(2).contains("status")
            if !takesStatus, let statusInterval { statusDue = now + statusInterval }
            phase = .carrying
            deadline = nil
            return effects.append(.load(limits.unanswered))
        }
        let words = text.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        switch words[0] {
        case "ok" where words.count == 3:
            guard let line = answered(words) else { return stranger(line, now, &effects) }
            hasAccepted = true
            effects += suspended.map { .setAside($0.line, reason: $0.reason) }
            suspended.removeAll()
            effects.append(.acknowledge(line))
        case "refuse" where words.count >= 3:
            guard let known = answered(words) else { return stranger(line, now, &effects) }
            refuse(known, words.count > 3 ? Self.harmless(words[3]) : "", &effects)
        case "later": fail(.later(name, reason: Self.reason(text)), pause, now, &effects)
        case "fatal":
            fail(.fatal(name, reason: Self.reason(text)), limits.fatalPause, now, &effects)
        default: return fault("\(Self.quoted(line)) is not an answer", now, &effects)
        }
        guard phase == .carrying else { return }
        pause = limits.firstPause
        deadline = unanswered.isEmpty ? nil : now + limits.answer
    }

    /// Removes and returns the unanswered line of an answer.
    private mutating func answered(_ words: [Substring]) -> Outbox.Line? {
        guard let revision = Int(words[2]), "\(revision)" == words[2],
            let index = unanswered.firstIndex(where: { $0.id == words[1] && $0.revision == revision })
        else { return nil }
        return unanswered.remove(at: index)
    }

    private mutating func refuse(_ line: Outbox.Line, _ reason: String, _ effects: inout [Effect]) {
        guard !hasAccepted, line.isCompleteReading else { return effects.append(.setAside(line, reason: reason)) }
        suspended.append((line, reason))
    }

    private mutating func refusedEverything(_ now: Duration, _ effects: inout [Effect]) {
        guard let first = suspended.first else { return }
        let what = suspended.count == 1 ? first.line.id : Plural.text(suspended.count, "reading")
        let why = first.reason.isEmpty ? "" : ": \(first.reason)"
        fail(.fatal(name, reason: "it has never accepted anything, and refused \(what)\(why)"), limits.fatalPause, now, &effects)
    }

    // MARK: Ends

    private mutating func end(_ now: Duration, _ effects: inout [Effect]) {
        switch phase {
        case .greeting: fault("it ended before it was ready", now, &effects)
        case .carrying where !suspended.isEmpty && unanswered.isEmpty: refusedEverything(now, &effects)
        case .carrying where !unanswered.isEmpty: fault("it ended with \(unanswered.count) lines unanswered", now, &effects)
        case .carrying:
            phase = .idle
            deadline = nil
            effects.append(.close)
        case .idle, .opening, .resting: break
        }
    }

    private mutating func silent(_ now: Duration, _ effects: inout [Effect]) {
        let what = phase == .greeting ? "`ready 1` did not come within" : "no answer came for"
        fault("\(what) \(limit.components.seconds) s", now, &effects)
    }

    private mutating func stranger(_ line: [UInt8], _ now: Duration, _ effects: inout [Effect]) {
        fault("\(Self.quoted(line)) matches no line that was sent", now, &effects)
    }

    private mutating func fault(_ why: String, _ now: Duration, _ effects: inout [Effect]) {
        fail(.protocolBroken(name, why: why), pause, now, &effects)
    }

    private mutating func fail(_ fault: SinkFault, _ wait: Duration, _ now: Duration, _ effects: inout [Effect]) {
        fail(IngestError(fault), wait, now, &effects)
    }

    private mutating func fail(
        _ error: IngestError, _ wait: Duration, _ now: Duration, _ effects: inout [Effect], isOpen: Bool = true
    ) {
        if isOpen { effects.append(.close) }
        let waited = deadline.map { min(limit, now - ($0 - limit)) } ?? .zero
        let wait = max(wait, waited * 2) * limits.spread
        effects.append(.tell(error, nextTry: wait))
        phase = .resting(until: now + wait)
        pause = min(pause * 2, limits.longestPause)
        deadline = nil
        unanswered.removeAll()
        suspended.removeAll()
        rest.removeAll()
    }

    // MARK: Words

    private static func reason(_ text: String) -> String {
        let words = text.split(separator: " ", maxSplits: 1)
        return words.count > 1 ? harmless(words[1]) : "it gave no reason"
    }

    private static func harmless(_ text: Substring) -> String { DeviceIdentity.text(text.utf8.prefix(200)) }

    private static func quoted(_ line: [UInt8]) -> String {
        line.isEmpty ? "an empty line" : "`\(DeviceIdentity.text(line.prefix(60)))`"
    }
}
