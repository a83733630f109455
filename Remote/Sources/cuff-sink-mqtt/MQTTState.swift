import RemoteSink

/// All decisions of the helper, as a value: no socket, no clock. `Run` performs the effects.
///
/// A connection begins with these steps: publish `online`, read it back (which proves the right to read, needed for the next), then
/// for each user of a cuff that has readings: ask for the retained newest one, announce it to Home Assistant, publish.
/// A reading is answered with `ok` when the broker has acknowledged it, and the newest reading that is retained is not older.
struct MQTTState: Sendable {
    struct Limits: Sendable {
        /// Readings that are published and not acknowledged: what libmosquitto, and every broker, allows at one time.
        var published = 20
        /// As the protocol has it. More are not read.
        var unanswered = 1000
        /// Users of cuffs; each has its newest reading in memory.
        var slots = 1000
        /// From the first byte to CONNACK.
        var connect = 15.0
        /// A broker that owes an answer for so long is not working. `cuff` gives up after 60 s.
        var answer = 20.0
        /// Brokers send a retained message right after they confirm a subscription; some a little later.
        var retained = 0.2
        /// Our own `online` comes back at once, or there is no right to read it.
        var proof = 3.0
        /// After the end of the input: without progress, and at most.
        var farewell = 5.0
        var longestFarewell = 10.0
        var firstPause = 1.0
        var longestPause = 30.0
    }

    typealias Token = Int

    enum Event: Sendable {
        case reading(ReadingLine)
        case unreadable
        case inputClosed
        /// CONNACK accepted it.
        case connected
        case ended(Ending)
        case acknowledged(Token, Verdict)
        case subscribed(String, isGranted: Bool)
        case unsubscribed(String)
        case message(topic: String, payload: [UInt8])
        /// Nothing but time has passed.
        case time
    }

    enum Ending: Sendable, Equatable {
        /// The broker does not speak MQTT 5.
        case oldVersion
        /// It closed the connection before its CONNACK.
        case closedEarly(String)
        case later(String)
        case fatal(String)
    }

    enum Effect: Sendable, Equatable {
        case connect(isVersion5: Bool)
        case publish(Token, topic: String, payload: String, isRetained: Bool)
        case subscribe(String)
        case unsubscribe(String)
        case answer(Answer)
        case say(String)
        /// End the connection in order: no last will.
        case disconnect
        /// Forget the connection without a word.
        case drop
        case exit
    }

    private enum Phase: Sendable, Equatable {
        case idle
        case connecting
        /// `online` is published.
        case greeting
        /// `online` is read back.
        case proving
        case working
        /// `offline` is published.
        case leaving
        case over
    }

    /// How a version of the protocol is found. A connection that ends early may be a passing fault, and MQTT 3.1.1 is worse, because
    /// its acknowledgements have no reasons: it takes two.
    private enum Attempt: Sendable { case five, fiveAgain, three }

    private enum Purpose: Sendable {
        case online, offline
        case announcement(Slot)
        case state(Slot, Newness)
        case reading(Entry)
    }

    private struct Entry: Sendable {
        let line: ReadingLine
        let slot: Slot
        let key: Newness
        /// It is a candidate for the newest one, so it is safe only when the retained one is not older.
        var needsState = false
    }

    private struct Fetch: Sendable {
        /// Until then the retained message is waited for; `nil` before the subscription is confirmed.
        var until: Double?
        var isEnding = false
        var payload: [UInt8]?
    }

    private struct SlotState: Sendable {
        enum Phase: Sendable, Equatable { case unknown, fetching, announcing(Int), ready }
        var phase = Phase.unknown
        /// What the broker retains for certain.
        var confirmed: Newness?
        var newest: Newness?
        var newestLine = ""
        var isPublishing = false
        /// Acknowledged as readings; they wait for the retained one.
        var waiting: [Entry] = []
    }

    let settings: Settings
    private let limits: Limits
    private var phase = Phase.idle
    private var attempt = Attempt.five
    private var isInputClosed = false
    /// After the end of the input: until then something must be acknowledged, and everything.
    private var farewell = (next: 0.0, last: 0.0)
    private var pause: Double
    private var restUntil: Double?
    /// Something is owed by the broker; it must move on until then.
    private var deadline: Double?
    private var nextToken = 1
    private var purposes: [Token: Purpose] = [:]
    private var publishedReadings = 0
    private var fetches: [String: Fetch] = [:]
    private var slots: [Slot: SlotState] = [:]
    private var queued: [Entry] = []
    private var queueStart = 0
    private var waitingCount = 0
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

    /// Call `handle(.time)` at this time at the latest.
    var wakeAt: Double? {
        var times = fetches.values.compactMap { $0.isEnding ? nil : $0.until }
        if let restUntil { times.append(restUntil) }
        if let deadline { times.append(deadline) }
        if isInputClosed { times.append(farewell.next) }
        return times.min()
    }

    mutating func handle(_ event: Event, at now: Double) -> [Effect] {
        effects.removeAll()
        guard phase != .over else { return [] }
        if case .time = event {} else { moved(now) }
        switch event {
        case .reading(let line): accept(line)
        case .unreadable: finish(.fatal("cuff sent a line that is not a reading; do both programs have the same version?"))
        case .inputClosed:
            isInputClosed = true
            farewell = (now + limits.farewell, now + limits.longestFarewell)
        case .connected: connected(now)
        case .ended(let ending): ended(ending, now)
        case .acknowledged(let token, let verdict): acknowledged(token, verdict, now)
        case .subscribed(let topic, let isGranted): subscribed(topic, isGranted, now)
        case .unsubscribed(let topic): fetched(topic, now)
        case .message(let topic, let payload): fetches[topic]?.payload = payload
        case .time: break
        }
        endFetches(now)
        advance(now)
        watch(now)
        return effects
    }

    // MARK: Readings

    private mutating func accept(_ line: ReadingLine) {
        // The completed reading follows under the same id, or a failure does: subscribers are told of what is final.
        if line.isPending { return effects.append(.answer(.ok(id: line.id, revision: line.revision))) }
        if !line.isFailure && line.measured == nil && line["device_time"] == nil {
            return effects.append(.answer(.refuse(id: line.id, revision: line.revision, "it has no usable time: the cuff's clock was not set")))
        }
        queued.append(Entry(line: line, slot: Slot(line), key: Newness(line)))
    }

    private mutating func advance(_ now: Double) {
        if phase == .idle { connectIfNeeded(now) }
        if phase == .working {
            publishReadings(now)
            publishStates(now)
            if isInputClosed && unanswered == 0 && !slots.values.contains(where: \.isPublishing) { leave(now) }
        }
        guard isInputClosed, unanswered == 0, phase != .over, phase != .working, phase != .leaving else { return }
        phase = .over
        effects += [.drop, .exit]
    }

    private mutating func publishReadings(_ now: Double) {
        while queueStart < queued.count && publishedReadings < limits.published && phase == .working {
            var entry = queued[queueStart]
            guard isReady(entry.slot, now) else { break }
            queueStart += 1
            var slot = slots[entry.slot] ?? SlotState()
            if settings.keepsState && entry.line.type == "blood_pressure" {
                if slot.newest.map({ $0 < entry.key }) ?? true {
                    slot.newest = entry.key
                    slot.newestLine = entry.line.json
                }
                // An older one than the newest is no candidate: nothing is lost of what is to be retained.
                entry.needsState = slot.newest == entry.key
            }
            slots[entry.slot] = slot
            publishedReadings += 1
            publish(.reading(entry), entry.slot.reading(settings.topics), entry.line.json, isRetained: false, now)
        }
        if queueStart > limits.unanswered {
            queued.removeFirst(queueStart)
            queueStart = 0
        }
    }

    private mutating func publishStates(_ now: Double) {
        for (key, slot) in slots where slot.phase == .ready && !slot.isPublishing {
            guard let newest = slot.newest, slot.confirmed.map({ $0 < newest }) ?? true else { continue }
            slots[key]?.isPublishing = true
            publish(.state(key, newest), key.state(settings.topics), slot.newestLine, isRetained: true, now)
        }
    }

    private mutating func publish(_ purpose: Purpose, _ topic: String, _ payload: String, isRetained: Bool, _ now: Double) {
        let token = nextToken
        nextToken += 1
        purposes[token] = purpose
        effects.append(.publish(token, topic: topic, payload: payload, isRetained: isRetained))
    }

    // MARK: Slots

    /// Begins what is needed before the first reading of a slot.
    private mutating func isReady(_ key: Slot, _ now: Double) -> Bool {
        if slots[key] == nil {
            guard slots.count < limits.slots else {
                // A new helper begins with an empty memory, and the broker has the rest.
                finish(.later("more than \(limits.slots) cuffs and users in one run"))
                return false
            }
            slots[key] = SlotState()
        }
        if slots[key]?.phase == .unknown {
            if settings.keepsState {
                slots[key]?.phase = .fetching
                fetch(key.state(settings.topics))
            } else {
                slots[key]?.phase = .ready
            }
        }
        return slots[key]?.phase == .ready
    }

    private mutating func announce(_ key: Slot, _ now: Double) {
        let announcements = HomeAssistant.announcements(for: key, settings)
        slots[key]?.phase = announcements.isEmpty ? .ready : .announcing(announcements.count)
        for one in announcements { publish(.announcement(key), one.topic, one.payload, isRetained: true, now) }
    }

    // MARK: What the broker retains

    private mutating func fetch(_ topic: String) {
        fetches[topic] = Fetch()
        effects.append(.subscribe(topic))
    }

    private mutating func subscribed(_ topic: String, _ isGranted: Bool, _ now: Double) {
        guard fetches[topic] != nil else { return }
        guard isGranted else { return finish(.fatal(noRight(toRead: topic))) }
        let patience = topic == settings.topics.status ? limits.proof : limits.retained
        fetches[topic]?.until = now + patience
    }

    private mutating func endFetches(_ now: Double) {
        for (topic, fetch) in fetches where !fetch.isEnding {
            guard let until = fetch.until, fetch.payload != nil || now >= until else { continue }
            fetches[topic]?.isEnding = true
            effects.append(.unsubscribe(topic))
        }
    }

    private mutating func fetched(_ topic: String, _ now: Double) {
        guard let fetch = fetches.removeValue(forKey: topic) else { return }
        if topic == settings.topics.status && phase == .proving {
            guard fetch.payload != nil else { return finish(.fatal(noRight(toRead: topic))) }
            return work(now)
        }
        for key in slots.keys where key.state(settings.topics) == topic && slots[key]?.phase == .fetching {
            // What somebody else put there, or an empty message, is no reading: it is replaced.
            let retained = fetch.payload.flatMap { ReadingLine($0) }
            slots[key]?.confirmed = retained.map { Newness($0) }
            if let retained, slots[key]?.newest.map({ $0 < Newness(retained) }) ?? true {
                slots[key]?.newest = Newness(retained)
                slots[key]?.newestLine = retained.json
            }
            announce(key, now)
        }
    }

    private func noRight(toRead topic: String) -> String {
        "the broker does not let this user read \(topic), which tells what is newest; give the right to read \(settings.topics.base)/#, or add state=no"
    }

    // MARK: Acknowledgements

    private mutating func acknowledged(_ token: Token, _ verdict: Verdict, _ now: Double) {
        guard let purpose = purposes.removeValue(forKey: token) else { return }
        switch verdict {
        case .later(let text): return finish(.later(text))
        case .fatal(let text): return finish(.fatal(text))
        case .accepted, .unheard, .refuse: break
        }
        pause = limits.firstPause
        switch purpose {
        case .online:
            if case .refuse(let text) = verdict { return finish(.fatal("the topic \(settings.topics.status): \(text)")) }
            guard phase == .greeting else { return }
            if settings.keepsState {
                phase = .proving
                fetch(settings.topics.status)
            } else {
                work(now)
            }
        case .offline:
            phase = .over
            effects += [.disconnect, .exit]
        case .announcement(let key):
            if case .refuse(let text) = verdict { return finish(.fatal("discovery below \(settings.discovery ?? ""): \(text)")) }
            guard case .announcing(let left) = slots[key]?.phase else { return }
            slots[key]?.phase = left > 1 ? .announcing(left - 1) : .ready
        case .state(let key, let newness): stateAcknowledged(key, newness, verdict)
        case .reading(let entry): readingAcknowledged(entry, verdict)
        }
    }

    private mutating func readingAcknowledged(_ entry: Entry, _ verdict: Verdict) {
        if verdict == .unheard && !settings.isUnheardTaken {
            return finish(
                .later("nobody subscribes to \(entry.slot.reading(settings.topics)), so the broker would drop it; add nobody-listens=taken if that is meant"))
        }
        publishedReadings -= 1
        if case .refuse(let text) = verdict { return effects.append(.answer(.refuse(id: entry.key.id, revision: entry.key.revision, text))) }
        guard entry.needsState, slots[entry.slot]?.confirmed.map({ $0 < entry.key }) ?? true else { return ok(entry) }
        slots[entry.slot]?.waiting.append(entry)
        waitingCount += 1
    }

    private mutating func stateAcknowledged(_ key: Slot, _ newness: Newness, _ verdict: Verdict) {
        guard var slot = slots[key] else { return }
        slot.isPublishing = false
        slot.confirmed = newness
        let waiting = slot.waiting
        slot.waiting = waiting.filter { newness < $0.key }
        slots[key] = slot
        waitingCount -= waiting.count - slot.waiting.count
        for entry in waiting where !(newness < entry.key) {
            if case .refuse(let text) = verdict, entry.key == newness {
                effects.append(.answer(.refuse(id: entry.key.id, revision: entry.key.revision, text)))
            } else {
                ok(entry)
            }
        }
    }

    private mutating func ok(_ entry: Entry) { effects.append(.answer(.ok(id: entry.key.id, revision: entry.key.revision))) }

    // MARK: The connection

    private mutating func connectIfNeeded(_ now: Double) {
        guard unanswered > 0 || (!isInputClosed && restUntil.map { now >= $0 } ?? true) else { return }
        restUntil = nil
        phase = .connecting
        deadline = now + limits.connect
        effects.append(.connect(isVersion5: attempt != .three))
    }

    private mutating func connected(_ now: Double) {
        guard phase == .connecting else { return }
        phase = .greeting
        deadline = now + limits.answer
        publish(.online, settings.topics.status, "online", isRetained: true, now)
    }

    /// A broker that came back may have lost what it retained, so that is looked at again.
    private mutating func work(_ now: Double) {
        phase = .working
        for key in slots.keys { _ = isReady(key, now) }
    }

    private mutating func leave(_ now: Double) {
        phase = .leaving
        publish(.offline, settings.topics.status, "offline", isRetained: true, now)
    }

    private mutating func ended(_ ending: Ending, _ now: Double) {
        guard phase != .idle else { return }
        if phase == .leaving {
            phase = .over
            return effects += [.drop, .exit]
        }
        if phase == .connecting, let next = nextAttempt(ending) {
            attempt = next
            deadline = now + limits.connect
            return effects += [.drop, .connect(isVersion5: attempt != .three)]
        }
        switch ending {
        case .fatal(let text): finish(.fatal(text))
        case .oldVersion: finish(.fatal("the broker at \(settings.place) speaks neither MQTT 5 nor 3.1.1"))
        case .closedEarly(let text), .later(let text):
            guard unanswered == 0 else { return finish(.later(text)) }
            rest(text, now)
        }
    }

    private func nextAttempt(_ ending: Ending) -> Attempt? {
        switch (ending, attempt) {
        case (.oldVersion, .five), (.oldVersion, .fiveAgain), (.closedEarly, .fiveAgain): .three
        case (.closedEarly, .five): .fiveAgain
        default: nil
        }
    }

    /// Nothing waits for the broker: it is tried again here, so that others see this machine as soon as it is back. What it
    /// retained may be gone.
    private mutating func rest(_ text: String, _ now: Double) {
        if phase == .connecting { attempt = .five }
        effects += [.drop, .say("\(text); trying again in \(Int(pause)) s")]
        phase = .idle
        restUntil = now + pause
        pause = min(pause * 2, limits.longestPause)
        deadline = nil
        purposes.removeAll()
        fetches.removeAll()
        for key in slots.keys {
            slots[key]?.phase = .unknown
            slots[key]?.confirmed = nil
            slots[key]?.isPublishing = false
        }
    }

    private mutating func finish(_ answer: Answer) {
        phase = .over
        effects += [.answer(answer), .drop, .exit]
    }

    // MARK: Time

    /// Whoever moves on has its time anew.
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
            : "the broker at \(settings.place) has acknowledged nothing for \(Int(limits.answer)) s"
        ended(.later(text), now)
    }
}
