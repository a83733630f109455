import CuffClinical
import CuffCore

/// What the live page knows of the present: a sink that keeps the newest pressure of each cuff that measures, and the latest
/// readings of this run. It stores nothing, and no cuff is acknowledged for it.
final class WebBoard: Sink {
    let label = "web"
    let isInternal = true
    let takesLiveEvents = true

    /// Who shows what: the source is the key.
    private struct State {
        /// Measurements that run, with the time of the newest pressure, and those that broke off, with the time of that.
        var shown: [Int: (live: LivePage.Live, at: Int64)] = [:]
        /// Cuffs whose pressure changed since the viewers were told, those that broke off, and those whose measurement ended.
        var changed: Set<Int> = []
        var lost: Set<Int> = []
        var ended: Set<Int> = []
        /// Links that closed lately. Their last samples may still be under way.
        var closed: [Int] = []
        var isPageOld = false
        var latest: [(reading: Reading, device: String)] = []
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

        /// A pressure that nothing renews is no present one, and a loss is no news for ever.
        mutating func expire(at now: Int64) {
            for (source, one) in shown {
                if one.live.loss == nil, now - one.at > silence.nanoseconds { lose(source, .silent, at: now) }
                if one.live.loss != nil, now - one.at > longestLoss.nanoseconds { end(source) }
            }
        }
    }

    /// Readings of this run that are kept for the page where there is no database.
    private static let longestMemory = 400
    /// Cuffs that measure at once and are shown.
    private static let mostLive = 256
    /// A cuff that measures sends its pressure at least once in two seconds.
    static let silence = Duration.seconds(10)
    /// As long as a loss is shown, unless the cuff comes back.
    private static let longestLoss = Duration.seconds(3600)
    /// Of so many closed links late samples are known; they come within a second of the end.
    private static let mostClosed = 1024

    private let state = Locked(State())
    private let now: @Sendable () -> Int64
    private let onNews: @Sendable () -> Void

    /// `onNews` is called from any thread, once until `news` is asked for; `now` is the monotonic clock in nanoseconds.
    init(now: @escaping @Sendable () -> Int64 = { HostClock.monotonic() }, onNews: @escaping @Sendable () -> Void) {
        self.now = now
        self.onNews = onNews
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let now = now()
        change { state in for entry in batch.entries { Self.add(entry, of: batch, at: now, to: &state) } }
        return 0
    }

    /// A link began, or it ended and what it measured is gone with it.
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

    private func change(_ body: (inout State) -> Void) {
        let isFirst = state.withLock { state in
            let wasDirty = state.isDirty
            body(&state)
            return !wasDirty && state.isDirty
        }
        if isFirst { onNews() }
    }

    private static func add(_ entry: Entry, of batch: Batch, at now: Int64, to state: inout State) {
        switch entry {
        case .reading(let reading):
            state.latest.append((reading, batch.device))
            if state.latest.count > 2 * longestMemory { state.latest.removeFirst(longestMemory) }
            state.isPageOld = true
        // The page is rendered again.
        case .live(.alert, _, _): state.isPageOld = true
        case .live(.cuffPressure(let pressure), _, _):
            if state.shown[batch.source] == nil, state.shown.count >= mostLive {
                // What broke off longest ago makes room.
                let lost = state.shown.filter { $0.value.live.loss != nil }.min { $0.value.at < $1.value.at }
                guard let lost else { return }
                state.end(lost.key)
            }
            let name = batch.identity?.model ?? (batch.device.isEmpty ? batch.driver.description : batch.device)
            let whole = Int(max(-999, min(9999, pressure.inMmHg.rounded())))
            state.show(LivePage.Live(key: "\(batch.source)", name: name, pressure: whole), batch.source, at: now)
            if state.closed.contains(batch.source) { state.lose(batch.source, .connectionLost, at: now) }
        case .live(.failed(let failure), _, _) where failure.reason == .lost: state.lose(batch.source, .connectionLost, at: now)
        case .live(.ended, _, _), .live(.aborted, _, _), .live(.failed, _, _): state.end(batch.source)
        case .live: break
        }
    }

    /// Measurements that run or broke off.
    var live: [LivePage.Live] {
        let now = now()
        return state.withLock { state in
            state.expire(at: now)
            return state.shown.sorted { $0.key < $1.key }.map(\.value.live)
        }
    }

    /// The latest readings of this run, oldest first.
    func latest(_ count: Int) -> [(reading: Reading, device: String)] { state.withLock { Array($0.latest.suffix(count)) } }

    /// What changed since the last call, as server-sent events; empty for nothing.
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
