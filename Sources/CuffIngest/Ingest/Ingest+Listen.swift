import CuffCore
import Dispatch

extension Ingest {
    /// Cuffs that call: each caller is a link of its own, in the same sinks. With `follows` it goes on until it is stopped;
    /// without, until somebody was read to the end and nobody is left.
    static func listen(
        _ host: String, _ port: Int, _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> IngestReport {
        let pipeline = try pipeline(options)
        let done = Gate(isOpen: false)
        let best = Locked<Outcome?>(nil)
        let setup = try callerSetup(driver, read, options)
        // Whoever hears of it may block.
        let listeners = DispatchQueue(label: "cuff.notices")
        defer { listeners.sync {} }
        let callers: CallerLinks
        do throws(IngestError) {
            callers = try CallerLinks(host, port, setup, pipeline) { notice in
                listeners.async { @Sendable in options.tell(notice) }
                switch notice {
                case .left(_, let outcome, let counters, let remaining):
                    let isRead = outcome == .complete || counters.readings > 0
                    let isOver = best.withLock { best in
                        if isRead || best == nil { best = isRead ? .complete : outcome }
                        return best == .complete && remaining == 0 && !read.follows
                    }
                    if isOver { done.set(open: true) }
                case .empty: done.set(open: true)
                case .came, .link, .refused: break
                }
            }
            let (bound, loop) = (LoopBound(callers), EventLoop.shared)
            try loop.sync { () -> Result<Void, IngestError> in
                do throws(IngestError) { try bound.value.start() } catch { return .failure(error) }
                return .success(())
            }.get()
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
        let isTimedOut = done.pass(within: read.timeout, orElse: stop)
        var report = IngestReport()
        report.counters = loop.sync {
            bound.value.listener.close()
            return bound.value.counters
        }
        try finish(pipeline, &report, stop: options.stop)
        report.judgeListening(
            callers.listener.address, best.withLock { $0 }, isTimedOut: isTimedOut, isStopped: options.stop.isRaised)
        return report
    }

    private static func callerSetup(
        _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> CallerLinks.Setup {
        var setup = CallerLinks.Setup(driver: driver, commands: commands(driver, read))
        setup.device = options.device
        setup.options = options.driverOptions
        setup.memory = options.memory
        setup.filter = read.filter
        setup.zone = options.zone
        if let path = read.recording { setup.wrap = try Self.recorder(path, driver, read) }
        return setup
    }

    /// Each caller's bytes go to a file of their own: FILE, FILE-2, FILE-3.
    private static func recorder(
        _ path: String, _ driver: CuffDriver, _ read: ReadOptions
    ) throws(IngestError) -> @Sendable (TCPTransport, Int) -> any Transport {
        // That it can be written must come to light before anybody calls.
        let first = try CaptureWriter(path, driver: driver, line: read.line, node: "tcp-listen")
        let line = read.line
        return { transport, number in
            if number == 1 { return RecordingTransport(transport, to: first) }
            guard let writer = try? CaptureWriter("\(path)-\(number)", driver: driver, line: line, node: transport.address) else {
                return transport
            }
            return RecordingTransport(transport, to: writer)
        }
    }
}

extension IngestOptions {
    /// What callers do, in words.
    func tell(_ notice: CallerLinks.Notice) {
        switch notice {
        case .came(let place): diagnostics(.note("\(place) calls"))
        case .link(let place, .diagnostic(let diagnostic)):
            if case .ignored = diagnostic { diagnostics(diagnostic) } else { diagnostics(diagnostic.at(place)) }
        case .link: break
        case .left(let place, let outcome, _, _): diagnostics(.note("\(place) left\(outcome.sentence.map { ": \($0)" } ?? "")"))
        case .refused(let place):
            diagnostics(.warning("\(place) was hung up on: \(CallerLinks.limit) callers are connected already"))
        case .empty: break
        }
    }
}

extension IngestReport {
    fileprivate mutating func judgeListening(_ address: String, _ best: Outcome?, isTimedOut: Bool, isStopped: Bool) {
        if isOutputClosed || isStopped { return }
        outcome = best
        guard isTimedOut else { return }
        status = .timedOut
        let words = counters.readings == 0 ? best?.sentence : nil
        endings.append(words.map { .session($0, address: address) } ?? .timeRanOut(address: address))
    }
}
