/// Opens, reads block after block, ends. Rules:
/// - An answer counts only with its check, and only for the address and count that were asked for.
/// - Records of slots that may be either user's are given once the model is known: by the option, by the addresses that were
///   read (in a replay), or by what stands in the memory; otherwise they are not given at all.
/// - Nothing but open, read, end and given-up is ever written.
struct OmronEEPROMSession: FinishingSession {
    private enum State { case listening, opening, asking, leaving, finished }
    private enum Goal { case records, clock, information }

    private static let openings = 10
    private static let attempts = 3
    /// As the one reader over USB; it divides both memories.
    private static let block = 40

    private var state = State.listening
    var isFinished: Bool {
        get { state == .finished }
        set { if newValue { state = .finished } }
    }
    private let model: String?
    private var goal = Goal.records
    private var plan: [OmronEEPROMFrame] = []
    private var current = OmronEEPROMFrame.open
    private var tries = 0
    private var outcome = Outcome.complete
    private var hasClock = false

    private var dump: OmronEEPROMDump
    /// What the host sent last; `nil` before anything was seen of it.
    private var asked: OmronEEPROMFrame?
    /// In a replay: how far records were asked for, and whether beyond the smaller memory.
    private var farthest = 0
    private var isBeyondSmall = false

    init(_ context: SessionContext) {
        model = context.options["model"]
        dump = OmronEEPROMDump(model.flatMap { OmronEEPROMLayout(model: $0) })
    }

    /// Says that nothing more will be asked, as the one reader over USB does when a person breaks it off.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard state == .asking else { return state == .leaving }
        giveUp(.aborted("the reading was broken off"), into: &actions)
        return true
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        switch state {
        case .listening:
            decideFromMemory(into: &actions)
            finish(.complete, into: &actions)
        case .leaving: finish(outcome, into: &actions)
        default: finish(.noAnswer("the cuff was unplugged before it had answered everything"), into: &actions)
        }
    }

    // MARK: What was asked

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard case .frame(let question) = OmronEEPROMFrame.judge(bytes), question.kind < 0x80 else { return }
        asked = question
        guard state == .listening else { return }
        switch question {
        case .open:
            decideFromMemory(into: &actions)
            dump = OmronEEPROMDump(model.flatMap { OmronEEPROMLayout(model: $0) })
            farthest = 0
            isBeyondSmall = false
        case .end: if farthest > 0 { decideFromReads(into: &actions) }
        case .read(question.address, question.count): noteRead(question.address, question.count, into: &actions)
        default: break
        }
    }

    private mutating func noteRead(_ address: Int, _ count: Int, into actions: inout SessionActions) {
        guard address + count > OmronEEPROMMemory.start, address < OmronEEPROMMemory.end else { return }
        farthest = max(farthest, address + count)
        // A last block may reach over the end of the smaller memory, but none begins there.
        guard address >= OmronEEPROMMemory.smallEnd, !isBeyondSmall else { return }
        isBeyondSmall = true
        if dump.layout == nil { dump.decide(.hundred, into: &actions) }
    }

    /// The host has read all that it wanted. Where it stopped, at the end of the smaller memory or of user 1's part of the larger
    /// one, shows which model it had been told.
    private mutating func decideFromReads(into actions: inout SessionActions) {
        if dump.layout == nil {
            if farthest >= OmronEEPROMMemory.smallEnd { dump.decide(.sixty, into: &actions) }
            if farthest == OmronEEPROMMemory.largeFirstEnd { dump.decide(.hundred, into: &actions) }
        }
        decideFromMemory(into: &actions)
    }

    private mutating func decideFromMemory(into actions: inout SessionActions) {
        if dump.layout == nil, let layout = dump.memory.layout { dump.decide(layout, into: &actions) }
        let unattributed = dump.unattributed
        guard unattributed > 0 else { return }
        actions.append(
            .report(
                .warning("\(unattributed) record\(unattributed == 1 ? "" : "s") may be either user's and not given: name the model")))
    }

    // MARK: What came

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        switch OmronEEPROMFrame.judge(report) {
        case .damaged(let fault):
            actions.report(skipped: report.count, fault)
            // Asked again at once: an answer is known by its address, so a late one does no harm.
            if state == .asking { repeatQuestion("its answers are damaged", into: &actions) }
        case .frame(let frame): receive(frame, into: &actions)
        }
    }

    private mutating func receive(_ frame: OmronEEPROMFrame, into actions: inout SessionActions) {
        let question = state == .listening ? asked : current
        if let question, !question.isAnswered(by: frame) {
            return actions.append(.report(.ignored("a report that answers no question", frame.data)))
        }
        switch OmronEEPROMFrame.Kind(rawValue: frame.kind) {
        case .opened:
            guard state == .opening else { return }
            if goal == .information { identify(frame.data, into: &actions) }
            next(into: &actions)
        case .data where frame.subkind == 0:
            if question == nil { noteRead(frame.address, frame.count, into: &actions) }
            if goal != .records || state == .listening { readClock(frame, into: &actions) }
            dump.store(frame.data, at: frame.address, into: &actions)
            if state == .asking { next(into: &actions) }
        case .ended:
            // Of a recording of the cuff's side alone nothing else tells that everything was read.
            if question == nil, farthest > 0 { decideFromReads(into: &actions) }
            if state == .leaving { finish(outcome, into: &actions) }
        default: actions.append(.report(.ignored("a frame of no known kind", [frame.kind, frame.subkind] + frame.data)))
        }
    }

    private mutating func readClock(_ frame: OmronEEPROMFrame, into actions: inout SessionActions) {
        guard let time = OmronEEPROMClock.time(frame.data, at: frame.address) else { return }
        hasClock = true
        actions.append(.clock(time))
    }

    /// What the identity says is not known; only text is shown.
    private func identify(_ bytes: [UInt8], into actions: inout SessionActions) {
        let text = DeviceIdentity.text(bytes)
        let isText = text.utf8.count >= 4 && !text.utf8.contains(0x3F)
        actions.append(.identify(DeviceIdentity(manufacturer: "Omron", model: isText ? text : nil)))
    }

    // MARK: Asking

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: return
        case .readMemory(let user):
            guard user.map({ $0 == 1 || $0 == 2 }) ?? true else {
                return finish(.unsupported("omron-eeprom has the users 1 and 2"), into: &actions)
            }
            let named = model.flatMap { OmronEEPROMLayout(model: $0) }
            if let model, named == nil {
                return finish(.unsupported("unknown model `\(model)`: name hem-7131u or hem-7322u"), into: &actions)
            }
            // Held back until the whole memory can be judged.
            dump = OmronEEPROMDump()
            dump.user = user
            let slots = named.map { layout in user.map(layout.slots) ?? 0..<2 * layout.rawValue }
            planReads(slots ?? 0..<2 * OmronEEPROMLayout.sixty.rawValue)
        case .readClock:
            goal = .clock
            plan = [.settings]
        case .information:
            goal = .information
            plan = [.settings]
        default: return finish(.unsupported("omron-eeprom has no command for that"), into: &actions)
        }
        state = .opening
        current = .open
        ask(into: &actions)
    }

    private mutating func planReads(_ slots: Range<Int>) {
        let start = OmronEEPROMMemory.start + slots.lowerBound * OmronEEPROMMemory.recordLength
        let end = OmronEEPROMMemory.start + slots.upperBound * OmronEEPROMMemory.recordLength
        plan += stride(from: start, to: end, by: Self.block).map { .read($0, min(Self.block, end - $0)) }
    }

    private mutating func ask(into actions: inout SessionActions) {
        tries += 1
        actions.append(.write(current.report(number: 2)))
        actions.append(.arm(.response, .seconds(1)))
    }

    private mutating func next(into actions: inout SessionActions) {
        tries = 0
        if plan.isEmpty, goal == .records, let refusal = judgeMemory(into: &actions) {
            // Not the end of a whole reading: a replay of this must not take it for one.
            return giveUp(.failed(refusal), into: &actions)
        }
        guard !plan.isEmpty else { return leave(into: &actions) }
        state = .asking
        current = plan.removeFirst()
        ask(into: &actions)
    }

    /// Everything that was planned has been read: whose are the records? A sentence where that cannot be told.
    private mutating func judgeMemory(into actions: inout SessionActions) -> String? {
        guard dump.layout == nil else { return nil }
        let memory = dump.memory
        if let named = model.flatMap({ OmronEEPROMLayout(model: $0) }) {
            let other: OmronEEPROMLayout = named == .sixty ? .hundred : .sixty
            let isContradicted = !memory.fits(named) && memory.fits(other)
            guard memory.hasReadableStart(named), !isContradicted else {
                return "the memory is not that of the named model; only the first 60 slots of user 1 were read"
            }
            dump.decide(named, into: &actions)
        } else if let layout = memory.layout {
            dump.decide(layout, into: &actions)
            // The records beyond the smaller memory are still to be read.
            if layout == .hundred { planReads(2 * OmronEEPROMLayout.sixty.rawValue..<OmronEEPROMMemory.slots) }
        } else {
            return "it cannot be seen whether users have 60 or 100 slots, so only the first 60 of user 1 were read; "
                + "name the model: --option model=hem-7131u (M3 IT, M400 IT) or model=hem-7322u (M6 Comfort IT, M500 IT)"
        }
        return nil
    }

    private mutating func leave(into actions: inout SessionActions) {
        if outcome == .complete, dump.unreadable > 0 { outcome = .failed("\(dump.unreadable) slots could not be read as records") }
        if outcome == .complete, goal == .clock, !hasClock {
            outcome = .failed("the clock is not where it is on the models whose settings are known")
        }
        state = .leaving
        current = .end
        ask(into: &actions)
    }

    private mutating func giveUp(_ outcome: Outcome, into actions: inout SessionActions) {
        self.outcome = outcome
        state = .leaving
        current = .giveUp
        ask(into: &actions)
    }

    private mutating func repeatQuestion(_ reason: String, into actions: inout SessionActions) {
        if tries < Self.attempts { return ask(into: &actions) }
        giveUp(.noAnswer("the memory could not be read to its end: \(reason)"), into: &actions)
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (state, timer) {
        case (.opening, .response) where tries < Self.openings: ask(into: &actions)
        case (.opening, .response):
            finish(.noAnswer("the cuff does not answer: press START/STOP on it and try again"), into: &actions)
        case (.asking, .response): repeatQuestion("the cuff stopped answering", into: &actions)
        case (.leaving, .response): finish(outcome, into: &actions)
        default: break
        }
    }
}
