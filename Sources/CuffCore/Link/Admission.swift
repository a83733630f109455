/// The way of a cuff's readings to the sinks: they get ids, instants and revisions, repeated and unwanted ones are left out, and the others
/// are collected in batches, with the live events between them. The readings of one session event are appended (`lend`, `accept`), then
/// admitted in ranges: `prepare`, and `admitNew` or, where each one is decided separately, `isWanted` and `admit`.
struct Admission: Sendable {
    /// Batches beyond this come from files; a cuff's are smaller.
    private static let smallBatch = 64

    private let driver: DriverID
    private var ledger: ReadingLedger
    /// `nil` where readings get no time of their own: bytes from a file, without a zone.
    private var clock: ClockCorrection?
    private var held = HeldReadings()
    /// Which reading a correction is of; and of a recording, what is remembered of it.
    private var references = ReadingReferences()
    private var recordedReferences: [String: [UInt8]] = [:]
    /// Indices of readings among those being admitted that do not go to the sinks.
    private var dropped: [Int] = []
    /// What was emitted since the last `submit`.
    private var entries = Entries()
    /// How many of their readings are admitted, from the first on.
    private(set) var admitted = 0
    /// Something was emitted since the last `submit`, duplicates included.
    private var hasUnsubmitted = false
    private var identity: DeviceIdentity?
    /// The outstanding records as they were last persisted.
    private var persisted: [UInt8]
    /// Readings emitted on this link.
    private(set) var emitted = 0
    /// Readings, failures, live events, duplicates and filtered readings.
    private(set) var counters = LinkCounters()

    init(_ setup: LinkState.Setup) {
        driver = setup.driver.id
        clock = setup.zone.map { ClockCorrection(zone: $0) }
        let outstanding = setup.outstanding(setup.device)
        persisted = outstanding.bytes
        ledger = ReadingLedger(device: setup.device, driver: driver, outstanding: outstanding)
    }

    /// There is something to submit.
    var hasNews: Bool { hasUnsubmitted || !entries.isEmpty }
    /// The cuff's readings are stored under this key.
    var device: String { ledger.device }
    /// Readings wait for the host's clock to be right.
    var holdsReadings: Bool { !held.isEmpty }
    var liveEvents: Int { entries.liveEvents }

    // MARK: The readings of one event

    /// Moves the collected readings into an empty array, so that a session appends behind them; returns how many there are.
    @inline(__always)
    mutating func lend(_ readings: inout [Reading]) -> Int {
        swap(&entries.readings, &readings)
        return readings.count
    }

    /// Takes the readings back; those from `first` on are new. Returns the end of all of them.
    @inline(__always)
    mutating func accept(_ readings: inout [Reading], from first: Int) -> Int {
        swap(&entries.readings, &readings)
        let end = entries.readings.count
        emitted += end - first
        if end > first { hasUnsubmitted = true }
        admitted = first
        return end
    }

    /// Every reading of the event was decided on: the others are left out.
    mutating func discardRest() { entries.readings.removeLast(entries.readings.count - admitted) }

    // MARK: Names, flags and instants

    /// Gives the readings everything that makes them one of a cuff's, in place. Naming and admitting are two passes: hash look-ups are
    /// mispredicted branches, and each discards the work started on the next readings. In a separate pass that work is small.
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
        guard let clock else { return }
        for index in range {
            let hasArrived = entries.readings[index].received != nil
            guard hasArrived || !setup.placesArrivalsOnly else { continue }
            if hasArrived { entries.readings[index].isHostClockUnsynchronised = now.isHostClockUnsynchronised }
            clock.apply(to: &entries.readings[index])
        }
    }

    /// Gives a correction or a withdrawal the id of the reading that it is of.
    private mutating func resolve(_ index: Int, _ setup: inout LinkState.Setup, _ effects: inout [LinkEffect]) {
        // A recording is read the same whatever was read before, and leaves nothing behind.
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

    // MARK: Admission

    /// Admits the new readings of the range: moves them to the front.
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

    /// Whether the reading is new and wanted; if so it is the `candidate`.
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

    /// The reading that `admit` would admit.
    var candidate: Reading { entries.readings[admitted] }

    /// The candidate goes to the sinks.
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

    /// Adds a live event behind the readings that are admitted so far.
    mutating func append(_ event: LiveEvent, elapsed: Duration?) {
        counters.liveEvents += 1
        entries.append(event, driver: driver, elapsed: elapsed, afterReadings: admitted)
    }

    mutating func setElapsed(_ elapsed: Duration, ofLiveEvent index: Int) { entries.setElapsed(elapsed, ofLiveEvent: index) }

    // MARK: Batches

    /// Submits what was emitted up to the emission `through`, once the outstanding records are persisted. Duplicates count: their
    /// commit follows the original's.
    mutating func submit(through: Int, _ effects: inout [LinkEffect]) {
        guard hasNews else { return }
        hasUnsubmitted = false
        admitted = 0
        persistOutstanding(durably: true, &effects)
        var batch = Batch(driver: driver, device: ledger.device, identity: identity, through: through)
        swap(&batch.entries, &entries)
        // The next batch is as a rule about as large as this one; an array without room to spare is often moved once more.
        let count = batch.entries.readings.count
        if count > Self.smallBatch { entries.reserveCapacity(count + count / 4) }
        effects.append(.submit(batch))
    }

    /// Earlier readings belong to the identity before; `first` is the first reading that came after the change.
    mutating func identify(
        _ identity: DeviceIdentity, from first: Int, _ setup: borrowing LinkState.Setup, _ effects: inout [LinkEffect]
    ) {
        let later = Array(entries.readings[first...])
        discardRest()
        submit(through: emitted - later.count, &effects)
        // Duplicates among them would leave nothing else to be submitted.
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

    // MARK: Repetitions

    mutating func sessionBegins() { ledger.sessionBegins() }

    /// The next write acknowledges the first `through` readings of the session.
    mutating func acknowledge(through: Int, _ effects: inout [LinkEffect]) {
        ledger.acknowledge(through: through)
        persistOutstanding(durably: false, &effects)
    }

    /// What was not acknowledged may come again; with `isLost` the last acknowledgement did not reach the cuff either.
    mutating func expectRepetitions(isLost: Bool, _ effects: inout [LinkEffect]) {
        ledger.expectRepetitions(isLost: isLost)
        persistOutstanding(durably: true, &effects)
    }

    /// Before a batch is submitted, and before an acknowledgement is written.
    private mutating func persistOutstanding(durably: Bool, _ effects: inout [LinkEffect]) {
        if persisted.isEmpty && ledger.outstanding.isEmpty { return }
        let bytes = ledger.outstanding.bytes
        guard bytes != persisted else { return }
        persisted = bytes
        effects.append(.persist(ledger.outstanding, device: ledger.device, durably: durably))
    }

    // MARK: Clocks

    /// The cuff's clock showed this; returns how far it is behind the host's, in seconds, where that is known.
    mutating func note(_ time: DeviceTime, at now: LinkTime) -> Int64? {
        guard let wall = now.wall else { return nil }
        clock?.compare(time, at: wall, isHostClockUnsynchronised: now.isHostClockUnsynchronised)
        if !now.isHostClockRight { held.note(time, at: now.elapsed) }
        return clock?.shift
    }

    /// The admitted readings from `first` on go to the sinks while the host's clock is not right: their places are corrected later.
    /// Returns whether anything is held.
    mutating func hold(from first: Int, at now: LinkTime, isRecorded: Bool) -> Bool {
        guard clock != nil, now.wall != nil, !now.isHostClockRight, !isRecorded else { return false }
        for index in min(first, admitted)..<admitted {
            held.note(entries.readings[index], device: ledger.device, identity: identity, at: now.elapsed)
        }
        return !held.isEmpty
    }

    /// Places what was held if the host's clock is right now; returns whether it was.
    mutating func placeHeld(at now: LinkTime, _ effects: inout [LinkEffect]) -> Bool {
        guard !held.isEmpty, now.isHostClockRight, var clock else { return false }
        submit(through: emitted, &effects)
        for batch in held.place(by: &clock, driver: driver, at: now, through: emitted) { effects.append(.submit(batch)) }
        self.clock = clock
        return true
    }
}
