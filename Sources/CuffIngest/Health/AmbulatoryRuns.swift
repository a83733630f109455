import CuffClinical
import CuffCore

/// Why stored measurements are no recording of a day.
public enum RecordingFault: Error, Sendable, Hashable {
    /// They span more than `AmbulatoryRecording.longest`.
    case tooLong
    /// They are more than `AmbulatoryRecording.mostEvents`.
    case tooMany
    /// They are of these cuffs, and a recording is of one.
    case severalCuffs([String])
    /// There is none.
    case empty
}

/// One person's recording.
public struct PersonRecording: Sendable {
    /// The user slot; `nil` for readings that tell none.
    public var user: Int?
    /// The recording, or why there is none.
    public var result: Result<AmbulatoryRecording, RecordingFault>
}

extension HealthRuns {
    /// The recording of each person of the selection. Without a beginning it is the 24 hours up to the latest measurement of
    /// each.
    public static func recordings(
        _ store: Store, _ selection: ReadingSelection, rule: AmbulatoryRule, plan: AmbulatoryPlan
    ) throws(IngestError) -> [PersonRecording] {
        var selection = selection
        selection.kinds = [.bloodPressure, .measurement]
        var found: [PersonRecording] = []
        for (user, own) in try Persons(store, selection).each(selection) {
            var own = own
            if own.since == nil { own.since = try beginning(store, own) }
            found.append(PersonRecording(user: user, result: try recording(store, own, rule: rule, plan: plan)))
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
            events.append(AmbulatoryEvent(outcome(of: reading, counting), at: time))
            return true
        }
        if isTooMany { return .failure(.tooMany) }
        if cuffs.count > 1 { return .failure(.severalCuffs(cuffs.sorted())) }
        let times = events.map(\.time.milliseconds)
        guard let first = times.min(), let last = times.max() else { return .failure(.empty) }
        guard last - first <= AmbulatoryRecording.longest.components.seconds * 1000 else { return .failure(.tooLong) }
        return .success(AmbulatoryRecording(events, rule: rule, plan: plan, zone: selection.zone))
    }

    private static func outcome(of reading: Reading, _ rule: InclusionRule) -> AmbulatoryEvent.Outcome {
        if case .failure = reading.content { return .failed }
        return switch rule.verdict(on: reading) {
        case .counts(let point): .reading(systolic: point.systolic, diastolic: point.diastolic, pulse: point.pulse)
        case .excluded(let reason): .leftOut(reason)
        }
    }
}
