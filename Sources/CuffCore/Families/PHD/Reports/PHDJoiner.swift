/// Joins the parts of one measurement: pressures, pulse and status with the same person and time stamp, in any order and number of reports
/// (A&D cuffs send pressures and pulses apart, batched and out of order).
/// Every reading must be on disk before its report is confirmed. Therefore an incomplete reading is emitted as *pending* at the end of its
/// report, and again with a higher revision when completed or when the association ends. Both have the same raw bytes, the pressures' own
/// without the pulse, and so the same id.
/// - complete in one report: revision 0, once. Settled without a pulse: 1. Each later part: one more.
/// - listed twice in one report under a stamp with seconds: one measurement, with the fuller values. Under a stamp without seconds, and in
///   a store: two. Listed twice with two pulses: always two.
/// - nothing is joined across reports without a time, or across the entries of a store.
/// - a pulse or status belongs to the pressures of its own report; those of others come after them (`joinReports`).
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
            mean = configuration.parts.contains(PHDMetric.mean)
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
        /// Those of pressures.
        var pulse: PHDNumber?
        var status: UInt16?
        /// A pulse or status of its own; a number of its own.
        var value: Value?
        var part: PHDPressurePart?
        /// Joined from single numbers; their mean has not come.
        var isJoined = false
        var awaitsMean = false
        var isTouched = true
        var isSplit = false
        var isPendingOut = false
        var isFinalOut = false
        var isAlone = false
        /// Older entries of this stamp lack such a value, or one waits: it is joined at the end of the report.
        var isContested = false
        /// Its value was joined, or equals one of this report: removed at the end of the report.
        var isDispensable = false
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

    /// A report, or an entry of a store.
    mutating func begin() {
        if isStore { joinParts() }
        report &+= 1
    }

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
            guard let value = other.value, entry.lacks(value), !other.isAlone, !other.isFinalOut, !other.isContested,
                other.report == report, matches(other, entry)
            else {
                index += 1
                continue
            }
            attach(value, other.reading.flags, to: &entry)
            entries.remove(at: index)
        }
        entries.append(entry)
    }

    mutating func add(failure reading: Reading, stamp: PHDStamp) {
        let entry = Entry(kind: .failure, stamp: stamp, reading: reading, report: report, seen: report)
        for index in entries.indices where entries[index].kind == .pulse && matches(entries[index], entry) {
            entries[index].isAlone = true
        }
        entries.append(entry)
    }

    /// The end of the report: emits everything it brought, complete or pending.
    mutating func finishReport(_ expected: Expectation, into actions: inout SessionActions) -> Int {
        var emitted = 0
        var keeps = false
        joinParts()
        joinReports()
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

    /// Two entries of a store are two measurements, whatever their stamps.
    func matches(_ a: Entry, _ b: Entry) -> Bool {
        a.stamp == b.stamp && a.reading.user == b.reading.user && (!isStore && a.stamp.isMatchable || a.report == b.report)
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
        if entry.value?.isAbsent == true { return 0 }
        entries[index].isPendingOut = true
        entries[index].isSplit = true
        var reading = entry.reading
        reading.isPending = true
        actions.emit(reading)
        return 1
    }

    private mutating func emitFinal(_ index: Int, into actions: inout SessionActions) -> Int {
        entries[index].isFinalOut = true
        if entries[index].value?.isAbsent == true { return 0 }
        entries[index].reading.revision = entries[index].isSplit ? 1 + entries[index].parts : 0
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
