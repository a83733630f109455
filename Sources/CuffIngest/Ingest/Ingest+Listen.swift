import CuffCore

extension Ingest {
    /// Cuffs that call: each caller is a link of its own, in the same sinks. With `follows` it goes on until it is stopped;
    /// without, until somebody was read to the end and nobody is left.
    static func listen(
        _ host: String, _ port: Int, _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions
    ) throws(IngestError) -> IngestReport {
        let pipeline = try pipeline(options)
        let done = Gate(isOpen: false)
        let best = Locked<Outcome?>(nil)
        var setup = CallerLinks.Setup(driver: driver, commands: commands(driver, read))
        setup.device = options.device
        setup.options = options.driverOptions
        setup.memory = options.memory
        setup.filter = read.filter
        if let path = read.recording { setup.wrap = try Self.recorder(path, driver, read) }
        let callers: CallerLinks
        do throws(IngestError) {
            callers = try CallerLinks(host, port, setup, pipeline) { news in
                options.tell(news)
                switch news {
                case .left(_, let outcome, let counters, let remaining):
                    let isRead = outcome == .complete || counters.readings > 0
                    let isOver = best.withLock { best in
                        if isRead || best == nil { best = isRead ? .complete : outcome }
                        return best == .complete && remaining == 0 && !read.follows
                    }
                    if isOver { done.set(open: true) }
                case .empty: done.set(open: true)
                case .came, .event, .refused: break
                }
            }
            try callers.start()
        } catch {
            try? pipeline.finish()
            throw error
        }
        options.diagnostics(.note("listening on \(callers.listener.address)"))
        let stop: @Sendable () -> Void = { callers.stop() }
        pipeline.whenStopped(stop)
        let output = OutputWatch(pipeline)
        defer { output?.cancel() }
        let number = options.stop.whenRaised(stop)
        defer { options.stop.forget(number) }
        var isTimedOut = false
        if let timeout = read.timeout {
            isTimedOut = !done.pass(within: timeout)
            if isTimedOut {
                callers.stop()
                done.pass()
            }
        } else {
            done.pass()
        }
        callers.listener.close()
        var report = IngestReport()
        report.counters = callers.counters
        try finish(pipeline, &report)
        report.judgeListening(
            callers.listener.address, best.withLock { $0 }, isTimedOut: isTimedOut, isStopped: options.stop.isRaised)
        return report
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
    func tell(_ news: CallerLinks.News) {
        switch news {
        case .came(let place): diagnostics(.note("\(place) calls"))
        case .event(let place, .diagnostic(let diagnostic)):
            if case .ignored = diagnostic { diagnostics(diagnostic) } else { diagnostics(diagnostic.at(place)) }
        case .event: break
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
        closing = "\(address): " + ((counters.readings == 0 ? best?.sentence : nil) ?? "the time allowed ran out")
    }
}
