import ArgumentParser
import CuffIngest

/// For verbs that store readings in the default database if no sink is named.
struct StoreOptions: ParsableArguments {
    @Flag(help: "Do not keep readings in this user's database (default: keep them where no sink is named).") var noStore = false

    /// Prints the database's path at a terminal.
    func useStandardStore(_ options: inout IngestOptions, _ output: some RunOptions) throws {
        guard output.sink.isEmpty, !noStore else { return }
        let path = try options.keepInStandardStore()
        if Terminal.errorIsTerminal, !output.quiet { Terminal.say("cuff: readings are kept in \(path)") }
    }
}
