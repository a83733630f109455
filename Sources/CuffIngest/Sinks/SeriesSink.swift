import CuffClinical
import CuffCore

/// Makes series of the live events that pass by, and keeps them in the database beside their readings. Samples that were
/// thinned because a sink was slow are missing from them, which the beats' gaps show.
final class SeriesSink: Sink {
    enum Policy: Sendable, Hashable {
        case none
        /// Of measurements that gave a result.
        case ofResults
        /// Of failed ones, too.
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
    // Used on the sink's queue alone.
    nonisolated(unsafe) private var cuffs: [Int: Cuff] = [:]
    /// Cuffs of which something is under way.
    var held: Int { cuffs.count }
    /// Opened for the first series: a second connection is no use to a watch that waits.
    nonisolated(unsafe) private var store: Store?

    init(path: String, policy: Policy, drivers: [CuffDriver] = CuffFamilies.all) throws(IngestError) {
        label = "series:\(path)"
        self.policy = policy
        self.drivers = drivers
        self.path = path
    }

    func write(_ batch: Batch) throws(IngestError) -> Int {
        // A batch that comes again must find the recorder as it was. Samples alone cannot fail, and a recorder that is kept twice
        // is copied, with all that it holds: once for each measurement's end, and not for each of its samples.
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
        // A cuff that shows nothing is not kept: each plugging in is another source.
        cuffs[batch.source] = cuff.recorder.isIdle ? nil : cuff
        return 0
    }

    private func begin(_ batch: Batch) -> Cuff {
        let recorder = SeriesRecorder(
            source: HealthSource(name: "cuff"),
            isContinuous: drivers.first { $0.id == batch.driver }?.capabilities.contains(.continuous) ?? false,
            keepsFailed: policy == .all)
        return Cuff(recorder: recorder, driver: batch.driver, device: batch.device)
    }

    /// Nothing but pressures and beats, and none of them ends a series.
    private static func cannotFail(_ batch: Batch, _ recorder: SeriesRecorder) -> Bool {
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
