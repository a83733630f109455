import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest
import Glibc

struct Cuff: ParsableCommand {
    static let name = "cuff"
    static let version = "0.1.0"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Reads blood-pressure cuffs: serial, USB and IEEE 11073, live or recorded.",
        usage: "cuff VERB …",
        discussion: Help.text(
            """
            Readings go to any number of sinks (`cuff sinks kinds` explains them): \(SinkChoice.spellings). A `?` at the end makes a \
            sink optional. Without one, a terminal shows a table and a pipe gets JSON Lines; read, \
            measure, record and watch then also keep the readings in this user's database (~/.local/share/cuff/readings.db), unless --no-store \
            is said. show, stats, report, export, add, note, edit, delete, db and sinks use the same file. decode and replay only print.

            A cuff is named by one of (`cuff list --addresses` explains them): \(TransportKind.forms()).
            """,
            [
                "cuff drivers bm58": "Is this cuff supported, and by which driver?",
                "cuff list": "What is plugged in, and may this user open it?",
                "cuff read /dev/ttyUSB0 --driver beurer-serial": "Reads what the cuff has stored, then ends.",
                "cuff show": "The readings that are kept.",
            ]),
        version: version,
        subcommands: asked.map { [$0] } ?? verbs.map { $0.verb() })

    /// Every verb, under the name it is called by; as a closure, so that only the one that is asked for is set up.
    private static let verbs: [(name: String, verb: @Sendable () -> any ParsableCommand.Type)] = [
        ("watch", { Watch.self }), ("read", { Read.self }), ("measure", { Measure.self }), ("stop", { Stop.self }),
        ("schedule", { Schedule.self }), ("info", { Info.self }), ("clock", { Clock.self }), ("clear", { Clear.self }),
        ("record", { Record.self }), ("decode", { Decode.self }), ("replay", { Replay.self }), ("capture", { CaptureVerb.self }),
        ("simulate", { Simulate.self }), ("list", { List.self }), ("identify", { Identify.self }), ("doctor", { DoctorVerb.self }),
        ("drivers", { Drivers.self }), ("setup", { Setup.self }), ("config", { Config.self }), ("show", { Show.self }),
        ("stats", { Stats.self }), ("average", { Average.self }), ("ambulatory", { Ambulatory.self }), ("export", { Export.self }),
        ("report", { ReportVerb.self }), ("add", { Add.self }), ("note", { Note.self }), ("edit", { Edit.self }),
        ("delete", { Delete.self }), ("db", { DatabaseVerb.self }), ("sinks", { Sinks.self }),
    ]

    /// The verb that the first argument names. The parser is shown it alone, and every verb says its own name: for what it is
    /// not told, the parser searches the whole program for conformances, and a person waits. A verb with a `_superCommandName` is
    /// not asked for completion scripts either, which are the whole program's.
    private static let asked: (any ParsableCommand.Type)? = CommandLine.arguments.dropFirst().first.flatMap { name in
        verbs.first { $0.name == name }?.verb()
    }

    /// What the arguments ask for. A verb that understands its own needs no tree of commands above it; in everything else, help
    /// and errors too, the whole program speaks.
    fileprivate static func parsed() throws -> any ParsableCommand {
        let arguments = withStandardAddresses(Array(CommandLine.arguments.dropFirst()))
        if let asked, let command = try? asked.parseAsRoot(Array(arguments.dropFirst())), type(of: command) == asked {
            return command
        }
        try Typo.refuse(arguments[...], verbs: verbs)
        return try parseAsRoot(arguments)
    }

    /// `--web` and `--listen` of `watch` have addresses of their own where none is said; the parser knows no option with a value
    /// that may be left out.
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
        // A closed pipe and a file at its size limit are errors of write(2), not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        ProcessStart.occupyStandardDescriptors()
        if let sentence = ProcessStart.lackOfMemory() {
            Terminal.say("cuff: \(sentence)")
            exit(RunStatus.osError.code)
        }
        // Scripts and newcomers ask these often, and they need no parser: its search for conformances takes ten times as long
        // as all the rest.
        let words = CommandLine.arguments.dropFirst()
        if words.elementsEqual(["--version"]) { return Terminal.put(Cuff.version + "\n") }
        if words.elementsEqual(["drivers"]) { return Drivers.list(CuffFamilies.all) }
        ProcessMemory.keepSmall()
        do {
            var command = try Cuff.parsed()
            try command.run()
            try Damage.told()
        } catch let error as IngestError {
            if error.status != .done { StandardErrorLog.logger().error("\(error.text)") }
            exit(error.status.code)
        } catch {
            // Help and completions are output like any other: a full disk is told.
            guard Cuff.exitCode(for: error) == .success else { Cuff.exit(withError: error) }
            Terminal.put(Cuff.fullMessage(for: error) + "\n")
        }
    }
}

/// Standard error, and what is known about the terminal.
enum Terminal {
    static func say(_ text: String) {
        let line = Array((StandardErrorLog.harmless(text) + "\n").utf8)
        _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Everything that is data. A reader that has gone ends the program quietly; a full disk ends it with a word. `hasColor`: the text
    /// has this program's own commands to a terminal, and no text of others.
    static func put(_ text: String, hasColor: Bool = false) {
        do throws(IngestError) { try OutputFile.put(hasColor ? text : TerminalText.clean(text)) } catch {
            if error.status != .done { StandardErrorLog.logger().error("\(error.text)") }
            exit(error.status.code)
        }
    }

    /// Lines for a person: those that are longer than the terminal is wide go on below their last column.
    static func show(_ text: String) { put(TextTable.folded(text, width: outputWidth)) }

    /// Asks a person and takes one line; `nil` where there is nobody to ask.
    static func ask(_ question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let bytes = Array(TerminalText.clean(question).utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        return readLine()
    }

    /// The terminal's width, whether its letters go beyond ASCII, and whether colour is welcome.
    static var plotStyle: RangePlot.Style {
        var size = winsize()
        let isKnown = outputIsTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let width = variable("COLUMNS").flatMap { Int($0) } ?? (isKnown ? Int(size.ws_col) : 80)
        let hasColor = outputIsTerminal && variable("NO_COLOR") == nil && variable("TERM") != "dumb"
        return RangePlot.Style(
            width: width, height: isKnown ? min(24, max(10, Int(size.ws_row) - 6)) : 18,
            isUnicode: isUnicode, hasColor: hasColor || variable("FORCE_COLOR") != nil)
    }

    /// Columns of standard output; `nil` where it is no terminal.
    static var outputWidth: Int? { TerminalSize.columns(of: STDOUT_FILENO) }

    /// Columns of standard error.
    static var errorWidth: Int {
        var size = winsize()
        return errorIsTerminal && ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    static var isUnicode: Bool {
        (["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(variable).first ?? "").lowercased().contains("utf")
    }

    /// A variable of the environment that is set and not empty.
    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorIsTerminal = isatty(STDERR_FILENO) == 1
}
