import CuffClinical
import CuffCore

extension HealthRuns {
    /// The recording of each person of the selection. Without a beginning, the 24 hours before each person's latest measurement.
    package static func recordings(
        _ store: Store, _ selection: ReadingSelection, rule: AmbulatoryRule, plan: AmbulatoryPlan
    ) throws(IngestError) -> [PersonRecording] {
        var selection = selection
        selection.kinds = [.bloodPressure, .measurement]
        var found: [PersonRecording] = []
        for person in try store.persons(selection).all {
            var own = selection
            own.person = person
            if own.since == nil { own.since = try beginning(store, own) }
            found.append(PersonRecording(person: person, result: try recording(store, own, rule: rule, plan: plan)))
        }
        return found
    }

    /// 24 hours before the latest measurement with a known time.
    private static func beginning(_ store: Store, _ selection: ReadingSelection) throws(IngestError) -> Timestamp? {
        var latest: Timestamp?
        try store.forEach(selection) { reading, _ in
            if let time = reading.bestTime(in: selection.zone) { latest = max(latest ?? time, time) }
            return true
        }
        return latest.map { Timestamp(milliseconds: $0.milliseconds - 86_400_000) }
    }

    private static func recording(
        _ store: Store, _ selection: ReadingSelection, rule: AmbulatoryRule, plan: AmbulatoryPlan
    ) throws(IngestError) -> Result<AmbulatoryRecording, RecordingFault> {
        let counting = InclusionRule(zone: selection.zone)
        var events: [AmbulatoryEvent] = []
        var cuffs: [String] = []
        var isTooMany = false
        try store.forEach(selection) { reading, provenance in
            guard let time = reading.bestTime(in: selection.zone) else { return true }
            guard events.count < AmbulatoryRecording.mostEvents else {
                isTooMany = true
                return false
            }
            let name = provenance.device.isEmpty ? provenance.driver : provenance.device
            if !cuffs.contains(name) { cuffs.append(name) }
            events.append(event(of: reading, counting, at: time))
            return true
        }
        if isTooMany { return .failure(.tooMany) }
        return evaluate(events, cuffs, rule, plan, selection.zone)
    }

    private static func evaluate(
        _ events: [AmbulatoryEvent], _ cuffs: [String], _ rule: AmbulatoryRule, _ plan: AmbulatoryPlan, _ zone: ZoneTable
    ) -> Result<AmbulatoryRecording, RecordingFault> {
        // A line may lack a device.
        let named = cuffs.filter { !$0.isEmpty }
        if named.count > 1 { return .failure(.severalCuffs(named.sorted())) }
        let times = events.map(\.time.milliseconds)
        guard let first = times.min(), let last = times.max() else { return .failure(.empty) }
        guard last - first <= AmbulatoryRecording.longest.components.seconds * 1000 else { return .failure(.tooLong) }
        return .success(AmbulatoryRecording(events, rule: rule, plan: plan, zone: zone))
    }

    /// As above, for measurements as JSON Lines; `-` is standard input.
    package static func recordings(
        lines path: String, _ selection: ReadingSelection, rule: AmbulatoryRule, plan: AmbulatoryPlan
    ) throws(IngestError) -> [PersonRecording] {
        struct Events {
            var events: [(event: AmbulatoryEvent, source: Int)] = []
            var isTooMany = false

            mutating func keepLatestDay() {
                guard let latest = events.map(\.event.time.milliseconds).max() else { return }
                events.removeAll { $0.event.time.milliseconds < latest - 86_400_000 }
            }
        }
        var persons: [Person: Events] = [:]
        let lines = try PrintedReadings(path)
        for content in try lines.all(selection) {
            let (event, whose, source): (AmbulatoryEvent?, Person, Int)
            switch content {
            case .failure(let time, let person, let cuff): (event, whose, source) = (AmbulatoryEvent(.failed, at: time), person, cuff)
            case .reading(let one):
                let flags = one.exclusion == nil ? one.flags : nil
                let outcome: AmbulatoryEvent.Outcome =
                    one.exclusion.map { .leftOut($0) } ?? .reading(systolic: one.systolic, diastolic: one.diastolic, pulse: one.pulse)
                (event, whose, source) = (one.time.map { AmbulatoryEvent(outcome, at: $0, flags: flags) }, one.person, one.source)
            }
            guard let event else { continue }
            var person = persons.removeValue(forKey: whose) ?? Events()
            person.events.append((event, source))
            if person.events.count > AmbulatoryRecording.mostEvents {
                if selection.since == nil { person.keepLatestDay() }
                person.isTooMany = person.isTooMany || person.events.count > AmbulatoryRecording.mostEvents
                if person.isTooMany { person.events.removeAll() }
            }
            persons[whose] = person
        }
        return persons.sorted { $0.key < $1.key }.map { whose, person in
            var person = person
            if selection.since == nil { person.keepLatestDay() }
            let cuffs = Set(person.events.map(\.source)).map { place in
                let source = lines.sources[place]
                return source.device.isEmpty ? source.driver : source.device
            }
            let result =
                person.isTooMany ? .failure(.tooMany) : evaluate(person.events.map(\.event), cuffs, rule, plan, selection.zone)
            return PersonRecording(person: whose, result: result)
        }
    }

    private static func event(of reading: Reading, _ rule: InclusionRule, at time: Timestamp) -> AmbulatoryEvent {
        if case .failure = reading.content { return AmbulatoryEvent(.failed, at: time) }
        switch rule.verdict(on: reading) {
        case .counts(let point):
            let outcome = AmbulatoryEvent.Outcome.reading(systolic: point.systolic, diastolic: point.diastolic, pulse: point.pulse)
            return AmbulatoryEvent(outcome, at: time, flags: reading.flags)
        case .excluded(let reason): return AmbulatoryEvent(.leftOut(reason), at: time)
        }
    }
}
