/// Joins the parts of one measurement: pressures, pulse and status with the same person and time stamp, in any order and number of reports
/// (A&D cuffs send pressures and pulses apart, batched and out of order).
/// Every reading must be on disk before its report is confirmed. Therefore an incomplete reading is emitted as *pending* at the end of its
/// report, and again with a higher revision when completed or when the association ends. Both have the same raw bytes, the pressures' own
/// without the pulse, and so the same id.
/// - complete in one report: revision 0, once. Settled without a pulse: 1. Each later part: one more.
/// - listed twice in one report under a stamp with seconds: one measurement, with the fuller values. Under a stamp without seconds, and in
///   a store: two. Listed twice with two pulses: always two.
/// - nothing is joined across reports without a time stamp.
/// - a pulse whose pressures never come is a separate pulse rate.
struct PHDJoiner: Sendable {
    /// Measurements that wait or may be amended. A cuff's largest known batch is 90; older ones are settled.
    static let ceiling = 256

    /// Limit of the search for parts. An agent with a cuff sends 896 bytes at most (docs/PHD.md §2.2), i.e. 29 measurements.
    static let reportCeiling = 1024

    /// The parts that a report of this agent may still bring.
    struct Expectation: Sendable {
        var pressure = false
        var pulse = false
        var status = false
        var mean = false

        init(_ configuration: borrowing PHDConfiguration) {
            pressure = configuration.hasPressure
            pulse = configuration.hasPulse
            status = configuration.hasPressureStatus
            mean = configuration.parts.contains(.mean)
        }
        init() {}
    }

    enum Kind: UInt8, Sendable { case pressure, failure, pulse, status, part }

    struct Entry: Sendable {
        var kind: Kind
        var stamp: PHDStamp
        var reading: Reading
        var report: UInt32
        var seen: UInt32
        var parts: UInt8 = 0
        var pulse: PHDNumber?
        var status: UInt16?
        var part: PHDPressurePart?
        /// Joined from single numbers; their mean has not come.
        var isJoined = false
        var awaitsMean = false
        var isTouched = true
        var isSplit = false
        var isPendingOut = false
        var isFinalOut = false
        var isAlone = false
        /// The pressures were repeated, without a pulse since; and their own flags, without those of pulse and status.
        var isListedAgain = false
        var ownFlags: MeasurementFlags = []
    }

    var entries: [Entry] = []
    private(set) var report: UInt32 = 0
    /// It holds entries of a store; each is a measurement.
    var isStore = false

    var isEmpty: Bool { entries.isEmpty }
    /// The results so far must be emitted before the rest of the report is read.
    var isFull: Bool { entries.count >= Self.reportCeiling }

    mutating func begin() { report &+= 1 }

    mutating func add(pressure reading: Reading, stamp: PHDStamp) {
        var reading = reading
        var equals: UInt16 = 0
        for known in entries.indices
        where entries[known].kind == .pressure && entries[known].stamp == stamp && stamp.isMatchable
            && entries[known].reading.user == reading.user
        {
            let isOfThisReport = isStore || entries[known].seen == report
            if isOfThisReport, !isStore, stamp.tellsSeconds, relist(known, reading) { return }
            guard entries[known].reading.raw == reading.raw else { continue }
            if isOfThisReport {
                equals &+= 1
                continue
            }
            // A repetition after a lost confirmation: its pulse may still come.
            entries[known].seen = report
            entries[known].isTouched = true
            entries[known].isListedAgain = true
            return
        }
        reading.occurrence = equals
        reading.repetition = .withoutPulse
        var entry = Entry(kind: .pressure, stamp: stamp, reading: reading, report: report, seen: report)
        entry.ownFlags = reading.flags
        // A pulse or status that came before its pressures.
        var index = 0
        while index < entries.count {
            let other = entries[index]
            guard other.kind == .pulse || other.kind == .status, !other.isAlone, !other.isFinalOut, matches(other, entry) else {
                index += 1
                continue
            }
            if other.kind == .pulse, entry.pulse == nil, let pulse = other.pulse {
                attach(pulse, other.reading.flags, to: &entry)
            } else if other.kind == .status, entry.status == nil, let status = other.status {
                attach(status: status, other.reading.flags, to: &entry)
            } else {
                index += 1
                continue
            }
            if other.report != report { entry.isSplit = true }
            entries.remove(at: index)
        }
        append(entry)
    }

    mutating func add(failure reading: Reading, stamp: PHDStamp) {
        var entry = Entry(kind: .failure, stamp: stamp, reading: reading, report: report, seen: report)
        entry.isAlone = true
        for index in entries.indices where entries[index].kind == .pulse && matches(entries[index], entry) {
            entries[index].isAlone = true
        }
        append(entry)
    }

    /// `reading` is the pulse as a separate reading, made only if needed.
    mutating func add(pulse: PHDNumber, flags: MeasurementFlags, user: Int32?, stamp: PHDStamp, alone reading: () -> Reading) {
        var isAlone = false
        var isKnown = false
        var listedAgain: Int?
        for index in entries.indices
        where entries[index].stamp == stamp && entries[index].reading.user == user
            && (stamp.isMatchable || entries[index].report == report)
        {
            switch entries[index].kind {
            // The oldest pressures without a pulse come first: two measurements may share a minute.
            case .pressure where entries[index].pulse == nil:
                touch(index)
                attach(pulse, flags, to: &entries[index])
                return
            case .pressure where entries[index].pulse == pulse:
                entries[index].isListedAgain = false
                isKnown = true
            case .pressure: if entries[index].isListedAgain { listedAgain = listedAgain ?? index }
            case .pulse: isKnown = isKnown || entries[index].pulse == pulse
            case .failure: isAlone = true
            case .status, .part: break
            }
        }
        // A repeated pulse, after a lost confirmation or within one report.
        if isKnown { return }
        if let listedAgain { return addAgain(listedAgain, pulse, flags) }
        var entry = Entry(kind: .pulse, stamp: stamp, reading: reading(), report: report, seen: report)
        entry.pulse = pulse
        entry.isAlone = isAlone
        append(entry)
    }

    mutating func add(status: UInt16, flags: MeasurementFlags, user: Int32?, stamp: PHDStamp, alone reading: () -> Reading) {
        let own = entries.indices.filter {
            entries[$0].stamp == stamp && entries[$0].reading.user == user && (stamp.isMatchable || entries[$0].report == report)
        }
        // Measurements that began in this report come first.
        for index in own.filter({ entries[$0].report == report }) + own.filter({ entries[$0].report != report }) {
            switch entries[index].kind {
            case .pressure where entries[index].status == nil:
                touch(index)
                attach(status: status, flags, to: &entries[index])
                return
            case .pressure where entries[index].status == status: return
            case .status where entries[index].status == status: return
            case .failure:
                entries[index].reading.flags.formUnion(PHDObservation.flags(pressureStatus: status).union(flags))
                return
            default: break
            }
        }
        var entry = Entry(kind: .status, stamp: stamp, reading: reading(), report: report, seen: report)
        entry.status = status
        append(entry)
    }

    /// The end of the report: emits everything it brought, complete or pending.
    mutating func finishReport(_ expected: Expectation, into actions: inout SessionActions) -> Int {
        var emitted = 0
        var keeps = false
        joinParts()
        numberEquals()
        for index in entries.indices {
            if entries[index].isTouched {
                entries[index].isTouched = false
                emitted += emit(index, expected, into: &actions)
            }
            keeps = keeps || Self.isKept(entries[index], expected)
        }
        if !keeps {
            entries.removeAll(keepingCapacity: true)
        } else {
            entries.removeAll { !Self.isKept($0, expected) }
            while entries.count > Self.ceiling {
                emitted += settle(0, into: &actions)
                entries.removeFirst()
            }
        }
        return emitted
    }

    /// The end of the association: what waits will not be completed in it. Settled readings are kept for a while, because an agent that
    /// lost the last confirmation repeats the missing part in the next association.
    mutating func settleAll(into actions: inout SessionActions) -> Int {
        var emitted = 0
        for index in entries.indices { emitted += settle(index, into: &actions) }
        entries.removeAll { $0.kind != .pressure }
        if entries.count > Self.ceiling / 4 { entries.removeFirst(entries.count - Self.ceiling / 4) }
        return emitted
    }

    mutating func append(_ entry: Entry) { entries.append(entry) }

    func matches(_ a: Entry, _ b: Entry) -> Bool {
        a.stamp == b.stamp && a.reading.user == b.reading.user && (a.stamp.isMatchable || a.report == b.report)
    }

    mutating func touch(_ index: Int) {
        entries[index].isTouched = true
        if entries[index].report != report { entries[index].isSplit = true }
    }

    func attach(_ pulse: PHDNumber, _ flags: MeasurementFlags, to entry: inout Entry) {
        entry.pulse = pulse
        entry.parts += 1
        entry.reading.flags.formUnion(flags)
        guard case .bloodPressure(var pressure) = entry.reading.content else { return }
        pressure.pulse = pulse.digits.map { PulseRate($0) }
        pressure.pulseAbsence = pulse.absence
        entry.reading.content = .bloodPressure(pressure)
        if !pressure.isPlausible { entry.reading.flags.insert(.implausible) }
    }

    /// `flags` apply to the status itself: an invalid one makes the measurement doubtful.
    private func attach(status: UInt16, _ flags: MeasurementFlags, to entry: inout Entry) {
        entry.status = status
        entry.parts += 1
        entry.reading.flags.formUnion(PHDObservation.flags(pressureStatus: status).union(flags))
    }

    private mutating func emit(
        _ index: Int, _ expected: Expectation, into actions: inout SessionActions
    ) -> Int {
        let entry = entries[index]
        let isComplete: Bool
        switch entry.kind {
        case .pressure:
            let isWhole = !entry.awaitsMean || !expected.mean
            isComplete = isWhole && (entry.pulse != nil || !expected.pulse) || !entry.stamp.isMatchable
        case .failure: isComplete = true
        case .pulse, .status, .part: isComplete = entry.isAlone || !expected.pressure || !entry.stamp.isMatchable
        }
        if isComplete || entry.isFinalOut { return emitFinal(index, into: &actions) }
        guard !entry.isPendingOut else { return 0 }
        // An absent pulse only explains a gap if its pressures come.
        if entry.kind == .pulse, entry.pulse?.digits == nil { return 0 }
        entries[index].isPendingOut = true
        entries[index].isSplit = true
        var reading = entry.reading
        reading.isPending = true
        actions.emit(reading)
        return 1
    }

    private mutating func emitFinal(_ index: Int, into actions: inout SessionActions) -> Int {
        entries[index].isFinalOut = true
        if entries[index].kind == .pulse, entries[index].pulse?.digits == nil { return 0 }
        let isAmended = entries[index].isSplit || entries[index].isPendingOut
        entries[index].reading.revision = isAmended ? 1 + entries[index].parts : 0
        actions.emit(entries[index].reading)
        return 1
    }

    private mutating func settle(_ index: Int, into actions: inout SessionActions) -> Int {
        entries[index].isFinalOut || entries[index].kind == .failure ? 0 : emitFinal(index, into: &actions)
    }

    /// Waiting entries, and those joined from several reports, whose other half may be repeated.
    @inline(__always)
    private static func isKept(_ entry: Entry, _ expected: Expectation) -> Bool {
        guard entry.stamp.isMatchable else { return false }
        return !entry.isFinalOut || entry.isSplit || expected.status && entry.kind == .pressure && entry.status == nil
    }
}
