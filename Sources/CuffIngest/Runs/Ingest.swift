import CuffCore
import Dispatch
import Glibc

extension IngestError {
    /// Acknowledging deletes readings in the cuff, and no sink would have them.
    static func nothingKeeps(_ driver: CuffDriver) -> IngestError {
        IngestError(CommandFault.deletesUnstored(driver.id.description, keeping: driver.keepingOption))
    }
}

/// The runs of the program, from input to stored readings. Each call blocks its thread until the run is over, so it must not be
/// made on a queue or in a task. It throws if the run cannot start or continue, and otherwise reports how it ended.
public enum Ingest {
    /// Throws if a cuff would delete what no sink keeps. Called before anything is opened.
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

    /// `survives`: whether the run goes on without a sink that cannot be opened yet.
    static func pipeline(
        _ options: IngestOptions, policy: Pipeline.FaultPolicy = .stop, series: SeriesSink.Policy = .none,
        survives: (SinkSpec, IngestError) -> Bool = { _, _ in false },
        onFault: @escaping @Sendable (String, IngestError) -> Void = { _, _ in }
    ) throws(IngestError) -> Pipeline {
        let specs = options.sinks.isEmpty && options.moreSinks.isEmpty ? [.stdout] : options.sinks
        var context = SinkContext()
        context.line = ReadingLine(includesRaw: options.includesRaw)
        context.stop = options.stop
        context.person = options.household.everyone
        context.redelivery.household = options.household
        for spec in specs where !spec.consent.isUnlimited { context.redelivery.consents[spec.place] = spec.consent }
        context.outbox = SinkOverview.outbox(of: specs, memory: options.memory)
        if options.keepsPatients {
            // Only databases have a column for it.
            guard specs.contains(where: { $0.kind.traits.contains(.database) }) else { throw IngestError(CommandFault.noPlaceForPatients) }
            for driver in options.drivers { context.patients[driver.id] = driver.patient }
        }
        context.onFault = { options.diagnostics(.warning(options.explain($1))) }
        var members = try open(specs, context) { (spec, error) throws(IngestError) in
            // A run that ends needs at least one sink that stores the readings.
            let isKept = specs.contains(where: \.isRequired) || options.moreSinks.contains { $0.isDurable }
            guard survives(spec, error), policy == .retry || isKept else { throw error }
            options.diagnostics(.warning("\(options.explain(error))\n  \(spec) is optional: tried again with each reading"))
        }
        // Series are stored, but no cuff is acknowledged for them.
        if series != .none {
            for spec in specs where spec.kind.traits.contains(.database) && spec.consent.isUnlimited {
                do throws(IngestError) {
                    members.append(
                        Pipeline.Member(try SeriesSink(path: spec.path, policy: series, drivers: options.drivers), isRequired: false))
                } catch {
                    // The sink itself is opened later, without series.
                    if survives(spec, error) { continue }
                    for member in members { try? member.sink.close() }
                    throw error
                }
            }
        }
        members += options.moreSinks.map { Pipeline.Member($0) }
        if let maximum = options.maximum { members.append(Pipeline.Member(MaximumSink(maximum, stop: options.stop))) }
        let isLockReported = Locked(false)
        let pipeline = Pipeline(members, policy: policy, drivers: options.drivers) { sink, error in
            onFault(sink, error)
            guard policy == .awaitLock, error.isLock else { return }
            let isNews = isLockReported.withLock { isReported in
                defer { isReported = true }
                return !isReported
            }
            if isNews { options.diagnostics(.warning("\(error); waiting until it has finished")) }
        }
        var household = options.household
        for member in members {
            // A reading that is read again stays with the person it was moved to.
            try? (member.sink as? SQLiteSink)?.store.forEachMoved { household.moved[$0] = $1 }
        }
        pipeline.name(by: household)
        pipeline.name(program: options.program)
        return pipeline
    }

    /// The sinks in order. The database that is also the outbox is opened before its followers. `failed` throws, or the sink is
    /// opened later.
    private static func open(
        _ specs: [SinkSpec], _ context: SinkContext, failed: (SinkSpec, IngestError) throws(IngestError) -> Void
    ) throws(IngestError) -> [Pipeline.Member] {
        var context = context
        let first = context.outbox.flatMap { outbox in
            specs.firstIndex { $0.kind.traits.contains(.database) && $0.path == outbox }
        }
        var opened: [Int: any ReadingSink] = [:]
        for index in [first].compactMap({ $0 }) + specs.indices.filter({ $0 != first }) {
            do throws(IngestError) {
                do throws(IngestError) {
                    opened[index] = try specs[index].open(context)
                    if index == first { context.database = opened[index] as? SQLiteSink }
                } catch {
                    try failed(specs[index], error)
                    var alone = context
                    alone.database = nil
                    opened[index] = DeferredSink(specs[index], alone)
                }
            } catch {
                // Followers are closed before the database.
                for (index, sink) in opened where index != first { try? sink.close() }
                if let first { try? opened[first]?.close() }
                throw error
            }
        }
        return specs.indices.compactMap { index in opened[index].map { Pipeline.Member($0, isRequired: specs[index].isRequired) } }
    }

    /// Stores what is in flight and closes the sinks. Waits for slow sinks without limit, or for `grace` after `stop`. A closed
    /// output is not an error.
    static func finish(
        _ pipeline: Pipeline, _ report: inout IngestReport, stop: StopSignal, grace: Duration = .seconds(10)
    ) throws(IngestError) {
        let over = Gate(isOpen: false)
        let result = Locked<(isDone: Bool, fault: IngestError?)>((false, nil))
        DetachedThread.start {
            do throws(IngestError) {
                try pipeline.finish()
                result.withLock { $0 = (true, nil) }
            } catch { result.withLock { $0 = (true, error) } }
            over.set(open: true)
        }
        let clock = DispatchQueue(label: "cuff.finish")
        let number = stop.whenRaised {
            pipeline.stopAwaitingLock()
            clock.asyncAfter(deadline: .now() + .nanoseconds(Int(grace.nanoseconds))) { @Sendable in over.set(open: true) }
        }
        over.pass()
        stop.forget(number)
        let (isDone, fault) = result.withLock { $0 }
        report.sinks = pipeline.reports
        report.judgeBacklog()
        // A run stopped from outside does not report refusals.
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
    /// A required sink's backlog is durable, but the run is incomplete.
    mutating func judgeBacklog() {
        guard let sink = sinks.first(where: { $0.isRequired && ($0.backlog?.waiting ?? 0) > 0 }), let backlog = sink.backlog else { return }
        if status == .done { status = .tryAgain }
        endings.append(.undelivered(lines: backlog.waiting, sink: "\(sink.label)", why: backlog.fault.map { "\($0)" }))
    }

    /// Readings that a required sink refused are kept, but not delivered.
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
