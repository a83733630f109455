/// The manager's side of one association after another with one agent.
///
/// Rules:
/// - States change in three ways only: by a row of `PHDStateTable`, by what was sent, by the transport's end.
/// - A conversation held by another manager is recognised by an APDU that this session did not write. From then on
///   nothing is written, no timer counts, and the state follows what that manager sent.
/// - A report is confirmed when everything emitted up to it is on disk, never before; a report without readings at once.
/// - A report whose lists disagree gives no reading at all.
struct PHDSession: FinishingSession {
    /// What the session was asked to do; it is remembered until an agent associates.
    enum Goal: Sendable, Hashable {
        case follow
        case memory(user: Int?)
        case information, clock
        case setClock(DeviceTime)
        case clear(user: Int?)
    }

    /// A confirmed report whose readings are not yet on disk.
    struct PendingConfirmation: Sendable {
        var through: Int
        var digest: UInt64
        var invoke: UInt16
        var handle: UInt16
        var event: UInt16
        var segment: PHDSegmentEvent?
    }

    struct Offer: Sendable {
        var invoke: UInt16
        var id: UInt16
        var bytes: [UInt8]
        var configuration: PHDConfiguration
    }

    /// TOconfig, TOrelease and the three seconds of every other request: docs/PHD.md §9.1.
    static let configurationTimeout = Duration.seconds(10)
    static let releaseTimeout = Duration.seconds(3)
    static let requestTimeout = Duration.seconds(3)
    /// TOassoc: an agent that was told ABRT has come back by then, if it comes back.
    static let associationTimeout = Duration.seconds(10)
    /// Silence within an APDU; at 9600 Bd a byte takes 1 ms. It is less than the agent's own TOcer of 3 s: the ABRT of
    /// an agent whose report lost a byte must not be taken for that byte.
    static let byteTimeout = Duration.seconds(2)
    static let holdOff = Duration.milliseconds(250)
    /// The transfer of a segment that names no limit: policy.
    static let transferTimeout = Duration.seconds(60)
    /// Silence in Operating after which a follower lets go: docs/PHD.md §9.1, policy.
    static let idleTimeout = Duration.seconds(1800)
    static let timers: [TimerID] = [
        .response, .silence, .overall, .poll, .configuration, .release, .holdOff, .store, .idle, .retry, .frame, .lostAbort,
        .admission, .proof,
    ]
    /// Refused configurations before the manager releases: docs/PHD.md §4.2, policy.
    static let offerLimit = 5
    /// How often a configuration just spelled out is doubted: policy.
    static let doubtLimit = 2
    /// Segments named in one SEG_CLR: 26 + 2 x 64 bytes stay below the 224 that every agent takes.
    static let selectionLimit = 64
    /// Writes of confirmations whose echo is awaited: more than two chunks of 64 KiB bring. Policy.
    static let echoLimit = 64
    /// What one write carries of confirmations that are due together: policy.
    static let writeLimit = 4096
    /// A configuration worth remembering: the longest of any agent in the sources has 300 bytes.
    static let memoryCeiling = 8192
    static let memoryLimit = 256

    /// The system id that managers of other stacks have too, and that names nobody.
    static let exampleManager: [UInt8] = [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88]

    let manager: [UInt8]
    let asksConfiguration: Bool
    let startsScanners: Bool
    /// What the options ask of an agent that sends on request, and of stores that select by time.
    let dataRequest: PHDDataRequest?
    let timeRange: PHDTimeRange.Wish
    /// Options whose text says nothing.
    let badOption: String?
    let asksFactsEarly: Bool
    /// System ids of the agents that may associate, empty for all; and of those that may not.
    let allowed: Set<String>
    let unwanted: Set<String>

    var reader = FrameReader(PHDFrame())
    var frames: Int? { reader.frames }
    mutating func takeUnread() -> [UInt8] { reader.takeWaiting() }
    var state = PHDState.disconnected {
        didSet {
            let reports: [PHDInput] = [.confirmedReport, .unconfirmedReport]
            processesReports = reports.allSatisfy { PHDStateTable.row(state, $0)?.act == .process }
        }
    }
    /// What the table says of reports in this state: looked up when it changes, and not for each report.
    private(set) var processesReports = false
    var goal = Goal.follow { didSet { hasEnd = goal != .follow } }
    /// The goal is one that is reached, or not.
    private(set) var hasEnd = false
    var mayAnswer = false
    /// The other side of this conversation is not ours.
    var isForeign = false
    var isFinished = false
    /// The host has asked for the release.
    var isEnding = false
    let keepsReadings: Bool
    /// A reading that will be committed is not yet.
    var isCommitDue: Bool { keepsReadings && (!pendingConfirmations.isEmpty || committed < emitted) }

    var memory: [String: [UInt8]]
    /// Remembered configurations that contradicted a report, or that this session must not trust.
    var mistrusted: Set<String> = []
    var request: PHDAssociationRequest?
    /// An AARQ that waits until what came before is on disk.
    var applicant: PHDAssociationRequest?
    /// Associations in a row, by agent, in which no configuration was of use.
    var useless: [String: Int] = [:]
    /// System id of the agent that was named last.
    var identified: [UInt8] = []
    var configuration = PHDConfiguration() { didSet { form.forget() } }
    var form = PHDReportForm()
    var configurationID: UInt16 = 0
    /// The agent spelled its configuration out in this association.
    var isConfigurationFresh = false
    /// It was spelled out in an earlier association, and nothing has shown since that it still holds.
    var isConfigurationRemembered = false
    /// Remembered configurations that were doubted and spelled out again, unchanged.
    var affirmed: Set<String> = []
    var offer: Offer?
    var offers = 0
    var reportNumber: UInt16?
    var saidRelative = false
    var unstamped = PHDUnstamped()

    var joiner = PHDJoiner()
    var observations: [PHDObservation] = []
    var emitted = 0
    var committed = 0
    var pendingConfirmations: [PendingConfirmation] = []
    var confirmedHead = 0
    /// Confirmations of ours that have not come back as `sent`: whole writes, so that not each of them has to be looked at.
    var confirmations: [[UInt8]] = []

    /// APDUs of ours that change the state and have not come back as `sent`.
    var expected: [[UInt8]] = []
    var pending: [PHDRequest] = []
    var nextInvoke: UInt16 = 1

    // The plan of this association: what is still to be asked. See PHDPlan.swift.
    var facts: PHDDeviceFacts?
    var didAskFacts = false
    var didAskData = false
    var didSetClock = false
    /// The clock was set, and the agent is asked for it once more.
    var readsClockBack = false
    var startedScanners = 0
    /// Scanners that were switched on, and a data request that runs on: both end before the association does.
    var runningScanners: [UInt16] = []
    var runsRequest = false
    /// The release will be requested when these have ended.
    var isLettingGo = false
    var stores: [PHDStoreState] = []
    var transfer: (store: Int, segment: Int)?
    var isRetrying = false
    /// The association will be given up: see `mistrustConfiguration`.
    var abandonsSoon = false
    /// Associations given up because the store did not answer, and whether it ever did.
    var storeTimeouts = 0
    var hasStoreAnswered = false
    var outcome: Outcome?
    var elapsedSeconds: Int64 = 0
    var wasActive = false
    var effort = PHDEffort()
    /// Our ABRT was the last word, and `lostAbort` runs.
    var doubtsAbort = false
    /// Associations given up because a configuration just spelled out did not fit.
    var doubts = 0
    /// The association ended by release, so that the agent said all it wanted to say.
    var endedInOrder = false
    /// It ended by the agent's ABRT, or by its request for another.
    var wasBrokenByAgent = false
    /// The APDU that has begun: how many came before it, and what it announces.
    var supervised: (frames: Int, skipped: Int, length: UInt16)?
    var isHoldingOff = false

    init(_ context: SessionContext) {
        let id = Hex.bytes(context.options["manager-id"] ?? "") ?? []
        manager = id.count == 8 ? id : Self.exampleManager
        asksConfiguration = context.options["configuration"] == "ask"
        startsScanners = context.options["scanners"] == "yes"
        let text = context.options["data-request"]
        dataRequest = PHDDataRequest(text, period: context.options["data-period"])
        timeRange = PHDTimeRange.wish(context.options)
        if case .malformed(let text) = timeRange {
            badOption = "`\(text)` is not a date and time (options from and to): write e.g. 2026-05-05T07:31"
        } else {
            badOption =
                text == nil || dataRequest != nil
                ? nil : "write the option data-request as all, class:6 or handle:1+10, and data-period in seconds"
        }
        asksFactsEarly = context.options["attributes"] == "early"
        allowed = Set((context.options["agents"] ?? "").split(separator: "+").map { $0.lowercased() })
        unwanted = Set((context.options["unwanted"] ?? "").split(separator: "+").map { $0.lowercased() })
        memory = context.memory
        keepsReadings = context.keepsReadings
        effort.patience = PHDEffort.patience(context.options)
    }

    /// Our own requests do not change the state: not before a command, and not in another manager's conversation.
    var isPassive: Bool { isForeign || !mayAnswer }

    mutating func opened(into actions: inout SessionActions) {
        if let row = PHDStateTable.row(state, .transportUp) { state = row.next }
    }

    mutating func noteCommitted(through: Int, into actions: inout SessionActions) {
        committed = max(committed, through)
        confirm(into: &actions)
        admitApplicant(into: &actions)
        advance(into: &actions)
    }

    mutating func receive(_ bytes: [UInt8], into actions: inout SessionActions) {
        if state == .disconnected { state = .unassociated }
        wasActive = true
        reader.feed(bytes)
        // A reference of our own, so that an APDU can be read while the session changes.
        var buffer = reader.buffer
        while let step = reader.next() {
            switch step {
            case .skipped(let count, let fault): actions.report(skipped: count, fault)
            case .frame(let range):
                if !reader.reads(buffer) { buffer = reader.buffer }
                take(buffer.span.extracting(range), into: &actions)
                if isFinished { return }
            }
        }
        superviseBytes(into: &actions)
    }

    /// An APDU that has begun must end; noise before an association need not.
    private mutating func superviseBytes(into actions: inout SessionActions) {
        guard reader.waiting > 0, !isPassive else {
            if supervised != nil { actions += [.disarm(.silence), .disarm(.frame)] }
            supervised = nil
            return
        }
        actions.append(.arm(.silence, Self.byteTimeout))
        // A length that is wrong swallows whatever comes, as long as it comes: so the whole has a limit too.
        let now = (reader.frames, reader.skippedBytes, reader.buffer.span.bigEndian16(2) ?? 0)
        if supervised.map({ $0 != now }) ?? true {
            supervised = now
            actions.append(.arm(.frame, Self.byteTimeout + .milliseconds(2 * Int64(now.2))))
        }
    }
}
