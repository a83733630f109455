/// The manager's side of consecutive associations with one agent. Composed of values with the state, and connected by the extensions.
/// - The association's state changes only by a row of `PHDStateTable`, by what was sent, or by the transport's end.
/// - An APDU not written by this session comes from another manager. From then on nothing is written, no timer counts, and the state
///   follows that manager.
/// - A report is confirmed when everything emitted up to it is on disk, never before; a report without readings at once.
/// - A report with inconsistent lists gives no reading.
struct PHDSession: FinishingSession {
    /// TOconfig, TOrelease and the three seconds of every other request: docs/PHD.md §9.1.
    static let configurationTimeout = Duration.seconds(10)
    static let releaseTimeout = Duration.seconds(3)
    static let requestTimeout = Duration.seconds(3)
    /// TOassoc: after ABRT an agent associates again within this time, or not at all.
    static let associationTimeout = Duration.seconds(10)
    /// The shortest time between two ABRTs outside an association: docs/PHD.md §2.3.
    static let holdOff = Duration.milliseconds(250)
    static let timers: [TimerID] = [
        .response, .silence, .overall, .poll, .configuration, .release, .holdOff, .store, .idle, .retry, .frame, .lostAbort,
        .admission, .proof,
    ]

    let options: PHDOptions
    var reader = FrameReader(PHDFrame())
    var silence = PHDSilence()
    var command = PHDCommand()
    var association = PHDAssociation()
    var configurations: PHDConfigurations
    var agent = PHDAgent()
    var requests = PHDRequestQueue()
    var echoes = PHDEchoes()
    var reports = PHDReports()
    var confirmations = PHDConfirmations()
    var streams = PHDStreams()
    var stores = PHDStores()
    var progress = PHDProgress()
    var isFinished = false

    init(_ context: SessionContext) {
        options = PHDOptions(context)
        configurations = PHDConfigurations(context.memory)
    }

    var frames: Int? { reader.frames }
    mutating func takeUnread() -> [UInt8] { reader.takeWaiting() }
    var state: PHDState { association.state }
    var goal: PHDCommand.Goal { command.goal }
    var isPassive: Bool { command.isPassive }
    var isCommitDue: Bool { options.keepsReadings && confirmations.areDue }

    mutating func opened(into actions: inout SessionActions) {
        if let row = PHDStateTable.row(state, .transportUp) { association.enter(row.next) }
    }

    mutating func obey(_ command: SessionCommand, into actions: inout SessionActions) {
        switch command {
        case .follow: self.command.begin(.follow)
        case .readMemory(let user): self.command.begin(.memory(user: user))
        case .information: self.command.begin(.information)
        case .readClock: self.command.begin(.clock)
        case .setClock(let time): self.command.begin(.setClock(time))
        case .clear(let user): self.command.begin(.clear(user: user))
        case .measure, .stop, .schedule:
            return finish(.unsupported("an IEEE 11073 agent measures when its own button is pressed"), into: &actions)
        }
        if let error = options.error { return finish(.unsupported(error), into: &actions) }
        self.command.act()
        if self.command.hasEnd { actions.arm(.overall, options.patience) }
        if case .setClock = goal {
            agent.countSeconds()
            actions.arm(.poll, .seconds(1))
        }
        advance(into: &actions)
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        confirmations.noteCommitted(through: through)
        confirm(into: &actions)
        admitApplicant(into: &actions)
        advance(into: &actions)
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        if state == .disconnected { association.enter(.unassociated) }
        silence.noteBytes()
        reader.feed(bytes)
        // A separate reference, so that an APDU can be read while the session changes.
        var buffer = reader.buffer
        while let step = reader.next() {
            switch step {
            case .skipped(let count, let fault): actions.report(skipped: count, fault)
            case .frame(let range):
                if !reader.reads(buffer) { buffer = reader.buffer }
                receive(buffer.span.extracting(range), into: &actions)
                if isFinished { return }
            }
        }
        silence.watch(reader, isPassive: isPassive, into: &actions)
    }

    mutating func lineEnded(into actions: inout SessionActions) {
        while let step = reader.finish() { if case .skipped(let count, let fault) = step { actions.report(skipped: count, fault) } }
        association.noteLineEnd()
        move(to: .disconnected, into: &actions)
        finish(command.hasEnd ? .noAnswer("the line ended before the agent had sent everything") : .complete, into: &actions)
    }
}
