import CuffCore

/// A cuff that a program talks with. Making one opens nothing: each call is a conversation of its own, and cuffs can be read and
/// measured with again and again.
///
/// A call suspends its task, and never blocks a thread of Swift's own. Cancelling the task ends the conversation in order: a cuff that
/// measures is stopped, and the device is closed before the call returns. It then throws `CancellationError`; loops end without an error.
///
/// A call throws an `IngestError`; `status` is the kind: `usage` if its family cannot do it, before anything is opened; `unavailable`,
/// `noPermission`, `tryAgain` (another program holds it), `noInput`, `badConfiguration` or `inputOutput` if the device cannot be opened;
/// `unavailable` if the cuff does not answer, `protocolFault` if it refuses or answers otherwise, `inputOutput` if it is unplugged, and
/// `timedOut` after `timeout`.
public struct Cuff: Sendable {
    /// Where the device is.
    public let address: DeviceAddress
    /// The family that it is talked with as.
    public let driver: CuffDriver
    /// Sinks, state folder, zone and the rest of what every run needs. Without sinks, readings that a cuff sends under another call than
    /// `readings` go nowhere, and are not acknowledged.
    public var options: IngestOptions
    /// Other line settings than the driver's.
    public var line: LineSettings?
    /// The pause between two bytes written to a serial line; `nil`: none beyond the line's own speed.
    public var pace: Duration?
    /// A whole call must be over by then, the opening of the device included; `nil`: as long as the cuff's protocol takes.
    public var timeout: Duration?
    /// A file for the bytes of both directions, as `cuff record` writes.
    public var recording: String?
    /// Called once if the cuff has sent no byte two seconds after the start of a conversation.
    public var whenSilent: (@Sendable () -> Void)?

    /// A cuff at an address that says where it is. `Cuffs.first` finds one that is plugged in.
    public init(at address: DeviceAddress, driver: CuffDriver, options: IngestOptions = .remembering) {
        (self.address, self.driver, self.options) = (address, driver, options)
        if !options.drivers.contains(where: { $0.id == driver.id }) { self.options.drivers.append(driver) }
    }

    /// A cuff behind bytes of the program's own, such as those of a Bluetooth stack: `socket` is a connected stream socket, e.g. one end of
    /// a `socketpair`; the program passes the cuff's bytes through the other end. `name` is used in messages, and as the cuff's identity if it
    /// reports none. Not for families of HID devices.
    ///
    /// The program keeps the descriptor, which becomes non-blocking, and closes it after the last call. Bytes that come between two calls
    /// are for the next one.
    public init(connected socket: Int32, name: String, driver: CuffDriver, options: IngestOptions = .remembering) {
        let shared = SharedSocket(socket)
        var options = options
        if options.device.isEmpty { options.device = name }
        let kind = TransportKind(
            "socket", form: "socket://NAME", help: "a socket of this program", example: "socket://stack",
            open: { request in
                guard request.medium != .hidraw else { return nil }
                return TCPTransport(name: name, shared)
            })
        options.transports = [kind]
        self.init(at: .other(scheme: "socket", rest: name), driver: driver, options: options)
    }

    // MARK: Readings

    /// What the cuff has stored and, with `follow`, what it sends afterwards, until the loop is left. `user` chooses one user's readings
    /// if the cuff has users.
    ///
    /// Requesting the next reading, or `commit`, confirms that the previous one is stored. Only then it is acknowledged to the cuff, which
    /// may delete it. A loop whose body stores nothing passes `keeping: false`; cuffs that delete then need a durable sink in `options`.
    public func readings(
        follow: Bool = false, user: Int? = nil, filter: ReadingFilter? = nil, keeping: Bool = true
    ) -> ReadingSequence {
        ReadingSequence(options, isKeeping: keeping) { (options) throws(IngestError) in
            var cuff = self
            cuff.options = options
            return try cuff.conversation(.readMemory(user: user), follows: follow, filter: filter)
        }
    }

    /// Stores what the cuff has stored in the sinks of `options`.
    /// - Throws: As ``Cuff`` says; an `IngestError` of status `usage` without a sink, and the failure of a sink.
    public func read(user: Int? = nil) async throws -> IngestReport {
        guard !options.sinks.isEmpty || !options.moreSinks.isEmpty else { throw IngestError(CommandFault.noSinks) }
        return try await performed { (cuff) throws(IngestError) in try cuff.conversation(.readMemory(user: user)) }
    }

    // MARK: Measuring

    /// One measurement: the cuff inflates. `limit` is the longest that it may take, after which the cuff is stopped; for a continuous
    /// cuff, how long it measures. `nil` leaves it to the cuff, whose own limits are below five minutes. `keepsFailed` also keeps the
    /// pressures of a measurement without a result, in databases.
    public func measure(
        limit: Duration? = nil, trigger: Reading.Trigger = .manual, keepsFailed: Bool = false
    ) -> MeasurementEvents {
        MeasurementEvents(options) { (options, handlers) throws(IngestError) in
            var cuff = self
            cuff.options = options.passingReadingsDropped
            return try cuff.measurement(limit: limit, trigger: trigger, keepsFailed: keepsFailed, handlers)
        }
    }

    /// Stops the measurement that runs on the cuff: by the process that measures, if there is one, else by the cuff's own command.
    /// - Throws: As ``Cuff`` says; an `IngestError` of status `tryAgain` if the process that measures does not stop its cuff within six
    ///   seconds.
    public func stop() async throws {
        _ = try await performed { (cuff) throws(IngestError) in try cuff.stopping() }
    }

    // MARK: Facts

    /// The cuff's clock, compared with the host's.
    /// - Throws: As ``Cuff`` says; an `IngestError` of status `protocolFault` if the cuff ended the conversation without its clock.
    public func clock() async throws -> DeviceClockReport {
        let report = try await performed { (cuff) throws(IngestError) in try cuff.conversation(.readClock) }
        guard let clock = report.clock else { throw IngestError(CommandFault.noClock(address: "\(address)")) }
        return clock
    }

    /// Sets the cuff's clock to this local time; `nil`: to the host's. Stored readings keep their old times.
    /// - Throws: As ``Cuff`` says.
    public func setClock(_ time: DeviceTime? = nil) async throws {
        let time = try time ?? HostTime.local("now")
        _ = try await performed { (cuff) throws(IngestError) in try cuff.conversation(.setClock(time)) }
    }

    /// What the cuff reports about itself; `nil` if it was not asked or did not answer.
    /// - Throws: As ``Cuff`` says.
    public func information() async throws -> DeviceIdentity? {
        try await performed { (cuff) throws(IngestError) in try cuff.conversation(.information) }.identity
    }

    // MARK: Blocking

    func read(_ command: SessionCommand, follows: Bool = false) -> ReadOptions {
        var read = ReadOptions(command, follows: follows)
        (read.line, read.pace, read.timeout, read.recording, read.whenSilent) = (line, pace, timeout, recording, whenSilent)
        return read
    }

    /// Blocks until the conversation is over.
    package func conversation(
        _ command: SessionCommand, follows: Bool = false, filter: ReadingFilter? = nil
    ) throws(IngestError) -> IngestReport {
        var read = read(command, follows: follows)
        read.filter = filter
        return try Ingest.read(address, driver: driver.id.description, read, options: options)
    }

    /// Blocks until the cuff has ended.
    package func measurement(
        limit: Duration?, trigger: Reading.Trigger = .manual, keepsFailed: Bool = false, _ handlers: MeasureHandlers = MeasureHandlers()
    ) throws(IngestError) -> (end: MeasurementState.End, report: IngestReport) {
        var measure = MeasureOptions(duration: limit)
        (measure.trigger, measure.keepsFailedSeries) = (trigger, keepsFailed)
        (measure.line, measure.pace, measure.timeout, measure.recording) = (line, pace, timeout, recording)
        return try Ingest.measure(address, driver: driver.id.description, measure, handlers: handlers, options: options)
    }

    /// Blocks until the cuff is stopped.
    package func stopping() throws(IngestError) -> IngestReport {
        try Ingest.stop(address, driver: driver.id.description, read(.stop), options: options)
    }

    /// Suspends the task until `body` has returned on a thread of its own; cancelling raises the stop of the run. Throws the run's
    /// failure, and `CancellationError` after a cancellation.
    func performed(_ body: @escaping @Sendable (Cuff) throws(IngestError) -> IngestReport) async throws -> IngestReport {
        var own = self
        let stop = StopSignal()
        own.options = options.passingReadingsDropped
        own.options.stop = stop
        let number = options.stop.whenRaised { stop.raise() }
        defer { options.stop.forget(number) }
        try Task.checkCancellation()
        let report = try await DetachedThread.run(cancelled: { stop.raise() }) { [own] () throws(IngestError) in try body(own) }
        try Task.checkCancellation()
        if let failure = report.failure { throw failure }
        return report
    }
}

extension IngestOptions {
    /// The defaults, with this user's state folder: sessions remember what they need, and a measurement that a crash leaves behind is
    /// stopped by the next conversation with the cuff.
    public static var remembering: IngestOptions {
        var options = IngestOptions()
        options.memory = .standard
        return options
    }

    /// Without a sink standard output is meant; a program's calls print nothing.
    fileprivate var passingReadingsDropped: IngestOptions {
        guard sinks.isEmpty, moreSinks.isEmpty else { return self }
        var options = self
        options.moreSinks = [NoSink()]
        return options
    }
}

/// Readings go nowhere.
private final class NoSink: ReadingSink {
    let label = "none"
    let isInternal = true

    func write(_ batch: ReadingBatch) throws(IngestError) -> Int { 0 }
}
