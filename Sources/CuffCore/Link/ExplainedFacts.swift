/// What a driver decoded of some bytes, to be compared with what it decodes of others.
struct ExplainedFacts: Sendable {
    /// What two of them differ in.
    enum Difference {
        case none
        /// The same kinds of values, but these have other numbers.
        case values(Set<String>)
        /// Other kinds or numbers of values, or another complaint.
        case other
    }

    private(set) var readings: [Reading] = []
    private(set) var live: [LiveEvent] = []
    private(set) var clocks: [DeviceTime] = []
    private var cycles: [Int] = []
    private(set) var identities: [DeviceIdentity] = []
    /// Diagnostics and outcomes.
    private var remarks: [String] = []

    /// There is a value to which a byte can contribute.
    var hasValue: Bool { !readings.isEmpty || !live.isEmpty || !clocks.isEmpty || !cycles.isEmpty || !identities.isEmpty }

    /// Adds what the replay decoded since the last time, and empties it.
    mutating func take(_ replay: inout Replay) {
        replay.flush()
        for effect in replay.effects {
            switch effect {
            case .submit(let batch):
                readings += batch.entries.readings
                for case .live(let event, _, _) in batch.entries { live.append(event) }
            case .notify(.clock(let time, _)): clocks.append(time)
            case .notify(.cycle(let minutes)): cycles.append(minutes)
            case .notify(.identified(let identity)): identities.append(identity)
            case .notify(.diagnostic(.ignored(let why, _))): remarks.append("\(why)")
            case .notify(.diagnostic(.skipped)): remarks.append("skipped")
            case .notify(.diagnostic(.warning)): remarks.append("warning")
            case .notify(.ended(let outcome)), .notify(.finished(_, let outcome)): remarks.append(outcome.sentence ?? "")
            default: break
            }
        }
        replay.effects.removeAll(keepingCapacity: true)
    }

    func difference(from other: ExplainedFacts) -> Difference {
        guard readings.count == other.readings.count, live.count == other.live.count, clocks.count == other.clocks.count,
            cycles.count == other.cycles.count, identities.count == other.identities.count, remarks == other.remarks
        else { return .other }
        var names: Set<String> = []
        for (old, new) in zip(readings, other.readings) {
            guard old.content.type.description == new.content.type.description else { return .other }
            let (old, new) = (Self.values(old), Self.values(new))
            for name in Set(old.keys).union(new.keys) where old[name] != new[name] { names.insert(name) }
        }
        for (old, new) in zip(live, other.live) where old != new {
            guard Self.name(old) == Self.name(new) else { return .other }
            names.insert(Self.name(old))
        }
        if clocks != other.clocks { names.insert("clock") }
        if cycles != other.cycles { names.insert("cycle") }
        if identities != other.identities { names.insert("identity") }
        return names.isEmpty ? .none : .values(names)
    }

    /// The values of these names, with units, in a fixed order.
    func texts(of names: Set<String>) -> [String] {
        var found: [String] = []
        for reading in readings {
            let values = Self.values(reading)
            for name in Self.order where names.contains(name) && values[name] != nil { found.append("\(name) \(values[name] ?? "")") }
        }
        for event in live where names.contains(Self.name(event)) { found.append(Self.text(event)) }
        if names.contains("clock") { found += clocks.map { "clock \(Self.text($0))" } }
        if names.contains("cycle") { found += cycles.map { "cycle \($0) min" } }
        if names.contains("identity") {
            found += identities.map { "identity \([$0.model, $0.serial, $0.firmware].compactMap { $0 }.joined(separator: ", "))" }
        }
        // What is absent now: a flag that is not set, a pulse that was not measured.
        found += Self.order.filter { name in names.contains(name) && !found.contains { $0.hasPrefix(name + " ") } }.map { "\($0) none" }
        return found
    }

    private static let order = [
        "systolic", "diastolic", "mean", "pulse", "value", "failure", "user", "number", "time", "flags", "trigger",
    ]

    /// By name, with units; a value that is absent has no entry.
    private static func values(_ reading: Reading) -> [String: String] {
        var values: [String: String] = [:]
        switch reading.content {
        case .bloodPressure(let pressure):
            values["systolic"] = pressure.systolic.text
            values["diastolic"] = pressure.diastolic.text
            values["mean"] = pressure.mean?.text
            values["pulse"] = pressure.pulse.map { "\($0.digits.text) /min" }
        case .pulseRate(let pulse): values["pulse"] = "\(pulse.digits.text) /min"
        case .quantity(let quantity): values["value"] = "\(quantity.value?.text ?? "none") (\(quantity.mdc))"
        case .failure(let failure): values["failure"] = "\(failure.reason.word) \(failure.code)"
        }
        values["user"] = reading.user.map { "\($0)" }
        values["number"] = reading.sequence.map { "\($0)" }
        values["trigger"] = reading.trigger.word.map { "\($0)" }
        switch reading.clock {
        case .absent: break
        case .unset: values["time"] = "not set"
        case .impossible(let time): values["time"] = "impossible\(time.map { ": \(text($0))" } ?? "")"
        case .time(let time), .derived(let time): values["time"] = text(time)
        }
        // Whether numbers are plausible is this program's own remark.
        let flags = reading.flags.subtracting(.implausible)
        if !flags.isEmpty { values["flags"] = flags.list.map(\.description).joined(separator: ", ") }
        return values
    }

    private static func name(_ event: LiveEvent) -> String {
        switch event {
        case .cuffPressure: "cuff pressure"
        case .beat: "beat"
        case .started: "start"
        case .oscillation: "oscillation"
        case .waveform: "samples"
        case .ended: "end"
        case .aborted: "stop"
        case .recovered, .failed: "failure"
        case .alert: "alert"
        }
    }

    private static func text(_ event: LiveEvent) -> String {
        switch event {
        case .cuffPressure(let pressure): "cuff pressure \(pressure.text)"
        case .beat(let pressure, let interval, _): "beat \(pressure.systolic.text)/\(pressure.diastolic.text), \(interval) ms"
        case .oscillation(let pressure, let amplitude): "oscillation \(pressure.text), \(amplitude)"
        default: name(event)
        }
    }

    private static func text(_ time: DeviceTime) -> String { TextBuffer.text { $0.append(time) } }
}
