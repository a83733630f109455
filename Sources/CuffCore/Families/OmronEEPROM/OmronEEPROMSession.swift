/// Opens, reads block after block, ends. Rules:
/// - An answer counts only with its check, and only for the address and count that were asked for.
/// - Records of slots that may be either user's are given once the model is known: by the option, by the addresses that were
///   read (in a replay), or by the content of the memory; otherwise they are not given at all.
/// - Nothing but open, read, end and given-up is ever written.
struct OmronEEPROMSession: RequestSession {
    private enum Goal { case records, clock, information }

    /// As the one reader over USB; it divides both memories.
    private static let block = 40

    var requests = Requests<OmronEEPROMFrame>()
    var isFinished = false
    var capabilities: Capabilities { CuffDriver.omronEEPROM.capabilities }
    var users: ClosedRange<Int>? { 1...2 }
    private let model: String?
    private var goal = Goal.records
    private var outcome = Outcome.complete
    private var hasClock = false

    private var dump = OmronEEPROMDump()
    /// In a replay: how far records were asked for, and whether beyond the smaller memory.
    private var farthest = 0
    private var isBeyondSmall = false

    init(_ context: SessionContext) { model = context.options["model"] }

    /// Says that nothing more will be asked, as the one reader over USB does when a person breaks it off.
    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard isAsking else { return isLeaving }
        giveUp(.aborted("the reading was broken off"), into: &actions)
        return true
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        if isLeaving { return finish(outcome, into: &actions) }
        if isListening { decideFromMemory(into: &actions) }
        finishAtEnd(into: &actions)
    }

    private var named: OmronEEPROMLayout? { model.flatMap { OmronEEPROMLayout(model: $0) } }
    private var isLeaving: Bool { requests.question == .end || requests.question == .giveUp }
    private var isAsking: Bool { requests.question?.kind == OmronEEPROMFrame.Kind.read.rawValue }

    // MARK: Questions that were sent

    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard case .frame(let question) = OmronEEPROMFrame.judge(bytes), question.kind < 0x80 else { return }
        requests.sent = question
        guard isListening else { return }
        switch question {
        case .open:
            decideFromMemory(into: &actions)
            dump = OmronEEPROMDump()
            farthest = 0
            isBeyondSmall = false
        case .end: if farthest > 0 { decideFromReads(into: &actions) }
        case .read(question.address, question.count): noteRead(question.address, question.count)
        default: break
        }
    }

    private mutating func noteRead(_ address: Int, _ count: Int) {
        guard address + count > OmronEEPROMMemory.start, address < OmronEEPROMMemory.end else { return }
        farthest = max(farthest, address + count)
        // A last block may reach over the end of the smaller memory, but none begins there.
        if address >= OmronEEPROMMemory.smallEnd { isBeyondSmall = true }
    }

    /// The model of a replay, unless the records can only be those of the other one.
    private mutating func decide(_ layout: OmronEEPROMLayout, into actions: inout SessionActions) {
        if dump.layout == nil, !dump.memory.contradicts(layout) { dump.decide(layout, into: &actions) }
    }

    /// The host has read all that it wanted. Where it stopped, at the end of the smaller memory or of user 1's part of the larger
    /// one, shows which model it had been told.
    private mutating func decideFromReads(into actions: inout SessionActions) {
        if named == nil, !isBeyondSmall {
            if farthest == OmronEEPROMMemory.largeFirstEnd { decide(.hundred, into: &actions) }
            if farthest >= OmronEEPROMMemory.smallEnd { decide(.sixty, into: &actions) }
        }
        decideFromMemory(into: &actions)
    }

    private mutating func decideFromMemory(into actions: inout SessionActions) {
        if let layout = named ?? dump.memory.layout { decide(layout, into: &actions) }
        let unattributed = dump.unattributed
        guard unattributed > 0 else { return }
        actions.append(
            .report(
                .warning(
                    "\(unattributed) record\(unattributed == 1 ? "" : "s") may be either user's and not given: "
                        + (named == nil ? "name the model" : "the memory is not that of the named model"))))
    }

    // MARK: Answers

    mutating func receive(_ report: [UInt8], into actions: inout SessionActions) {
        switch OmronEEPROMFrame.judge(report) {
        case .damaged(let fault):
            actions.report(skipped: report.count, fault)
            // Asked again at once: an answer is known by its address, so a late one does no harm.
            if isAsking, !requests.write(into: &actions) { giveUp("its answers are damaged", into: &actions) }
        case .frame(let frame): receive(frame, into: &actions)
        }
    }

    private mutating func receive(_ frame: OmronEEPROMFrame, into actions: inout SessionActions) {
        // The question that was asked last, also after its answer: a late one is known by its address.
        let question = isListening ? requests.sent : requests.current?.question
        if let question, !question.isAnswered(by: frame) {
            return actions.ignore("a report that answers no question", frame.data)
        }
        switch OmronEEPROMFrame.Kind(rawValue: frame.kind) {
        case .opened:
            guard requests.question == .open else { return }
            if goal == .information { identify(frame.data, into: &actions) }
            askNext(into: &actions)
        case .data where frame.subkind == 0:
            if question == nil { noteRead(frame.address, frame.count) }
            if goal != .records || isListening, let time = OmronEEPROMClock.time(frame.data, at: frame.address) {
                hasClock = true
                actions.append(.clock(time))
            }
            dump.store(frame.data, at: frame.address, into: &actions)
            if isListening, named == nil, frame.address >= OmronEEPROMMemory.smallEnd { decide(.hundred, into: &actions) }
            if isAsking { askNext(into: &actions) }
        case .ended:
            // Of a recording of the cuff's side alone nothing else tells that everything was read.
            if question == nil, farthest > 0 { decideFromReads(into: &actions) }
            if isLeaving { finish(outcome, into: &actions) }
        default: actions.ignore("a frame of no known kind", [frame.kind, frame.subkind] + frame.data)
        }
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
        case .readMemory(let user):
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
            requests.planned = [Self.request(.settings, attempts: 3)]
        case .information:
            goal = .information
            requests.planned = [Self.request(.settings, attempts: 3)]
        default: return
        }
        ask(Self.request(.open, attempts: 10), into: &actions)
    }

    private static func request(_ frame: OmronEEPROMFrame, attempts: Int) -> Request<OmronEEPROMFrame> {
        Request(frame, frame.report(number: 2), within: .seconds(1), attempts: attempts)
    }

    private mutating func planReads(_ slots: Range<Int>) {
        let start = OmronEEPROMMemory.start + slots.lowerBound * OmronEEPROMMemory.recordLength
        let end = OmronEEPROMMemory.start + slots.upperBound * OmronEEPROMMemory.recordLength
        requests.planned += stride(from: start, to: end, by: Self.block).map {
            Self.request(.read($0, min(Self.block, end - $0)), attempts: 3)
        }
    }

    mutating func allAnswered(into actions: inout SessionActions) {
        guard goal == .records, let refusal = judgeMemory(into: &actions) else {
            return requests.planned.isEmpty ? leave(into: &actions) : askNext(into: &actions)
        }
        // Not the end of a whole reading: a replay of this must not take it for one.
        giveUp(.failed(refusal), into: &actions)
    }

    /// Everything that was planned has been read: whose are the records? A sentence where that cannot be told.
    private mutating func judgeMemory(into actions: inout SessionActions) -> String? {
        guard dump.layout == nil else { return nil }
        let memory = dump.memory
        if let named {
            guard memory.hasReadableStart(named), !memory.contradicts(named) else {
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
        ask(Self.request(.end, attempts: 1), into: &actions)
    }

    private mutating func giveUp(_ outcome: Outcome, into actions: inout SessionActions) {
        self.outcome = outcome
        requests.planned = []
        ask(Self.request(.giveUp, attempts: 1), into: &actions)
    }

    private mutating func giveUp(_ reason: String, into actions: inout SessionActions) {
        giveUp(.noAnswer("the memory could not be read to its end: \(reason)"), into: &actions)
    }

    mutating func unanswered(_ question: OmronEEPROMFrame, into actions: inout SessionActions) {
        switch question {
        case .open: finish(.noAnswer("the cuff does not answer: press START/STOP on it and try again"), into: &actions)
        case .end, .giveUp: finish(outcome, into: &actions)
        default: giveUp("the cuff stopped answering", into: &actions)
        }
    }
}
