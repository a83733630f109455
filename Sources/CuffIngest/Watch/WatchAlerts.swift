import CuffClinical
import CuffCore
import Dispatch
import Glibc

/// The user's alert rules while a watch runs: it receives every reading as a sink does, and submits raised and cleared alerts to the
/// pipeline as a source does, so that sinks get alerts and readings in the same way. `AlertState` decides; here are its clock, its file and the
/// databases that know what was deleted.
///
/// A write never fails and is no commit: what an alert says is in the readings, which other sinks keep.
final class WatchAlerts: Sink, @unchecked Sendable {
    let label = "alerts"
    let isInternal = true

    private let queue = DispatchQueue(label: "cuff.alerts")
    private let file: String?
    private let databases: [String]
    private let now: @Sendable () -> Timestamp
    private let notify: @Sendable (String) -> Void
    private let latest = Locked<[StandingAlert]>([])
    // On the queue.
    private var state: AlertState
    private var stores: [String: Store] = [:]
    private var written: String?
    private var timer: (any DispatchSourceTimer)?
    private var pipeline: Pipeline?
    private var source = 0
    private var plans: [AlertState.Plan] = []
    private var isClosed = false
    private var hasRules: Bool

    /// A state of hundreds of persons and rules is some 100 KiB.
    private static let largestFile = 1 << 19

    /// `databases` are asked which readings were deleted; `file` keeps what must survive a restart, where there is a place.
    init(
        _ rules: [AlertRule], household: Household, file: String?, databases: [String], now: @escaping @Sendable () -> Timestamp,
        notify: @escaping @Sendable (String) -> Void
    ) {
        self.file = file
        self.databases = databases
        self.now = now
        self.notify = notify
        hasRules = !rules.isEmpty
        state = AlertState(rules, household: household, start: now())
        guard let file, let text = Self.text(of: file) else { return }
        state.restore(text)
        written = text
        let standing = state.standing
        latest.withLock { $0 = standing }
    }

    /// The raised alerts. From any thread.
    var standing: [StandingAlert] { latest.withLock { $0 } }

    private static func text(of file: String) -> String? {
        guard let descriptor = StateFile.open(file) else { return nil }
        defer { Glibc.close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count <= largestFile, let chunk = try? Descriptor.chunk(descriptor, 1 << 16), !chunk.isEmpty { bytes += chunk }
        return bytes.count <= largestFile ? String(decoding: bytes, as: UTF8.self) : nil
    }

    /// Where alerts go; to be said once, before the first reading.
    func attach(to pipeline: Pipeline) {
        queue.sync {
            self.pipeline = pipeline
            source = pipeline.attach(Pipeline.Source(mayThin: false, wantsCommits: false, committed: { _ in }, paused: { _ in }))
        }
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        guard batch.readings > 0 else { return 0 }
        queue.sync { receive(batch) }
        return 0
    }

    func close() throws(IngestError) {
        queue.sync {
            isClosed = true
            timer?.cancel()
            timer = nil
            for store in stores.values { try? store.close() }
            stores = [:]
        }
    }

    /// The configuration was read again.
    func reload(_ rules: [AlertRule], _ household: Household) {
        queue.async { @Sendable in
            self.hasRules = !rules.isEmpty
            self.handle([.rules(rules, household)])
        }
    }

    // MARK: Plans

    /// These cuffs are measured automatically from now on, and no others.
    func update(_ schedules: [HostSchedule], _ cycles: [OwnCycle]) {
        queue.async { @Sendable in
            let known = self.plans
            func devices(_ key: String) -> Set<String> { known.first { $0.key == key }?.devices ?? [] }
            let kept = schedules.compactMap { schedule -> AlertState.Plan? in
                guard let zone = try? HostZone.named(schedule.zone) else { return nil }
                return AlertState.Plan(
                    key: schedule.key, driver: schedule.driver, plan: schedule.keeper.plan, zone: zone, devices: devices(schedule.key))
            }
            // Of a cuff with both, this program's plan is the one that measures.
            let own = cycles.filter { cycle in !kept.contains { $0.key == cycle.key } }.map { cycle in
                AlertState.Plan(
                    key: cycle.key, driver: cycle.driver, times: .cycle(minutes: cycle.minutes), zone: HostZone.local(),
                    devices: devices(cycle.key))
            }
            self.plans = kept + own
            self.handle([.plans(self.plans)])
        }
    }

    /// A cuff that is measured automatically was opened, and its readings carry this name.
    func name(_ key: String, _ device: String) {
        queue.async { @Sendable in
            guard let index = self.plans.firstIndex(where: { $0.key == key }),
                self.plans[index].devices.insert(device).inserted
            else { return }
            self.handle([.plans(self.plans)])
        }
    }

    // MARK: On the queue

    private func receive(_ batch: Batch) {
        // A dump may begin with its newest reading.
        let none = Timestamp(milliseconds: 0)
        let readings = batch.entries.readings.sorted { ($0.measured ?? none) < ($1.measured ?? none) }
        // Without rules readings are only noted as seen, so that a rule that comes later does not take a repetition for news.
        let gone = hasRules ? deleted(among: readings.map(\.id) + state.readings) : []
        var events: [AlertState.Event] = gone.isEmpty ? [] : [.deleted(gone)]
        for reading in readings where !gone.contains(reading.id) { events.append(.reading(reading, device: batch.device)) }
        handle(events)
    }

    private func handle(_ events: [AlertState.Event]) {
        guard !isClosed else { return }
        let time = now()
        let changes = events.flatMap { state.handle($0, at: time) }
        for change in changes { submit(change) }
        let standing = state.standing
        latest.withLock { $0 = standing }
        save(durably: !changes.isEmpty)
        wake(at: state.wakeAt)
    }

    private func submit(_ event: AlertEvent) {
        switch event {
        case .changed(let notice, let driver, let device):
            // Before the state is written down: after a crash an alert comes again with the next reading rather than never.
            let entry = Entry.live(.alert(notice), driver: driver, elapsed: nil)
            pipeline?.submit(Batch(source: source, driver: driver, device: device, entries: [entry]))
            notify("alert: \(notice.text)")
        case .leftOut(let rule, let objection, let driver):
            notify("the alert \(rule) left out a reading of \(driver) that would have met it: \(Self.sentence(objection))")
        }
    }

    private static func sentence(_ objection: AlertEvent.Objection) -> String {
        switch objection {
        case .remarks(let remarks):
            let words = MeasurementFlags.words.indices.filter { remarks.rawValue & (1 << UInt32($0)) != 0 }
            return "it has the flags \(words.map { MeasurementFlags.words[$0].description }.joined(separator: ", "))"
        case .old: return "it is more than an hour old, or the cuff's clock is slow"
        case .ahead: return "it has a time to come: the cuff's clock is fast"
        case .noTime: return "the cuff's clock is not set"
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

    /// A database that cannot be asked knows of no deletion; the next reading asks again.
    private func deleted(among ids: [Reading.ID]) -> Set<Reading.ID> {
        var found: Set<Reading.ID> = []
        for path in databases {
            guard let store = stores[path] ?? (try? Store(path, access: .read)) else { continue }
            stores[path] = store
            do throws(IngestError) { found.formUnion(try store.deleted(among: ids)) } catch {
                try? store.close()
                stores[path] = nil
            }
        }
        return found
    }

    /// By the wall clock: a machine that slept wakes to what is due.
    private func wake(at moment: Timestamp?) {
        timer?.cancel()
        timer = nil
        guard let moment else { return }
        let wait = Int(clamping: max(100, moment.milliseconds - now().milliseconds))
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(wallDeadline: .now() + .milliseconds(wait), leeway: .milliseconds(200))
        timer.setEventHandler { @Sendable [weak self] in
            guard let self else { return }
            self.timer?.cancel()
            self.timer = nil
            handle([.timePassed])
        }
        timer.activate()
        self.timer = timer
    }
}
