import CuffCore
import Dispatch
import Glibc

/// What every run of the program needs to know. Commands fill this in and hold no other logic.
public struct IngestOptions: Sendable {
    /// Where readings go; empty means standard output.
    public var sinks: [SinkSpec] = []
    /// Sinks of the embedding program's own, all of them required.
    public var moreSinks: [any Sink] = []
    /// Print the record's bytes in JSON Lines.
    public var includesRaw = false
    /// Keep whom a reading is of, where the cuff says so, in the column `patient` of SQLite sinks; nothing else ever has it.
    public var keepsPatients = false
    /// Who the cuff is, as far as the host knows.
    public var device = ""
    /// The zone of the cuff's clock; `nil`: the machine's, and readings from files get no time of their own.
    public var zone: ZoneTable?
    /// The families that are known; an embedding program adds its own.
    public var drivers: [CuffDriver] = CuffFamilies.all
    /// The transports that open addresses; an embedding program adds its own.
    public var transports: [TransportKind] = TransportKind.all
    /// Options of the driver's family.
    public var driverOptions: [String: String] = [:]
    /// Hears of everything worth telling, from any thread.
    public var diagnostics: @Sendable (Diagnostic) -> Void = { _ in }
    /// Puts an error into words for `diagnostics`; a program may add what to do about it.
    public var explain: @Sendable (IngestError) -> String = { $0.description }
    /// Ends the run early when it is raised.
    public var stop = StopSignal()
    /// The run ends in order after so many readings; `nil` sets no end.
    public var maximum: Int?
    /// Where sessions with a cuff keep what they remember; `nil` keeps nothing. Recorded bytes remember nothing.
    public var memory: DriverMemory?
    /// The clock by which `decode` says when live bytes came.
    public var clock: @Sendable () -> LinkTime = { HostClock.linkTime }

    /// The defaults of the command line, without sinks.
    public init() {}

    /// The driver of this id; `nil` for one that is not in the list.
    func driver(_ id: String) -> CuffDriver? { drivers.first { $0.id.description == id } }

    /// A required sink is among them that keeps what it takes.
    public var keepsReadings: Bool { sinks.contains { $0.isRequired && $0.isDurable } || moreSinks.contains { $0.isDurable } }

    /// What to say at the default level of a frame that was not understood; `nil` once enough was said of its kind.
    public static func ignoredFrames() -> @Sendable (Diagnostic) -> String? {
        let frames = Locked(IgnoredFrames())
        return { diagnostic in frames.withLock { $0.sentence(for: diagnostic) } }
    }
}

extension IngestError {
    /// Only a database has a column for it.
    static let noPlaceForPatients = IngestError(CommandFault.noPlaceForPatients)

    /// The family's acknowledgement is the deletion, and no sink would have the reading then.
    static func nothingKeeps(_ driver: CuffDriver) -> IngestError {
        IngestError(CommandFault.deletesUnstored(driver.id.description, keeping: driver.keepingOption))
    }
}

/// Runs of the program, from input to stored readings. Each call blocks its thread until the run is over, so it must not
/// be made on a queue or in a task; each throws when the run cannot begin or not go on, and reports how it ended otherwise.
public enum Ingest {
    /// Refuses a cuff that forgets what was acknowledged where nothing would keep it. To be asked before anything is opened.
    static func requireKeeping(_ driver: CuffDriver, _ options: IngestOptions) throws(IngestError) {
        guard driver.forgets(options.driverOptions), !options.keepsReadings else { return }
        throw .nothingKeeps(driver)
    }

    static func driver(_ id: String, among drivers: [CuffDriver] = CuffFamilies.all) throws(IngestError) -> CuffDriver {
        guard let driver = drivers.first(where: { $0.id.description == id }) else {
            throw .unknownDriver(id, known: drivers.map(\.id.description))
        }
        return driver
    }

    /// Opens the sinks, all or none.
    static func pipeline(
        _ options: IngestOptions, policy: Pipeline.FaultPolicy = .stop, series: SeriesSink.Policy = .none,
        onFault: @escaping @Sendable (String, IngestError) -> Void = { _, _ in }
    ) throws(IngestError) -> Pipeline {
        let specs = options.sinks.isEmpty && options.moreSinks.isEmpty ? [.stdout] : options.sinks
        var context = SinkContext()
        context.line = ReadingLine(includesRaw: options.includesRaw)
        context.stop = options.stop
        context.outbox = SinkOverview.outbox(of: specs, memory: options.memory)
        if options.keepsPatients {
            guard specs.contains(where: { $0.kind.traits.contains(.database) }) else { throw .noPlaceForPatients }
            for driver in options.drivers { context.patients[driver.id] = driver.patient }
        }
        context.onFault = { options.diagnostics(.warning(options.explain($1))) }
        var members = try open(specs, context)
        // A series is worth keeping, and no cuff is acknowledged for it.
        if series != .none {
            for spec in specs where spec.kind.traits.contains(.database) {
                do throws(IngestError) {
                    members.append(
                        Pipeline.Member(try SeriesSink(path: spec.path, policy: series, drivers: options.drivers), isRequired: false))
                } catch {
                    for member in members { try? member.sink.close() }
                    throw error
                }
            }
        }
        members += options.moreSinks.map { Pipeline.Member($0) }
        if let maximum = options.maximum { members.append(Pipeline.Member(MaximumSink(maximum, stop: options.stop))) }
        return Pipeline(members, policy: policy, drivers: options.drivers, onFault: onFault)
    }

    /// The sinks in the order of their specs. The database that is also the outbox is opened before the sinks that follow it.
    private static func open(_ specs: [SinkSpec], _ context: SinkContext) throws(IngestError) -> [Pipeline.Member] {
        var context = context
        let first = context.outbox.flatMap { outbox in
            specs.firstIndex { $0.kind.traits.contains(.database) && $0.path == outbox }
        }
        var opened: [Int: any Sink] = [:]
        for index in [first].compactMap({ $0 }) + specs.indices.filter({ $0 != first }) {
            do throws(IngestError) {
                opened[index] = try specs[index].open(context)
                if index == first { context.database = opened[index] as? SQLiteSink }
            } catch {
                // Those that follow it are closed before the database.
                for (index, sink) in opened where index != first { try? sink.close() }
                if let first { try? opened[first]?.close() }
                throw error
            }
        }
        return specs.indices.compactMap { index in opened[index].map { Pipeline.Member($0, isRequired: specs[index].isRequired) } }
    }

    /// Stores what is under way and closes the sinks. It waits for slow sinks without limit, but once `stop` was raised for
    /// `grace` at most. A closed output is an end, not an error.
    static func finish(
        _ pipeline: Pipeline, _ report: inout IngestReport, stop: StopSignal, grace: Duration = .seconds(10)
    ) throws(IngestError) {
        let over = Gate(isOpen: false)
        let result = Locked<(isDone: Bool, fault: IngestError?)>((false, nil))
        pthread.detached {
            do throws(IngestError) {
                try pipeline.finish()
                result.withLock { $0 = (true, nil) }
            } catch { result.withLock { $0 = (true, error) } }
            over.set(open: true)
        }
        let clock = DispatchQueue(label: "cuff.finish")
        let number = stop.whenRaised {
            clock.asyncAfter(deadline: .now() + .nanoseconds(Int(grace.nanoseconds))) { @Sendable in over.set(open: true) }
        }
        over.pass()
        stop.forget(number)
        let (isDone, fault) = result.withLock { $0 }
        report.sinks = pipeline.reports
        report.judgeBacklog()
        // Who stops a run from outside did not ask for the fate of each reading.
        if !stop.isRaised { report.judgeRefusals() }
        let unstored = pipeline.unstored
        let missing = pipeline.isDurable && unstored.readings > 0 ? unstored : nil
        if !isDone {
            report.status = .tryAgain
            report.endings.append(unstored.readings > 0 ? .notStored(unstored, isLate: true) : .sinkDidNotClose)
        } else if let fault {
            if fault.isOutputClosed {
                report.isOutputClosed = true
                if let missing { report.endings.append(.notStored(missing)) }
            } else {
                throw missing.map { IngestError(RunFault.notStored($0, cause: fault)) } ?? fault
            }
        } else if let missing {
            report.status = .tryAgain
            report.endings.append(.notStored(missing))
        }
    }
}

extension IngestReport {
    /// What a required sink has not passed on yet is safe, and the run is not all done.
    mutating func judgeBacklog() {
        guard let sink = sinks.first(where: { $0.isRequired && ($0.backlog?.waiting ?? 0) > 0 }), let backlog = sink.backlog else { return }
        if status == .done { status = .tryAgain }
        endings.append(.undelivered(lines: backlog.waiting, sink: "\(sink.label)", why: backlog.fault.map { "\($0)" }))
    }

    /// What a required sink refused is kept, and delivered nowhere.
    mutating func judgeRefusals() {
        for sink in sinks where sink.isRequired {
            guard let refusals = sink.backlog?.refusals, refusals.readings > 0 else { continue }
            if status == .done { status = .badData }
            endings.append(
                .refused(
                    readings: refusals.readings, sink: "\(sink.label)", why: refusals.reason,
                    lacksZone: refusals.withoutZone == refusals.readings))
        }
    }
}
