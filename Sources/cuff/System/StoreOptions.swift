import ArgumentParser
import CuffCore
import CuffIngest
import Logging

/// The verbs that keep readings where nobody names a sink.
struct StoreOptions: ParsableArguments {
    @Flag(help: "Do not keep readings in this user's database (default: keep them where no sink is named).") var noStore = false

    /// Says once, to a person, where the readings go.
    func useStandardStore(_ options: inout IngestOptions, _ output: some RunOptions) throws {
        guard output.sink.isEmpty, !noStore else { return }
        let path = try options.keepInStandardStore()
        if Terminal.errorIsTerminal, !output.quiet { Terminal.say("cuff: readings are kept in \(path)") }
    }
}
