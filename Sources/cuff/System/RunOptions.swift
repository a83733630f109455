import ArgumentParser
import CuffCore
import CuffIngest
import Logging

/// The options of a run that the forms below declare separately: nesting groups would cost startup time, because the parser
/// searches the whole program four times for each group.
protocol RunOptions {
    var sink: [String] { get }
    var raw: Bool { get }
    var option: [String] { get }
    var device: String? { get }
    var verbose: Bool { get }
    var quiet: Bool { get }
    /// Whether JSON Lines on standard output are requested.
    var isJSON: Bool { get }
}

extension Help {
    static let sink = ArgumentHelp(
        "Where readings go, once for each place: \(SinkChoice.spellings). `?` at the end makes it optional; +ack waits until the program has answered for each reading.",
        valueName: "spec")
    static let raw: ArgumentHelp = "Print each record's own bytes as hex."
    static let option = ArgumentHelp("An option of the driver; `cuff drivers ID` lists them.", valueName: "name=value")
    static let device = ArgumentHelp("Identity to store readings under, if the cuff reports none.", valueName: "name")
    static let verbose: ArgumentHelp = "Print more on standard error."
    static let quiet: ArgumentHelp = "Print only errors on standard error."

    static func hidden(_ help: ArgumentHelp) -> ArgumentHelp {
        var help = help
        help.visibility = .hidden
        return help
    }
}

extension RunOptions {
    var log: Logger { StandardErrorLog.logger(quiet ? .critical : verbose ? .debug : .notice) }

    /// `limits`: the configuration, if it was read already.
    func ingestOptions(limits: CuffConfiguration? = nil) throws -> IngestOptions {
        var options = IngestOptions()
        options.sinks = try sinkSpecs()
        // A sink of the configuration keeps its limits here.
        if !sink.isEmpty { options.sinks = try (limits ?? CuffConfiguration.load()).limited(options.sinks) }
        options.program = Cuff.program
        options.includesRaw = raw
        options.device = device ?? ""
        options.driverOptions = try DriverChoice.options(option)
        options.memory = .standard
        options.explain = { $0.text }
        let log = log
        let ignored = IngestOptions.ignoredFrames()
        options.diagnostics = { diagnostic in
            switch diagnostic {
            case .warning: log.warning("\(diagnostic.sentence)")
            case .note, .skipped, .announced: log.info("\(diagnostic.sentence)")
            case .ignored:
                if let summary = ignored(diagnostic) { log.warning("\(summary)") }
                // A record's bytes.
                log.debug("\(diagnostic.sentence)")
            }
        }
        return options
    }

    /// For a run with a cuff: its readings are named by the configuration.
    func liveOptions() throws -> IngestOptions {
        var options = try ingestOptions()
        options.household = try CuffConfiguration.load().household
        return options
    }

    /// The named sinks, else a table for a terminal and lines for a pipe.
    private func sinkSpecs() throws -> [SinkSpec] {
        var specs = try sink.map { try SinkSpec($0) }
        if isJSON, !specs.contains(where: \.writesStandardOutput) { specs.append(.stdout) }
        return specs.isEmpty ? [Terminal.outputIsTerminal ? .table : .stdout] : specs
    }
}

extension IngestReport {
    /// Prints how the run ended, if necessary, and exits with its status.
    func conclude(_ options: some RunOptions) throws {
        if !endings.isEmpty {
            for ending in endings { options.log.warning("\(ending.text)") }
        } else if status != .done, let fault {
            options.log.warning("\(fault.text)")
        }
        for sink in sinks where sink.missed > 0 {
            Terminal.say("cuff: \(sink.label) was too slow and missed \(Plural.text(sink.missed, "reading"))")
        }
        for sink in sinks {
            guard let backlog = sink.backlog else { continue }
            let isSaid = endings.contains { if case .refused(_, sink.label, _, _) = $0 { true } else { false } }
            if backlog.refused > 0, !isSaid || backlog.refused > backlog.refusals.readings {
                Terminal.say("cuff: \(sink.label) refused \(Plural.text(backlog.refused, "reading")); `cuff sinks` shows them and why")
            }
            if backlog.lost > 0 {
                Terminal.say(
                    "cuff: \(sink.label) may have lost \(Plural.text(backlog.lost, "reading")): whether they arrived is unknown without +ack"
                )
            }
        }
        if counters.thinned > 0 { Terminal.say("cuff: \(Plural.text(counters.thinned, "live sample")) left out: a sink is slow") }
        if options.verbose {
            let counts = [
                Plural.text(counters.readings, "reading"), "\(counters.failures) failed", Plural.text(counters.duplicates, "duplicate"),
                Plural.text(counters.bytes, "byte"), "\(counters.skippedBytes) skipped",
            ]
            Terminal.say("cuff: received \(counts.joined(separator: ", "))")
        }
        if status != .done { throw ExitCode(status) }
    }

    /// Reports where readings were stored without an option.
    func showPassing(_ options: ConversationOptions) {
        guard !options.quiet, let sink = sinks.first(where: { $0.isDurable && $0.stored > $0.known }) else { return }
        let count = sink.stored - sink.known
        Terminal.say("cuff: \(Plural.text(count, "reading")) came from the cuff and \(count == 1 ? "is" : "are") kept in \(sink.label)")
    }

    /// At a terminal: how many readings each named sink received, except standard output.
    func showSinks(_ options: some RunOptions) {
        guard Terminal.errorIsTerminal, !options.quiet, !isOutputClosed, !options.sink.isEmpty else { return }
        let named = sinks.filter { sink in
            sink.label != SinkSpec.stdout.name && options.sink.contains { $0 == sink.label || $0 == sink.label + "?" }
        }
        for sink in named {
            let new = sink.known == 0 ? "" : sink.isDurable ? ", \(sink.stored - sink.known) new" : ""
            Terminal.say("cuff: \(counters.readings == 0 ? "no readings" : Plural.text(sink.stored, "reading") + new) to \(sink.label)")
        }
    }

    /// At a terminal: one line with the number of readings, and of new ones if a sink knows.
    func show(_ options: some RunOptions) {
        guard Terminal.errorIsTerminal, !options.quiet, !isOutputClosed, status == .done || counters.readings > 0 else { return }
        let known = sinks.filter { $0.isDurable && $0.fault == nil }.map { $0.stored - $0.known }.max()
        let new = known.map { $0 == counters.readings ? ", all new" : ", \($0) new" } ?? ""
        Terminal.say("cuff: \(counters.readings == 0 ? "no readings" : Plural.text(counters.readings, "reading") + new)")
    }
}
