import CuffCore
import Dispatch

extension Ingest {
    /// Reads cuffs that connect: each has its own link into the same sinks. With `follows` until stopped; otherwise until one was
    /// read completely and none is connected, or none has connected within the family's time limit.
    static func listen(
        _ host: String, _ port: Int, _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> IngestReport {
        let pipeline = try pipeline(options, policy: read.follows ? .awaitLock : .stop, survives: survives)
        let done = Gate(isOpen: false)
        let waiting = Locked(Waiting())
        let captures = CaptureFaults(options)
        let (setup, capture) = try callerSetup(driver, read, options, captures)
        defer { capture?.discardEmpty() }
        // Handlers may block.
        let listeners = DispatchQueue(label: "cuff.notices")
        defer { listeners.sync {} }
        let callers: CallerLinks
        do throws(IngestError) {
            callers = try CallerLinks(host, port, setup, pipeline) { notice in
                listeners.async { @Sendable in options.notify(notice) }
                switch notice {
                case .left(_, let outcome, let counters, let remaining):
                    let isRead = outcome == .complete || counters.readings > 0
                    let isOver = waiting.withLock { waiting in
                        if isRead || waiting.best == nil { waiting.best = isRead ? .complete : outcome }
                        return waiting.best == .complete || waiting.isLate
                    }
                    if isOver, remaining == 0, !read.follows { done.set(open: true) }
                case .empty: done.set(open: true)
                case .came, .link, .refused: break
                }
            }
            let (bound, loop) = (LoopBound(callers), EventLoop.shared)
            try loop.sync { Result { () throws(IngestError) in try bound.value.start() } }.get()
        } catch {
            try? pipeline.finish()
            throw error
        }
        options.diagnostics(.note("listening on \(callers.listener.address)"))
        let (bound, loop) = (LoopBound(callers), EventLoop.shared)
        let stop: @Sendable () -> Void = { loop.async { bound.value.stop() } }
        pipeline.whenStopped(stop)
        let output = OutputWatch(pipeline)
        defer { output?.cancel() }
        let number = options.stop.whenRaised(stop)
        defer { options.stop.forget(number) }
        let limit = read.follows || read.timeout != nil ? nil : driver.callLimit(options.driverOptions)
        let late = giveUp(after: limit, bound, waiting, done)
        defer { late.cancel() }
        let isTimedOut = done.pass(within: read.timeout, orElse: stop)
        var report = IngestReport()
        report.counters = loop.sync {
            bound.value.listener.close()
            return bound.value.counters
        }
        try finish(pipeline, &report, stop: options.stop)
        let best = waiting.withLock { waiting in
            waiting.best ?? limit.flatMap { waiting.isLate ? .noAnswer("no cuff connected within \($0.components.seconds) s") : nil }
        }
        report.judgeListening(callers.listener.address, best, isTimedOut: isTimedOut, stop: options.stop, follows: read.follows)
        report.judge(captures)
        return report
    }

    /// When the time is over and no cuff is connected, stops waiting.
    private static func giveUp(
        after limit: Duration?, _ callers: LoopBound<CallerLinks>, _ waiting: Locked<Waiting>, _ done: Gate
    ) -> DispatchWorkItem {
        let late = DispatchWorkItem {
            waiting.withLock { $0.isLate = true }
            if EventLoop.shared.sync({ callers.value.count }) == 0 { done.set(open: true) }
        }
        if let limit { DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(limit.nanoseconds)), execute: late) }
        return late
    }

    private struct Waiting: Sendable {
        var best: Outcome?
        /// Later connections are not waited for.
        var isLate = false
    }

    private static func callerSetup(
        _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions, _ captures: CaptureFaults
    ) throws(IngestError) -> (CallerLinks.Setup, CaptureWriter?) {
        var setup = CallerLinks.Setup(driver: driver, commands: commands(driver, read))
        setup.device = options.device
        setup.options = options.driverOptions
        setup.memory = options.memory
        setup.filter = read.filter
        setup.zone = options.zone
        guard let path = read.recording else { return (setup, nil) }
        // Opened early, so that an unwritable file is reported before the first connection.
        let first = try CaptureWriter(path, driver: driver, model: options.model, node: "tcp-listen", onFault: captures.report)
        setup.wrap = recorder(first, path, driver, options.model, captures)
        return (setup, first)
    }

    /// Each connection is recorded in its own file: a.pcapng, a-2.pcapng, a-3.pcapng.
    private static func recorder(
        _ first: CaptureWriter, _ path: String, _ driver: CuffDriver, _ model: String?, _ captures: CaptureFaults
    ) -> @Sendable (TCPTransport, Int) -> any Transport {
        { transport, number in
            if number == 1 { return RecordingTransport(transport, to: first) }
            do throws(IngestError) {
                let writer = try CaptureWriter(
                    OutputFile.numbered(path, number), driver: driver, model: model, node: transport.address, onFault: captures.report)
                return RecordingTransport(transport, to: writer)
            } catch {
                captures.report(error)
                return transport
            }
        }
    }
}

extension IngestOptions {
    func notify(_ notice: CallerLinks.Notice) {
        switch notice {
        case .came(let place): diagnostics(.note("\(place) calls"))
        case .link(let place, .diagnostic(let diagnostic)):
            if case .ignored = diagnostic { diagnostics(diagnostic) } else { diagnostics(diagnostic.at(place)) }
        case .link: break
        case .left(let place, let outcome, _, _): diagnostics(.note("\(place) left\(outcome.sentence.map { ": \($0)" } ?? "")"))
        case .refused(let place):
            diagnostics(.warning("\(place) was disconnected: \(CallerLinks.limit) cuffs are connected already"))
        case .empty: break
        }
    }
}

extension IngestReport {
    fileprivate mutating func judgeListening(
        _ address: String, _ best: Outcome?, isTimedOut: Bool, stop: StopSignal, follows: Bool
    ) {
        if isOutputClosed { return }
        if stop.isRaised {
            if status == .done, !follows, best != .complete { status = stop.ending }
            return
        }
        outcome = best
        let words = counters.readings == 0 ? best?.sentence : nil
        guard isTimedOut else {
            guard let words, let best else { return }
            if status == .done { status = if case .noAnswer = best { .unavailable } else { .protocolFault } }
            return endings.append(.session(words, address: address))
        }
        status = .timedOut
        endings.append(words.map { .session($0, address: address) } ?? .timeRanOut(address: address))
    }
}
