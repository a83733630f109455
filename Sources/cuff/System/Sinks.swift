import ArgumentParser
import CuffCore
import CuffIngest

struct Sinks: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "sinks", "Shows what each sink has received, what is queued, and why.",
        """
        Lines for programs and sockets (exec:, unix:, tcp:) wait in the run's database, or where it has none in outbox.db of \
        this user's state folder, until the other side has them; a watch sends them, and so does `cuff sinks retry`. REFUSED counts readings that a sink \
        with +ack did not accept: they are kept, and `cuff sinks retry --refused` sends them again. LOST counts those that were handed to one without and may not have arrived.
        """,
        examples: [
            "cuff sinks": "What each sink has received, and what is queued.",
            "cuff sinks kinds": "What --sink takes.",
            "cuff sinks retry": "Sends now what is queued.",
            "cuff sinks check ./to-server": "Whether a program for exec+ack: follows the protocol.",
            "cuff sinks forget 00091ffffe000101 'mqtt://cuff@broker/?discovery=homeassistant'": "Removes a cuff from Home Assistant.",
        ],
        subcommands: [ListSinks.self, Kinds.self, Retry.self, Drop.self, Forget.self, Check.self], defaultSubcommand: ListSinks.self,
        aliases: ["sink"])

    struct ListSinks: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "list", "Prints one line for each sink.",
            examples: [
                "cuff sinks list --json": "For a script.",
                "cuff sinks list --db /var/lib/cuff/readings.db": "The service's.",
            ])
        @Option(
            help: ArgumentHelp("The database (default: readings.db and the outbox of this user).", valueName: "file"), completion: .file())
        var db: String?
        @Option(help: ArgumentHelp("Also show this file.", valueName: "spec"), completion: SinkChoice.completion)
        var sink: [String] = []
        @Option(help: ArgumentHelp("The configuration (default: the standard files).", valueName: "file"), completion: .file()) var config:
            String?
        @Flag(help: "One JSON object per sink.") var json = false

        func run() throws {
            let specs = try sink.map { try SinkSpec($0) } + CuffConfiguration.load(config).sinks.map(\.spec)
            let overview = try SinkOverview(database: db, sinks: specs)
            Terminal.put(
                json ? overview.jsonLines : Terminal.outputIsTerminal ? overview.table(width: Terminal.outputWidth) : overview.plain)
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "check", "Tests whether a program for exec+ack: follows the protocol.",
            "Runs it four times with readings of the cuff `check`, which the program really stores. Exits with 1 if a rule is broken. See cuff-sink(7).",
            examples: [
                "cuff sinks check ./to-server": "A program in this folder.",
                "cuff sinks check './append.py kept.jsonl'": "With an argument.",
            ])
        @Argument(help: ArgumentHelp("The program and its arguments, in one word.", valueName: "command")) var command: String

        func run() throws {
            let stop = StopSignal()
            stop.watch()
            try AnsweringSinkCheck(command.hasPrefix("exec+ack:") ? String(command.dropFirst(9)) : command).run(stop).conclude()
        }
    }

    struct Kinds: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "kinds", "Explains what --sink takes.",
            examples: [
                "cuff sinks kinds": "A table.",
                "cuff sinks kinds --json | jq -r .example": "An example of each kind.",
            ])
        @Flag(help: ArgumentHelp("The table of docs/SINKS.md.", visibility: .hidden)) var markdown = false
        @Flag(help: "One JSON object for each kind.") var json = false

        func run() throws {
            if markdown {
                let rows = SinkKind.all.map { "| `\($0.spelling)` | \($0.help) | \($0.durability.rawValue) | `\($0.example)` |\n" }
                return Terminal.put("| sink | what it is | durable | example |\n|---|---|---|---|\n" + rows.joined())
            }
            if json { return Terminal.put(SinkKind.all.map(Self.line).joined()) }
            guard Terminal.outputIsTerminal else {
                let rows = SinkKind.all.map { [$0.spelling, $0.durability.rawValue, $0.help, $0.example].joined(separator: "\t") }
                return Terminal.put(rows.map { $0 + "\n" }.joined())
            }
            let rows = SinkKind.all.map { [$0.spelling, $0.help, $0.durability.rawValue, $0.example] }
            let table = TextTable(["SINK", "WHAT IT IS", "DURABLE", "EXAMPLE"], rows, wrapping: 1)
            Terminal.put(table.text(width: Terminal.outputWidth))
        }

        private static func line(_ kind: SinkKind) -> String {
            JSONOutput.line(
                "sink_kind", ("sink", .text(kind.spelling)), ("help", .text(kind.help)), ("durable", .text(kind.durability.rawValue)),
                ("example", .text(kind.example)))
        }
    }

    struct Retry: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "retry", "Sends what is queued now.",
            examples: [
                "cuff sinks retry": "Everything that is queued.",
                "cuff sinks retry exec+ack:./to-server": "What is queued for one sink.",
                "cuff sinks retry --refused 'influx+http://127.0.0.1:8086/?db=bp'":
                    "Also what it refused, once the server is repaired.",
            ])
        @Option(
            help: ArgumentHelp("The database (default: readings.db and the outbox of this user).", valueName: "file"), completion: .file())
        var db: String?
        @Option(help: ArgumentHelp("The configuration (default: the standard files).", valueName: "file"), completion: .file()) var config:
            String?
        @Flag(help: "Also send again what the other side refused.") var refused = false
        @Argument(help: "Only this sink, as `cuff sinks` names it.") var sink: String?

        func run() throws {
            let consents = try CuffConfiguration.load(config).redelivery.consents
            let result = try SinkRuns.retry(database: db, sink: sink, refused: refused, consents: consents) {
                Terminal.say("cuff: \($0.text)")
            }
            let refusals = result.refused > 0 ? ", \(result.refused) refused: `cuff sinks` shows why" : ""
            Terminal.say("cuff: \(Plural.text(result.sent, "line")) sent, \(result.left) queued\(refusals)")
            if result.left > 0 { throw ExitCode(.tryAgain) }
            if result.refused > 0 { throw ExitCode(.badData) }
        }
    }

    struct Drop: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "drop", "Drops what is queued for one sink; the database keeps its readings.",
            """
            What was queued is not sent when the cuff is read again. What the sink had refused is forgotten, and is sent when it is \
            read again.
            """,
            examples: [
                "cuff sinks drop exec:./notify --confirm drop": "Forgets what is queued for a program that is gone.",
                "cuff sinks drop tcp:127.0.0.1:4000 --db bp.db --confirm drop": "In another database.",
            ])
        @Option(
            help: ArgumentHelp("The database (default: readings.db and the outbox of this user).", valueName: "file"), completion: .file())
        var db: String?
        @Argument(help: "The sink, as `cuff sinks` names it.") var sink: String
        @Option(help: ArgumentHelp("Confirm with `--confirm drop`.", valueName: "word")) var confirm = ""

        func run() throws {
            Terminal.say("cuff: \(Plural.text(try SinkRuns.drop(database: db, sink: sink, confirmation: confirm), "line")) dropped")
        }
    }

    struct Forget: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "forget", "Removes what an MQTT broker and Home Assistant show of a cuff; no reading is deleted.",
            "A running watch announces the cuff again with its next reading.",
            examples: [
                "cuff sinks forget 00091ffffe000101 'mqtt://cuff@broker/?discovery=homeassistant'": "A cuff that was given away.",
                "cuff sinks forget port-1-1.2 mqtt://127.0.0.1/": "Its retained newest reading; Home Assistant is left alone.",
            ])
        @Argument(help: "The cuff, as its readings name it (`device`).") var device: String
        @Argument(help: "The sink, as `cuff sinks` names it.") var sink: String

        func run() throws { try SinkForgetting.run(device: device, sink: SinkSpec(sink)) }
    }
}
