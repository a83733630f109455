import CuffCore
import Glibc

extension Pipeline {
    /// What the worst of the required sinks has not stored: of the durable ones if there are any, else of all. Valid until a run
    /// is given up.
    var unstored: UnstoredReadings {
        inner.withLock { inner in
            var worst = UnstoredReadings()
            for (index, member) in members.enumerated() where member.isRequired && member.sink.isDurable == isDurable {
                var unstored = inner.state.unstored(by: index, keeps: isKept)
                if members.count > 1 { unstored.sink = member.sink.label }
                if unstored.readings > worst.readings { worst = unstored }
            }
            worst.readings += inner.turnedAway.readings
            worst.inTheCuff += inner.turnedAway.inTheCuff
            return worst
        }
    }

    /// Whether unacknowledged readings stay in the cuff.
    func isKept(_ driver: DriverID) -> Bool {
        drivers.first { $0.id == driver }?.capabilities.contains(.forgets) ?? false
    }

    /// Calls back once, when everything accepted is stored by every required sink, or cannot be.
    package func whenSettled(_ body: @escaping @Sendable () -> Void) {
        let isSettled = inner.withLock { inner -> Bool in
            if inner.state.isSettled || inner.fault != nil { return true }
            inner.onSettled = body
            return false
        }
        if isSettled { body() }
    }

    /// Waits until everything is stored, then closes the sinks. Blocks, so it must not be called on a queue. Optional sinks get
    /// `grace` for their backlog; the rest counts as missed.
    package func finish(grace: Duration = .seconds(2)) throws(IngestError) {
        let gate = Gate(isOpen: false)
        whenSettled { gate.set(open: true) }
        gate.pass()
        waitForOptionalSinks(grace)
        inner.withLock { inner in
            inner.isClosed = true
            inner.onStopped = nil
        }
        var first = fault
        // Followers use their leader's database, so leaders are closed last.
        let leaders = members.indices.filter { !followers[$0].isEmpty }
        for index in members.indices.filter({ !leaders.contains($0) }) + leaders {
            let member = members[index]
            let closed = Gate(isOpen: false)
            let result = Locked<IngestError?>(nil)
            queues[index].async { @Sendable in
                do throws(IngestError) { try member.sink.close() } catch { result.withLock { $0 = error } }
                closed.set(open: true)
            }
            // A stalled optional sink must not keep the program from ending.
            if member.isRequired { closed.pass() } else { _ = closed.pass(within: grace) }
            if let error = result.withLock({ $0 }) {
                inner.withLock { $0.reports[index].fault = error }
                if member.isRequired && first == nil { first = error }
            }
        }
        if let first { throw first }
    }

    /// The user does not want to wait for a locked database any longer.
    func stopAwaitingLock() {
        inner.withLock { inner in
            guard inner.awaitsLock else { return }
            inner.awaitsLock = false
            let faults = members.indices.compactMap { members[$0].isRequired ? inner.reports[$0].fault : nil }
            if let fault = faults.first(where: \.isLock) { stop(&inner, fault) }
        }
    }

    /// The descriptors of sinks whose reader's leaving ends the run.
    var outputs: [Int32] { members.compactMap { $0.isRequired ? $0.sink.outputDescriptor : nil } }

    /// The reader of an output has exited; poll(2) shows it before anything is written.
    func outputClosed() {
        inner.withLock { inner in
            guard !inner.isClosed else { return }
            stop(&inner, .outputClosed)
        }
    }

    /// After a log rotation: every sink checks, in order with its writes, whether its file is still in place.
    package func reopen() {
        for (index, member) in members.enumerated() {
            queues[index].async { @Sendable in
                guard !self.inner.withLock({ $0.isClosed }) else { return }
                do throws(IngestError) { try member.sink.reopen() } catch { self.onFault(member.sink.label, error) }
            }
        }
    }

    private func waitForOptionalSinks(_ grace: Duration) {
        let until = HostClock.monotonic() + grace.nanoseconds
        while HostClock.monotonic() < until {
            if inner.withLock({ $0.fault != nil || $0.state.isDrained }) { return }
            usleep(2000)
        }
        inner.withLock { inner in
            for (index, missing) in inner.state.waiting.enumerated() where !members[index].isRequired {
                inner.reports[index].missed += missing
            }
        }
    }
}

extension IngestError {
    /// Standard output was closed by its reader. Ends a run without a message.
    static let outputClosed = IngestError(FileFault.outputClosed)
    var isOutputClosed: Bool { self == .outputClosed }
    /// Another program is writing the database.
    var isLock: Bool { if case .unwritable(_, EWOULDBLOCK) = fault as? FileFault { true } else { false } }
}
