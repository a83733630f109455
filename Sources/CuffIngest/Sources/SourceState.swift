import CuffCore

/// All decisions about one source helper: a pure state machine without process or clock. `SourceRun` performs the effects.
///
/// The helper writes `ready 1` and then one reading a line; it gets `ok ID` for each that every required durable sink has stored, or
/// `refuse ID TEXT`. What was not answered when either side ended is sent again by the helper; the reading's id makes it the same reading.
struct SourceState: Sendable {
    struct Limits: Sendable {
        /// For the first line.
        var ready = Duration.seconds(10)
        /// Readings without an answer; the helper is not read while there are as many.
        var unanswered = 1000
        var firstPause = Duration.seconds(1)
        var longestPause = Duration.seconds(300)
        /// The pause after a helper that ended with 0: it has sent everything.
        var rest = Duration.seconds(60)
        /// Between two notices about a running helper.
        var betweenNotices = Duration.seconds(10)
        /// The number of different notices that are remembered, and not repeated.
        var notices = 8
    }

    enum Event: Sendable {
        case line([UInt8])
        /// More bytes than `SourceLine.longest` without a line feed.
        case endless
        /// The output of the helper ended; whether it exited with 0.
        case ended(isClean: Bool)
        case notStarted(String)
        /// The helper does not read its answers.
        case answersUnread
        /// The number of submitted readings that are stored, since the beginning of the run.
        case stored(Int)
        case time
    }

    enum Effect: Sendable {
        case start
        case submit(SourceLine)
        case answer(String)
        /// Ends the process if it runs.
        case close
        /// For the log.
        case notify(String)
    }

    private enum Phase: Equatable { case pausing, starting, running }

    private let name: String
    private let limits = Limits()
    private var phase = Phase.pausing
    /// The end of the pause, or of the time for the first line.
    private var deadline = Duration.zero
    private var pause: Duration
    /// Submitted and not yet stored, oldest first. Those of an ended process get no answer.
    private var flight: [(id: String, process: Int)] = []
    private var stored = 0
    private var process = 0
    /// The latest notices, oldest first.
    private var notices: [String] = []
    private var quietUntil = Duration.zero

    init(_ name: String) {
        self.name = name
        pause = limits.firstPause
    }

    var wantsInput: Bool { phase != .pausing && flight.count < limits.unanswered }
    /// Handle `.time` by then; `nil`: never.
    var wakeAt: Duration? { phase == .running ? nil : deadline }

    mutating func handle(_ event: Event, at now: Duration, received: Timestamp) -> [Effect] {
        switch event {
        case .line(let bytes):
            switch phase {
            case .pausing: return []
            case .starting: return greeted(bytes, now)
            case .running: return heard(bytes, now, received)
            }
        case .endless: return phase == .pausing ? [] : fail("a line has more than \(SourceLine.longest) bytes", now)
        case .ended(let isClean):
            guard phase != .pausing else { return [] }
            guard isClean, phase == .running else { return fail("the helper ended", now) }
            phase = .pausing
            deadline = now + limits.rest
            return [.close]
        case .notStarted(let why): return fail(why, now)
        case .answersUnread: return phase == .pausing ? [] : fail("it does not read its answers", now)
        case .stored(let count): return answers(count)
        case .time:
            guard now >= deadline else { return [] }
            switch phase {
            case .pausing:
                phase = .starting
                deadline = now + limits.ready
                process += 1
                return [.start]
            case .starting: return fail("its first line, `ready 1`, did not come within \(limits.ready.components.seconds) s", now)
            case .running: return []
            }
        }
    }

    private mutating func greeted(_ bytes: [UInt8], _ now: Duration) -> [Effect] {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        guard words.count >= 2, words[0] == "ready", words[1] == "1" else { return fail("its first line is not `ready 1`", now) }
        phase = .running
        return []
    }

    private mutating func heard(_ bytes: [UInt8], _ now: Duration, _ received: Timestamp) -> [Effect] {
        guard bytes.first == 0x7B else {
            let text = TerminalText.clean(String(decoding: bytes, as: UTF8.self))
            if text == "later" || text.hasPrefix("later ") {
                return notify(text.count > 6 ? String(text.dropFirst(6)) : "nothing can be read now", now)
            }
            if text == "fatal" || text.hasPrefix("fatal ") {
                pause = limits.longestPause
                return fail(text.count > 6 ? String(text.dropFirst(6)) : "wrong configuration", now)
            }
            return fail("it wrote neither a reading nor `later` or `fatal`", now)
        }
        do throws(SourceLine.Refusal) {
            let line = try SourceLine(bytes, source: name, received: received)
            flight.append((line.id, process))
            return [.submit(line)]
        } catch {
            guard let id = error.id else { return fail("a line cannot be used: \(error.text)", now) }
            return [.answer("refuse \(id) \(error.text)")] + notify("a reading was refused: \(error.text)", now)
        }
    }

    private mutating func answers(_ count: Int) -> [Effect] {
        var effects: [Effect] = []
        while stored < count, !flight.isEmpty {
            stored += 1
            let line = flight.removeFirst()
            pause = limits.firstPause
            if line.process == process, phase == .running { effects.append(.answer("ok \(line.id)")) }
        }
        return effects
    }

    private mutating func fail(_ why: String, _ now: Duration) -> [Effect] {
        phase = .pausing
        deadline = now + pause
        let rarer = pause < limits.longestPause ? ", then less and less often" : ""
        let text = "\(why); starting it again in \(Plural.span(pause.components.seconds))\(rarer)"
        let isNew = remember(why)
        pause = min(pause * 2, limits.longestPause)
        return [.close] + (isNew ? [.notify(text)] : [])
    }

    /// Once for each text, and not in quick succession: a helper must not fill the log.
    private mutating func notify(_ text: String, _ now: Duration) -> [Effect] {
        guard now >= quietUntil, remember(text) else { return [] }
        quietUntil = now + limits.betweenNotices
        return [.notify(text)]
    }

    /// Whether the text is new.
    private mutating func remember(_ text: String) -> Bool {
        if notices.contains(text) { return false }
        if notices.count >= limits.notices { notices.removeFirst() }
        notices.append(text)
        return true
    }
}
