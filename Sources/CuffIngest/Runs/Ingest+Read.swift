import CuffCore
import Dispatch
import Glibc

extension Ingest {
    /// Executes the command on one live cuff, stores its readings, and acknowledges only stored readings.
    package static func read(
        _ address: DeviceAddress, driver id: String, _ read: ReadOptions = ReadOptions(),
        options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        let driver = try driver(id, among: options.drivers)
        try driver.permit(options: options.driverOptions)
        let mark = options.memory.flatMap { MeasurementMarks($0).left(driver.id, address) }
        do throws(IngestError) {
            try driver.require(read.firstCommand(for: driver))
            try read.filter?.permit(driver)
            if read.command.takesReadings { try requireKeeping(driver, options) }
        } catch {
            // A cuff that cannot be read may still be inflated.
            if let mark, driver.capabilities.contains(.stop) {
                var stop = read
                (stop.command, stop.follows, stop.filter) = (.stop, false, nil)
                settle(mark, try conduct(address, driver, stop, options, nil, recovering: mark.former))
            }
            throw error
        }
        // Connecting cuffs can only be read.
        if case .tcpListen(let host, let port) = address, read.isReading { return try listen(host, port, driver, read, options) }
        let report = try conduct(address, driver, read, options, nil, recovering: mark?.former)
        if let mark { settle(mark, report) }
        return report
    }

    /// Whether a process died during a measurement with this cuff, and the cuff can be stopped.
    package static func isLeftMeasuring(_ address: DeviceAddress, driver id: String, _ options: IngestOptions) -> Bool {
        guard let driver = options.driver(id), driver.capabilities.contains(.stop), let memory = options.memory else { return false }
        return MeasurementMarks(memory).isLeft(driver.id, address)
    }

    /// If the cuff was lost again, or did not confirm its stop, the next process sends another.
    private static func settle(_ mark: MeasurementMarks.Held, _ report: IngestReport) {
        if report.fault == nil, report.recovery == .complete { mark.remove() } else { mark.leave() }
    }

    /// Runs one link. `recovering`: first stops the cuff, because an earlier process died during a measurement.
    static func conduct(
        _ address: DeviceAddress, _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions, _ measure: MeasureLink?,
        recovering: AbandonedMeasurement?
    ) throws(IngestError) -> IngestReport {
        var commands = Self.commands(driver, read)
        let isRecovering = recovering != nil && driver.capabilities.contains(.stop)
        let isStopAdded = isRecovering && commands.first != .stop
        if isStopAdded { commands.insert(.stop, at: 0) }
        if isRecovering {
            options.diagnostics(.warning("an earlier measurement with this cuff was not ended; sending a stop first"))
        }
        let (heard, done) = (Locked(Heard()), Gate(isOpen: false))
        let pipeline = try livePipeline(options, measure, commands)
        try refuseForgetting(driver, read, options, pipeline)
        let captures = CaptureFaults(options)
        let transport = try Self.transport(address, driver, read, options, captures)
        var setup = Self.setup(driver, read, options, measure, commands)
        (setup.keepsReadings, setup.recovering) = (pipeline.isDurable, isRecovering ? recovering : nil)
        // Handlers may block, for example on a terminal.
        let listeners = DispatchQueue(label: "cuff.notices")
        let link = LinkHandle(setup, transport: transport, pipeline: pipeline, memory: options.memory) { notice in
            listeners.async { @Sendable in
                if case .diagnostic(let diagnostic) = notice { options.diagnostics(diagnostic) }
                if case .measurement(let effect, let elapsed) = notice { measure?.heard(effect, elapsed) }
                if case .clock(_, let behind) = notice, behind != 0 { options.diagnostics(.note("the cuff's clock is \(behind) s behind")) }
                heard.withLock { $0.note(notice) }
                if case .ended = notice { done.set(open: true) }
            }
        }
        // A failed sink or a closed output ends the conversation, too.
        pipeline.whenStopped { link.stop() }
        let hangup = read.follows ? HangupSignal(reopen: { pipeline.reopen() }, gone: { options.stop.raise() }) : nil
        defer { withExtendedLifetime(hangup) {} }
        let output = OutputWatch(pipeline)
        defer { output?.cancel() }
        link.start()
        let silence = read.whenSilent.map { notice(of: link, on: listeners, $0) }
        defer { silence?.cancel() }
        let asked = measure == nil ? nil : MeasurementSignal.listen { link.stop() }
        defer { asked?.cancel() }
        let number = options.stop.whenRaised { link.stop() }
        defer { options.stop.forget(number) }
        let isTimedOut = done.pass(within: read.timeout, orElse: { link.stop() })
        var report = IngestReport()
        report.counters = link.counters
        let end = heard.withLock { $0 }
        (report.identity, report.clock, report.cycle) = (end.identity, end.clock, end.cycle)
        if report.counters.filtered > 0 {
            options.diagnostics(.note("\(Plural.text(report.counters.filtered, "reading")) outside the filter; left in the cuff"))
        }
        try finish(pipeline, &report, stop: options.stop)
        if let error = link.openingFault { throw error }
        if isRecovering { report.recovery = end.outcomes.first { $0.0 == .stop }?.1 }
        report.judge(
            end.outcome, Array(end.outcomes.dropFirst(isStopAdded ? 1 : 0)), fault: link.transportFault, address: "\(address)",
            stop: options.stop, isTimedOut: isTimedOut, follows: commands.contains(.follow),
            nothing: UnderstoodNothing(report.counters, of: driver, at: read.line))
        report.judge(captures)
        return report
    }

    /// A reading that was measured or sent unasked does not come again, so a locked database is waited for.
    private static func livePipeline(
        _ options: IngestOptions, _ measure: MeasureLink?, _ commands: [SessionCommand]
    ) throws(IngestError) -> Pipeline {
        let isRepeatable = measure == nil && !commands.contains(.follow)
        return try pipeline(
            options, policy: isRepeatable ? .stop : .awaitLock, series: measure?.keepsFailedSeries == true ? .all : .ofResults,
            survives: survives)
    }

    /// Whether reading a cuff goes on without a sink that cannot be opened. A misspelt sink is refused.
    static func survives(_ sink: SinkSpec, _ error: IngestError) -> Bool { !sink.isRequired && error.status != .usage }

    private static func notice(
        of link: LinkHandle, on listeners: DispatchQueue, _ whenSilent: @escaping @Sendable () -> Void
    ) -> DispatchWorkItem {
        let notice = DispatchWorkItem { if link.counters.bytes == 0 { whenSilent() } }
        listeners.asyncAfter(deadline: .now() + 2, execute: notice)
        return notice
    }

    /// The early check may have been wrong about a file that was not a regular one.
    private static func refuseForgetting(
        _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions, _ pipeline: Pipeline
    ) throws(IngestError) {
        guard read.command.takesReadings, driver.forgets(options.driverOptions), !pipeline.isDurable else { return }
        try? pipeline.finish()
        throw .nothingKeeps(driver)
    }

    private static func transport(
        _ address: DeviceAddress, _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions, _ captures: CaptureFaults
    ) throws(IngestError) -> any Transport {
        let transport: any Transport
        do throws(AddressFault) {
            transport = try address.transport(for: driver, line: read.line, pace: read.pace, among: options.transports)
        } catch { throw IngestError(error) }
        guard let path = read.recording else { return transport }
        let line = transport.checksBytes ? nil : read.line ?? driver.line
        let writer = try CaptureWriter(
            path, driver: driver, model: options.model, line: line, node: "\(address)", onFault: captures.report)
        return RecordingTransport(transport, to: writer)
    }

    private static func setup(
        _ driver: CuffDriver, _ read: ReadOptions, _ options: IngestOptions, _ measure: MeasureLink?, _ commands: [SessionCommand]
    ) -> LinkState.Setup {
        var setup = LinkState.Setup.remembering(
            driver, device: options.device, options: options.driverOptions, memory: options.memory, commands: commands)
        setup.zone = options.zone ?? HostZone.local()
        if let filter = read.filter { setup.accepts = { filter.accepts($0) } }
        if let measure {
            setup.trigger = measure.trigger
            if let limit = measure.limit { setup.measurementLimit = limit }
        }
        return setup
    }

    /// What a report needs from the link's notices.
    private struct Heard: Sendable {
        var identity: DeviceIdentity?
        var clock: DeviceClockReport?
        var cycle: Int?
        var outcomes: [(SessionCommand, Outcome)] = []
        var outcome: Outcome?

        mutating func note(_ notice: LinkNotice) {
            switch notice {
            case .diagnostic, .measurement: break
            case .identified(let told): identity = told
            case .clock(let time, let behind):
                clock = DeviceClockReport(time: time, behind: behind, isHostUnsynchronised: HostClock.isUnsynchronised())
            case .cycle(let minutes): cycle = minutes
            case .finished(let command, let outcome): outcomes.append((command, outcome))
            case .ended(let outcome): self.outcome = outcome
            }
        }
    }

    static func commands(_ driver: CuffDriver, _ read: ReadOptions) -> [SessionCommand] {
        let first = read.firstCommand(for: driver)
        return read.follows && first != .follow ? [first, .follow] : [first]
    }
}

extension SessionCommand {
    /// Whether the command expects readings. Under other commands, readings that an agent sends are acknowledged only if stored.
    var takesReadings: Bool {
        switch self {
        case .follow, .readMemory, .measure, .clear: true
        case .stop, .readClock, .setClock, .information, .schedule: false
        }
    }
}

extension IngestReport {
    fileprivate mutating func judge(
        _ outcome: Outcome?, _ outcomes: [(SessionCommand, Outcome)], fault: TransportFault?, address: String,
        stop: StopSignal, isTimedOut: Bool, follows: Bool, nothing: UnderstoodNothing?
    ) {
        let isStopped = stop.isRaised
        // The given command counts; listening afterwards ends with the run.
        self.outcome = outcomes.first?.1 ?? outcome
        if isOutputClosed { return }
        if isTimedOut {
            status = .timedOut
            endings.append(.timeRanOut(address: address))
            if let nothing { endings.append(.wrongSettings(nothing)) }
            return
        }
        if let fault, !isStopped {
            self.fault = IngestError(LinkFault.lost(address, fault))
        }
        // The connection was never established, whatever the session reports.
        if let fault, !isStopped, let error = fault.neverOpened(address) {
            (self.fault, status, endings) = (IngestError(error), error.status, [])
            return
        }
        switch self.outcome {
        case .complete?, nil: break
        case .unsupported?: status = .usage
        // Something answered, but not in this protocol.
        case .noAnswer?: status = fault != nil ? .inputOutput : nothing != nil ? .protocolFault : .unavailable
        case .failed?: status = .protocolFault
        case .aborted?: status = isStopped ? .done : .inputOutput
        }
        if case .noAnswer? = self.outcome, fault == nil, let nothing {
            endings.append(.wrongSettings(nothing))
        } else if let words = self.outcome?.sentence, !isStopped || stop.ending != .done {
            // A run ended by `--max` is complete.
            endings.append(.session(words))
        }
        if isStopped && (status == .unavailable || nothing != nil && status == .protocolFault) { status = .done }
        if let fault, status == .done, !isStopped {
            status = .inputOutput
            endings.append(.lost(address: address, fault))
        }
        if isStopped, status == .done, !follows, self.outcome != .complete { status = stop.ending }
    }
}
