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
        subcommands: [ListSinks.self, Kinds.self, Retry.self, Drop.self], defaultSubcommand: ListSinks.self)

    struct ListSinks: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Prints one line for each sink (the default).")
        @Option(help: "The database; without it readings.db and the outbox of this user.", completion: .file()) var db: String?
        @Option(help: ArgumentHelp("Also show this file.", valueName: "spec")) var sink: [String] = []
        @Option(help: "The configuration instead of the standard files.", completion: .file()) var config: String?
        @Flag(help: "One JSON object per sink.") var json = false

        func run() throws {
            let specs = try sink.map { try SinkSpec($0) } + CuffConfiguration.load(config).sinks.map(\.spec)
            let overview = try SinkOverview(database: db, sinks: specs)
            Terminal.put(json ? overview.jsonLines : Terminal.outputIsTerminal ? overview.table() : overview.plain)
        }
    }

    struct Kinds: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "kinds", abstract: "Explains what --sink takes.")
        @Flag(help: "The table of the README.") var markdown = false

        func run() throws {
            if markdown {
                let rows = SinkKind.all.map { "| `\($0.spelling)` | \($0.help) | \($0.durability.rawValue) | `\($0.example)` |\n" }
                return Terminal.put("| sink | what it is | durable | example |\n|---|---|---|---|\n" + rows.joined())
            }
            guard Terminal.outputIsTerminal else {
                let rows = SinkKind.all.map { [$0.spelling, $0.durability.rawValue, $0.help, $0.example].joined(separator: "\t") }
                return Terminal.put(rows.map { $0 + "\n" }.joined())
            }
            let width = SinkKind.all.map(\.spelling.count).max() ?? 0
            let rows = SinkKind.all.map { kind in
                let padding = String(repeating: " ", count: width - kind.spelling.count)
                return "\(kind.spelling)\(padding)  \(kind.help) (durable: \(kind.durability.rawValue))\n"
            }
            Terminal.put(rows.joined())
        }
    }

    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(commandName: "retry", abstract: "Sends now what waits.")
        @Option(help: "The database; without it readings.db and the outbox of this user.", completion: .file()) var db: String?
        @Argument(help: "Only this sink, as `cuff sinks` names it.") var sink: String?

        func run() throws {
            let (sent, left) = try SinkRuns.retry(database: db, sink: sink) { Terminal.say("cuff: \($0.text)") }
            Terminal.say("cuff: \(sent) lines sent, \(left) wait")
            if left > 0 { throw ExitCode(.tryAgain) }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "drop", abstract: "Gives up what waits for one sink; the database keeps its readings.")
        @Option(help: "The database; without it readings.db and the outbox of this user.", completion: .file()) var db: String?
        @Argument(help: "The sink, as `cuff sinks` names it.") var sink: String
        @Option(help: "Confirm with `--confirm drop`.") var confirm = ""

        func run() throws {
            Terminal.say("cuff: \(Plural.text(try SinkRuns.drop(database: db, sink: sink, confirmation: confirm), "line")) dropped")
        }
    }
}
