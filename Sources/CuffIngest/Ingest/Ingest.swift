import CuffCore
import Glibc

/// What every run of the program needs to know. Commands fill this in and hold no other logic.
public struct IngestOptions: Sendable {
    /// Where readings go; empty means standard output.
    public var sinks: [SinkSpec] = []
    /// Sinks of the embedding program's own, all of them required.
    public var moreSinks: [any Sink] = []
    /// Print the record's bytes in JSON Lines.
    public var includesRaw = false
    /// Who the cuff is, as far as the host knows.
    public var device = ""
    /// The zone of the cuff's clock; `nil`: the machine's, and readings from files get no time of their own.
    public var zone: ZoneTable?
    /// Options of the driver's family.
    public var driverOptions: [String: String] = [:]
    /// Hears of everything worth telling, from any thread.
    public var diagnostics: @Sendable (Diagnostic) -> Void = { _ in }
    public var stop = StopSignal()
    /// The run ends in order after so many readings; `nil` sets no end.
    public var maximum: Int?
    /// Where sessions keep what they remember; `nil` keeps nothing.
    public var memory: DriverMemory?

    public init() {}
}

/// Runs of the program, from input to stored readings. Each call blocks its thread until the run is over, so it must not
/// be made on a queue or in a task; each throws when the run cannot begin or not go on, and reports how it ended otherwise.
public enum Ingest {
    static func driver(_ id: String) throws(IngestError) -> CuffDriver {
        guard let driver = CuffDrivers.named(id) else {
            throw .unknownDriver(id, known: CuffDrivers.all.map { $0.id.description })
        }
        return driver
    }

    /// Opens the sinks, all or none.
    static func pipeline(
        _ options: IngestOptions, policy: Pipeline.FaultPolicy = .stop, series: SeriesSink.Policy = .none,
        onFault: @escaping @Sendable (String, IngestError) -> Void = { _, _ in }
    ) throws(IngestError) -> Pipeline {
        // A closed pipe is an error of write(2) here, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        let specs = options.sinks.isEmpty && options.moreSinks.isEmpty ? [.stdout] : options.sinks
        let surroundings = SinkSpec.Surroundings(
            line: ReadingLine(includesRaw: options.includesRaw), outbox: SinkOverview.outbox(of: specs, memory: options.memory),
            onFault: { options.diagnostics(.warning($1.description)) })
        var members: [Pipeline.Member] = []
        for spec in specs {
            do throws(IngestError) { members.append(Pipeline.Member(try spec.open(surroundings), isRequired: spec.isRequired)) } catch {
                for member in members { try? member.sink.close() }
                throw error
            }
        }
        // A series is worth keeping, and no cuff is thanked for it.
        if series != .none {
            for spec in specs where spec.kind == .sqlite {
                do throws(IngestError) {
                    members.append(Pipeline.Member(try SeriesSink(path: spec.path, policy: series), isRequired: false))
                } catch {
                    for member in members { try? member.sink.close() }
                    throw error
                }
            }
        }
        members += options.moreSinks.map { Pipeline.Member($0) }
        if let maximum = options.maximum { members.append(Pipeline.Member(MaximumSink(maximum, stop: options.stop))) }
        return Pipeline(members, policy: policy, onFault: onFault)
    }

    /// Stores what is under way and closes the sinks. A closed output is an end, not an error.
    static func finish(_ pipeline: Pipeline, _ report: inout IngestReport) throws(IngestError) {
        do throws(IngestError) { try pipeline.finish() } catch {
            guard error.isOutputClosed else { throw error }
            report.isOutputClosed = true
        }
        report.sinks = pipeline.reports
        report.judgeBacklog()
    }
}

extension IngestReport {
    /// What a required sink has not passed on yet is safe, and the run is not all done.
    mutating func judgeBacklog() {
        guard let sink = sinks.first(where: { $0.isRequired && ($0.backlog?.waiting ?? 0) > 0 }), let backlog = sink.backlog else { return }
        if status == .done { status = .tryAgain }
        let sentence =
            "\(backlog.waiting) lines wait for \(sink.label)\(backlog.fault.map { ": \($0.sentence)" } ?? "")"
            + "; they are kept, and go out with the next run or `cuff sinks retry`"
        closing = closing.map { "\($0)\ncuff: \(sentence)" } ?? sentence
    }
}
