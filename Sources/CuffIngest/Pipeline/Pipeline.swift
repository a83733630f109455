import CuffClinical
import CuffCore
import Dispatch

/// Performs what `PipelineState` decides: one serial queue per sink, one hop per batch. No hop if a pipe accepts a line at once,
/// or if the only output is lines to a file or stream. The only place where sources and sinks meet.
package final class Pipeline: Sendable {
    /// What to do when a required sink throws.
    package enum FaultPolicy: Sendable {
        case stop
        /// As `stop`, but waits for a locked database: for a cuff that does not repeat its readings.
        case awaitLock
        /// Repeats the batch after growing pauses, with sources paused: for a daemon.
        case retry
    }

    /// Whether there is a required durable sink, so that readings may be acknowledged to a cuff.
    package let isDurable: Bool

    struct Inner {
        var state: PipelineState
        var effects: [PipelineState.Effect] = []
        /// Deliveries to be made on the source's own thread.
        var inline: [(batches: [ReadingBatch], sink: Int)] = []
        var sources: [Int: Source] = [:]
        /// How many stored readings each source knows of: live samples do not count and need no hop.
        var told: [Int: Int] = [:]
        var thinned: [Int: Int] = [:]
        var nextSource = 0
        var reports: [SinkReport]
        /// When each uncommitted batch was accepted, oldest first.
        var accepted: [Int64] = []
        var acceptedHead = 0
        var settled = 0
        var commits = LatencyHistogram()
        var backoff: [Duration]
        var awaitsLock: Bool
        var fault: IngestError?
        /// Who is who; readings get their names by it.
        var household = Household()
        /// What decodes the readings of each driver; empty if that is not kept.
        var decoders: [DriverID: String] = [:]
        /// Readings that came after the run had failed.
        var turnedAway = UnstoredReadings()
        var isClosed = false
        /// Called once, when everything required is stored or the run has failed.
        var onSettled: (@Sendable () -> Void)?
        var onSource: (@Sendable (Int, Bool) -> Void)?
        var onStopped: (@Sendable () -> Void)?

        mutating func tell(_ source: Int, _ through: Int, _ call: KeyPath<Source, @Sendable (Int) -> Void>) {
            guard told[source] != through, let owner = sources[source], owner.wantsCommits else { return }
            told[source] = through
            owner[keyPath: call](through)
        }

        mutating func noteCommits() {
            guard settled < state.committed else { return }
            let now = HostClock.monotonic()
            while settled < state.committed, acceptedHead < accepted.count {
                commits.add(nanoseconds: now - accepted[acceptedHead])
                acceptedHead += 1
                settled += 1
            }
            guard acceptedHead == accepted.count || acceptedHead > 1024 else { return }
            accepted.removeSubrange(..<acceptedHead)
            acceptedHead = 0
        }
    }

    let members: [Member]
    /// For a single sink and a bulk source the batch is written inline. A second thread would only move the readings to another
    /// processor's cache (measured: 20 to 50 % more CPU time for little less elapsed time).
    private let writesInline: Bool
    /// For each member, those that follow it.
    let followers: [[Int]]
    let queues: [DispatchQueue]
    /// Those members that take batches of several cuffs at once.
    private let grouping: [(any GroupingSink)?]
    private let policy: FaultPolicy
    /// The families of all sources.
    let drivers: [CuffDriver]
    let inner: Locked<Inner>
    let onFault: @Sendable (String, IngestError) -> Void

    /// `onFault` is called for every failed write, including retried ones.
    init(
        _ members: [Member], policy: FaultPolicy = .stop, limits: PipelineState.Limits = PipelineState.Limits(),
        drivers: [CuffDriver] = CuffFamilies.all, onFault: @escaping @Sendable (_ sink: String, IngestError) -> Void = { _, _ in }
    ) {
        let members = members.withRequiredLeaders()
        self.members = members
        writesInline = members.count == 1 && members[0].isRequired && members[0].sink is StandardOutputSink
        self.policy = policy
        self.drivers = drivers
        self.onFault = onFault
        grouping = members.map { $0.sink as? any GroupingSink }
        queues = members.indices.map { DispatchQueue(label: "cuff.sink.\($0)") }
        let rules = members.map { PipelineState.Rule(of: $0, among: members) }
        followers = members.indices.map { leader in members.indices.filter { rules[$0].leader == leader } }
        isDurable = rules.contains { $0.isRequired && $0.isDurable }
        inner = Locked(
            Inner(
                state: PipelineState(rules, limits: limits),
                reports: members.map(SinkReport.init),
                backoff: members.map { _ in Self.firstBackoff }, awaitsLock: policy == .awaitLock))
    }

    private static let firstBackoff = Duration.milliseconds(100)
    private static let longestBackoff = Duration.seconds(5)

    // MARK: Sources

    /// Adds a source; returns its number for `submit` and `detach`.
    package func attach(_ source: Source) -> Int {
        let (number, tell) = inner.withLock { inner in
            inner.nextSource += 1
            inner.sources[inner.nextSource] = source
            if inner.state.isPaused { source.paused(true) }
            return (inner.nextSource, inner.onSource)
        }
        tell?(number, true)
        return number
    }

    /// Ends callbacks to the source; what it submitted is still stored.
    package func detach(_ source: Int) {
        let tell = inner.withLock { inner in
            inner.sources[source] = nil
            inner.told[source] = nil
            inner.thinned[source] = nil
            return inner.onSource
        }
        tell?(source, false)
    }

    /// Never waits for a sink if the source is live (`mayThin`). A batch may be printed before this returns.
    package func submit(_ batch: consuming ReadingBatch) {
        let source = batch.source
        var isLive = false
        // No reference to the batch remains, so its storage can be recycled once it is printed.
        var handed = Optional(batch)
        var inline = inner.withLock { inner -> [(batches: [ReadingBatch], sink: Int)] in
            guard inner.fault == nil, !inner.isClosed, var batch = handed.take() else {
                if let batch = handed { inner.turnedAway.add(batch, isKept: isKept(batch.driver)) }
                return []
            }
            batch.name(by: inner.household, decoder: inner.decoders[batch.driver])
            inner.accepted.append(HostClock.monotonic())
            isLive = inner.sources[source]?.mayThin ?? false
            inner.state.accept(batch, mayThin: isLive, into: &inner.effects)
            perform(&inner, inline: isLive || writesInline)
            guard !inner.inline.isEmpty else { return [] }
            defer { inner.inline.removeAll() }
            return inner.inline
        }
        while let (batches, sink) = inline.popLast() { deliverNow(batches, to: sink, mayWait: !isLive) }
    }

    /// The failure of a required sink under `FaultPolicy.stop`.
    package var fault: IngestError? { inner.withLock { $0.fault } }
    /// A required sink failed and the policy is to stop.
    package var isStopped: Bool { inner.withLock { $0.fault != nil } }
    /// The statistics and current backlog of each sink.
    package var reports: [SinkReport] {
        var reports = inner.withLock { inner in
            for (index, waiting) in inner.state.waiting.enumerated() { inner.reports[index].waiting = waiting }
            return inner.reports
        }
        // Outside the lock: a sink may have a lock of its own.
        for index in reports.indices {
            reports[index].backlog = members[index].sink.backlog
            reports[index].stored -= members[index].sink.withheld
        }
        return reports
    }
    /// Time from the arrival of a batch until every required sink has it on disk.
    package var commits: LatencyHistogram { inner.withLock { $0.commits } }

    /// Returns and resets the number of live samples of this source that were left out.
    func removeThinned(_ source: Int) -> Int { inner.withLock { $0.thinned.removeValue(forKey: source) ?? 0 } }

    // MARK: Effects

    private func perform(_ inner: inout Inner, inline: Bool = false) {
        for index in inner.effects.indices {
            switch inner.effects[index] {
            case .deliver(let batches, let sink):
                if inline { inner.inline.append((batches, sink)) } else { deliver(batches, to: sink) }
            case .committed(let source, let through): inner.tell(source, through, \.committed)
            case .passedOn(let source, let through): inner.tell(source, through, \.passedOn)
            case .pauseSources: for source in inner.sources.values { source.paused(true) }
            case .resumeSources: for source in inner.sources.values { source.paused(false) }
            case .missed(let sink, let readings): inner.reports[sink].missed += readings
            case .thinned(let source, let samples): inner.thinned[source, default: 0] += samples
            }
        }
        inner.effects.removeAll(keepingCapacity: true)
        inner.noteCommits()
        if inner.state.isSettled, let settled = inner.onSettled {
            inner.onSettled = nil
            settled()
        }
    }

    private func deliver(_ batches: [ReadingBatch], to index: Int) {
        queues[index].async { @Sendable in self.deliverNow(batches, to: index) }
    }

    private func deliverNow(_ batches: consuming [ReadingBatch], to index: Int, mayWait: Bool = true) {
        do throws(IngestError) {
            let start = HostClock.monotonic()
            let readings = batches.reduce(0) { $0 + $1.readings }
            // Without a group there is one batch, see `PipelineState.Rule.takesGroups`.
            if !mayWait {
                let isWritten = grouping[index] == nil && batches.allSatisfy { members[index].sink.writeIfReady($0) }
                guard isWritten else { return deliver(batches, to: index) }
            }
            var known = 0
            if mayWait, let sink = grouping[index] {
                known = try sink.write(batches)
            } else if mayWait {
                for batch in batches { known += try members[index].sink.write(batch) }
            }
            stored(index, readings, known, HostClock.monotonic() - start, isScattered: grouping[index]?.isScattered ?? false)
        } catch {
            failed(index, error)
        }
    }

    func stored(_ index: Int, _ readings: Int, _ known: Int, _ took: Int64, isScattered: Bool = false) {
        inner.withLock { inner in
            noteStored(&inner, index, readings, known, took)
            inner.backoff[index] = Self.firstBackoff
            guard !inner.isClosed else { return inner.state.storedLast(by: index) }
            inner.state.stored(by: index, isScattered: isScattered, into: &inner.effects)
            perform(&inner)
        }
    }

    private func failed(_ index: Int, _ error: IngestError) {
        if !error.isOutputClosed { onFault(members[index].sink.label, error) }
        let wait: Duration? = inner.withLock { inner in
            for member in [index] + followers[index] { inner.reports[member].fault = error }
            guard !inner.isClosed else { return nil }
            inner.state.failed(index, into: &inner.effects)
            perform(&inner)
            // A reader that closed its pipe does not return, whatever the policy.
            let isRetried = policy == .retry || inner.awaitsLock && error.isLock
            if members[index].isRequired && (!isRetried || error.isOutputClosed) {
                stop(&inner, error)
                return nil
            }
            let wait = inner.backoff[index]
            inner.backoff[index] = min(wait * 2, Self.longestBackoff)
            inner.reports[index].nextTry = Timestamp(milliseconds: HostClock.now().milliseconds + wait.nanoseconds / 1_000_000)
            return wait
        }
        guard let wait else { return }
        queues[index].asyncAfter(deadline: .now() + .nanoseconds(Int(wait.nanoseconds))) { @Sendable in
            self.inner.withLock { inner in
                guard !inner.isClosed else { return }
                inner.state.retry(index, into: &inner.effects)
                self.perform(&inner)
            }
        }
    }

    func stop(_ inner: inout Inner, _ error: IngestError) {
        guard inner.fault == nil else { return }
        inner.fault = error
        // Release sources that wait for the sinks.
        for source in inner.sources.values { source.paused(false) }
        let settled = inner.onSettled
        inner.onSettled = nil
        settled?()
        let stopped = inner.onStopped
        inner.onStopped = nil
        stopped?()
    }

    /// Calls back once, when the run cannot continue, including a closed output. Called under the pipeline's lock, as a `Source`
    /// is: hop to a queue.
    package func whenStopped(_ body: @escaping @Sendable () -> Void) {
        inner.withLock { inner in
            if inner.fault != nil { body() } else if !inner.isClosed { inner.onStopped = body }
        }
    }
}
