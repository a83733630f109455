import Glibc

/// Threads for blocking work, so that neither a queue's thread nor one of Swift's own is held.
enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(_ body: @escaping @Sendable () -> Void) {
        var thread = pthread_t()
        let box = Unmanaged.passRetained(Body(body)).toOpaque()
        pthread_create(
            &thread, nil,
            { pointer in
                if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
                return nil
            }, box)
        pthread_detach(thread)
    }

    /// Suspends the task until `body` has returned on a thread of its own. `cancelled` is called when the task is cancelled; the
    /// body still returns before this does.
    static func run<Success: Sendable>(
        cancelled: @escaping @Sendable () -> Void = {}, _ body: @escaping @Sendable () throws(IngestError) -> Success
    ) async throws(IngestError) -> Success {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Success, IngestError>, Never>) in
                start { continuation.resume(returning: Result { () throws(IngestError) in try body() }) }
            }
        } onCancel: {
            cancelled()
        }
        return try result.get()
    }
}
