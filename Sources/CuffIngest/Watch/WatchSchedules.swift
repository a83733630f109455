import CuffCore
import Dispatch
import Glibc

/// Executes the schedules in the state folder during a watch: reports what is due, receives the results, and stores both. It uses
/// files, so it has its own queue; handlers hop to the loop.
///
/// A measurement is recorded as done before it starts, so that a crash does not inflate a cuff twice.
final class WatchSchedules: @unchecked Sendable {
    enum Answer: Sendable { case begun, absent, busy }

    /// How often an absent or busy cuff is retried, in seconds.
    private static let pause: Int64 = 5

    private struct Entry {
        var schedule: HostSchedule
        var zone: ZoneTable
        /// The due time of the running measurement.
        var running: Int64?
        /// Not before this time.
        var retry: Int64 = 0
        var obstacle = ScheduleKeeper.Miss.cuffAbsent
    }

    private let folder: ScheduleFolder
    private let queue = DispatchQueue(label: "cuff.schedules")
    private let now: @Sendable () -> Int64
    private let notify: @Sendable (String) -> Void
    /// Reports whether the measurement was started, from any thread.
    private let measure: @Sendable (HostSchedule, @escaping @Sendable (Answer) -> Void) -> Void
    /// Called with the present schedules; their links stay open.
    private let changed: @Sendable ([HostSchedule]) -> Void
    private let cyclesChanged: @Sendable ([OwnCycle]) -> Void
    private var cycles: [OwnCycle] = []
    private var entries: [String: Entry] = [:]
    private lazy var timer = WallTimer(queue) { [weak self] in self?.tick() }
    private var events: (any DispatchSourceRead)?
    private var isStopped = false

    init(
        _ folder: ScheduleFolder, now: @escaping @Sendable () -> Int64, notify: @escaping @Sendable (String) -> Void,
        changed: @escaping @Sendable ([HostSchedule]) -> Void, cyclesChanged: @escaping @Sendable ([OwnCycle]) -> Void = { _ in },
        measure: @escaping @Sendable (HostSchedule, @escaping @Sendable (Answer) -> Void) -> Void
    ) {
        self.folder = folder
        self.now = now
        self.notify = notify
        self.changed = changed
        self.cyclesChanged = cyclesChanged
        self.measure = measure
    }

    func start() {
        queue.async { @Sendable in
            self.notice()
            self.load()
        }
    }

    /// `done` is called when all results so far are stored; nothing follows.
    func stop(then done: @escaping @Sendable () -> Void = {}) {
        queue.async { @Sendable in
            self.isStopped = true
            self.timer.set(after: nil)
            self.events?.cancel()
            self.events = nil
            done()
        }
    }

    // MARK: The folder

    private func load() {
        guard !isStopped else { return }
        let found = Dictionary(folder.all().map { ($0.key, $0) }, uniquingKeysWith: { $1 })
        let before = Set(entries.keys)
        for (key, schedule) in found {
            if let known = entries[key], known.schedule.keeper.plan == schedule.keeper.plan, known.schedule.driver == schedule.driver {
                continue
            }
            let zone: ZoneTable
            do throws(IngestError) { zone = try HostZone.named(schedule.zone) } catch {
                notify("the schedule of \(key) is not kept: \(error.description)")
                continue
            }
            let running = entries[key]?.running
            entries[key] = Entry(schedule: schedule, zone: zone, running: running)
            notify("\(key): \(Self.sentence(schedule.keeper.plan, in: zone))")
        }
        for key in entries.keys where found[key] == nil {
            entries[key] = nil
            notify("\(key): no longer measured automatically")
        }
        if Set(entries.keys) != before { changed(entries.values.map(\.schedule)) }
        let own = folder.cycles()
        if own != cycles {
            cycles = own
            cyclesChanged(own)
        }
        tick()
    }

    /// Watches for added, changed or removed schedules.
    private func notice() {
        StateFile.makeFolders(above: folder.path + "/x")
        let inotify = inotify_init1(Int32(O_NONBLOCK | O_CLOEXEC))
        guard inotify >= 0 else { return }
        // These files are only renamed into place or removed.
        guard inotify_add_watch(inotify, folder.path, UInt32(IN_MOVED_TO) | UInt32(IN_DELETE)) >= 0 else {
            close(inotify)
            return
        }
        let events = DispatchSource.makeReadSource(fileDescriptor: inotify, queue: queue)
        events.setEventHandler { @Sendable [weak self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while read(inotify, &buffer, buffer.count) > 0 {}
            self?.load()
        }
        events.setCancelHandler { @Sendable in close(inotify) }
        self.events = events
        events.activate()
    }

    // MARK: Time

    private func tick() {
        guard !isStopped else { return }
        let time = now()
        var next: Int64?
        func later(_ moment: Int64) { next = min(next ?? moment, moment) }
        for key in entries.keys.sorted() {
            guard var entry = entries[key], entry.running == nil else { continue }
            switch entry.schedule.keeper.decide(at: time, in: entry.zone) {
            case .wait(let until): later(until)
            case .measure(let due) where entry.retry > time:
                // Tried before: retry until the time is missed.
                if time + Self.pause > due + ScheduleKeeper.grace {
                    entry.schedule.keeper.skip(due: due, entry.obstacle)
                    later(entry.schedule.keeper.plan.next(after: due, in: entry.zone) ?? time)
                } else {
                    later(entry.retry)
                }
            case .measure(let due):
                entry.running = due
                begin(key, entry.schedule, due)
            case .over:
                report(&entry)
                conclude(key, entry)
                continue
            }
            report(&entry)
            entries[key] = entry
        }
        timer.set(after: next.map { .seconds(max(1, $0 - now())) })
    }

    /// The schedule has ended: its file is removed, unless it was replaced meanwhile.
    private func conclude(_ key: String, _ entry: Entry) {
        entries[key] = nil
        if folder.load(key)?.keeper.plan == entry.schedule.keeper.plan { _ = folder.remove(key) }
        notify("\(key): the schedule has ended; \(Plural.text(entry.schedule.keeper.measuredCount, "measurement")) made")
        changed(entries.values.map(\.schedule))
    }

    private func begin(_ key: String, _ schedule: HostSchedule, _ due: Int64) {
        var handled = schedule
        handled.keeper.measured(due: due)
        save(handled)
        measure(schedule) { [weak self] answer in
            guard let self else { return }
            queue.async { @Sendable in self.answered(key, due, answer) }
        }
    }

    private func answered(_ key: String, _ due: Int64, _ answer: Answer) {
        guard var entry = entries[key], entry.running == due else { return }
        switch answer {
        case .begun: return
        case .absent, .busy:
            save(entry.schedule)
            entry.running = nil
            entry.obstacle = answer == .absent ? .cuffAbsent : .cuffBusy
            entry.retry = now() + Self.pause
        }
        entries[key] = entry
        tick()
    }

    /// The started measurement has ended. From any thread.
    func ended(_ key: String, _ end: MeasurementState.End) { queue.async { @Sendable in self.conclude(key, end) } }

    private func conclude(_ key: String, _ end: MeasurementState.End) {
        guard var entry = entries[key], let due = entry.running else { return }
        entry.running = nil
        entry.retry = 0
        if case .result = end {
            entry.schedule.keeper.measured(due: due)
        } else {
            entry.schedule.keeper.skip(due: due, .failed)
        }
        report(&entry)
        save(entry.schedule)
        entries[key] = entry
        tick()
    }

    /// Reports missed measurements, and stores that they were reported.
    private func report(_ entry: inout Entry) {
        let skipped = entry.schedule.keeper.takeSkipped()
        guard !skipped.isEmpty else { return }
        for one in skipped { notify("\(entry.schedule.key): \(Self.sentence(one, in: entry.zone))") }
        save(entry.schedule)
    }

    private func save(_ schedule: HostSchedule) {
        // A plan that was changed or removed meanwhile is not overwritten.
        guard let present = folder.load(schedule.key), present.keeper.plan == schedule.keeper.plan else { return }
        do throws(IngestError) { try folder.save(schedule) } catch { notify(error.description) }
    }

    static func sentence(_ plan: MonitoringPlan, in zone: ZoneTable) -> String {
        let night = plan.night.map { ", by night every \($0.interval)" } ?? ""
        let end = plan.until.map { ", until \(ScheduleReport.moment($0, in: zone))" } ?? ""
        return "measuring every \(plan.interval) minutes\(night)\(end)"
    }

    static func sentence(_ skipped: ScheduleKeeper.Skipped, in zone: ZoneTable) -> String {
        func clock(_ instant: Int64) -> String { ScheduleReport.moment(instant, in: zone) }
        let why =
            switch skipped.reason {
            case .hostAway: "this program did not run"
            case .cuffAbsent: "the cuff was not there"
            case .cuffBusy: "the cuff was in use"
            case .failed: "it gave no result"
            }
        return skipped.count == 1
            ? "the measurement of \(clock(skipped.first)) was missed: \(why)"
            : "\(skipped.count) measurements from \(clock(skipped.first)) to \(clock(skipped.last)) were missed: \(why)"
    }
}
