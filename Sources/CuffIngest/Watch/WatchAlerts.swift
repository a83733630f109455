import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// The alert rules of a running watch. It receives readings as a sink, and submits raised and cleared alerts as a source, so that
/// sinks get alerts like readings. `AlertState` decides; this adds the clock, the state file and the databases that know of
/// deletions.
///
/// A write never fails and commits nothing: all facts are in the readings, which other sinks store.
final class WatchAlerts: ReadingSink, @unchecked Sendable {
    let label = "alerts"
    let isInternal = true

    private let queue = DispatchQueue(label: "cuff.alerts")
    private let file: String?
    private let databases: [String]
    private let now: @Sendable () -> Timestamp
    private let hidesReadings: Bool
    private let notify: @Sendable (String) -> Void
    private let latest = Locked<[StandingAlert]>([])
    /// Readings that wait to be handled together, because handling each would wake a thread. `nil`: each is needed at once.
    private let unhandled = Locked<[(event: AlertState.Event, time: Timestamp)]?>([])
    private static let unhandledLimit = 64
    // From here on: used on the queue only.
    private var state: AlertState
    private var stores: [String: Store] = [:]
    private var written: String?
    private lazy var timer = WallTimer(queue) { [weak self] in self?.handle([.timePassed]) }
    private var pipeline: Pipeline?
    private var source = 0
    private var plans: [AlertState.Plan] = []
    private var isClosed = false
    private var hasRules: Bool

    /// The state of hundreds of persons and rules is about 100 KiB.
    private static let largestFile = 1 << 19

    /// `databases` know which readings were deleted; `file` stores the state across restarts, if there is a folder. `hidesReadings`:
    /// what `notify` gets may be read by others, as the journal.
    init(
        _ rules: [AlertRule], household: Household, file: String?, databases: [String], hidesReadings: Bool = false,
        now: @escaping @Sendable () -> Timestamp, notify: @escaping @Sendable (String) -> Void
    ) {
        self.file = file
        self.databases = databases
        self.hidesReadings = hidesReadings
        self.now = now
        self.notify = notify
        hasRules = !rules.isEmpty
        state = AlertState(rules, household: household, start: now())
        if let file, let text = Self.text(of: file) {
            state.restore(text)
            written = text
            let standing = state.standing
            latest.withLock { $0 = standing }
        }
        if needsEachReading { unhandled.withLock { $0 = nil } }
    }

    /// The raised alerts. From any thread.
    var standing: [StandingAlert] { latest.withLock { $0 } }

    private static func text(of file: String) -> String? {
        guard let bytes = StateFile.bytes(file, most: largestFile), bytes.count <= largestFile else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Must be called once, before the first reading.
    func attach(to pipeline: Pipeline) {
        queue.sync {
            self.pipeline = pipeline
            source = pipeline.attach(Pipeline.Source(mayThin: false, wantsCommits: false, committed: { _ in }, paused: { _ in }))
        }
    }

    func writeIfReady(_ batch: ReadingBatch) -> Bool {
        guard batch.readings > 0 else { return true }
        let time = now()
        return unhandled.withLock { unhandled in
            guard let count = unhandled?.count, count + batch.readings <= Self.unhandledLimit else { return false }
            for reading in batch.entries.readings { unhandled?.append((.reading(reading, device: batch.device), time)) }
            return true
        }
    }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        guard batch.readings > 0 else { return 0 }
        queue.sync { receive(batch) }
        return 0
    }

    func close() throws(IngestError) {
        queue.sync {
            isClosed = true
            timer.set(after: nil)
            for store in stores.values { try? store.close() }
            stores = [:]
        }
    }

    func reload(_ rules: [AlertRule], _ household: Household) {
        queue.async { @Sendable in
            self.hasRules = !rules.isEmpty
            self.handle([.rules(rules, household)])
            let moved = self.moved()
            if !moved.isEmpty { self.handle([.moved(moved)]) }
        }
    }

    // MARK: Plans

    /// Replaces the set of automatically measured cuffs.
    func update(_ schedules: [HostSchedule], _ cycles: [OwnCycle]) {
        queue.async { @Sendable in
            let known = self.plans
            func devices(_ key: String) -> Set<String> { known.first { $0.key == key }?.devices ?? [] }
            let kept = schedules.compactMap { schedule -> AlertState.Plan? in
                guard let zone = try? HostZone.named(schedule.zone) else { return nil }
                return AlertState.Plan(
                    key: schedule.key, driver: schedule.driver, plan: schedule.keeper.plan, zone: zone, devices: devices(schedule.key))
            }
            // The schedule takes precedence over the cuff's own cycle.
            let own = cycles.filter { cycle in !kept.contains { $0.key == cycle.key } }.map { cycle in
                AlertState.Plan(
                    key: cycle.key, driver: cycle.driver, times: .cycle(minutes: cycle.minutes), zone: HostZone.local(),
                    devices: devices(cycle.key))
            }
            self.plans = kept + own
            self.handle([.plans(self.plans)])
        }
    }

    /// An automatically measured cuff was opened; its readings have this identity.
    func name(_ key: String, _ device: String) {
        queue.async { @Sendable in
            guard let index = self.plans.firstIndex(where: { $0.key == key }),
                self.plans[index].devices.insert(device).inserted
            else { return }
            self.handle([.plans(self.plans)])
        }
    }

    // MARK: On the queue

    /// Without rules, readings are only marked as known, so that a later rule ignores repetitions.
    private var needsEachReading: Bool { hasRules || !plans.isEmpty || written != nil }

    private func receive(_ batch: ReadingBatch) {
        // A memory may be sent newest first.
        let none = Timestamp(milliseconds: 0)
        let readings = batch.entries.readings.sorted { ($0.measured ?? none) < ($1.measured ?? none) }
        let gone = hasRules ? deleted(among: readings.map(\.id) + state.readings) : []
        var events: [AlertState.Event] = gone.isEmpty ? [] : [.deleted(gone)]
        let moved = moved()
        if !moved.isEmpty { events.append(.moved(moved)) }
        for reading in readings where !gone.contains(reading.id) { events.append(.reading(reading, device: batch.device)) }
        handle(events)
    }

    private func handle(_ events: [AlertState.Event]) {
        guard !isClosed else { return }
        let time = now()
        let earlier = unhandled.withLock { unhandled in
            defer { unhandled = needsEachReading ? nil : [] }
            return unhandled ?? []
        }
        let changes = (earlier + events.map { ($0, time) }).flatMap { state.handle($0.event, at: $0.time) }
        for change in changes { submit(change) }
        let standing = state.standing
        latest.withLock { $0 = standing }
        save(durably: !changes.isEmpty)
        timer.set(after: state.wakeAt.map { .milliseconds(max(100, $0.milliseconds - now().milliseconds)) })
    }

    private func submit(_ event: AlertEvent) {
        switch event {
        case .changed(let notice, let driver, let device):
            // Submitted before the state is stored: after a crash an alert is repeated with the next reading rather than lost.
            let entry = BatchEntry.live(.alert(notice), driver: driver, elapsed: nil)
            pipeline?.submit(ReadingBatch(source: source, driver: driver, device: device, entries: [entry]))
            let cuff = device.isEmpty ? driver.description : device
            notify("alert: \(hidesReadings ? "\(notice.rule) (\(notice.condition)) \(notice.change.rawValue), \(cuff)" : notice.text)")
        case .leftOut(let rule, let objection, let driver):
            notify("the alert \(rule) left out a reading of \(driver) that would have met it: \(Self.sentence(objection))")
        }
    }

    private static func sentence(_ objection: AlertEvent.Objection) -> String {
        switch objection {
        case .remarks(let remarks): "it has the flags \(remarks.text(separator: ", "))"
        case .old: "it is more than an hour old, or the cuff's clock is slow"
        case .ahead: "its time is in the future: the cuff's clock is fast"
        case .noTime: "the cuff's clock is not set"
        }
    }

    private func save(durably: Bool) {
        let text = state.text
        guard let file, text != written, hasRules || written != nil else { return }
        do throws(IngestError) {
            try StateFile.write(text, to: file, durably: durably)
            written = text
        } catch { notify(error.description) }
    }

    private func deleted(among ids: [Reading.ID]) -> Set<Reading.ID> {
        var found: Set<Reading.ID> = []
        inDatabases { (store) throws(IngestError) in found.formUnion(try store.deleted(among: ids)) }
        return found
    }

    /// The readings of alerts that are of another person than when they came.
    private func moved() -> [(reading: Reading, device: String)] {
        var selection = ReadingSelection(kinds: [.bloodPressure], zone: .utc)
        (selection.ids, selection.household) = (Array(state.readings), state.household)
        guard hasRules, !selection.ids.isEmpty else { return [] }
        var found: [(reading: Reading, device: String)] = []
        inDatabases { (store) throws(IngestError) in
            try store.forEach(selection) { reading, provenance in
                if state.isOfAnother(reading, device: provenance.device) { found.append((reading, provenance.device)) }
                return true
            }
        }
        return found
    }

    /// An unreadable database is skipped; the next reading tries again.
    private func inDatabases(_ body: (Store) throws(IngestError) -> Void) {
        for path in databases {
            guard let store = stores[path] ?? (try? Store(path, access: .read)) else { continue }
            stores[path] = store
            do throws(IngestError) { try body(store) } catch {
                try? store.close()
                stores[path] = nil
            }
        }
    }
}
