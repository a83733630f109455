import CuffCore

/// What comes of an event.
public enum AlertEvent: Sendable, Hashable {
    /// An alert was raised or cleared, by a reading of this cuff or for want of one.
    case changed(AlertNotice, driver: DriverID, device: String)
    /// A reading would have met the rule, and was left out. Told once in a run for each rule, reason and driver.
    case leftOut(rule: String, Objection, driver: DriverID)

    /// Why a reading that just came is not looked at.
    public enum Objection: Sendable, Hashable {
        /// These remarks say something against its values.
        case remarks(MeasurementFlags)
        /// It was measured longer ago than `AlertState.Limits.age`, or the cuff's clock is slow.
        case old
        /// The cuff's clock is fast.
        case ahead
        /// The cuff's clock is not set, or the reading has no time.
        case noTime
    }
}

/// The user's rules at work: which readings they look at, and when an alert is raised and cleared. Pure: time is an argument,
/// what happens is a value.
///
/// Rules look at a reading that is a whole blood pressure with a time, at most `Limits.age` old, and not looked at before; at one
/// from a cuff's memory only where it was measured since the watch began. A reading with a remark that is not harmless, a clock
/// that is not set, of another person, or that was deleted, is never looked at. Persons are apart: two of them never make a pair.
public struct AlertState: Sendable {
    /// What a rule never looks beyond.
    public struct Limits: Sendable, Hashable {
        /// An alert is about now: older readings are not looked at.
        public var age: Duration = .seconds(3600)
        /// A reading from further ahead has a clock that is wrong.
        public var ahead: Duration = .seconds(120)
        /// Readings that are remembered as looked at; an hour of the fastest monitor has fewer.
        public var remembered = 512
        /// Persons and rules whose state is kept.
        public var tracks = 512

        /// The limits as they stand here.
        public init() {}
    }

    /// Automatic measurements that are being made, for rules about silence.
    public struct Plan: Sendable, Hashable {
        /// Names the plan.
        public var key: String
        /// The driver of the cuff.
        public var driver: DriverID
        /// When measurements are due.
        public var times: Times
        /// The zone of the plan's times of day.
        public var zone: ZoneTable
        /// What the readings of the cuff may carry as its name.
        public var devices: Set<String>

        /// Who measures, and so when the next measurement is due.
        public enum Times: Sendable, Hashable {
            /// A watch, at the plan's times of day.
            case plan(MonitoringPlan)
            /// The cuff by itself, so many minutes after its latest measurement.
            case cycle(minutes: Int)
        }

        /// Sets each property as given; the cuff may be called by the key, too.
        public init(key: String, driver: DriverID, times: Times, zone: ZoneTable, devices: Set<String> = []) {
            self.key = key
            self.driver = driver
            self.times = times
            self.zone = zone
            self.devices = devices.union([key])
        }

        /// A plan that a watch keeps.
        public init(key: String, driver: DriverID, plan: MonitoringPlan, zone: ZoneTable, devices: Set<String> = []) {
            self.init(key: key, driver: driver, times: .plan(plan), zone: zone, devices: devices)
        }

        /// When the first measurement after this one is due; `nil` where the plan is over.
        func next(after time: Timestamp) -> Timestamp? {
            switch times {
            case .plan(let plan): plan.next(after: time.seconds, in: zone).map { Timestamp(seconds: $0) }
            case .cycle(let minutes): Timestamp(seconds: time.seconds + Int64(minutes) * 60)
            }
        }
    }

    /// What happens to the alerts of a watch.
    public enum Event: Sendable {
        /// A reading came from the cuff of this name.
        case reading(Reading, device: String)
        /// These readings were deleted.
        case deleted(Set<Reading.ID>)
        /// These plans are kept from now on, and no others.
        case plans([Plan])
        /// Other rules or names; what stands by a rule that stays, stays.
        case rules([AlertRule], AlertPersons)
        case timePassed
    }

    struct PlanState: Sendable {
        var plan: Plan
        /// The latest reading, or when the plan began to be watched.
        var since: Timestamp
    }

    var rules: [AlertRule]
    var persons: AlertPersons
    let limits: Limits
    /// When the watch began.
    let start: Timestamp
    var tracks: [AlertTrack.Key: AlertTrack] = [:]
    /// Readings that were looked at, with their times.
    var handled: [Reading.ID: Timestamp] = [:]
    var plans: [String: PlanState] = [:]
    private var told: Set<AlertEvent> = []

    /// A watch that begins at `start`, with nothing raised.
    public init(_ rules: [AlertRule], persons: AlertPersons = AlertPersons(), start: Timestamp, limits: Limits = Limits()) {
        self.rules = rules
        self.persons = persons
        self.start = start
        self.limits = limits
    }

    /// Ids of the readings that pairs, alerts and memory rest on: who deletes readings, may be asked for them.
    public var readings: Set<Reading.ID> { tracks.values.reduce(into: []) { $0.formUnion($1.ids) } }

    /// Handles one event at the wall clock's `now`; returns what came of it, in the order of the rules.
    public mutating func handle(_ event: Event, at now: Timestamp) -> [AlertEvent] {
        var events: [AlertEvent] = []
        switch event {
        case .reading(let reading, let device): receive(reading, device, now, &events)
        case .deleted(let ids): forget(ids, now, &events)
        case .plans(let plans): keep(plans, now, &events)
        case .rules(let rules, let persons):
            (self.rules, self.persons) = (rules, persons)
            let known = Set(rules.map(\.identity))
            tracks = tracks.filter { known.contains($0.key.rule) }
        case .timePassed: break
        }
        silence(now, &events)
        return events
    }

    // MARK: Readings

    /// Why rules do not look at a reading, whatever its values are; `nil` where they do.
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

    /// Told once, so that nobody waits in vain for alerts of a cuff whose readings are never looked at. What a memory holds of
    /// before is nothing to tell.
    private mutating func leaveOut(
        _ rule: AlertRule, _ reading: Reading, _ objection: AlertEvent.Objection, _ events: inout [AlertEvent]
    ) {
        if reading.origin == .memory, objection == .old || objection == .noTime { return }
        let event = AlertEvent.leftOut(rule: rule.name, objection, driver: reading.driver)
        if told.count < limits.tracks, told.insert(event).inserted { events.append(event) }
    }

    private func applies(_ rule: AlertRule, to reading: Reading, of device: String) -> Bool {
        (rule.driver.map { $0 == reading.driver } ?? true) && (rule.device.map { $0 == device } ?? true)
            && (rule.person.map { persons.isMeant($0, device: device, user: reading.user) } ?? true)
    }

    private mutating func remember(_ id: Reading.ID, _ time: Timestamp, _ now: Timestamp) {
        handled[id] = time
        // What is older is not looked at anyway.
        let oldest = now.milliseconds - limits.age.milliseconds
        handled = handled.filter { $0.value.milliseconds >= oldest }
        while handled.count > limits.remembered, let first = handled.min(by: { $0.value < $1.value }) { handled[first.key] = nil }
    }

    private mutating func judge(
        _ rule: AlertRule, _ reading: Reading, _ device: String, _ pressure: BloodPressure, _ seen: AlertTrack.Seen,
        _ events: inout [AlertEvent]
    ) {
        let name = persons.name(device: device, user: reading.user)
        let key = AlertTrack.Key(rule: rule.identity, subject: Self.subject(name, device, reading.user))
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
    private static func subject(_ name: String?, _ device: String, _ user: Int32?) -> UInt64 {
        let words = name.map { "person\u{0}\($0.lowercased())" } ?? "slot\u{0}\(device)\u{0}\(user.map { "\($0)" } ?? "-")"
        return XXHash64.hash(Array(words.utf8).span)
    }

    mutating func store(_ track: AlertTrack, _ key: AlertTrack.Key) {
        tracks[key] = track.standing == nil && track.seen.isEmpty ? nil : track
        while tracks.count > limits.tracks {
            // What stands goes last; of the others the one that was not heard of for longest.
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

    /// An alert that rests on a deleted reading does not stand any more. Nothing of the reading is told.
    private mutating func forget(_ ids: Set<Reading.ID>, _ now: Timestamp, _ events: inout [AlertEvent]) {
        for key in tracks.keys.sorted(by: { ($0.rule, $0.subject) < ($1.rule, $1.subject) }) {
            guard var track = tracks[key] else { continue }
            let wasStanding = track.standing
            if track.forget(ids), let was = wasStanding, let origin = track.origin,
                let rule = rules.first(where: { $0.identity == key.rule })
            {
                events.append(rule.withdrawn(was, origin, now))
            }
            store(track, key)
        }
    }
}

extension AlertTrack {
    /// When it was heard of last.
    fileprivate var latest: Timestamp {
        let none = Timestamp(milliseconds: 0)
        return max(seen.last?.time ?? none, standing?.since ?? none)
    }
}
