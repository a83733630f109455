import ArgumentParser
import CuffCore
import CuffIngest

struct Sinks: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sinks",
        abstract: "Shows what each sink has received, what is queued, and why.",
        discussion: """
            Lines for programs and sockets (exec:, unix:, tcp:) wait in the run's database, or where it has none in outbox.db of \
            this user's state folder, until the other side has them; a watch sends them, and so does `cuff sinks retry`. REFUSED counts readings that a sink \
            with +ack will never take, LOST those that were handed to one without and may not have arrived.
            """,
        subcommands: [ListSinks.self, Retry.self, Drop.self], defaultSubcommand: ListSinks.self)

    struct ListSinks: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Prints one line for each sink (the default).")
        @Option(help: "The database; without it bp.db and the outbox in the state folder.", completion: .file()) var db: String?
        @Option(help: ArgumentHelp("Also show this file.", valueName: "spec")) var sink: [String] = []
        @Option(help: "The configuration instead of the standard files.", completion: .file()) var config: String?
        @Flag(help: "One JSON object per sink.") var json = false

        func run() throws {
            let specs = try sink.map { try SinkSpec($0) } + CuffConfiguration.load(config).sinks.map(\.spec)
            let overview = try SinkOverview(database: db, sinks: specs)
            Terminal.put(json ? overview.jsonLines : Terminal.outputIsTerminal ? overview.table() : overview.plain)
        }
    }

    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "retry", abstract: "Sends now what waits.")
        @Option(help: "The database; without it bp.db and the outbox in the state folder.", completion: .file()) var db: String?
        @Argument(help: "Only this sink, as `cuff sinks` names it.") var sink: String?

        func run() throws {
            let (sent, left) = try SinkRuns.retry(database: db, sink: sink) { Terminal.say("cuff: \($0)") }
            Terminal.say("cuff: \(sent) lines sent, \(left) wait")
            if left > 0 { throw ExitCode(ExitCode.tryAgain.rawValue) }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Gives up what waits for one sink; the database keeps its readings.")
        @Option(help: "The database; without it bp.db and the outbox in the state folder.", completion: .file()) var db: String?
        @Argument(help: "The sink, as `cuff sinks` names it.") var sink: String
        @Option(help: "Confirm with `--confirm drop`.") var confirm = ""

        func run() throws {
            Terminal.say("cuff: \(Plural.text(try SinkRuns.drop(database: db, sink: sink, confirmation: confirm), "line")) dropped")
        }
    }
}
