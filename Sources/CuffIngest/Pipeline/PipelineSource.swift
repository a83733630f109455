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
    init(of member: Pipeline.Member, among members: [Pipeline.Member]) {
        let sink = member.sink
        self.init(
            isRequired: member.isRequired, isDurable: sink.isDurable, takesLiveEvents: sink.takesLiveEvents, takesAlerts: sink.takesAlerts,
            leader: (sink as? any FollowingSink)?.leader.flatMap { leader in members.firstIndex { ObjectIdentifier($0.sink) == leader } })
    }
}

extension Pipeline {
    /// A write has succeeded, for the sinks that follow this one, too.
    func noteStored(_ inner: inout Inner, _ index: Int, _ readings: Int, _ known: Int, _ took: Int64) {
        inner.reports[index].noteStored(readings, known: known, took)
        for follower in followers[index] {
            guard let part = (members[follower].sink as? any FollowingSink)?.takeWritten() else { continue }
            inner.reports[follower].noteStored(readings - part.missed, known: part.known, took)
            inner.reports[follower].missed += part.missed
        }
    }
}

extension [Pipeline.Member] {
    /// A sink that others follow is needed as much as they are.
    func withRequiredLeaders() -> [Pipeline.Member] {
        let needed = compactMap { $0.isRequired ? ($0.sink as? any FollowingSink)?.leader : nil }
        return map { Pipeline.Member($0.sink, isRequired: $0.isRequired || needed.contains(ObjectIdentifier($0.sink))) }
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
