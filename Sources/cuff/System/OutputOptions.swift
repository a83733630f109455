import ArgumentParser
import CuffCore

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

/// For `watch`, where options and names are per cuff. They are refused with a hint, and not shown.
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
