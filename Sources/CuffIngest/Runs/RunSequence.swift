import CuffCore

/// What one run gives, for `for try await`.
///
/// Nothing is opened before the first element is asked for, and each loop over the sequence is a run of its own. A loop that is left,
/// or whose task is cancelled, ends the run in order: links are closed, a cuff that measures is stopped. After a cancellation the loop
/// ends when that is done.
///
/// The loop throws an `IngestError` if the run cannot begin or did not do what was asked.
public struct RunSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Why the run could not begin, or did not do what was asked.
    public typealias Failure = IngestError

    private let handover: @Sendable () -> RunHandover<Element>

    init(_ handover: @escaping @Sendable () -> RunHandover<Element>) { self.handover = handover }

    /// A run of its own, which begins with the first `next`.
    public func makeAsyncIterator() -> Iterator { Iterator(lease: Lease(handover())) }

    /// One loop; for one task at a time.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let lease: Lease

        /// The next element; `nil` when the run is over or the task was cancelled.
        /// - Throws: An `IngestError` if the run cannot begin or did not do what was asked.
        public mutating func next() async throws(IngestError) -> Element? { try await lease.next() }

        /// The next element; `nil` when the run is over or the task was cancelled.
        /// - Throws: As ``next()``.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(IngestError) -> Element? {
            try await lease.next()
        }
    }

    /// Ends the run when the iterator is gone.
    fileprivate final class Lease: Sendable {
        private let handover: RunHandover<Element>

        init(_ handover: RunHandover<Element>) { self.handover = handover }

        deinit { handover.end() }

        func next() async throws(IngestError) -> Element? {
            let step = await withTaskCancellationHandler {
                handover.begin()
                return await handover.next()
            } onCancel: {
                handover.end()
            }
            return try step.get()
        }
    }
}
