import CuffCore

/// Evaluates the user's rules: raises and clears alerts. It is pure: events and times go in, changes come out.
///
/// Rules evaluate each complete blood pressure once, if its time is known and at most `Limits.age` ago, and, from a cuff's memory, only if
/// it was measured since the watch began. They ignore readings with a flag that is not harmless, with a clock that is not set, of another
/// person, and deleted ones. Readings of two persons never form a pair.
package struct AlertState: Sendable {
    package struct Limits: Sendable, Hashable {
        /// Older readings are ignored: an alert is about the present.
        var age: Duration = .seconds(3600)
        /// A reading further in the future has a wrong clock.
        package var ahead: Duration = .seconds(120)
        /// Evaluated readings that are remembered; the fastest monitor sends fewer in an hour.
        package var remembered = 512
        /// Pairs of person and rule whose state is kept.
        var tracks = 512
    }

    /// Automatic measurements, for rules about missing readings.
    package struct Plan: Sendable, Hashable {
        package var key: String
        package var driver: DriverID
        package var times: Times
        package var zone: ZoneTable
        /// The names that the cuff's readings may have.
        package var devices: Set<String>

        /// What starts the measurements, and so when the next one is due.
        package enum Times: Sendable, Hashable {
            /// A watch, at the plan's times of day.
            case plan(MonitoringPlan)
            /// The cuff, this many minutes after its latest measurement.
            case cycle(minutes: Int)
        }

        /// Sets each property as given; the cuff may be called by the key, too.
        package init(key: String, driver: DriverID, times: Times, zone: ZoneTable, devices: Set<String> = []) {
            self.key = key
            self.driver = driver
            self.times = times
            self.zone = zone
            self.devices = devices.union([key])
        }

        package init(key: String, driver: DriverID, plan: MonitoringPlan, zone: ZoneTable, devices: Set<String> = []) {
            self.init(key: key, driver: driver, times: .plan(plan), zone: zone, devices: devices)
        }

        /// When the next measurement is due; `nil` if the plan is over.
        func next(after time: Timestamp) -> Timestamp? {
            switch times {
            case .plan(let plan): plan.next(after: time.seconds, in: zone).map { Timestamp(seconds: $0) }
            case .cycle(let minutes): Timestamp(seconds: time.seconds + Int64(minutes) * 60)
            }
        }
    }

    package enum Event: Sendable {
        case reading(Reading, device: String)
        case deleted(Set<Reading.ID>)
        /// Stored readings that `isOfAnother`, as they are now.
        case moved([(reading: Reading, device: String)])
        case plans([Plan])
        /// New rules or names; alerts of unchanged rules stay raised.
        case rules([AlertRule], Household)
        case timePassed
    }

    struct PlanState: Sendable {
        var plan: Plan
        /// The time of the latest reading, or when the plan began.
        var since: Timestamp
        /// When the next reading is due; `nil` if the plan is over.
        var due: Timestamp? { plan.next(after: since) }
    }

    var rules: [AlertRule]
    package private(set) var household: Household
    let limits = Limits()
    let start: Timestamp
    var tracks: [AlertTrack.Key: AlertTrack] = [:]
    var handled: [Reading.ID: Timestamp] = [:]
    var plans: [String: PlanState] = [:]
    private var told: Set<AlertEvent> = []

    package init(_ rules: [AlertRule], household: Household = Household(), start: Timestamp) {
        self.rules = rules
        self.household = household
        self.start = start
    }

    /// Ids of the readings that pairs and alerts refer to, to ask whether they were deleted.
    package var readings: Set<Reading.ID> { tracks.values.reduce(into: []) { $0.formUnion($1.ids) } }

    /// Handles one event at the time `now`; returns the results in the order of the rules.
    package mutating func handle(_ event: Event, at now: Timestamp) -> [AlertEvent] {
        var events: [AlertEvent] = []
        switch event {
        case .reading(let reading, let device): receive(reading, device, now, &events)
        case .deleted(let ids): forget(ids, now, &events) { _ in nil }
        case .moved(let readings): move(readings, now, &events)
        case .plans(let plans): keep(plans, now, &events)
        case .rules(let rules, let household):
            (self.rules, self.household) = (rules, household)
            let known = Set(rules.map(\.identity))
            tracks = tracks.filter { known.contains($0.key.rule) }
        case .timePassed: break
        }
        silence(now, &events)
        return events
    }

    // MARK: Readings

    /// Why rules ignore a reading regardless of its values; `nil` if they do not.
    private func objection(to reading: Reading, _ time: Timestamp?, _ now: Timestamp) -> AlertEvent.Objection? {
        switch reading.clock {
        case .unset, .impossible: return .noTime
        case .absent, .time, .derived: break
        }
        guard let time, reading.rule != .unset else { return .noTime }
        if now.milliseconds - time.milliseconds > limits.age.milliseconds { return .old }
        if time.milliseconds - now.milliseconds > limits.ahead.milliseconds { return .ahead }
        return reading.origin == .memory && time < start ? .old : nil
    }

    private mutating func receive(_ reading: Reading, _ device: String, _ now: Timestamp, _ events: inout [AlertEvent]) {
        guard let pressure = reading.bloodPressure, !reading.isPending, reading.origin != .entered else { return }
        hear(reading, pressure, device, &events)
        guard handled[reading.id] == nil else { return }
        let objection = objection(to: reading, reading.measured, now)
        if objection == nil, let time = reading.measured { remember(reading.id, time, now) }
        for rule in rules where applies(rule, to: reading, of: device) {
            guard let verdict = rule.verdict(on: reading, pressure) else { continue }
            let remarks = rule.objections(to: reading.flags)
            if remarks.isEmpty, objection == nil, let time = reading.measured {
                judge(rule, reading, device, pressure, AlertTrack.Seen(id: reading.id, time: time, verdict: verdict), &events)
            } else if verdict == .meets {
                leaveOut(rule, reading, objection ?? .remarks(remarks), &events)
            }
        }
    }

    /// Reported once, so that a cuff whose readings are never evaluated is noticed. Old readings from a memory are not reported.
    private mutating func leaveOut(
        _ rule: AlertRule, _ reading: Reading, _ objection: AlertEvent.Objection, _ events: inout [AlertEvent]
    ) {
        if reading.origin == .memory, objection == .old || objection == .noTime { return }
        let event = AlertEvent.leftOut(rule: rule.name, objection, driver: reading.driver)
        if told.count < limits.tracks, told.insert(event).inserted { events.append(event) }
    }

    private func applies(_ rule: AlertRule, to reading: Reading, of device: String) -> Bool {
        (rule.driver.map { $0 == reading.driver } ?? true) && (rule.device.map { $0 == device } ?? true)
            && (rule.person.map { household.isMeant($0, by: reading, device: device) } ?? true)
    }

    private mutating func remember(_ id: Reading.ID, _ time: Timestamp, _ now: Timestamp) {
        handled[id] = time
        // Older readings are ignored anyway.
        let oldest = now.milliseconds - limits.age.milliseconds
        handled = handled.filter { $0.value.milliseconds >= oldest }
        while handled.count > limits.remembered, let first = handled.min(by: { $0.value < $1.value }) { handled[first.key] = nil }
    }

    private mutating func judge(
        _ rule: AlertRule, _ reading: Reading, _ device: String, _ pressure: BloodPressure, _ seen: AlertTrack.Seen,
        _ events: inout [AlertEvent]
    ) {
        let person = household.person(of: reading, device: device)
        let name = person.name
        let key = AlertTrack.Key(rule: rule.identity, subject: Self.subject(person))
        var track = tracks[key] ?? AlertTrack()
        defer { store(track, key) }
        track.origin = AlertTrack.Origin(driver: reading.driver, device: device, person: name ?? reading.user.map { "user \($0)" })
        guard let index = track.insert(seen, keeping: rule.span) else { return }
        guard let basis = rule.basis(of: index, in: track) else { return }
        let notice: AlertNotice
        if seen.verdict == .meets {
            if let standing = track.standing {
                let isDue = seen.time.milliseconds - standing.since.milliseconds >= rule.again.milliseconds
                guard isDue, index == track.seen.count - 1 else { return }
            }
            let latest = basis.max { $0.time < $1.time }?.time ?? seen.time
            track.standing = AlertTrack.Standing(since: latest, readings: basis.map(\.id))
            notice = rule.notice(.raised, reading, device, name, pressure, seen.time, basis.map(\.id))
        } else {
            guard let standing = track.standing, basis.allSatisfy({ $0.time > standing.since }) else { return }
            track.standing = nil
            notice = rule.notice(.cleared, reading, device, name, pressure, seen.time, basis.map(\.id))
        }
        events.append(.changed(notice, driver: reading.driver, device: device))
    }

    /// A person by name, wherever measured; otherwise a slot of a cuff.
    private static func subject(_ person: Person) -> UInt64 {
        let words =
            switch person {
            case .named(let name): "person\u{0}\(name.lowercased())"
            case .unnamed(let slot, let cuff): "slot\u{0}\(cuff ?? "")\u{0}\(slot.map { "\($0)" } ?? "-")"
            }
        return XXHash64.hash(Array(words.utf8).span)
    }

    mutating func store(_ track: AlertTrack, _ key: AlertTrack.Key) {
        tracks[key] = track.standing == nil && track.seen.isEmpty ? nil : track
        while tracks.count > limits.tracks {
            // Raised alerts are dropped last; of the others, the one with the oldest reading.
            let oldest = tracks.filter { $0.key != key }.min { first, second in
                let isFirstStanding = first.value.standing != nil
                guard isFirstStanding == (second.value.standing != nil) else { return !isFirstStanding }
                return first.value.latest < second.value.latest
            }
            guard let oldest else { return }
            tracks[oldest.key] = nil
        }
    }

    // MARK: Deletion

    /// Whether pairs or alerts of another person refer to this reading: it was moved, or its cuff and slot were bound to another name.
    package func isOfAnother(_ reading: Reading, device: String) -> Bool {
        let subject = Self.subject(household.person(of: reading, device: device))
        return tracks.contains { $0.key.subject != subject && $0.value.ids.contains(reading.id) }
    }

    /// Clears the alerts of the former person, and judges the readings as those of the present one.
    private mutating func move(_ readings: [(reading: Reading, device: String)], _ now: Timestamp, _ events: inout [AlertEvent]) {
        let found = Dictionary(readings.map { ($0.reading.id, $0) }) { first, _ in first }
        forget(Set(found.keys), now, &events) { standing in
            standing.readings.lazy.compactMap { found[$0] }.first.map { AlertTrack.Origin(driver: $0.reading.driver, device: $0.device) }
        }
        let none = Timestamp(milliseconds: 0)
        for one in readings.sorted(by: { ($0.reading.measured ?? none) < ($1.reading.measured ?? none) }) {
            handled[one.reading.id] = nil
            receive(one.reading, one.device, now, &events)
        }
    }

    /// Clears the alerts that refer to a deleted reading, without naming the reading; or, with an origin, to a moved one.
    private mutating func forget(
        _ ids: Set<Reading.ID>, _ now: Timestamp, _ events: inout [AlertEvent], moved: (AlertTrack.Standing) -> AlertTrack.Origin?
    ) {
        for key in tracks.keys.sorted(by: { ($0.rule, $0.subject) < ($1.rule, $1.subject) }) {
            guard var track = tracks[key] else { continue }
            let wasStanding = track.standing
            if track.forget(ids), let was = wasStanding, let rule = rules.first(where: { $0.identity == key.rule }) {
                let origin = moved(was)
                if let known = track.origin ?? origin { events.append(rule.withdrawn(was, known, now, isMoved: origin != nil)) }
            }
            store(track, key)
        }
    }
}

extension AlertTrack {
    fileprivate var latest: Timestamp {
        let none = Timestamp(milliseconds: 0)
        return max(seen.last?.time ?? none, standing?.since ?? none)
    }
}

extension Household {
    /// Whether a reading belongs to the person of a rule: a name, the number of a slot, or `none` for readings without one.
    fileprivate func isMeant(_ person: String, by reading: Reading, device: String) -> Bool {
        if person == "none" { return reading.user == nil }
        if let number = Int(person) { return reading.user.map { Int($0) == number } ?? false }
        return self.person(of: reading, device: device).name?.lowercased() == person.lowercased()
    }
}
