import CuffCore

/// What the pipeline holds and what must happen next, as a value: no queue, no lock, no clock. `Pipeline` performs the
/// effects.
///
/// Rules:
/// - Batches stand in one order, the order of acceptance. Every sink takes them in that order, one delivery at a time.
/// - A batch is committed when every sink that is required and durable has stored it. Where there is no such sink, nothing
///   is ever committed. Commits of a source are told in its order.
/// - A batch is passed on when every sink that is not optional has taken it, pass-through sinks among them. That is told
///   apart from a commit, and only where nothing can be committed: a reader of standard output has stored nothing.
/// - Capacity counts readings that are not passed on. At the high mark the sources pause, at the low mark they resume.
///   Nothing that was accepted is dropped for a sink that is not optional, ever.
/// - A sink that follows another one is never handed anything: the leader's transaction is its own, and it has what the
///   leader has stored.
/// - An optional sink holds nobody up: what waits for it is bounded, and the oldest readings beyond that are counted as
///   missed.
/// - Live samples of a source that may thin them do not count against the capacity; beyond their own bound they are left
///   out and counted.
struct PipelineState: Sendable {
    struct Rule: Sendable {
        /// Not optional: the sources wait for it.
        var isRequired = true
        /// What it has taken is on disk, or safe where it was sent.
        var isDurable = true
        /// Live events go to sinks of lines only.
        var takesLiveEvents = true
        /// Of live events the alerts alone, where it does not take all of them.
        var takesAlerts = false
        /// The index of the member that writes for this one, too.
        var leader: Int?
    }

    struct Limits: Sendable {
        /// Readings not yet committed at which the sources pause: two chunks of a bulk file, and some seventeen times
        /// the largest documented cuff memory.
        var high = 4096
        var low = 2048
        /// Entries merged into one delivery: one transaction, one fsync.
        var delivery = 1024
        /// Readings that may wait for an optional sink.
        var optional = 4096
        /// Live samples that may wait: at 200 per second, the fastest documented cuff, five seconds.
        var live = 1024
    }

    enum Effect: Sendable {
        case deliver(Batch, to: Int)
        case committed(source: Int, through: Int)
        /// Taken by every sink there is to wait for, and stored by none that counts.
        case passedOn(source: Int, through: Int)
        case pauseSources, resumeSources
        case missed(sink: Int, readings: Int)
        case thinned(source: Int, samples: Int)
    }

    /// A batch with what was accepted before it, so that every sum over a stretch is a difference.
    struct Slot: Sendable {
        var batch: Batch
        var readings: Int
        var readingsBefore: Int
        var weightBefore: Int
        var liveBefore: Int
    }

    struct Member: Sendable {
        var rule: Rule
        /// The first batch this sink has neither stored nor passed over.
        var position = 0
        var flight: Range<Int>?
        var flightReadings = 0
        var isHeld = false
    }

    let limits: Limits
    var members: [Member]
    var slots: [Slot] = []
    var head = 0
    /// Sequence number of `slots[head]`.
    var base = 0
    var end = 0
    /// Batches that every sink has that is not optional, of `end` that were accepted.
    private(set) var passed = 0
    /// Batches that every required durable sink has; where there is none, as `passed`.
    private(set) var committed = 0
    /// There is a sink whose word is a commit.
    let isDurable: Bool
    var totals = (readings: 0, weight: 0, live: 0)
    private(set) var isPaused = false

    init(_ rules: [Rule], limits: Limits = Limits()) {
        self.limits = limits
        members = rules.map { Member(rule: $0) }
        isDurable = rules.contains { $0.isRequired && $0.isDurable }
    }

    /// Readings accepted and not passed on.
    var held: Int { totals.weight - weightBefore(passed) }
    /// Everything accepted is stored by every required durable sink.
    var isCommitted: Bool { isDurable && committed == end }
    /// Every sink that is not optional has everything.
    var isSettled: Bool { passed == end }
    /// Nothing waits for any sink.
    var isDrained: Bool { isSettled && members.allSatisfy { $0.position == end && $0.flight == nil } }

    /// Readings that wait for each sink.
    var waiting: [Int] { members.map { totals.readings - readingsBefore($0.position) } }

    mutating func accept(_ batch: consuming Batch, mayThin: Bool = false, into effects: inout [Effect]) {
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
        if !isPaused && held >= limits.high {
            isPaused = true
            effects.append(.pauseSources)
        }
    }

    /// The sink returned: what it was handed last is durable there.
    mutating func stored(by index: Int, into effects: inout [Effect]) {
        guard let flight = members[index].flight else { return }
        members[index].flight = nil
        members[index].position = max(members[index].position, flight.upperBound)
        deliver(index, into: &effects)
        settle(into: &effects)
    }

    /// The sink threw: the same comes again after `retry`.
    mutating func failed(_ index: Int, into effects: inout [Effect]) {
        guard let flight = members[index].flight else { return }
        // An optional sink may have passed over its delivery meanwhile; then that does not come again.
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
        while position < end, isNothing(slots[head + position - base], for: members[index].rule) { position += 1 }
        members[index].position = position
        guard position < end else { return }
        var upper = position + 1
        let first = slots[head + position - base].batch
        var count = first.entries.count
        while upper < end {
            let next = slots[head + upper - base].batch
            guard next.continues(first), count + next.entries.count <= limits.delivery else { break }
            count += next.entries.count
            upper += 1
        }
        members[index].flight = position..<upper
        members[index].flightReadings = readingsBefore(upper) - readingsBefore(position)
        if upper == position + 1 {
            effects.append(.deliver(first, to: index))
        } else {
            effects.append(.deliver(merged(position..<upper, count), to: index))
        }
    }

    private func isNothing(_ slot: Slot, for rule: Rule) -> Bool {
        if rule.takesLiveEvents { return slot.batch.entries.isEmpty }
        return slot.readings == 0 && !(rule.takesAlerts && slot.batch.entries.alertCount > 0)
    }

    private func merged(_ range: Range<Int>, _ count: Int) -> Batch {
        var batch = slots[head + range.lowerBound - base].batch
        batch.entries.reserveCapacity(count)
        for sequence in range.dropFirst() {
            batch.entries.append(contentsOf: slots[head + sequence - base].batch.entries)
        }
        batch.through = slots[head + range.upperBound - 1 - base].batch.through
        return batch
    }

    /// Tells what has become committed, and lets go of what nobody needs any more.
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
        // Where nothing commits, it is the passing on that is told.
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
        slots[head].batch.entries = Entries()
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

    /// What this sink has not stored of all that was accepted. `keeps`: the driver's cuffs send a reading again that was not
    /// acknowledged; what comes from a memory stays there in any case.
    func unstored(by index: Int, keeps: (DriverID) -> Bool) -> UnstoredReadings {
        var unstored = UnstoredReadings()
        for sequence in max(members[index].position, base)..<max(end, members[index].position, base) {
            guard let slot = slot(sequence) else { continue }
            unstored.add(slot.batch, isKept: keeps(slot.batch.driver))
        }
        return unstored
    }
}
