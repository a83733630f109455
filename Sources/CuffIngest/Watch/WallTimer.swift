import Dispatch

/// A timer by the wall clock, so that what is due during a suspend is handled after it. Used on its queue only.
final class WallTimer: @unchecked Sendable {
    private let queue: DispatchQueue
    private let fire: @Sendable () -> Void
    private var source: (any DispatchSourceTimer)?

    init(_ queue: DispatchQueue, _ fire: @escaping @Sendable () -> Void) { (self.queue, self.fire) = (queue, fire) }

    /// Fires once after this time, and not at the time that was set before; `nil`: never.
    func set(after wait: Duration?) {
        source?.cancel()
        source = nil
        guard let wait else { return }
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.schedule(wallDeadline: .now() + .nanoseconds(Int(clamping: wait.nanoseconds)), leeway: .milliseconds(200))
        source.setEventHandler { @Sendable [weak self] in
            self?.set(after: nil)
            self?.fire()
        }
        source.activate()
        self.source = source
    }
}
