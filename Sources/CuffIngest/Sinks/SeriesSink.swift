import CuffClinical
import CuffCore

/// Stores series of live events in the database of their readings. Samples that were thinned because of a slow sink are missing,
/// which the gaps between beats show.
final class SeriesSink: ReadingSink {
    enum Policy: Sendable, Hashable {
        case none
        case ofResults
        case all
    }

    private struct Cuff {
        var recorder: SeriesRecorder
        var driver: DriverID
        var device: String
        var identity: DeviceIdentity?
    }

    let label: String
    let takesLiveEvents = true
    let isInternal = true
    private let path: String
    private let policy: Policy
    private let drivers: [CuffDriver]
    // From here on: used on the sink's queue only.
    nonisolated(unsafe) private var cuffs: [Int: Cuff] = [:]
    var held: Int { cuffs.count }
    /// Opened for the first series: an idle watch does not need a second connection.
    nonisolated(unsafe) private var store: Store?

    init(path: String, policy: Policy, drivers: [CuffDriver] = CuffFamilies.all) throws(IngestError) {
        label = "series:\(path)"
        self.policy = policy
        self.drivers = drivers
        self.path = path
    }

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
        // A repeated batch needs the recorder's former state. Batches of samples cannot fail, so the recorder is copied only at
        // the end of a measurement, not for each sample.
        let former = cuffs[batch.source].flatMap { Self.cannotFail(batch, $0.recorder) ? nil : $0 }
        var cuff = cuffs.removeValue(forKey: batch.source) ?? begin(batch)
        (cuff.device, cuff.identity) = (batch.device, batch.identity)
        var finished: [HealthSeries] = []
        let now = HostClock.now()
        for entry in batch.entries {
            switch entry {
            case .live(let event, _, let elapsed):
                cuff.recorder.take(event, at: elapsed, now: now, device: cuff.identity, into: &finished)
            case .reading(let reading): cuff.recorder.take(reading, into: &finished)
            }
        }
        do throws(IngestError) { for series in finished { try save(series, cuff) } } catch {
            cuffs[batch.source] = former
            throw error
        }
        // Idle cuffs are dropped: each connection is a new source.
        cuffs[batch.source] = cuff.recorder.isIdle ? nil : cuff
        return 0
    }

    private func begin(_ batch: ReadingBatch) -> Cuff {
        let recorder = SeriesRecorder(
            source: HealthSource(name: "cuff"),
            isContinuous: drivers.first { $0.id == batch.driver }?.capabilities.contains(.continuous) ?? false,
            keepsFailed: policy == .all)
        return Cuff(recorder: recorder, driver: batch.driver, device: batch.device)
    }

    /// Only pressures and beats that do not end a series.
    private static func cannotFail(_ batch: ReadingBatch, _ recorder: SeriesRecorder) -> Bool {
        recorder.hasRoom(for: batch.entries.count)
            && batch.entries.allSatisfy { entry in
                switch entry {
                case .live(.cuffPressure, _, _), .live(.beat, _, _), .live(.oscillation, _, _), .live(.waveform, _, _): true
                default: false
                }
            }
    }

    private func save(_ series: HealthSeries, _ cuff: Cuff) throws(IngestError) {
        if store == nil { store = try Store(path, access: .write) }
        try store?.keep(series, driver: cuff.driver, device: cuff.device, identity: cuff.identity)
    }

    func close() throws(IngestError) {
        for cuff in cuffs.values {
            var recorder = cuff.recorder
            var finished: [HealthSeries] = []
            recorder.close(into: &finished)
            for series in finished { try save(series, cuff) }
        }
        cuffs = [:]
        try store?.close()
        store = nil
    }
}
