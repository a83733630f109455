import CuffCore

extension WatchState {
    mutating func open(_ deviceState: inout DeviceState, _ place: Place, _ now: Duration, _ effects: inout [Effect]) {
        guard let plan = deviceState.plan, deviceState.link == nil, !isStopping else { return }
        if let other = namesake(of: plan, at: place, deviceState.order) {
            deviceState.openedAt = now
            let why = "not opened: `\(plan.identity)` is already the name of the cuff at \(other.place)"
            return failed(&deviceState, plan, why, .usage, now, &effects)
        }
        let link = LinkID(nextNumber)
        nextNumber += 1
        places[link] = place
        deviceState.link = link
        deviceState.openedAt = now
        deviceState.lastNews = now
        deviceState.isListening = false
        deviceState.isReopening = false
        deviceState.retryAt = nil
        if deviceState.attempts == 0 {
            tried += 1
            effects.append(.tell(.opening(plan, deviceState.reason)))
        }
        effects.append(.open(link, plan))
    }

    mutating func ended(_ link: LinkID, _ end: LinkEnd, _ now: Duration, _ effects: inout [Effect]) {
        let place = places.removeValue(forKey: link)
        if departing.remove(link) != nil { return }
        guard let place, var deviceState = deviceStates[place], deviceState.link == link else { return }
        defer { deviceStates[place] = deviceState }
        deviceState.link = nil
        if isStopping { return }
        if deviceState.isReopening {
            deviceState.attempts = 0
            return open(&deviceState, place, now, &effects)
        }
        guard let plan = deviceState.plan else { return }
        switch end {
        case .closed: return
        case .complete:
            deviceState.isDone = true
            deviceState.attempts = 0
            deviceState.lastFailure = nil
            deviceState.retryAt = settings.isOnce ? nil : settings.again.map { now + $0 }
            effects.append(.tell(.complete(plan)))
        case .unplugged:
            // `unplugged` follows within milliseconds; without hotplug events (a pty, the network), try again.
            retry(&deviceState, now)
            deviceState.lastFailure = nil
        case .refused(let why, let status):
            deviceState.isDone = true
            deviceState.retryAt = nil
            worst = worst == .done ? status : worst
            if deviceState.lastFailure != why { effects.append(.tell(.failed(plan, why, retryIn: nil))) }
            deviceState.lastFailure = why
        case .failed(let why, let status): failed(&deviceState, plan, why, status, now, &effects)
        }
    }

    private mutating func failed(
        _ deviceState: inout DeviceState, _ plan: LinkPlan, _ why: String, _ status: RunStatus, _ now: Duration,
        _ effects: inout [Effect]
    ) {
        retry(&deviceState, now)
        let isGivenUp = deviceState.retryAt == nil
        if isGivenUp { worst = worst == .done ? status : worst }
        if deviceState.lastFailure != why || isGivenUp {
            effects.append(.tell(.failed(plan, why, retryIn: deviceState.retryAt.map { $0 - now })))
        }
        deviceState.lastFailure = why
    }

    /// Another cuff that has the name which the user gave to this one. Under one name, equal readings of the two would be one.
    private func namesake(of plan: LinkPlan, at place: Place, _ order: Int) -> LinkPlan? {
        guard assignments.contains(where: { $0.name == plan.identity }) else { return nil }
        return deviceStates.filter { $0.key != place && $0.value.plan?.identity == plan.identity }
            .first { $0.value.link != nil || $0.value.order < order }?.value.plan
    }

    /// Sets the time of the next try; none after the last one in once-mode.
    func retry(_ deviceState: inout DeviceState, _ now: Duration) {
        if now - deviceState.openedAt >= settings.steady { deviceState.attempts = 0 }
        deviceState.attempts += 1
        if settings.isOnce && deviceState.attempts >= settings.attempts {
            deviceState.isDone = true
            deviceState.retryAt = nil
            return
        }
        // 2^16 s is beyond any longest pause, and limits the shift.
        let pause = settings.firstPause * (1 << min(deviceState.attempts - 1, 16))
        deviceState.retryAt = now + min(pause, settings.longestPause)
    }

    mutating func openDue(_ now: Duration, _ effects: inout [Effect]) {
        let due = deviceStates.filter { ($0.value.retryAt ?? .seconds(Int64.max / 2)) <= now }
        for (place, found) in due.sorted(by: { $0.value.order < $1.value.order }) {
            var deviceState = found
            deviceState.isDone = false
            deviceState.retryAt = nil
            open(&deviceState, place, now, &effects)
            deviceStates[place] = deviceState
        }
    }
}
