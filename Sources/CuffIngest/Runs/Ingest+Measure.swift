import CuffCore
import Dispatch
import Glibc

extension Ingest {
    /// One measurement on demand: the cuff inflates. Blocks until the cuff has finished; throws without calling a handler if
    /// nothing was started. Raising `options.stop` sends the cuff's stop command and waits for it to deflate.
    ///
    /// A mark in the state folder (`options.memory`) outlives this process: if it dies while the cuff inflates, the next process
    /// that opens the cuff sends a stop.
    package static func measure(
        _ address: DeviceAddress, driver id: String, _ measure: MeasureOptions = MeasureOptions(),
        handlers: MeasureHandlers = MeasureHandlers(), options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> (end: MeasurementState.End, report: IngestReport) {
        let driver = try driver(id, among: options.drivers)
        try driver.require(.measure)
        try driver.permit(options: options.driverOptions)
        try requireKeeping(driver, options)
        let mark = try options.memory.map { (memory) throws(IngestError) in try MeasurementMarks(memory).place(driver.id, address) }
        var options = options
        var limit = measure.duration
        if let duration = measure.duration, driver.capabilities.contains(.continuous) {
            options.driverOptions["seconds"] = "\(max(1, duration.components.seconds))"
            // The time before the first beat does not count.
            limit = duration + .seconds(150)
        }
        var read = ReadOptions(.measure)
        (read.line, read.pace, read.recording, read.timeout) = (measure.line, measure.pace, measure.recording, measure.timeout)
        let ended = Locked<MeasurementState.End?>(nil)
        let link = MeasureLink(trigger: measure.trigger, limit: limit, keepsFailedSeries: measure.keepsFailedSeries) { effect, elapsed in
            switch effect {
            case .started: handlers.started(nil)
            case .notStarted(let fault): handlers.started(fault)
            case .live(let event): handlers.live(event, elapsed)
            case .ended(let end):
                ended.withLock { $0 = end }
                handlers.ended(end)
            case .command, .wait, .leave: break
            }
        }
        var report: IngestReport
        do throws(IngestError) {
            report = try conduct(address, driver, read, options, link, recovering: mark?.former)
        } catch {
            // If the line was not opened, an earlier mark is still valid.
            if mark?.wasLeft == true || ended.withLock({ $0 != nil }) { mark?.leave() } else { mark?.remove() }
            throw error
        }
        let end = ended.withLock { $0 } ?? .failed(.lost("the conversation ended"))
        // Without an answer to the earlier stop, only a measurement shows that the cuff has stopped.
        let isDoubtful = mark?.wasLeft == true && report.recovery != .complete
        if end.mayStillRun || isDoubtful && end.hasStartedNothing { mark?.leave() } else { mark?.remove() }
        report.conclude(end, address: "\(address)", stop: options.stop)
        report.judgeCapture()
        return (end, report)
    }

    /// How long the measuring process may take to stop its cuff.
    private static let patience = Duration.seconds(6)

    /// Stops the running measurement of a cuff: by the measuring process if there is one, else by the cuff's own command.
    package static func stop(
        _ address: DeviceAddress, driver id: String, _ read: ReadOptions, options: IngestOptions = IngestOptions()
    ) throws(IngestError) -> IngestReport {
        let driver = try driver(id, among: options.drivers)
        try driver.require(.stop)
        guard let marks = options.memory.map({ MeasurementMarks($0) }), let holder = marks.holder(driver.id, address),
            kill(holder, MeasurementSignal.number) == 0
        else { return try Ingest.read(address, driver: id, read, options: options) }
        let until = HostClock.monotonic() + patience.nanoseconds
        while marks.holder(driver.id, address) == holder {
            guard HostClock.monotonic() < until else {
                throw IngestError(CommandFault.isStillMeasuring(address: "\(address)", process: holder))
            }
            usleep(20_000)
        }
        var report = IngestReport()
        guard marks.isLeft(driver.id, address) else {
            report.endings = [.stoppedByOther(address: "\(address)", process: holder)]
            return report
        }
        // The cuff did not confirm the other process's stop: send another, unless that process, a watch, keeps the line.
        do throws(IngestError) { return try Ingest.read(address, driver: id, read, options: options) } catch {
            report.status = .unavailable
            report.endings = [.session("the cuff did not confirm to process \(holder) that it stopped", address: "\(address)")]
            return report
        }
    }
}

/// SIGUSR2: stop the running measurement only.
enum MeasurementSignal {
    static let number = SIGUSR2

    static func listen(_ body: @escaping @Sendable () -> Void) -> SignalListener {
        SignalListener(number, DispatchQueue(label: "cuff.measure.stop"), body)
    }
}

/// What a run with one link needs to know of a measurement.
struct MeasureLink: Sendable {
    var trigger: Reading.Trigger
    var limit: Duration?
    var keepsFailedSeries: Bool
    var heard: @Sendable (MeasurementState.Effect, Duration) -> Void
}

extension IngestReport {
    fileprivate mutating func conclude(_ end: MeasurementState.End, address: String, stop: StopSignal) {
        if isOutputClosed { return }
        let isResult = if case .result = end { true } else { false }
        if status == .timedOut, !isResult {
            endings.removeAll(where: \.isOfConversation)
            endings.append(.measurementTimedOut(address: address))
            if case .failed(.noAnswer(let why)) = end { endings.append(.session(why, address: address)) }
            return
        }
        // A failed connection says more than a missing answer.
        if case .failed = end, let fault, fault.status == .unavailable { return }
        endings.removeAll(where: \.isOfConversation)
        switch end {
        case .result: status = endings.isEmpty ? .done : .tryAgain
        case .aborted:
            status = stop.number == SIGTERM ? .terminated : stop.isRaised ? .interrupted : .no
            endings.append(.measurementStopped(address: address))
        case .failed(let fault):
            endings.append(.noResult(address: address, why: fault.sentence))
            status =
                switch fault {
                case .unsupported: .usage
                // The cuff confirmed no stop.
                case .noAnswer, .givenUp: .unavailable
                case .refused: .tryAgain
                case .cuff: .no
                case .lost: .inputOutput
                case .timedOut: .timedOut
                case .noResult: .protocolFault
                case .stopped: .interrupted
                }
        }
    }
}
