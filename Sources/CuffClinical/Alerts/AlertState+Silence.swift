import CuffCore

/// Rules about missing readings during automatic measurements.
extension AlertState {
    /// Call `handle(.timePassed)` at this time; `nil` if nothing is expected, so that an idle watch never wakes.
    package var wakeAt: Timestamp? {
        var next: Timestamp?
        for (rule, limit) in silences {
            for state in plans.values where fits(rule, state.plan) && tracks[Self.key(rule, state.plan)]?.standing == nil {
                guard let due = state.due else { continue }
                let deadline = Timestamp(milliseconds: due.milliseconds + limit.milliseconds)
                next = min(next ?? deadline, deadline)
            }
        }
        return next
    }

    private var silences: [(rule: AlertRule, limit: Duration)] {
        rules.compactMap { if case .silence(let limit) = $0.trigger { ($0, limit) } else { nil } }
    }

    private func fits(_ rule: AlertRule, _ plan: Plan) -> Bool {
        (rule.driver.map { $0 == plan.driver } ?? true) && (rule.device.map { plan.devices.contains($0) } ?? true)
    }

    static func key(_ rule: AlertRule, _ plan: Plan) -> AlertTrack.Key {
        AlertTrack.Key(rule: rule.identity, subject: XXHash64.hash(Array("plan\u{0}\(plan.driver)\u{0}\(plan.key)".utf8).span))
    }

    mutating func silence(_ now: Timestamp, _ events: inout [AlertEvent]) {
        for (rule, limit) in silences {
            for key in plans.keys.sorted() {
                guard let state = plans[key], fits(rule, state.plan), let due = state.due else { continue }
                let trackKey = Self.key(rule, state.plan)
                guard tracks[trackKey]?.standing == nil, now.milliseconds - due.milliseconds >= limit.milliseconds else { continue }
                store(AlertTrack(standing: AlertTrack.Standing(since: due, readings: [])), trackKey)
                events.append(
                    rule.event(.raised, state.plan, due: due, at: due) { "\(rule.heading): due \(AlertRule.clock(due, $0))" })
            }
        }
    }

    /// A reading of a cuff with a plan, even if no rule uses it: the cuff is not silent.
    mutating func hear(_ reading: Reading, _ pressure: BloodPressure, _ device: String, _ events: inout [AlertEvent]) {
        guard let time = reading.measured ?? (reading.origin == .memory ? nil : reading.received) else { return }
        for key in plans.keys.sorted() {
            guard let state = plans[key], state.plan.driver == reading.driver, state.plan.devices.contains(device), time > state.since
            else { continue }
            plans[key]?.since = time
            for (rule, _) in silences where fits(rule, state.plan) {
                let trackKey = Self.key(rule, state.plan)
                guard let standing = tracks[trackKey]?.standing, time > standing.since else { continue }
                tracks[trackKey] = nil
                let name = household.person(of: reading, device: device).name
                let notice = rule.notice(.cleared, reading, device, name, pressure, time, [reading.id])
                events.append(.changed(notice, driver: reading.driver, device: device))
            }
        }
    }

    /// Existing plans continue; the alerts of a removed plan are cleared. A plan that reached its own end is kept until its last reading
    /// arrives.
    mutating func keep(_ new: [Plan], _ now: Timestamp, _ events: inout [AlertEvent]) {
        let found = Dictionary(new.map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        for (key, state) in plans where found[key] == nil {
            let isOver = state.plan.next(after: now) == nil
            if isOver, state.due != nil { continue }
            plans[key] = nil
            for (rule, _) in silences {
                let trackKey = Self.key(rule, state.plan)
                guard let standing = tracks[trackKey]?.standing else { continue }
                tracks[trackKey] = nil
                events.append(
                    rule.event(.cleared, state.plan, due: standing.since, at: now) { _ in "\(rule.heading) cleared: the schedule ended" })
            }
        }
        for (key, plan) in found {
            let since = plans[key].flatMap { $0.plan.times == plan.times ? $0.since : nil } ?? now
            plans[key] = PlanState(plan: plan, since: since)
        }
    }
}

extension AlertRule {
    /// `words` get the offset of the time.
    fileprivate func event(
        _ change: AlertNotice.Change, _ plan: AlertState.Plan, due: Timestamp, at time: Timestamp, _ words: (_ offset: Int16) -> String
    ) -> AlertEvent {
        let offset = Int16(clamping: plan.zone.offset(at: time.seconds) / 60)
        let notice = AlertNotice(
            id: id(change, [], wall: due.seconds, plan: plan.key), change: change, rule: name, condition: condition, time: time,
            offset: offset, text: "\(words(offset)), \(plan.driver) \(plan.key)")
        return .changed(notice, driver: plan.driver, device: plan.key)
    }
}
