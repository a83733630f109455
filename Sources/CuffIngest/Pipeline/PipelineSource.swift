extension Pipeline {
    /// How a source hears from the pipeline. Called under the pipeline's lock: hop to a queue, never call back.
    public struct Source: Sendable {
        /// So many of its readings are in every required durable sink.
        public var committed: @Sendable (Int) -> Void
        /// So many were taken by every sink, none of which keeps them: told instead of `committed` where there is no durable
        /// sink. It is no ground for telling a cuff that anything was stored.
        public var passedOn: @Sendable (Int) -> Void
        /// Called with `true` when the source has to stop submitting, with `false` when it may go on.
        public var paused: @Sendable (Bool) -> Void
        /// `committed` and `passedOn` are to be told; otherwise they would wake a thread for nothing.
        public var wantsCommits: Bool
        /// Live samples are left out, with a count, rather than held when a sink is slow.
        public var mayThin: Bool

        /// Sets each property as given.
        public init(
            mayThin: Bool, wantsCommits: Bool = true, committed: @escaping @Sendable (Int) -> Void,
            passedOn: @escaping @Sendable (Int) -> Void = { _ in }, paused: @escaping @Sendable (Bool) -> Void
        ) {
            self.mayThin = mayThin
            self.wantsCommits = wantsCommits
            self.committed = committed
            self.passedOn = passedOn
            self.paused = paused
        }
    }

    /// A sink in a pipeline.
    public struct Member: Sendable {
        /// The sink.
        public var sink: any Sink
        /// Not optional: sources wait for it. Its word is a commit only where the sink is durable, too.
        public var isRequired: Bool
        /// Required unless said otherwise.
        public init(_ sink: any Sink, isRequired: Bool = true) {
            self.sink = sink
            self.isRequired = isRequired
        }
    }
}

extension PipelineState.Rule {
    init(of sink: any Sink, isRequired: Bool) {
        self.init(
            isRequired: isRequired, isDurable: sink.isDurable, takesLiveEvents: sink.takesLiveEvents, takesAlerts: sink.takesAlerts)
    }
}

extension SinkReport {
    init(_ member: Pipeline.Member) {
        let sink = member.sink
        self.init(label: sink.label, isRequired: member.isRequired, isInternal: sink.isInternal, isDurable: sink.isDurable)
    }
}

extension Pipeline {
    /// Calls back with the number of each source that comes, `true`, and goes. Batches that it submitted may follow its going. It is
    /// called on the source's thread and must not block.
    func whenSourcesChange(_ body: @escaping @Sendable (Int, Bool) -> Void) { inner.withLock { $0.onSource = body } }
}
