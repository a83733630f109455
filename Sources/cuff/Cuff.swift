import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

struct Cuff: ParsableCommand {
    static let name = "cuff"
    static let version = "0.2.0"
    /// What is kept with the readings that this program decodes.
    static let program = "\(name)/\(version)"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Reads blood-pressure cuffs: serial, USB and IEEE 11073, live or recorded.",
        usage: "cuff VERB …",
        discussion: Help.text(
            """
            Readings go to any number of sinks (`cuff sinks kinds` explains them): \(SinkChoice.spellings). A `?` at the end makes a \
            sink optional. Without one, a terminal shows a table and a pipe gets JSON Lines; read, \
            measure, record and watch then also keep the readings in this user's database (~/.local/share/cuff/readings.db), unless --no-store \
            is given. identify, info, clock, schedule and stop keep there what a cuff sends meanwhile. show, stats, average, ambulatory, report, \
            export, import, add, note, edit, delete, db and sinks use the same file. decode and replay only print.

            A cuff is named by one of (`cuff list --addresses` explains them): \(TransportKind.forms()).
            """,
            [
                "cuff drivers bm58": "Is this cuff supported, and by which driver?",
                "cuff list": "What is plugged in, and may this user open it?",
                "cuff read /dev/ttyUSB0 --driver beurer-serial": "Reads what the cuff has stored, then ends.",
                "cuff show": "The readings that are kept.",
            ]),
        version: version,
        subcommands: asked.map { [$0] } ?? [],
        groupedSubcommands: asked != nil
            ? [] : groups.map { group in CommandGroup(name: group.key, subcommands: group.value.map { $0.verb() }) })

    typealias Verb = (name: String, verb: @Sendable () -> any ParsableCommand.Type)

    /// Every verb by name, grouped like the folders; closures, so that only the requested one is set up.
    private static let groups: KeyValuePairs<String, [Verb]> = [
        "Device": [
            ("watch", { Watch.self }), ("read", { Read.self }), ("measure", { Measure.self }), ("stop", { Stop.self }),
            ("schedule", { Schedule.self }), ("info", { Info.self }), ("clock", { Clock.self }), ("clear", { Clear.self }),
            ("list", { List.self }), ("drivers", { Drivers.self }), ("setup", { Setup.self }),
        ],
        "Recording": [
            ("record", { Record.self }), ("decode", { Decode.self }), ("replay", { Replay.self }), ("identify", { Identify.self }),
            ("capture", { CaptureVerb.self }), ("simulate", { Simulate.self }),
        ],
        "Readings": [
            ("show", { Show.self }), ("export", { Export.self }), ("import", { Import.self }), ("add", { Add.self }),
            ("note", { Note.self }),
            ("edit", { Edit.self }), ("delete", { Delete.self }),
        ],
        "Health": [
            ("stats", { Stats.self }), ("average", { Average.self }), ("ambulatory", { Ambulatory.self }),
            ("report", { ReportVerb.self }),
        ],
        "System": [
            ("config", { Config.self }), ("web", { Web.self }), ("person", { PersonVerb.self }), ("db", { DatabaseVerb.self }),
            ("sinks", { Sinks.self }), ("sources", { Sources.self }),
            ("doctor", { DoctorVerb.self }),
        ],
    ]
    private static var verbs: [Verb] { groups.flatMap { $0.value } }

    /// The verb of the first argument. The parser gets only this one, and every verb has an explicit name: to derive a missing
    /// one, the parser searches the whole program for conformances, a noticeable delay. A verb with a `_superCommandName` is not
    /// asked for completion scripts, which are the whole program's.
    private static let asked: (any ParsableCommand.Type)? = CommandLine.arguments.dropFirst().first.flatMap { name in
        verbs.first { $0.name == fullName(name) }?.verb()
    }

    /// `cuff sink` is `cuff sinks`, and `cuff source` is `cuff sources`.
    private static func fullName(_ verb: String) -> String { verb == "source" || verb == "sink" ? verb + "s" : verb }

    /// The parsed command. A verb that parses its own arguments needs no command tree; everything else, including help and
    /// errors, uses the whole program.
    fileprivate static func parsed() throws -> any ParsableCommand {
        var arguments = withStandardAddresses(Array(CommandLine.arguments.dropFirst()))
        for index in arguments.prefix(arguments.first == "help" ? 2 : 1).indices { arguments[index] = fullName(arguments[index]) }
        if let asked, let command = try? asked.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == asked {
            return command
        }
        try Typo.refuse(arguments[...], verbs: verbs)
        return try parseAsRoot(arguments)
    }

    /// Adds the default addresses of `watch --web` and `--listen`, because the parser has no options with an optional value.
    private static func withStandardAddresses(_ arguments: [String]) -> [String] {
        guard arguments.first == "watch" else { return arguments }
        var complete: [String] = []
        for (index, word) in arguments.enumerated() {
            complete.append(word)
            let isBare = index + 1 == arguments.count || arguments[index + 1].hasPrefix("-")
            if isBare, word == "--web" || word == "--listen" {
                complete.append(":\(word == "--web" ? WebAddress.usualPort : TransportKind.agentPort)")
            }
        }
        return complete
    }

    func run() throws {
        guard isatty(STDIN_FILENO) == 1 else {
            throw IngestError(
                .usage, "cuff was given no verb", why: "it does not guess what to do with standard input",
                hint: "write e.g. `… | cuff decode --driver omron-hbp`, or `cuff --help`")
        }
        Terminal.put(Self.helpMessage() + "\n")
    }
}

@main enum Main {
    static func main() {
        // SIGPIPE and SIGXFSZ become errors of write(2) instead of ending the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        ProcessStart.occupyStandardDescriptors()
        if let sentence = ProcessStart.lackOfMemory() ?? ProcessStart.lackOfDescriptors() {
            Terminal.say("cuff: \(sentence)")
            exit(RunStatus.osError.code)
        }
        // Frequent requests, answered without the parser: its search for conformances takes ten times as long as everything else.
        let words = CommandLine.arguments.dropFirst()
        if words.elementsEqual(["--version"]) { return Terminal.put(Cuff.version + "\n") }
        if words.elementsEqual(["drivers"]) { return Drivers.list(CuffFamilies.all) }
        ProcessMemory.keepSmall()
        HostZone.onUnknown { Terminal.say("cuff: `\($0)` (TZ) is not a time zone of this computer: local times are in UTC") }
        do {
            var command = try Cuff.parsed()
            try command.run()
            try Damage.told()
        } catch let error as IngestError {
            if error.status != .done { StandardErrorLog.logger().error("\(error.text)") }
            exit(error.status.code)
        } catch {
            let (code, message) = (Cuff.exitCode(for: error), Cuff.fullMessage(for: error))
            guard code == .success else {
                if !message.isEmpty { Terminal.say(Typo.withoutFarSuggestion(message)) }
                exit(code.rawValue)
            }
            // Help and completions are output like any other, so a full disk is an error. The parser does not wrap the usage line.
            if message.hasPrefix("OVERVIEW:") { Terminal.show(message + "\n") } else { Terminal.put(message + "\n") }
        }
    }
}
