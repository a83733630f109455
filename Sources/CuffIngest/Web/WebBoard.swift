import CuffClinical
import CuffCore

/// The present state for the live page: a sink that keeps the latest pressure of each measuring cuff, and the latest readings of
/// this run. It stores nothing and acknowledges nothing.
final class WebBoard: ReadingSink {
    let label = "web"
    let isInternal = true
    let takesLiveEvents = true

    /// By source.
    private struct State {
        /// Running measurements with the time of the latest pressure, and lost ones with the time of the loss.
        var shown: [Int: (live: LivePage.Live, at: Int64)] = [:]
        /// Changes since the last update of the viewers: new pressures, losses, ended measurements.
        var changed: Set<Int> = []
        var lost: Set<Int> = []
        var ended: Set<Int> = []
        /// Recently closed links, whose last samples may still arrive.
        var closed: [Int] = []
        var isPageOld = false
        var latest: [(reading: Reading, provenance: Provenance)] = []
        var isDirty: Bool { isPageOld || !changed.isEmpty || !lost.isEmpty || !ended.isEmpty }

        mutating func show(_ live: LivePage.Live, _ source: Int, at now: Int64) {
            // It is back, perhaps on another link.
            for (other, one) in shown where other != source && one.live.loss != nil && one.live.name == live.name { end(other) }
            shown[source] = (live, now)
            lost.remove(source)
            changed.insert(source)
        }

        mutating func lose(_ source: Int, _ loss: LivePage.Live.Loss, at now: Int64) {
            guard shown[source] != nil, shown[source]?.live.loss != loss else { return }
            shown[source]?.live.loss = loss
            shown[source]?.at = now
            changed.remove(source)
            lost.insert(source)
        }

        mutating func end(_ source: Int) {
            guard shown.removeValue(forKey: source) != nil else { return }
            changed.remove(source)
            lost.remove(source)
            ended.insert(source)
        }

        /// Removes pressures that are not updated, and old losses.
        mutating func expire(at now: Int64) {
            for (source, one) in shown {
                if one.live.loss == nil, now - one.at > silence.nanoseconds { lose(source, .silent, at: now) }
                if one.live.loss != nil, now - one.at > longestLoss.nanoseconds { end(source) }
            }
        }
    }

    /// Readings of this run kept for the page if there is no database.
    private static let longestMemory = 400
    private static let mostLive = 256
    /// A measuring cuff sends a pressure at least every two seconds.
    static let silence = Duration.seconds(10)
    /// How long a loss is shown, unless the cuff comes back.
    private static let longestLoss = Duration.seconds(3600)
    /// The number of closed links remembered; late samples arrive within a second.
    private static let mostClosed = 1024

    private let state = Locked(State())
    /// The user's names for cuffs.
    private let names: Set<String>
    private let now: @Sendable () -> Int64
    private let onNews: @Sendable () -> Void

    /// `onNews` is called from any thread, once until `news` is called; `now` is the monotonic clock in nanoseconds.
    init(
        names: Set<String> = [], now: @escaping @Sendable () -> Int64 = { HostClock.monotonic() },
        onNews: @escaping @Sendable () -> Void
    ) {
        self.names = names
        self.now = now
        self.onNews = onNews
    }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        let now = now()
        change { state in for entry in batch.entries { add(entry, of: batch, at: now, to: &state) } }
        return 0
    }

    /// A link was opened, or closed, which ends its measurement.
    func linkChanged(_ source: Int, isOpen: Bool) {
        let now = now()
        change { state in
            state.isPageOld = true
            guard !isOpen else { return }
            state.closed.append(source)
            if state.closed.count > 2 * Self.mostClosed { state.closed.removeFirst(Self.mostClosed) }
            state.lose(source, .connectionLost, at: now)
        }
    }

    /// The page is rendered again.
    func readingsChanged() { state.withLock { $0.isPageOld = true } }

    private func change(_ body: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            let wasDirty = state.isDirty
            body(&state)
            return !wasDirty && state.isDirty
        }
        if isFirst { onNews() }
    }

    private func add(_ entry: BatchEntry, of batch: ReadingBatch, at now: Int64, to state: inout State) {
        switch entry {
        case .reading(let reading):
            let identity = batch.identity ?? DeviceIdentity()
            state.latest.append((reading, Provenance(driver: batch.driver.description, device: batch.device, identity: identity)))
            if state.latest.count > 2 * Self.longestMemory { state.latest.removeFirst(Self.longestMemory) }
            state.isPageOld = true
        // The page is rendered again.
        case .live(.alert, _, _): state.isPageOld = true
        case .live(.cuffPressure(let pressure), _, _):
            if state.shown[batch.source] == nil, state.shown.count >= Self.mostLive {
                // Replaces the oldest loss.
                let lost = state.shown.filter { $0.value.live.loss != nil }.min { $0.value.at < $1.value.at }
                guard let lost else { return }
                state.end(lost.key)
            }
            let isNamed = names.contains(batch.device)
            let name = isNamed ? batch.device : batch.identity?.model ?? (batch.device.isEmpty ? batch.driver.description : batch.device)
            let whole = Int(max(-999, min(9999, pressure.inMmHg.rounded())))
            state.show(LivePage.Live(key: "\(batch.source)", name: name, pressure: whole), batch.source, at: now)
            if state.closed.contains(batch.source) { state.lose(batch.source, .connectionLost, at: now) }
        case .live(.failed(let failure), _, _) where failure.reason == .lost: state.lose(batch.source, .connectionLost, at: now)
        case .live(.ended, _, _), .live(.aborted, _, _), .live(.failed, _, _): state.end(batch.source)
        case .live: break
        }
    }

    /// Running and lost measurements.
    var live: [LivePage.Live] {
        let now = now()
        return state.withLock { state in
            state.expire(at: now)
            return state.shown.sorted { $0.key < $1.key }.map(\.value.live)
        }
    }

    /// The latest readings of this run, oldest first.
    func latest(_ count: Int) -> [(reading: Reading, provenance: Provenance)] { state.withLock { Array($0.latest.suffix(count)) } }

    /// Changes since the last call, as server-sent events.
    func news() -> [UInt8] {
        let now = now()
        let (changed, lost, ended, isPageOld) = state.withLock { state in
            state.expire(at: now)
            defer {
                state.changed = []
                state.lost = []
                state.ended = []
                state.isPageOld = false
            }
            return (
                state.changed.sorted().compactMap { state.shown[$0]?.live }, state.lost.sorted().compactMap { state.shown[$0]?.live },
                state.ended.sorted(), state.isPageOld
            )
        }
        var text = TextBuffer(capacity: 1024)
        for (name, cuffs) in [("live", changed), ("lost", lost)] where !cuffs.isEmpty {
            text.append(string: "event: \(name)\ndata: {\"cuffs\":")
            Self.json(cuffs).append(to: &text)
            text.append("}\n\n")
        }
        if !ended.isEmpty {
            text.append(string: "event: ended\ndata: {\"keys\":[\(ended.map { "\"\($0)\"" }.joined(separator: ","))]}\n\n")
        }
        if isPageOld { text.append("event: changed\ndata: {}\n\n") }
        return text.array
    }

    static func json(_ cuffs: [LivePage.Live]) -> JSONOutput {
        .list(
            cuffs.map { one in
                [
                    "key": .text(one.key), "name": .text(one.name), "pressure_mmHg": .number("\(one.pressure)"),
                    "reason": one.loss.map { .text($0.rawValue) },
                ]
            })
    }
}
