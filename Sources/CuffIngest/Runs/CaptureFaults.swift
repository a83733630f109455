import CuffCore

/// The faults of a run's captures: each is reported when it happens, and makes the run a failure at its end.
final class CaptureFaults: Sendable {
    private let options: IngestOptions
    private let hasAny = Locked(false)

    init(_ options: IngestOptions) { self.options = options }

    var isAny: Bool { hasAny.withLock { $0 } }

    func report(_ fault: IngestError) {
        hasAny.withLock { $0 = true }
        options.diagnostics(.warning("the capture is incomplete: \(options.explain(fault))"))
    }
}
