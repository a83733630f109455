import CuffCore
import Dispatch

/// Something beside the cuffs that is started, such as a port that is opened: after a failure it is tried again, with growing
/// pauses, until it succeeds.
final class RetriedStart: Sendable {
    private struct State {
        var pause = RetriedStart.firstPause
        var reported: IngestError?
        var isCancelled = false
    }

    private static let firstPause = Duration.seconds(1)
    private static let longestPause = Duration.seconds(60)

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "cuff.start")
    private let start: @Sendable () throws(IngestError) -> Void
    private let failed: @Sendable (IngestError) -> Void

    /// `failed` is called if the reason is new.
    init(_ start: @escaping @Sendable () throws(IngestError) -> Void, failed: @escaping @Sendable (IngestError) -> Void) {
        self.start = start
        self.failed = failed
    }

    /// Returns after the first attempt.
    func begin() { queue.sync { attempt() } }

    /// A running attempt is completed. From any thread.
    func cancel() { state.withLock { $0.isCancelled = true } }

    /// As `cancel`, and waits for a running attempt. Must not be called on the loop.
    func finish() {
        cancel()
        queue.sync {}
    }

    private func attempt() {
        guard !state.withLock({ $0.isCancelled }) else { return }
        do throws(IngestError) { try start() } catch {
            let (isNew, pause) = state.withLock { state in
                defer {
                    state.reported = error
                    state.pause = min(state.pause * 2, Self.longestPause)
                }
                return (state.reported != error, state.pause)
            }
            if isNew { failed(error) }
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(pause.nanoseconds))) { @Sendable [weak self] in self?.attempt() }
        }
    }

    /// The notice of a failure, on one line. `explained`: the error with its hint.
    static func notice(_ what: String, _ explained: String) -> WatchNotice {
        let why = explained.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "; ")
        return .watcher("\(what): \(why); trying again, with growing pauses")
    }
}
