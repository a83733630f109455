import ArgumentParser
import CuffCore
import CuffIngest
import Logging

/// The flags of a run, whichever of them a verb shows. Each form declares them itself: the parser searches the whole program four
/// times for each group of options, and a person waits.
protocol RunOptions {
    var sink: [String] { get }
    var raw: Bool { get }
    var option: [String] { get }
    var device: String? { get }
    var verbose: Bool { get }
    var quiet: Bool { get }
    /// JSON Lines on standard output are asked for, whatever it is.
    var isJSON: Bool { get }
}

/// For verbs that read a cuff or a recording.
struct OutputOptions: ParsableArguments, RunOptions {
    @Option(help: Help.sink, completion: SinkChoice.completion) var sink: [String] = []
    @Flag(help: Help.raw) var raw = false
    @Flag(help: "JSON Lines on standard output, also at a terminal.") var json = false
    @Option(help: Help.option, completion: DriverChoice.optionCompletion) var option: [String] = []
    @Option(help: Help.device) var device: String?
    @Flag(name: .shortAndLong, help: Help.verbose) var verbose = false
    @Flag(name: .shortAndLong, help: Help.quiet) var quiet = false
    var isJSON: Bool { json }
}

/// For verbs that talk with a cuff about something else than readings. Some cuffs send readings all the same, and may not send them
/// again.
struct ConversationOptions: ParsableArguments, RunOptions {
    @Option(help: Help.hidden(Help.sink), completion: SinkChoice.completion) var sink: [String] = []
    @Flag(help: Help.hidden(Help.raw)) var raw = false
    @Option(help: Help.option, completion: DriverChoice.optionCompletion) var option: [String] = []
    @Option(help: Help.device) var device: String?
    @Flag(name: .shortAndLong, help: Help.verbose) var verbose = false
    @Flag(name: .shortAndLong, help: Help.quiet) var quiet = false
    /// The verbs have a form of their own.
    var isJSON: Bool { false }

    /// Readings that the cuff gives all the same are kept where `read` keeps them, unless a sink is named.
    func conversationOptions() throws -> IngestOptions {
        var options = try ingestOptions()
        if sink.isEmpty { options.keepPassingReadings() }
        return options
    }
}

/// For `watch`, of which each cuff has options and a name of its own. They are refused with a hint, and not shown.
struct WatchOutputOptions: ParsableArguments, RunOptions {
    @Option(help: Help.sink, completion: SinkChoice.completion) var sink: [String] = []
    @Flag(help: Help.raw) var raw = false
    @Flag(help: "JSON Lines on standard output, also at a terminal.") var json = false
    @Option(help: Help.hidden(Help.option), completion: DriverChoice.optionCompletion) var option: [String] = []
    @Option(help: Help.hidden(Help.device)) var device: String?
    @Flag(name: .shortAndLong, help: Help.verbose) var verbose = false
    @Flag(name: .shortAndLong, help: Help.quiet) var quiet = false
    var isJSON: Bool { json }
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
    /// How much is told on standard error.
    var log: Logger { StandardErrorLog.logger(quiet ? .critical : verbose ? .debug : .notice) }

    func ingestOptions() throws -> IngestOptions {
        var options = IngestOptions()
        options.sinks = try sinkSpecs()
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
                // A record's own bytes.
                log.debug("\(diagnostic.sentence)")
            }
        }
        return options
    }

    /// The sinks that were named, else what suits standard output: a person gets a table, a program gets lines.
    private func sinkSpecs() throws -> [SinkSpec] {
        var specs = try sink.map { try SinkSpec($0) }
        if isJSON, !specs.contains(where: \.writesStandardOutput) { specs.append(.stdout) }
        return specs.isEmpty ? [Terminal.outputIsTerminal ? .table : .stdout] : specs
    }
}

/// The verbs that keep readings where nobody names a sink.
struct StoreOptions: ParsableArguments {
    @Flag(help: "Do not keep readings in this user's database (default: keep them where no sink is named).") var noStore = false

    /// Says once, to a person, where the readings go.
    func keep(_ options: inout IngestOptions, _ output: some RunOptions) throws {
        guard output.sink.isEmpty, !noStore else { return }
        let path = try options.keepInStandardStore()
        if Terminal.errorIsTerminal, !output.quiet { Terminal.say("cuff: readings are kept in \(path)") }
    }
}

enum SinkChoice {
    static var spellings: String { SinkKind.all.map(\.spelling).joined(separator: ", ") }
    static let completion = CompletionKind.list(SinkKind.all.map { $0.operand.isEmpty ? $0.scheme : "\($0.scheme):" })
}

enum DriverChoice {
    static let completion = CompletionKind.list(CuffFamilies.all.map(\.id.description))
    /// The options of all drivers, each once.
    static let optionCompletion = CompletionKind.list(Set(CuffFamilies.all.flatMap(\.options.keys)).sorted().map { "\($0)=" })

    static let simulatorOptionCompletion = CompletionKind.list(
        Set(CuffFamilies.all.flatMap(\.simulatorOptions.keys)).sorted().map { "\($0)=" })

    static func named(_ id: String) throws -> CuffDriver {
        guard let driver = CuffFamilies.named(id) else { throw IngestError.unknownDriver(id) }
        return driver
    }

    /// `name=value` texts by name.
    static func options(_ texts: [String]) throws -> [String: String] {
        var found: [String: String] = [:]
        for text in texts {
            guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
                throw IngestError(
                    .usage, "invalid option `--option \(text)`", why: "it has no `=`", hint: "write e.g. --option variant=inbody")
            }
            found[String(text[..<equals])] = String(text[text.index(after: equals)...])
        }
        return found
    }
}

/// `300ms`, `15s`, `10m`, `2h`, or seconds without a unit.
struct Span: ExpressibleByArgument {
    let duration: Duration
    private let text: String

    /// What a default prints as in a help text.
    var defaultValueDescription: String { text }

    /// A default, in whole seconds.
    static func seconds(_ count: Int64) -> Span { Span(duration: .seconds(count), text: "\(count)s") }

    private init(duration: Duration, text: String) {
        self.duration = duration
        self.text = text
    }

    init?(argument: String) {
        let units: [(suffix: String, seconds: Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("", 1)]
        for unit in units where argument.hasSuffix(unit.suffix) {
            guard let value = Double(argument.dropLast(unit.suffix.count)), value > 0, value.isFinite, value * unit.seconds < 1e9 else {
                continue
            }
            duration = .milliseconds(Int64((value * unit.seconds * 1000).rounded()))
            text = argument
            return
        }
        return nil
    }
}

/// Refusals of flags that would have no effect: who writes one expects something of it.
enum Flags {
    static func refuse(_ flag: String, when isRefused: Bool, why: String, hint: String = "") throws {
        guard isRefused else { return }
        throw IngestError(.usage, "\(flag) has no effect here", why: why, hint: hint.isEmpty ? "leave it out" : hint)
    }

    static func requirePositive(_ value: Int?, _ flag: String) throws {
        guard let value, value < 1 else { return }
        throw IngestError(.usage, "\(flag) \(value) asks for nothing", hint: "give a number from 1 on, or leave it out")
    }
}

extension IngestReport {
    /// Says how the run ended where a person should know, and ends the program with its status.
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
            Terminal.say("cuff: \(counts.joined(separator: ", "))")
        }
        if status != .done { throw ExitCode(status) }
    }

    /// Says where readings went that nobody asked for.
    func tellPassing(_ options: ConversationOptions) {
        guard !options.quiet, let sink = sinks.first(where: { $0.isDurable && $0.stored > $0.known }) else { return }
        let count = sink.stored - sink.known
        Terminal.say("cuff: \(Plural.text(count, "reading")) came from the cuff and \(count == 1 ? "is" : "are") kept in \(sink.label)")
    }

    /// For a person: how many readings went where, for each sink that was named; what standard output got was seen.
    func tellSinks(_ options: some RunOptions) {
        guard Terminal.errorIsTerminal, !options.quiet, !isOutputClosed, !options.sink.isEmpty else { return }
        let named = sinks.filter { sink in
            sink.label != SinkSpec.stdout.name && options.sink.contains { $0 == sink.label || $0 == sink.label + "?" }
        }
        for sink in named {
            let new = sink.known == 0 ? "" : sink.isDurable ? ", \(sink.stored - sink.known) new" : ""
            Terminal.say("cuff: \(counters.readings == 0 ? "no readings" : Plural.text(sink.stored, "reading") + new) to \(sink.label)")
        }
    }

    /// The result in one line, for a person: how many readings came, and how many of them were new where a sink can tell.
    func tell(_ options: some RunOptions) {
        guard Terminal.errorIsTerminal, !options.quiet, !isOutputClosed, status == .done || counters.readings > 0 else { return }
        let known = sinks.filter { $0.isDurable && $0.fault == nil }.map { $0.stored - $0.known }.max()
        let new = known.map { $0 == counters.readings ? ", all new" : ", \($0) new" } ?? ""
        Terminal.say("cuff: \(counters.readings == 0 ? "no readings" : Plural.text(counters.readings, "reading") + new)")
    }
}
