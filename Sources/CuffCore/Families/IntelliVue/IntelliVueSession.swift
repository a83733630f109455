/// A session with an IntelliVue monitor: associate, answer its event, poll, release; or listen to another host's polls.
struct IntelliVueSession: MonitorSession {
    private enum Phase { case none, associating, expectingEvent, polling, releasing }

    static let patience = Duration.seconds(3)
    /// The monitor ends a silent association; readers poll every second [1].
    private static let pollPause = Duration.seconds(2)
    /// The retry interval for a monitor that refused, aborted or is away.
    static let interval = Duration.seconds(30)
    static let request = Request(
        MonitorMode.reading, IntelliVueFrame.encode(IntelliVueAssociation.request()), within: .seconds(3), attempts: 3)
    /// Limit of a read's polls without an answer or a cuff.
    private static let pollLimit = 4

    var reader = FrameReader(IntelliVueFrame())
    var requests = Requests<MonitorMode>()
    var mode = MonitorMode.listening
    var isFinished = false
    var asks = false
    private var phase = Phase.none
    private var polls = 0
    private var number: UInt16 = 0
    private var outcome = Outcome.complete

    private var parts: (poll: IntelliVuePoll, isBroken: Bool)?
    /// The last result of each cuff.
    private var latest: [[UInt16]: (time: DeviceTime, isEarly: Bool, origin: Reading.Origin)] = [:]
    private var standing: [[UInt16]: StandingResult<[UInt8]>] = [:]
    private var emitted = 0
    private var isClockTold = false

    mutating func lineEnded(into actions: inout SessionActions) {
        receiveRest(into: &actions)
        if phase == .releasing { finish(outcome, into: &actions) } else { finishAtEnd(into: &actions) }
    }

    mutating func endInOrder(into actions: inout SessionActions) -> Bool {
        guard phase != .none, !isFinished else { return false }
        actions.append(.write(IntelliVueFrame.encode(IntelliVueAssociation.release)))
        finish(.complete, into: &actions)
        return true
    }

    /// After an association request, by this session or in a recording, the monitor's event must be answered.
    mutating func noteSent(_ bytes: [UInt8], into actions: inout SessionActions) {
        guard bytes.first == IntelliVueFrame.begin, let kind = IntelliVueFrame.user(bytes.span)?.first else { return }
        if kind == IntelliVueAssociation.requestKind { phase = .associating }
    }

    mutating func ask(into actions: inout SessionActions) {
        asks = true
        phase = .associating
        parts = nil
        actions.disarm(.poll)
        ask(Self.request, into: &actions)
    }

    private mutating func poll(into actions: inout SessionActions) {
        phase = .polling
        polls += 1
        number &+= 1
        actions.append(.write(IntelliVueFrame.encode(IntelliVueMessage.pollRequest(number))))
        actions.arm(.poll, Self.pollPause)
    }

    mutating func timeOut(_ timer: TimerID, into actions: inout SessionActions) {
        switch (timer, phase) {
        case (.poll, .none): ask(into: &actions)
        case (.poll, .polling): pollAgain(into: &actions)
        case (.response, .releasing): finish(outcome, into: &actions)
        case (.response, .associating), (.response, .expectingEvent):
            // It may have accepted, and its answer been lost.
            if requests.canRepeat { actions.append(.write(IntelliVueFrame.encode(IntelliVueAssociation.release))) }
            phase = .associating
            parts = nil
            askAgain(into: &actions)
        default: break
        }
    }

    mutating func unanswered(_ question: MonitorMode, into actions: inout SessionActions) {
        giveUp(.noAnswer("the monitor did not answer"), into: &actions)
    }

    private mutating func pollAgain(into actions: inout SessionActions) {
        // While following, this many unanswered polls mean that the association is over.
        guard polls < Self.pollLimit else {
            return giveUp(.noAnswer("the monitor answered no poll"), into: &actions)
        }
        poll(into: &actions)
    }

    /// Ends a read; while following, the monitor is polled again later.
    private mutating func giveUp(_ outcome: Outcome, into actions: inout SessionActions) {
        if phase == .expectingEvent || phase == .polling {
            actions.append(.write(IntelliVueFrame.encode(IntelliVueAssociation.release)))
        }
        guard mode == .listening else { return finish(outcome, into: &actions) }
        if let sentence = outcome.sentence, phase != .none { actions.warn(sentence) }
        phase = .none
        polls = 0
        requests.end(into: &actions)
        actions.arm(.poll, Self.interval)
    }

    mutating func receive(frame range: Range<Int>, into actions: inout SessionActions) {
        guard let user = IntelliVueFrame.user(reader.buffer.span.extracting(range)) else { return }
        // Another host polls this monitor: only listen.
        if phase == .none, mode == .listening { actions.arm(.poll, Self.interval) }
        switch IntelliVueMessage(user.span) {
        case .accepted where phase == .associating:
            phase = .expectingEvent
            actions.arm(.response, .seconds(5))
        case .refused where phase == .associating:
            giveUp(.failed("the monitor refused the association; another program may have it"), into: &actions)
        case .aborted where phase != .none:
            if phase == .releasing { return finish(outcome, into: &actions) }
            giveUp(.failed("the monitor ended the association"), into: &actions)
        case .released where phase == .releasing: finish(outcome, into: &actions)
        case .created(let context, let invoke, let object, let time) where phase != .none:
            let answer = IntelliVueMessage.creationResult(context, invoke, object: object, time: time)
            actions.append(.write(IntelliVueFrame.encode(answer)))
            guard phase != .releasing else { return }
            polls = 0
            requests.end(into: &actions)
            poll(into: &actions)
        case .poll(let poll): collect(poll, into: &actions)
        case .accepted, .refused, .aborted, .released, .requestsRelease, .created, .other: break
        }
    }

    /// Joins the parts of an answer; a whole result ends it, with or without parts before.
    private mutating func collect(_ poll: IntelliVuePoll, into actions: inout SessionActions) {
        if !isClockTold, let clock = poll.clock {
            isClockTold = true
            actions.append(.clock(clock))
        }
        var former = parts
        if let before = former, before.poll.invoke != poll.invoke || poll.part == .first {
            // Its last part had come, but not the result behind it.
            if before.poll.part == .last, !before.isBroken { settle(before.poll.cuffs, into: &actions) }
            former = nil
        }
        parts = nil
        guard !isFinished else { return }
        var joined = poll
        var isBroken = poll.part == .between || poll.part == .last
        if let former {
            joined.cuffs = former.poll.cuffs
            joined.cuffs.join(poll.cuffs)
            isBroken = former.isBroken || poll.part != .whole && poll.count != former.poll.count &+ 1
        }
        let isOver = poll.part == .whole || poll.part == .last && joined.cuffs.isWhole
        guard isOver else {
            parts = (joined, isBroken)
            return
        }
        if !isBroken { settle(joined.cuffs, into: &actions) }
    }

    private mutating func settle(_ cuffs: IntelliVueCuffs, into actions: inout SessionActions) {
        let before = emitted
        for cuff in [cuffs.own, cuffs.telemetry] { emit(cuffs.reading(of: cuff), cuff, into: &actions) }
        if mode == .listening { polls = 0 }
        guard mode == .reading, phase == .polling else { return }
        if emitted == before {
            guard polls >= 2 else { return }
            actions.note("the monitor shows no result of a cuff")
        }
        phase = .releasing
        actions.disarm(.poll)
        actions.append(.write(IntelliVueFrame.encode(IntelliVueAssociation.release)))
        actions.arm(.response, .seconds(2))
    }

    private mutating func emit(_ reading: Reading?, _ cuff: IntelliVueCuff, into actions: inout SessionActions) {
        guard var reading else { return }
        guard let time = cuff.clock.time else {
            _ = standing[cuff.codes, default: StandingResult()].receive(
                reading, cuff.raw, isNew: false, emitted: &emitted, into: &actions)
            return
        }
        let former = latest[cuff.codes]
        let isEarly = !reading.flags.isDisjoint(with: [.earlyIndication, .ongoing])
        if let former, former.time == time {
            guard former.isEarly, !isEarly else { return }
            reading.origin = former.origin
        } else {
            reading.origin = former == nil ? .memory : .measurement
        }
        // The result that follows an early one replaces it.
        if isEarly || former?.time == time {
            reading.reference.standing = isEarly ? .preliminary : .result
            reading.reference.time = XXHash64.hash((cuff.codes.flatMap { IntelliVueMessage.word(Int($0)) } + cuff.stamp).span) | 1
        }
        latest[cuff.codes] = (time, isEarly, reading.origin)
        emitted += 1
        actions.emit(reading)
    }
}
