import CuffCore

/// All decisions of `cuff watch`: which devices are present, who claims them, which links are open, which are retried. A pure
/// value: time is an argument, effects are returned.
///
/// Rules:
/// - A device is opened only if it is claimed; at most one link each.
/// - A failed link is reopened after a pause that doubles with each try; a link that was stable for a while, or received a
///   reading, resets it. An unplugged device is not retried: its return is an event.
/// - Unplugging is not an error. A device that returns within a second is reported once, as a hint.
/// - Links of different devices are independent.
/// - Once-mode ends when everything plugged in at the start was read or given up.
package struct WatchState: Sendable {
    package struct Settings: Sendable, Hashable {
        package var isOnce = false
        /// A busy port or a sleeping cuff is rarely ready sooner.
        package var firstPause: Duration = .seconds(1)
        /// The limit of the growing pauses between attempts to open a device.
        package var longestPause: Duration = .seconds(60)
        /// Uptime that resets the pause.
        package var steady: Duration = .seconds(30)
        /// Once-mode: the number of attempts to open a device.
        package var attempts = 3
        /// Once-mode: a cuff that is only listened to counts as read after this silence.
        package var quiet: Duration = .seconds(5)
        /// Reads a connected cuff again after this time.
        package var again: Duration?
    }

    package enum Event: Sendable {
        case hotplug(HotplugEvent)
        /// The first readings of a link; in once-mode, any readings.
        case received(LinkID)
        /// The link has finished its commands, such as reading the memory, and only listens from now on.
        case listening(LinkID)
        case ended(LinkID, LinkEnd)
        case timer
        case reload([Assignment])
        /// The cuffs to be measured automatically.
        case scheduled([HostSchedule])
        /// Close everything, then end.
        case stop
    }

    package enum Effect: Sendable, Equatable {
        case open(LinkID, LinkPlan)
        case close(LinkID)
        /// Call `handle(.timer)` at this time; replaces an earlier one. `nil`: no timer, so an idle watch never wakes.
        case wake(at: Duration?)
        case tell(WatchNotice)
        /// Nothing is open or will be opened: the run ends with this status.
        case end(RunStatus)
    }

    /// A connected device, or an address unknown to udev.
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
        /// The link is being closed and is reopened with the then current plan.
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
    /// Links of removed devices or unwanted addresses, whose end is still to be reported.
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

    /// Handles one event at the monotonic time `now`; returns the effects in order.
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
            // udev may have set the permissions meanwhile: retry now.
            if deviceStates[place]?.retryAt != nil { deviceStates[place]?.retryAt = now }
            judge(place, now, &effects)
            openDue(now, &effects)
        case .unplugged(let device):
            guard let deviceState = deviceStates.removeValue(forKey: .device(syspath: device.syspath)) else { return }
            // One entry per key, only of the last second.
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

    /// Closes a link without a deviceState.
    private mutating func depart(_ link: LinkID, _ effects: inout [Effect]) {
        departing.insert(link)
        effects.append(.close(link))
    }

    private mutating func nextOrder() -> Int {
        defer { nextNumber += 1 }
        return nextNumber
    }

    /// Decides who claims the device now, and acts on changes.
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
            // Only changes by the user interrupt a conversation, not another name of the node.
            guard plan.map({ $0.isSameConversation(as: old) }) != true else { return }
            deviceState.isReopening = plan != nil
            effects.append(.close(link))
            return
        }
        guard plan != nil else {
            if let device = deviceState.device, let verdict { effects.append(.tell(.unclaimed(device, verdict))) }
            return
        }
        // A changed plan resets the attempts; an unchanged one waits or is done.
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

    /// After every event: whether the run is over, and the next wake-up.
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
        // A cuff that is already quiet only waits for the others.
        let quiet = deviceState.lastNews + settings.quiet
        return quiet > now ? quiet : nil
    }
}
