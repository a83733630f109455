/// Prepares a cuff's readings for the sinks: gives them ids, instants and revisions, drops duplicates and unwanted ones, and batches the
/// rest with live events. The readings of one session event are appended (`lend`, `accept`), then admitted in ranges: `prepare`, and
/// `admitNew` or, reading by reading, `isWanted` and `admit`.
struct Admission: Sendable {
    /// Larger batches come from files.
    private static let smallBatch = 64

    private let driver: DriverID
    private var ledger: ReadingLedger
    /// `nil` if readings get no host time: bytes from a file, without a zone. A time with its own offset from UTC needs none.
    private var clock: ClockCorrection?
    private var held = HeldReadings()
    /// The readings that corrections refer to; and those of a recording.
    private var references = ReadingReferences()
    private var recordedReferences: [String: [UInt8]] = [:]
    /// Indices of the readings being admitted that are dropped.
    private var dropped: [Int] = []
    private var entries = BatchEntries()
    /// The number of leading readings in `entries` that are admitted.
    private(set) var admitted = 0
    /// Something was emitted since the last `submit`, duplicates included.
    private var hasUnsubmitted = false
    private var identity: DeviceIdentity?
    private var persisted: [UInt8]
    private(set) var emitted = 0
    private(set) var counters = LinkCounters()

    init(_ setup: LinkState.Setup) {
        driver = setup.driver.id
        clock = setup.zone.map { ClockCorrection(zone: $0) }
        let outstanding = setup.outstanding(setup.device)
        persisted = outstanding.bytes
        ledger = ReadingLedger(device: setup.device, driver: driver, outstanding: outstanding)
    }

    var hasNews: Bool { hasUnsubmitted || !entries.isEmpty }
    var holdsReadings: Bool { !held.isEmpty }
    var liveEvents: Int { entries.liveEvents }

    /// Moves the collected readings into an empty array, so that a session can append to it; returns their number.
    @inline(__always)
    mutating func lend(_ readings: inout [Reading]) -> Int {
        swap(&entries.readings, &readings)
        return readings.count
    }

    /// Takes the array back; readings from `first` are new. Returns the end index.
    @inline(__always)
    mutating func accept(_ readings: inout [Reading], from first: Int) -> Int {
        swap(&entries.readings, &readings)
        let end = entries.readings.count
        emitted += end - first
        if end > first { hasUnsubmitted = true }
        admitted = first
        return end
    }

    mutating func discardRest() { entries.readings.removeLast(entries.readings.count - admitted) }

    /// Completes the readings in place. A separate pass, because mispredicted hash look-ups would discard work on later readings.
    mutating func prepare(
        _ range: Range<Int>, _ setup: inout LinkState.Setup, at now: LinkTime, isMeasuring: Bool, _ effects: inout [LinkEffect]
    ) {
        if isMeasuring {
            for index in range where entries.readings[index].origin == .measurement && entries.readings[index].trigger == .unknown {
                entries.readings[index].trigger = setup.trigger
            }
        }
        for index in range { ledger.name(&entries.readings[index], received: now.wall) }
        if setup.isLineUnchecked, setup.driver.check == nil {
            for index in range { entries.readings[index].flags.insert(.noMeasurementCheck) }
        }
        dropped.removeAll()
        for index in range where entries.readings[index].reference.isSet { resolve(index, &setup, &effects) }
        // Moved out and back, because a copy would retain the zone's table for each batch.
        guard let clock = self.clock.take() else {
            for index in range where entries.readings[index].clock.time?.utcOffset != nil {
                ClockCorrection.applyOwnOffset(to: &entries.readings[index])
            }
            return
        }
        for index in range {
            let hasArrived = entries.readings[index].received != nil
            guard hasArrived || !setup.placesArrivalsOnly else {
                ClockCorrection.applyOwnOffset(to: &entries.readings[index])
                continue
            }
            if hasArrived { entries.readings[index].isHostClockUnsynchronised = now.isHostClockUnsynchronised }
            clock.apply(to: &entries.readings[index])
        }
        self.clock = consume clock
    }

    private mutating func resolve(_ index: Int, _ setup: inout LinkState.Setup, _ effects: inout [LinkEffect]) {
        // Recordings neither read nor change the memory.
        var memory = setup.isRecorded ? recordedReferences : setup.memory
        var changed: Set<String> = []
        let outcome = references.resolve(&entries.readings[index], memory: &memory, changed: &changed)
        if setup.isRecorded {
            recordedReferences = memory
        } else {
            for key in changed.sorted() {
                guard let value = memory[key] else { continue }
                setup.memory[key] = value
                effects.append(.remember(key: key, value: value))
            }
        }
        if outcome == .dropped { dropped.append(index) }
        if let warning = outcome.warning { effects.append(.notify(.diagnostic(.warning(warning)))) }
    }

    mutating func admitNew(_ range: Range<Int>) {
        let first = admitted
        for index in range where isNew(index) {
            if admitted < index { entries.readings.swapAt(admitted, index) }
            admitted += 1
        }
        counters.duplicates += range.count - (admitted - first)
        counters.readings += admitted - first
        for index in first..<admitted { countFailure(index) }
    }

    mutating func isWanted(_ index: Int, by accepts: (@Sendable (Reading) -> Bool)?) -> Bool {
        guard isNew(index) else {
            counters.duplicates += 1
            return false
        }
        if let accepts, !accepts(entries.readings[index]) {
            counters.filtered += 1
            return false
        }
        if admitted < index { entries.readings.swapAt(admitted, index) }
        return true
    }

    var candidate: Reading { entries.readings[admitted] }

    mutating func admit() {
        counters.readings += 1
        countFailure(admitted)
        admitted += 1
    }

    @inline(__always)
    private mutating func isNew(_ index: Int) -> Bool {
        if !dropped.isEmpty, dropped.contains(index) { return false }
        return ledger.isNew(&entries.readings[index])
    }

    @inline(__always)
    private mutating func countFailure(_ index: Int) {
        if case .failure = entries.readings[index].content, !entries.readings[index].isWithdrawal { counters.failures += 1 }
    }

    mutating func append(_ event: LiveEvent, elapsed: Duration?) {
        counters.liveEvents += 1
        entries.append(event, driver: driver, elapsed: elapsed, afterReadings: admitted)
    }

    mutating func setElapsed(_ elapsed: Duration, ofLiveEvent index: Int) { entries.setElapsed(elapsed, ofLiveEvent: index) }

    /// Submits the emissions up to `through`, once the outstanding records are persisted. Duplicates count.
    mutating func submit(through: Int, _ effects: inout [LinkEffect]) {
        guard hasNews else { return }
        hasUnsubmitted = false
        admitted = 0
        persistOutstanding(durably: true, &effects)
        var batch = ReadingBatch(driver: driver, device: ledger.device, identity: identity, through: through)
        swap(&batch.entries, &entries)
        // The next batch is usually as large; spare room avoids a reallocation.
        let count = batch.entries.readings.count
        if count > Self.smallBatch { entries.reserveCapacity(count + count / 4) }
        effects.append(.submit(batch))
    }

    /// Earlier readings belong to the previous identity; `first` is the first one after the change.
    mutating func identify(
        _ identity: DeviceIdentity, from first: Int, _ setup: borrowing LinkState.Setup, _ effects: inout [LinkEffect]
    ) {
        let later = Array(entries.readings[first...])
        discardRest()
        submit(through: emitted - later.count, &effects)
        // Duplicates alone leave nothing to submit.
        hasUnsubmitted = !later.isEmpty
        entries.readings.append(contentsOf: later)
        admitted = 0
        self.identity = identity
        if ledger.identify(identity.id.isEmpty ? setup.device : identity.id, driver: driver) {
            let left = setup.outstanding(ledger.device)
            persisted = left.bytes
            ledger.resume(left)
        }
        effects.append(.notify(.identified(identity)))
    }

    mutating func sessionBegins() { ledger.sessionBegins() }

    mutating func acknowledge(through: Int, _ effects: inout [LinkEffect]) {
        ledger.acknowledge(through: through)
        persistOutstanding(durably: false, &effects)
    }

    /// Unacknowledged readings may be repeated; with `isLost`, also those of the last acknowledgement.
    mutating func expectRepetitions(isLost: Bool, _ effects: inout [LinkEffect]) {
        ledger.expectRepetitions(isLost: isLost)
        persistOutstanding(durably: true, &effects)
    }

    /// Called before a batch is submitted and before an acknowledgement is written.
    private mutating func persistOutstanding(durably: Bool, _ effects: inout [LinkEffect]) {
        if persisted.isEmpty && ledger.outstanding.isEmpty { return }
        let bytes = ledger.outstanding.bytes
        guard bytes != persisted else { return }
        persisted = bytes
        effects.append(.persist(ledger.outstanding, device: ledger.device, durably: durably))
    }

    /// Records the cuff's clock; returns how many seconds it is behind the host's, if known.
    mutating func note(_ time: DeviceTime, at now: LinkTime) -> Int64? {
        guard let wall = now.wall else { return nil }
        clock?.compare(time, at: wall, isHostClockUnsynchronised: now.isHostClockUnsynchronised)
        if !now.isHostClockRight { held.note(time, at: now.elapsed) }
        return clock?.shift
    }

    /// Remembers readings from `first` for a later correction, if the host's clock is not synchronised; returns whether any is held.
    mutating func hold(from first: Int, at now: LinkTime) -> Bool {
        guard now.wall != nil, !now.isHostClockRight, clock != nil else { return false }
        for index in min(first, admitted)..<admitted {
            held.note(entries.readings[index], device: ledger.device, identity: identity, at: now.elapsed)
        }
        return !held.isEmpty
    }

    /// Corrects the held readings, if any, when the host's clock is synchronised; returns whether it is.
    mutating func placeHeld(at now: LinkTime, _ effects: inout [LinkEffect]) -> Bool {
        guard now.isHostClockRight, var clock else { return false }
        submit(through: emitted, &effects)
        for batch in held.place(by: &clock, driver: driver, at: now, through: emitted) { effects.append(.submit(batch)) }
        self.clock = clock
        return true
    }
}
