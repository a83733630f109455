import ArgumentParser
import CuffCore
import CuffIngest

/// For verbs that do not read. Some cuffs send readings anyway, and may not repeat them.
struct ConversationOptions: ParsableArguments, RunOptions {
    @Option(help: Help.hidden(Help.sink), completion: SinkChoice.completion) var sink: [String] = []
    @Flag(help: Help.hidden(Help.raw)) var raw = false
    @Option(help: Help.option, completion: DriverChoice.optionCompletion) var option: [String] = []
    @Option(help: Help.device) var device: String?
    @Flag(name: .shortAndLong, help: Help.verbose) var verbose = false
    @Flag(name: .shortAndLong, help: Help.quiet) var quiet = false
    /// The verbs have their own output.
    var isJSON: Bool { false }

    /// Readings that the cuff sends are stored as by `read`, unless a sink is named.
    func conversationOptions() throws -> IngestOptions {
        var options = try liveOptions()
        if sink.isEmpty { options.keepPassingReadings() }
        return options
    }
}
