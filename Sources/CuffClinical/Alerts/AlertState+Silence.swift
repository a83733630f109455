import CuffCore

/// Rules about missing readings during automatic measurements.
extension AlertState {
    /// Call `handle(.timePassed)` at this time; `nil` if nothing is expected, so that an idle watch never wakes.
    package var wakeAt: Timestamp? {
        var next: Timestamp?
        for rule in rules {
            guard case .silence(let limit) = rule.trigger else { continue }
            for state in plans.values where fits(rule, state.plan) && tracks[Self.key(rule, state.plan)]?.standing == nil {
                guard let due = due(state) else { continue }
                let deadline = Timestamp(milliseconds: due.milliseconds + limit.milliseconds)
                next = min(next ?? deadline, deadline)
            }
        }
        return next
    }

    /// When the next reading is due; `nil` if the plan is over.
    private func due(_ state: PlanState) -> Timestamp? {
        state.plan.next(after: state.since)
    }

    private func fits(_ rule: AlertRule, _ plan: Plan) -> Bool {
        (rule.driver.map { $0 == plan.driver } ?? true) && (rule.device.map { plan.devices.contains($0) } ?? true)
    }

    static func key(_ rule: AlertRule, _ plan: Plan) -> AlertTrack.Key {
        AlertTrack.Key(rule: rule.identity, subject: XXHash64.hash(Array("plan\u{0}\(plan.driver)\u{0}\(plan.key)".utf8).span))
    }

    mutating func silence(_ now: Timestamp, _ events: inout [AlertEvent]) {
        for rule in rules {
            guard case .silence(let limit) = rule.trigger else { continue }
            for key in plans.keys.sorted() {
                guard let state = plans[key], fits(rule, state.plan), let due = due(state) else { continue }
                let trackKey = Self.key(rule, state.plan)
                guard tracks[trackKey]?.standing == nil, now.milliseconds - due.milliseconds >= limit.milliseconds else { continue }
                store(AlertTrack(standing: AlertTrack.Standing(since: due, readings: [])), trackKey)
                events.append(rule.silent(state.plan, due))
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
            for rule in rules where fits(rule, state.plan) {
                guard case .silence = rule.trigger else { continue }
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
            if isOver, due(state) != nil { continue }
            plans[key] = nil
            for rule in rules {
                let trackKey = Self.key(rule, state.plan)
                guard case .silence = rule.trigger, let standing = tracks[trackKey]?.standing else { continue }
                tracks[trackKey] = nil
                events.append(rule.ended(state.plan, standing, now))
            }
        }
        for (key, plan) in found {
            let since = plans[key].flatMap { $0.plan.times == plan.times ? $0.since : nil } ?? now
            plans[key] = PlanState(plan: plan, since: since)
        }
    }
}

extension AlertRule {
    fileprivate func silent(_ plan: AlertState.Plan, _ due: Timestamp) -> AlertEvent {
        let offset = Int16(clamping: plan.zone.offset(at: due.seconds) / 60)
        let notice = AlertNotice(
            id: id(.raised, [], wall: due.seconds, plan: plan.key), change: .raised, rule: name, condition: condition, time: due,
            offset: offset,
            text: "\(heading): due \(Self.clock(due, offset)), \(plan.driver) \(plan.key)")
        return .changed(notice, driver: plan.driver, device: plan.key)
    }

    fileprivate func ended(_ plan: AlertState.Plan, _ standing: AlertTrack.Standing, _ now: Timestamp) -> AlertEvent {
        let offset = Int16(clamping: plan.zone.offset(at: now.seconds) / 60)
        let notice = AlertNotice(
            id: id(.cleared, [], wall: standing.since.seconds, plan: plan.key), change: .cleared, rule: name, condition: condition,
            time: now,
            offset: offset, text: "\(heading) cleared: the schedule ended, \(plan.driver) \(plan.key)")
        return .changed(notice, driver: plan.driver, device: plan.key)
    }
}
