extension Pipeline {
    /// The callbacks of a source. Called under the pipeline's lock: hop to a queue, never call back.
    package struct Source: Sendable {
        /// Whether live samples are dropped and counted, rather than held, when a sink is slow.
        package var mayThin: Bool
        /// Whether to call `committed` and `passedOn`; otherwise they would wake a thread for nothing.
        package var wantsCommits = true
        /// This many of its readings are in every required durable sink.
        package var committed: @Sendable (Int) -> Void
        /// This many were accepted by every required sink; called instead of `committed` without a durable sink. Not a reason to
        /// acknowledge anything to a cuff.
        package var passedOn: @Sendable (Int) -> Void = { _ in }
        /// `true`: stop submitting; `false`: continue.
        package var paused: @Sendable (Bool) -> Void
    }

    package struct Member: Sendable {
        package var sink: any ReadingSink
        /// Whether sources wait for it. It commits only if the sink is durable, too.
        package var isRequired: Bool
        package init(_ sink: any ReadingSink, isRequired: Bool = true) {
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
            takesGroups: sink is any GroupingSink,
            leader: (sink as? any FollowingSink)?.leader.flatMap { leader in members.firstIndex { ObjectIdentifier($0.sink) == leader } })
    }
}

extension Pipeline {
    /// Calls back with the number of each source that is attached (`true`) or detached. Its batches may still follow a
    /// detachment. Called on the source's thread; must not block.
    func whenSourcesChange(_ body: @escaping @Sendable (Int, Bool) -> Void) { inner.withLock { $0.onSource = body } }

    /// Records a successful write, also for the sink's followers.
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
    /// A leader is required if one of its followers is.
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
