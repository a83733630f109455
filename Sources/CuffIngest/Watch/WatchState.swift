import CuffCore

/// Which devices are there, whose they are, which links are open and which are to be tried again: everything `cuff watch`
/// decides, and nothing it does. Pure: time is an argument, effects are values.
///
/// Rules:
/// - A device is opened when it is claimed, and only then; at most one link each.
/// - A link that failed is opened again after a pause that doubles from try to try; a link that held for a while, or
///   brought a reading, begins anew. A device that is unplugged is not tried at all: its return is an event.
/// - Being unplugged is no error. A device that returns within a second is reported once, as a hint.
/// - A link of one device never depends on another's.
/// - Once-mode ends when everything plugged in at the start was read or given up.
package struct WatchState: Sendable {
    /// How a watch opens and reopens its cuffs.
    package struct Settings: Sendable, Hashable {
        package var isOnce = false
        /// A port that is busy or a cuff that is asleep is rarely ready within less.
        package var firstPause: Duration = .seconds(1)
        /// The longest pause between two attempts to open a device; pauses grow up to it.
        package var longestPause: Duration = .seconds(60)
        /// A link that was open this long was a good one.
        package var steady: Duration = .seconds(30)
        /// Once-mode: how often a device is tried, and how long a cuff that only sends may say nothing.
        package var attempts = 3
        /// In once-mode: how long a cuff that is only listened to has to be silent to count as read.
        package var quiet: Duration = .seconds(5)
        /// When a cuff was read to its end and stays plugged in: read it again after this. Never, unless asked for.
        package var again: Duration?
        package init(isOnce: Bool = false) { self.isOnce = isOnce }
    }

    package enum Event: Sendable {
        case hotplug(HotplugEvent)
        /// A reading arrived on the link.
        case received(LinkID)
        /// The link did what can be finished (its memory is read) and only listens from now on.
        case listening(LinkID)
        case ended(LinkID, LinkEnd)
        case timer
        case reload([Assignment])
        /// These cuffs are to be measured automatically.
        case scheduled([HostSchedule])
        /// Close everything, then end.
        case stop
    }

    /// What is to be done for a watch, in order.
    package enum Effect: Sendable, Equatable {
        case open(LinkID, LinkPlan)
        case close(LinkID)
        /// Call `handle(.timer)` at this time; the newest word counts. `nil`: no timer at all, so that an idle watch
        /// never wakes.
        case wake(at: Duration?)
        case tell(WatchNotice)
        /// Nothing is open and nothing will be: the run is over, and this is how.
        case end(RunStatus)
    }

    /// Where a cuff is or may come: a plugged device or an address outside of udev's sight.
    enum Place: Hashable { case device(syspath: String), address(DeviceAddress) }

    struct DeviceState {
        var order: Int
        var device: PluggedDevice?
        var plan: LinkPlan?
        var reason: Claiming.Reason?
        var verdict: Claiming.Verdict?
        var since: Duration
        var link: LinkID?
        var openedAt: Duration = .zero
        var lastNews: Duration = .zero
        var isListening = false
        /// The link was asked to close; when it has, open again with what is the plan then.
        var isReopening = false
        var attempts = 0
        var retryAt: Duration?
        var lastFailure: String?
        var isDone = false
    }

    let drivers: [CuffDriver]
    let settings: Settings
    var assignments: [Assignment]
    var schedules: [HostSchedule] = []
    var deviceStates: [Place: DeviceState] = [:]
    /// Links whose device is gone or whose address is no longer wanted; they will report their end.
    var departing: Set<LinkID> = []
    var places: [LinkID: Place] = [:]
    private var vanished: [DeviceKey: (at: Duration, afterOnly: Duration)] = [:]
    private var hinted: Set<DeviceKey> = []
    var nextNumber = 1
    private var isSettled = false
    var isStopping = false
    private var isEnded = false
    private var wakeAt: Duration?
    var worst = RunStatus.done
    var tried = 0

    package init(
        settings: Settings = Settings(), assignments: [Assignment] = [], drivers: [CuffDriver] = CuffFamilies.all
    ) {
        self.settings = settings
        self.assignments = assignments
        self.drivers = drivers
    }

    package var openLinks: Int { places.count }

    /// Handles one event at the monotonic time `now`; returns what is to be done, in order.
    package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
        guard !isEnded else { return [] }
        var effects: [Effect] = []
        switch event {
        case .hotplug(let event): hotplug(event, now, &effects)
        case .received(let link): news(link, now) { $0.attempts = 0 }
        case .listening(let link): news(link, now) { $0.isListening = true }
        case .ended(let link, let end): ended(link, end, now, &effects)
        case .timer:
            wakeAt = nil  // the timer fired; the next time is set again
            openDue(now, &effects)
        case .reload(let assignments): reload(assignments, now, &effects)
        case .scheduled(let schedules):
            self.schedules = schedules
            for (place, _) in deviceStates.sorted(by: { $0.value.order < $1.value.order }) { judge(place, now, &effects) }
        case .stop: close(&effects)
        }
        conclude(now, &effects)
        return effects
    }

    private mutating func news(_ link: LinkID, _ now: Duration, _ change: (inout DeviceState) -> Void) {
        guard let place = places[link], var deviceState = deviceStates[place], deviceState.link == link else { return }
        deviceState.lastNews = now
        change(&deviceState)
        deviceStates[place] = deviceState
    }

    // MARK: Devices

    private mutating func hotplug(_ event: HotplugEvent, _ now: Duration, _ effects: inout [Effect]) {
        switch event {
        case .plugged(let device):
            if let trace = vanished.removeValue(forKey: device.key), now - trace.at <= .seconds(1),
                trace.afterOnly <= .seconds(1), hinted.insert(device.key).inserted
            {
                effects.append(.tell(.flickered(device)))
            }
            let place = Place.device(syspath: device.syspath)
            if let link = deviceStates[place]?.link { depart(link, &effects) }
            deviceStates[place] = DeviceState(order: nextOrder(), device: device, since: now)
            judge(place, now, &effects)
        case .changed(let device):
            let place = Place.device(syspath: device.syspath)
            guard deviceStates[place] != nil else { return }
            deviceStates[place]?.device = device
            // udev has set owner or properties meanwhile: what failed may work now.
            if deviceStates[place]?.retryAt != nil { deviceStates[place]?.retryAt = now }
            judge(place, now, &effects)
            openDue(now, &effects)
        case .unplugged(let device):
            guard let deviceState = deviceStates.removeValue(forKey: .device(syspath: device.syspath)) else { return }
            // One trace for each key, and no more keys than devices that ever flickered in the last second.
            vanished = vanished.filter { now - $0.value.at <= .seconds(1) }
            vanished[device.key] = (now, now - deviceState.since)
            if let link = deviceState.link {
                depart(link, &effects)
                if settings.isOnce && !deviceState.isListening { worst = worst == .done ? .inputOutput : worst }
            }
            if deviceState.plan != nil { effects.append(.tell(.unplugged(device))) }
        case .settled:
            isSettled = true
            for assignment in assignments where assignment.driver != nil {
                if assignment.address.isOutsideHotplug {
                    addStanding(assignment, now, &effects)
                } else if !deviceStates.values.contains(where: { $0.device.map(assignment.address.matches) == true }) {
                    effects.append(.tell(.notPluggedIn(assignment)))
                }
            }
        case .notice(let text): effects.append(.tell(.watcher(text)))
        }
    }

    private mutating func addStanding(_ assignment: Assignment, _ now: Duration, _ effects: inout [Effect]) {
        let place = Place.address(assignment.address)
        if deviceStates[place] == nil { deviceStates[place] = DeviceState(order: nextOrder(), since: now) }
        judge(place, now, &effects)
    }

    /// Closes a link that has no deviceState any more.
    private mutating func depart(_ link: LinkID, _ effects: inout [Effect]) {
        departing.insert(link)
        effects.append(.close(link))
    }

    private mutating func nextOrder() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Says whose the device is by what is known now, and acts on what changed.
    private mutating func judge(_ place: Place, _ now: Duration, _ effects: inout [Effect]) {
        guard var deviceState = deviceStates[place] else { return }
        let (plan, reason, verdict) = plan(for: place, deviceState)
        let isNews = deviceState.verdict != verdict || verdict == nil
        deviceState.verdict = verdict
        deviceState.reason = reason
        defer { deviceStates[place] = deviceState }
        guard plan != deviceState.plan || isNews else { return }
        let old = deviceState.plan
        deviceState.plan = plan
        if let link = deviceState.link {
            // Only what the user changed is a reason to disturb a cuff: another name of the same node is not.
            guard plan.map({ $0.isSameConversation(as: old) }) != true else { return }
            deviceState.isReopening = plan != nil
            effects.append(.close(link))
            return
        }
        guard plan != nil else {
            if let device = deviceState.device, let verdict { effects.append(.tell(.unclaimed(device, verdict))) }
            return
        }
        // A plan that changed is a new beginning; one that did not waits for its time or is done.
        guard old.map({ plan?.isSameConversation(as: $0) == true }) != true else { return }
        deviceState.attempts = 0
        deviceState.isDone = false
        open(&deviceState, place, now, &effects)
    }

    // MARK: The user's word changes; the end

    private mutating func reload(_ new: [Assignment], _ now: Duration, _ effects: inout [Effect]) {
        assignments = new
        for (place, deviceState) in deviceStates.sorted(by: { $0.value.order < $1.value.order }) {
            if case .address(let address) = place, !new.contains(where: { $0.address == address && $0.driver != nil }) {
                deviceStates[place] = nil
                if let link = deviceState.link { depart(link, &effects) }
            } else {
                judge(place, now, &effects)
            }
        }
        for assignment in new where isSettled && assignment.driver != nil && assignment.address.isOutsideHotplug {
            addStanding(assignment, now, &effects)
        }
    }

    private mutating func close(_ effects: inout [Effect]) {
        guard !isStopping else { return }
        isStopping = true
        for place in deviceStates.keys { deviceStates[place]?.retryAt = nil }
        effects += places.keys.filter { !departing.contains($0) }.sorted().map { .close($0) }
    }

    /// After every event: is the run over, and when is the next thing due.
    private mutating func conclude(_ now: Duration, _ effects: inout [Effect]) {
        if settings.isOnce && isSettled && !isStopping && deviceStates.values.allSatisfy({ isIdle($0, now) }) {
            close(&effects)
        }
        if isStopping && places.isEmpty {
            isEnded = true
            if wakeAt != nil { effects.append(.wake(at: nil)) }
            effects.append(.end(settings.isOnce && tried == 0 ? .unavailable : worst))
            return
        }
        let next = isStopping ? nil : deviceStates.values.compactMap { due($0, now) }.min()
        if next != wakeAt {
            wakeAt = next
            effects.append(.wake(at: next))
        }
    }

    /// Once-mode: nothing more is expected of this device.
    private func isIdle(_ deviceState: DeviceState, _ now: Duration) -> Bool {
        guard deviceState.plan != nil else { return true }
        guard deviceState.link != nil else { return deviceState.isDone && deviceState.retryAt == nil }
        return deviceState.isListening && now - deviceState.lastNews >= settings.quiet
    }

    func due(_ deviceState: DeviceState, _ now: Duration) -> Duration? {
        if let retry = deviceState.retryAt { return retry }
        guard settings.isOnce, deviceState.link != nil, deviceState.isListening else { return nil }
        // A cuff that is quiet already waits for the others, not for a time.
        let quiet = deviceState.lastNews + settings.quiet
        return quiet > now ? quiet : nil
    }
}
