import ArgumentParser
import CuffCore
import CuffIngest

struct Sources: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "sources", "Shows the programs that deliver readings, and tests one.",
        """
        A watch runs them: `[source.NAME]` with `exec = "PROGRAM"` in the configuration, or `cuff watch --source exec:PROGRAM`. docs/SOURCES.md has the protocol.
        """,
        examples: [
            "cuff sources": "The sources of the configuration.",
            "cuff sources check \"./csv-folder.py $HOME/readings\"": "Whether a program follows the protocol.",
        ], subcommands: [ListSources.self, Check.self], defaultSubcommand: ListSources.self, aliases: ["source"])

    struct ListSources: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "list", "Prints one line for each source of the configuration.",
            examples: [
                "cuff sources list --json": "For a script.",
                "cuff sources list --config /etc/cuff/config.toml": "The service's.",
            ])
        @Option(help: ArgumentHelp("The configuration (default: the standard files).", valueName: "file"), completion: .file())
        var config: String?
        @Flag(help: "One JSON object per source.") var json = false

        func run() throws {
            let sources = try CuffConfiguration.load(config).sources
            let rows = sources.map { [$0.plan.name, "\($0.plan)", $0.origin] }
            if json {
                return Terminal.put(
                    rows.map { JSONOutput.line("source", ("name", .text($0[0])), ("source", .text($0[1])), ("origin", .text($0[2]))) }
                        .joined())
            }
            guard !rows.isEmpty || !Terminal.outputIsTerminal else {
                return Terminal.say("cuff: no sources; [source.NAME] in the configuration adds one")
            }
            Terminal.list(["NAME", "SOURCE", "SET IN"], rows, wrapping: 1, optional: [2])
        }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "check", "Tests whether a program follows the protocol of sources.",
            "Runs it twice, and stores nothing. Exits with 1 if a rule is broken.",
            examples: [
                "cuff sources check \"./csv-folder.py $HOME/readings\" --for 5s": "Waits 5 s for readings.",
                "cuff sources check ./scale": "A program in this folder.",
            ])
        @Argument(help: ArgumentHelp("The program and its arguments, in one word.", valueName: "command")) var command: String
        @Option(name: .customLong("for"), help: ArgumentHelp("How long to wait for readings (default: 10s).", valueName: "time"))
        var patience: Span?

        func run() throws {
            let plan = try SourcePlan(command.hasPrefix("exec:") ? command : "exec:\(command)")
            let stop = StopSignal()
            stop.watch()
            let findings = SourceCheck(plan, patience: patience?.duration ?? .seconds(10)).run(stop)
            try findings.conclude()
        }
    }
}

extension [HelperFinding] {
    /// Prints one line for each rule; throws if one was broken.
    func conclude() throws {
        Terminal.put(map { "\($0.fault == nil ? "ok" : "FAILED")  \($0.rule)\($0.fault.map { ": \($0)" } ?? "")\n" }.joined())
        if contains(where: { $0.fault != nil }) { throw ExitCode(.no) }
    }
}
