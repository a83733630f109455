import RemoteSink

/// All decisions of the helper. A pure state machine without socket or clock; `Run` performs the effects.
///
/// A connection starts with these steps: publish `online`, read it back (which proves the permission to read), then
/// for each user of a cuff with readings: fetch the retained newest reading, announce to Home Assistant, publish.
/// A reading gets its `ok` when the broker has acknowledged it and retains this reading or a newer one.
struct MQTTState: Sendable {
    private enum Phase: Sendable, Equatable {
        case idle
        case connecting
        case greeting
        case proving
        case working
        case leaving
        case over
    }

    private enum Purpose: Sendable {
        case online, offline
        case announcement(device: String)
        case heartbeat
        case state(Slot, Newness)
        case reading(Entry)
    }

    let settings: Settings
    private let limits: Limits
    private var phase = Phase.idle
    private var versions = VersionSearch()
    private var isInputClosed = false
    /// After the end of input: deadlines for the next acknowledgement and for all.
    private var farewell = (next: 0.0, last: 0.0)
    private var pause: Double
    private var restUntil: Double?
    /// The deadline for the broker's next answer.
    private var deadline: Double?
    private var nextToken = 1
    private var purposes: [Token: Purpose] = [:]
    private var publishedReadings = 0
    private var fetches = Fetches()
    private var slots: [Slot: SlotState] = [:]
    /// By device; empty without discovery.
    private var announcements: [String: Announcement] = [:]
    private var queued: [Entry] = []
    private var queueStart = 0
    private var waitingCount = 0
    private var heartbeat = Heartbeat()
    private var effects: [Effect] = []

    init(_ settings: Settings, limits: Limits = Limits()) {
        self.settings = settings
        self.limits = limits
        pause = limits.firstPause
    }

    private var queuedCount: Int { queued.count - queueStart }
    private var unanswered: Int { queuedCount + publishedReadings + waitingCount }
    var wantsInput: Bool { phase != .over && !isInputClosed && unanswered < limits.unanswered }
    var isOver: Bool { phase == .over }

    /// Call `handle(.time)` by this time.
    var wakeAt: Double? {
        ([fetches.wakeAt, restUntil, deadline, isInputClosed ? farewell.next : nil] + announcements.values.map(\.wakeAt)).compactMap { $0 }
            .min()
    }

    mutating func handle(_ event: Event, at now: Double) -> [Effect] {
        effects.removeAll()
        guard phase != .over else { return [] }
        if case .time = event {} else { moved(now) }
        switch event {
        case .reading(let line): accept(line)
        case .unreadable: finish(.fatal("cuff sent a line that is not a reading; do both programs have the same version?"))
        case .status(let report): heartbeat.accept(report)
        case .inputClosed:
            isInputClosed = true
            farewell = (now + limits.farewell, now + limits.longestFarewell)
        case .connected: connected(now)
        case .ended(let ending): ended(ending, now)
        case .acknowledged(let token, let verdict): acknowledged(token, verdict)
        case .subscribed(let topic, let isGranted): subscribed(topic, isGranted, now)
        case .unsubscribed(let topic): fetched(topic)
        case .message(let topic, let payload): fetches.received(topic, payload)
        case .time: break
        }
        for topic in fetches.endDue(now) { effects.append(.unsubscribe(topic)) }
        advance(now)
        watch(now)
        return effects
    }

    // MARK: Readings

    private mutating func accept(_ line: ReadingLine) {
        // Only final readings are published; the completed reading or a failure follows under the same id.
        if line.isPending { return effects.append(.answer(.ok(line))) }
        if !line.isFailure && !line.isDeletion && line.measured == nil && line["device_time"] == nil {
            return effects.append(.answer(.refuse(line, "it has no usable time: the cuff's clock was not set")))
        }
        let entry = Entry(line: line, slot: Slot(line), key: Newness(line))
        queued.append(entry)
        if phase == .working, !entry.isAlert { _ = isReady(entry.slot) }
    }

    private mutating func advance(_ now: Double) {
        if phase == .idle { connectIfNeeded(now) }
        if phase == .working {
            announce(now)
            publishReadings()
            publishStates()
            if let report = heartbeat.next(settings) { publish(.heartbeat, settings.topics.heartbeat, report, isRetained: true) }
            if isInputClosed && unanswered == 0 && !slots.values.contains(where: \.isPublishing) { leave() }
        }
        guard isInputClosed, unanswered == 0, phase != .over, phase != .working, phase != .leaving else { return }
        phase = .over
        effects += [.drop, .exit]
    }

    private mutating func publishReadings() {
        while queueStart < queued.count && publishedReadings < limits.published && phase == .working {
            var entry = queued[queueStart]
            guard entry.isAlert ? isAnnounced(entry.slot) : isReady(entry.slot) else { break }
            queueStart += 1
            // A time in the future would be the newest for years.
            let mayBeNewest = entry.line.type == "blood_pressure" && entry.line["clock"]?.string != "implausible"
            if settings.keepsState && mayBeNewest { entry.needsState = slots[entry.slot]?.accept(entry) ?? false }
            if settings.keepsState && entry.line.isDeletion {
                entry.needsState = slots[entry.slot]?.accept(deletion: entry) ?? false
            }
            publishedReadings += 1
            publish(.reading(entry), entry.topic(settings.topics), entry.line.json, isRetained: false)
        }
        if queueStart > limits.unanswered {
            queued.removeFirst(queueStart)
            queueStart = 0
        }
    }

    private mutating func publishStates() {
        for (key, slot) in slots {
            guard let newest = slot.unpublished else { continue }
            slots[key]?.isPublishing = true
            publish(.state(key, newest), key.state(settings.topics), slot.newestLine, isRetained: true)
        }
    }

    private mutating func publish(_ purpose: Purpose, _ topic: String, _ payload: String, isRetained: Bool) {
        let token = nextToken
        nextToken += 1
        purposes[token] = purpose
        effects.append(.publish(token, topic: topic, payload: payload, isRetained: isRetained))
    }

    // MARK: Slots

    /// Starts the steps before the first reading of a slot.
    private mutating func isReady(_ key: Slot) -> Bool {
        if slots[key] == nil {
            guard phase != .over, slots.count < limits.slots else {
                // A restarted helper learns the state from the broker.
                finish(.later("more than \(limits.slots) cuffs and users in one run"))
                return false
            }
            slots[key] = SlotState()
        }
        if slots[key]?.phase == .unknown {
            if settings.keepsState {
                slots[key]?.phase = .fetching
                slots[key]?.isFetched = false
                fetch(key.state(settings.topics))
                _ = isAnnounced(key)
            } else {
                slots[key]?.phase = .ready
            }
        }
        return slots[key]?.phase == .ready
    }

    /// Whether a cuff is announced to Home Assistant, if it has to be; otherwise starts that.
    private mutating func isAnnounced(_ key: Slot) -> Bool {
        if announcements[key.device] == nil {
            guard let announcement = Announcement(key, settings) else { return true }
            guard announcements.count < limits.slots else {
                finish(.later("more than \(limits.slots) cuffs in one run"))
                return false
            }
            announcements[key.device] = announcement
        }
        for filter in announcements[key.device]?.begin() ?? [] { fetch(filter) }
        return announcements[key.device]?.isSettled == true
    }

    /// Takes the next steps of all announcements.
    private mutating func announce(_ now: Double) {
        for key in slots.keys where slots[key]?.phase == .fetching && slots[key]?.isFetched == true {
            if settings.discovery == nil {
                slots[key]?.phase = .ready
            } else if announcements[key.device]?.isKnown == true {
                announcements[key.device]?.add(key, candidates: slots.keys.filter { $0.device == key.device && $0.mayBePlain })
                slots[key]?.phase = .announcing
            }
        }
        for device in announcements.keys {
            for message in announcements[device]?.advance(now) ?? [] {
                publish(.announcement(device: device), message.topic, message.payload, isRetained: true)
            }
        }
        for key in slots.keys where slots[key]?.phase == .announcing && announcements[key.device]?.isSettled == true {
            slots[key]?.phase = .ready
        }
    }

    // MARK: Retained messages

    private mutating func fetch(_ topic: String) {
        fetches.begin(topic)
        effects.append(.subscribe(topic))
    }

    private mutating func subscribed(_ topic: String, _ isGranted: Bool, _ now: Double) {
        guard fetches.isUnderWay(topic) else { return }
        if !isGranted {
            guard topic.hasPrefix(settings.topics.base + "/") else { return fetched(topic) }
            return finish(.fatal(noRight(toRead: topic)))
        }
        fetches.subscribed(topic, until: now + (topic == settings.topics.status ? limits.proof : limits.retained))
    }

    private mutating func fetched(_ topic: String) {
        guard let messages = fetches.end(topic) else { return }
        let payload = messages[topic]
        if topic == settings.topics.status && phase == .proving {
            guard payload != nil else { return finish(.fatal(noRight(toRead: topic))) }
            return work()
        }
        for key in slots.keys where key.state(settings.topics) == topic && slots[key]?.phase == .fetching {
            slots[key]?.retained(payload.flatMap { ReadingLine($0) })
        }
        for device in announcements.keys { announcements[device]?.fetched(topic, messages) }
    }

    private func noRight(toRead topic: String) -> String {
        "the broker does not let this user read \(topic), which is needed to keep the newest reading; grant permission to read \(settings.topics.base)/#, or add state=no"
    }

    // MARK: Acknowledgements

    private mutating func acknowledged(_ token: Token, _ verdict: Verdict) {
        guard let purpose = purposes.removeValue(forKey: token) else { return }
        switch verdict {
        case .later(let text): return finish(.later(text))
        case .fatal(let text): return finish(.fatal(text))
        case .accepted, .unheard, .refuse: break
        }
        switch purpose {
        case .online:
            if case .refuse(let text) = verdict { return finish(.fatal("the topic \(settings.topics.status): \(text)")) }
            guard phase == .greeting else { return }
            if settings.keepsState {
                phase = .proving
                fetch(settings.topics.status)
            } else {
                work()
            }
        case .offline:
            phase = .over
            effects += [.disconnect, .exit]
        case .announcement(let device):
            if case .refuse(let text) = verdict { return finish(.fatal("discovery below \(settings.discovery ?? ""): \(text)")) }
            announcements[device]?.acknowledged()
        case .heartbeat: heartbeat.acknowledged()
        case .state(let key, let newness): stateAcknowledged(key, newness, verdict)
        case .reading(let entry): readingAcknowledged(entry, verdict)
        }
    }

    private mutating func readingAcknowledged(_ entry: Entry, _ verdict: Verdict) {
        // Deletions, and alerts without discovery, need no subscriber; readings must not wait for one.
        let isChoice = entry.line.isDeletion || entry.isAlert && settings.discovery == nil
        if verdict == .unheard && !settings.isUnheardTaken && !isChoice {
            return finish(
                .later(
                    "no subscriber to \(entry.topic(settings.topics)), so the broker would drop the reading; to count it as delivered add nobody-listens=taken"
                ))
        }
        publishedReadings -= 1
        if case .refuse(let text) = verdict { return effects.append(.answer(.refuse(entry.line, text))) }
        guard entry.needsState, slots[entry.slot]?.isRetained(entry.key) == false else { return ok(entry) }
        slots[entry.slot]?.waiting.append(entry)
        waitingCount += 1
    }

    private mutating func stateAcknowledged(_ key: Slot, _ newness: Newness, _ verdict: Verdict) {
        let safe = slots[key]?.confirm(newness) ?? []
        waitingCount -= safe.count
        for entry in safe {
            if case .refuse(let text) = verdict, entry.key == newness {
                effects.append(.answer(.refuse(entry.line, text)))
            } else {
                ok(entry)
            }
        }
    }

    /// Resets the back-off only after a reading was acknowledged: two programs with the same client id disconnect each other.
    private mutating func ok(_ entry: Entry) {
        pause = limits.firstPause
        effects.append(.answer(.ok(entry.line)))
    }

    // MARK: The connection

    private mutating func connectIfNeeded(_ now: Double) {
        guard unanswered > 0 || (!isInputClosed && restUntil.map { now >= $0 } ?? true) else { return }
        restUntil = nil
        phase = .connecting
        deadline = now + limits.connect
        effects.append(.connect(isVersion5: versions.isVersion5))
    }

    private mutating func connected(_ now: Double) {
        guard phase == .connecting else { return }
        phase = .greeting
        deadline = now + limits.answer
        publish(.online, settings.topics.status, "online", isRetained: true)
    }

    /// A restarted broker may have lost its retained messages, so they are fetched again.
    private mutating func work() {
        phase = .working
        for key in Set(slots.keys).union(queued[queueStart...].lazy.filter { !$0.isAlert }.map(\.slot)) { _ = isReady(key) }
    }

    private mutating func leave() {
        phase = .leaving
        publish(.offline, settings.topics.status, "offline", isRetained: true)
    }

    private mutating func ended(_ ending: Ending, _ now: Double) {
        guard phase != .idle else { return }
        if phase == .leaving {
            phase = .over
            return effects += [.drop, .exit]
        }
        if phase == .connecting && versions.failed(ending) {
            deadline = now + limits.connect
            return effects += [.drop, .connect(isVersion5: versions.isVersion5)]
        }
        switch ending {
        case .fatal(let text): finish(.fatal(text))
        case .oldVersion: finish(.fatal("the broker at \(settings.place) supports neither MQTT 5 nor 3.1.1"))
        case .lost(let text): postpone("\(text) (\(suspicion))", now)
        case .closedEarly(let text), .later(let text): postpone(text, now)
        }
    }

    private mutating func postpone(_ text: String, _ now: Double) {
        if unanswered > 0 { finish(.later(text)) } else { rest(text, now) }
    }

    /// Some brokers close the connection without a reason if something is not permitted or the client id is in use.
    private var suspicion: String {
        switch phase {
        case .greeting: "if that repeats: may this user publish to \(settings.topics.status)?"
        case .proving: "if that repeats: give the right to read \(settings.topics.base)/#, or add state=no"
        default: "if that repeats: is another program connected as \(settings.clientID)? give each its own gateway=NAME"
        }
    }

    /// No reading is waiting: reconnect here, so that presence returns as soon as the broker does. Its retained messages may be
    /// gone.
    private mutating func rest(_ text: String, _ now: Double) {
        if phase == .connecting { versions.beginAnew() }
        let limit = phase == .connecting ? limits.connect : limits.answer
        let waited = deadline.map { min(limit, now - ($0 - limit)) } ?? 0
        let wait = max(pause, waited * 2) * limits.spread
        effects += [.drop, .say("\(text); trying again in \(Int(wait)) s")]
        phase = .idle
        restUntil = now + wait
        pause = min(pause * 2, limits.longestPause)
        deadline = nil
        purposes.removeAll()
        heartbeat.forget()
        fetches.removeAll()
        for key in slots.keys { slots[key]?.forget() }
        for device in announcements.keys { announcements[device]?.forget() }
    }

    private mutating func finish(_ answer: Answer) {
        guard phase != .over else { return }
        phase = .over
        effects += [.answer(answer), .drop, .exit]
    }

    // MARK: Time

    /// Progress restarts the deadline.
    private mutating func moved(_ now: Double) {
        if deadline != nil && phase != .connecting { deadline = now + limits.answer }
        if isInputClosed { farewell.next = min(farewell.last, now + limits.farewell) }
    }

    private mutating func watch(_ now: Double) {
        guard phase != .over else { return }
        let isOwed = phase == .connecting || !purposes.isEmpty || !fetches.isEmpty
        if !isOwed { deadline = nil } else if deadline == nil { deadline = now + limits.answer }
        if isInputClosed && now >= farewell.next {
            phase = .over
            return effects += [.drop, .exit]
        }
        guard let deadline, now >= deadline else { return }
        let text =
            phase == .connecting
            ? "the broker at \(settings.place) did not answer the connection within \(Int(limits.connect)) s"
            : "the broker at \(settings.place) has acknowledged nothing for \(Int(limits.answer)) s; if that repeats, free its disk or memory: a full one blocks publishers"
        ended(.later(text), now)
    }
}
