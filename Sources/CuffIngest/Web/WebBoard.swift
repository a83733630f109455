import CuffClinical
import CuffCore

/// What the live page knows of the present: a sink that keeps the newest pressure of each cuff that measures, and the latest
/// readings of this run. It stores nothing, and no cuff is acknowledged for it.
final class WebBoard: Sink {
    let label = "web"
    let isInternal = true
    let takesLiveEvents = true

    private struct State {
        var live: [Int: LivePage.Live] = [:]
        /// Cuffs whose pressure changed since the viewers were told, and those whose measurement ended.
        var changed: Set<Int> = []
        var ended: Set<Int> = []
        var hasReadings = false
        var latest: [(reading: Reading, device: String)] = []
        var isDirty: Bool { hasReadings || !changed.isEmpty || !ended.isEmpty }
    }

    /// Readings of this run that are kept for the page where there is no database.
    private static let longestMemory = 400
    /// Cuffs that measure at once and are shown.
    private static let mostLive = 256

    private let state = Locked(State())
    private let onNews: @Sendable () -> Void

    /// `onNews` is called from the sink's queue, once until `news` is asked for.
    init(onNews: @escaping @Sendable () -> Void) { self.onNews = onNews }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        let isFirst = state.withLock { state in
            let wasDirty = state.isDirty
            for entry in batch.entries { Self.add(entry, of: batch, to: &state) }
            return !wasDirty && state.isDirty
        }
        if isFirst { onNews() }
        return 0
    }

    private static func add(_ entry: Entry, of batch: Batch, to state: inout State) {
        switch entry {
        case .reading(let reading):
            state.latest.append((reading, batch.device))
            if state.latest.count > 2 * longestMemory { state.latest.removeFirst(longestMemory) }
            state.hasReadings = true
        // The page is taken anew, and shows what stands.
        case .live(.alert, _, _): state.hasReadings = true
        case .live(.cuffPressure(let pressure), _, _):
            guard state.live[batch.source] != nil || state.live.count < mostLive else { return }
            let name = batch.identity?.model ?? (batch.device.isEmpty ? batch.driver.description : batch.device)
            let whole = Int(max(-999, min(9999, pressure.inMmHg.rounded())))
            state.live[batch.source] = LivePage.Live(key: "\(batch.source)", name: name, pressure: whole)
            state.changed.insert(batch.source)
        case .live(.ended, _, _), .live(.aborted, _, _), .live(.failed, _, _):
            guard state.live.removeValue(forKey: batch.source) != nil else { return }
            state.changed.remove(batch.source)
            state.ended.insert(batch.source)
        case .live: break
        }
    }

    /// Measurements that run.
    var live: [LivePage.Live] { state.withLock { $0.live.sorted { $0.key < $1.key }.map(\.value) } }

    /// The latest readings of this run, oldest first.
    func latest(_ count: Int) -> [(reading: Reading, device: String)] { state.withLock { Array($0.latest.suffix(count)) } }

    /// What changed since the last call, as server-sent events; empty for nothing.
    func news() -> [UInt8] {
        let (changed, ended, hasReadings) = state.withLock { state in
            defer {
                state.changed = []
                state.ended = []
                state.hasReadings = false
            }
            return (state.changed.sorted().compactMap { state.live[$0] }, state.ended.sorted(), state.hasReadings)
        }
        var text = TextBuffer(capacity: 1024)
        if !changed.isEmpty {
            text.append("event: live\ndata: {\"cuffs\":[")
            for (index, one) in changed.enumerated() {
                text.append(index == 0 ? "{\"key\":" : ",{\"key\":")
                text.append(jsonString: one.key)
                text.append(",\"name\":")
                text.append(jsonString: one.name)
                text.append(",\"pressure_mmHg\":")
                text.append(decimal: Int64(one.pressure))
                text.append("}")
            }
            text.append("]}\n\n")
        }
        if !ended.isEmpty {
            text.append(string: "event: ended\ndata: {\"keys\":[\(ended.map { "\"\($0)\"" }.joined(separator: ","))]}\n\n")
        }
        if hasReadings { text.append("event: changed\ndata: {}\n\n") }
        return text.array
    }
}
