import CuffCore

/// What the pipeline holds and what must happen next, as a value: no queue, lock or clock. `Pipeline` performs the effects.
///
/// Rules:
/// - Batches are ordered by acceptance. Every sink receives them in this order, one delivery at a time. A delivery has the batches of
///   several cuffs only for a sink that stores them in one transaction.
/// - A batch is committed when every required durable sink has stored it; without such a sink, never. Commits of a source are
///   reported in order.
/// - A batch is passed on when every required sink has accepted it. This is reported separately, and only if nothing can be
///   committed: lines on standard output are not stored.
/// - Capacity counts readings that are not passed on. Sources pause at the high mark and resume at the low mark. Nothing accepted
///   is ever dropped for a required sink.
/// - A follower receives no deliveries: it shares its leader's transaction and has what the leader has stored.
/// - An optional sink delays no source: its backlog is limited, and the oldest readings beyond the limit count as missed.
/// - Live samples of a source that may thin them do not count towards the capacity; beyond their own limit they are dropped and
///   counted.
struct PipelineState: Sendable {
    struct Rule: Sendable {
        /// Sources wait for it.
        var isRequired = true
        /// What it accepted is on disk, or acknowledged by a server.
        var isDurable = true
        /// Whether it receives live events; only sinks of lines do.
        var takesLiveEvents = true
        /// Whether it receives alerts without other live events.
        var takesAlerts = false
        /// Whether one delivery may contain batches of several cuffs.
        var takesGroups = false
        /// The index of the member that writes for this one, too.
        var leader: Int?
    }

    struct Limits: Sendable {
        /// Uncommitted readings at which the sources pause: two chunks of a bulk file, and about 17 times the largest documented
        /// cuff memory.
        var high = 4096
        var low = 2048
        /// Entries merged into one delivery: one transaction, one fsync.
        var delivery = 1024
        /// The same for a sink whose readings lie far apart, of sources that are not live: 40 MB of readings.
        var scattered = 49_152
        var optional = 4096
        /// Queued live samples: five seconds of the fastest documented cuff, with 200 per second.
        var live = 1024
    }

    enum Effect: Sendable {
        case deliver([ReadingBatch], to: Int)
        case committed(source: Int, through: Int)
        /// Accepted by every required sink, none of which is durable.
        case passedOn(source: Int, through: Int)
        case pauseSources, resumeSources
        case missed(sink: Int, readings: Int)
        case thinned(source: Int, samples: Int)
    }

    /// A batch with the totals before it, so that a sum over a range is a difference.
    struct Slot: Sendable {
        var batch: ReadingBatch
        var readings: Int
        var readingsBefore: Int
        var weightBefore: Int
        var liveBefore: Int
    }

    struct Member: Sendable {
        var rule: Rule
        /// The first batch this sink has neither stored nor skipped.
        var position = 0
        var flight: Range<Int>?
        var flightReadings = 0
        var isHeld = false
        /// Entries merged into one delivery.
        var delivery: Int
    }

    let limits: Limits
    var members: [Member]
    var slots: [Slot] = []
    var head = 0
    /// Sequence number of `slots[head]`.
    var base = 0
    var end = 0
    /// The number of batches, of `end` accepted, that every required sink has.
    private(set) var passed = 0
    /// The number of batches that every required durable sink has; without one, equal to `passed`.
    private(set) var committed = 0
    let isDurable: Bool
    var totals = (readings: 0, weight: 0, live: 0)
    private(set) var isPaused = false
    /// The readings at which sources pause; as many as the largest delivery, so that it can come together.
    private var high: Int
    /// The latest batch was of a live source.
    private var isLive = false

    init(_ rules: [Rule], limits: Limits = Limits()) {
        self.limits = limits
        high = limits.high
        members = rules.map { Member(rule: $0, delivery: limits.delivery) }
        isDurable = rules.contains { $0.isRequired && $0.isDurable }
    }

    /// Readings accepted and not passed on.
    var held: Int { totals.weight - weightBefore(passed) }
    /// Every required sink has everything.
    var isSettled: Bool { passed == end }
    var isDrained: Bool { isSettled && members.allSatisfy { $0.position == end && $0.flight == nil } }

    var waiting: [Int] { members.map { totals.readings - readingsBefore($0.position) } }

    mutating func accept(_ batch: consuming ReadingBatch, mayThin: Bool = false, into effects: inout [Effect]) {
        isLive = mayThin
        // A live cuff's reading does not wait for a large transaction.
        if mayThin, high != limits.high {
            high = limits.high
            for index in members.indices { members[index].delivery = limits.delivery }
        }
        if mayThin { thin(&batch, into: &effects) }
        let readings = batch.readings
        let live = batch.entries.count - readings
        slots.append(
            Slot(
                batch: batch, readings: readings, readingsBefore: totals.readings, weightBefore: totals.weight,
                liveBefore: totals.live))
        totals.readings += readings
        totals.weight += readings + (mayThin ? 0 : live)
        totals.live += live
        end += 1
        for index in members.indices {
            if !members[index].rule.isRequired, members[index].rule.leader == nil { limit(index, into: &effects) }
            deliver(index, into: &effects)
        }
        settle(into: &effects)
        if !isPaused && held >= high {
            isPaused = true
            effects.append(.pauseSources)
        }
    }

    /// The sink has stored its last delivery. `isScattered`: its readings lay so far apart that a larger one would have cost less.
    mutating func stored(by index: Int, isScattered: Bool = false, into effects: inout [Effect]) {
        guard endFlight(of: index) else { return }
        let wasFull = 2 * members[index].flightReadings >= members[index].delivery
        // An optional sink would miss readings if sources paused later.
        if isScattered, wasFull, !isLive, members.allSatisfy(\.rule.isRequired) {
            members[index].delivery = min(4 * members[index].delivery, limits.scattered)
            high = max(high, members[index].delivery)
        }
        deliver(index, into: &effects)
        settle(into: &effects)
    }

    /// The same when the sinks are being closed: nothing more is delivered or reported.
    mutating func storedLast(by index: Int) {
        guard endFlight(of: index) else { return }
        for follower in members.indices where members[follower].rule.leader == index {
            members[follower].position = members[index].position
        }
    }

    private mutating func endFlight(of index: Int) -> Bool {
        guard let flight = members[index].flight else { return false }
        members[index].flight = nil
        members[index].position = max(members[index].position, flight.upperBound)
        return true
    }

    /// The sink threw: `retry` repeats the delivery.
    mutating func failed(_ index: Int, into effects: inout [Effect]) {
        guard let flight = members[index].flight else { return }
        // A skipped delivery of an optional sink is not repeated.
        if members[index].position >= flight.upperBound {
            effects.append(.missed(sink: index, readings: members[index].flightReadings))
        }
        members[index].flight = nil
        members[index].isHeld = true
    }

    mutating func retry(_ index: Int, into effects: inout [Effect]) {
        guard members[index].isHeld else { return }
        members[index].isHeld = false
        deliver(index, into: &effects)
        settle(into: &effects)
    }

    // MARK: Moving on

    private mutating func deliver(_ index: Int, into effects: inout [Effect]) {
        guard members[index].flight == nil, !members[index].isHeld, members[index].rule.leader == nil else { return }
        var position = members[index].position
        while position < end, isNothing(at: head + position - base, for: members[index].rule) { position += 1 }
        members[index].position = position
        guard position < end else { return }
        let (batches, upper) = delivery(from: position, for: members[index])
        members[index].flight = position..<upper
        members[index].flightReadings = readingsBefore(upper) - readingsBefore(position)
        effects.append(.deliver(batches, to: index))
    }

    /// What is delivered together, and the number of the batch after it. Consecutive batches of one cuff become one.
    private func delivery(from position: Int, for member: Member) -> (batches: [ReadingBatch], upper: Int) {
        var batches = [slots[head + position - base].batch]
        var count = batches[0].entries.count
        var upper = position + 1
        while upper < end {
            let place = head + upper - base
            if !isNothing(at: place, for: member.rule) {
                let slot = slots[place]
                let isSameCuff = slot.batch.continues(batches[batches.count - 1])
                count += slot.batch.entries.count
                guard isSameCuff || member.rule.takesGroups, count <= member.delivery else { break }
                if isSameCuff {
                    batches[batches.count - 1].entries.append(contentsOf: slot.batch.entries)
                    batches[batches.count - 1].through = slot.batch.through
                } else {
                    batches.append(slot.batch)
                }
            }
            upper += 1
        }
        return (batches, upper)
    }

    /// Takes a place, because passing a slot would copy it.
    private func isNothing(at place: Int, for rule: Rule) -> Bool {
        if rule.takesLiveEvents { return slots[place].batch.entries.isEmpty }
        return slots[place].readings == 0 && !(rule.takesAlerts && slots[place].batch.entries.alertCount > 0)
    }

    /// Reports new commits and releases batches that are no longer needed.
    private mutating func settle(into effects: inout [Effect]) {
        for index in members.indices {
            if let leader = members[index].rule.leader { members[index].position = members[leader].position }
        }
        passed = end
        var reached = end
        for member in members where member.rule.isRequired {
            passed = min(passed, member.position)
            if member.rule.isDurable { reached = min(reached, member.position) }
        }
        // Without a durable sink, passing on is reported instead.
        if !isDurable { reached = passed }
        while committed < reached {
            let source = slots[head + committed - base].batch.source
            var through = slots[head + committed - base].batch.through
            committed += 1
            while committed < reached, slots[head + committed - base].batch.source == source {
                through = slots[head + committed - base].batch.through
                committed += 1
            }
            effects.append(isDurable ? .committed(source: source, through: through) : .passedOn(source: source, through: through))
        }
        var needed = min(committed, passed)
        for member in members { needed = min(needed, member.position) }
        while base < needed { release() }
        if isPaused && held <= limits.low {
            isPaused = false
            effects.append(.resumeSources)
        }
    }

    private mutating func release() {
        slots[head].batch.entries = BatchEntries()
        head += 1
        base += 1
        if head == slots.count {
            slots.removeAll(keepingCapacity: true)
            head = 0
        } else if head > 256 && head > slots.count / 2 {
            slots.removeSubrange(..<head)
            head = 0
        }
    }

    // MARK: What is not stored

    /// What this sink has not stored of all that was accepted. `keeps`: the driver's cuffs repeat unacknowledged readings;
    /// readings from a cuff's memory stay there in any case.
    func unstored(by index: Int, keeps: (DriverID) -> Bool) -> UnstoredReadings {
        var unstored = UnstoredReadings()
        for sequence in max(members[index].position, base)..<max(end, members[index].position, base) {
            guard let slot = slot(sequence) else { continue }
            unstored.add(slot.batch, isKept: keeps(slot.batch.driver))
        }
        return unstored
    }
}
