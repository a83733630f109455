import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "config", "Shows where the configuration is and what it says, checks it, or prints an example.",
        "`cuff setup` writes a configuration. cuff.toml(5) describes every key.",
        examples: [
            "cuff config path": "The files that are looked at, in order.",
            "cuff config example > ~/.config/cuff/config.toml": "A commented file to begin with.",
            "cuff config check": "Is every file right?",
            "cuff config show": "What all of them together say, with file and line.",
        ], subcommands: [Path.self, Example.self, ShowConfig.self, Check.self])

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "path", "Prints the files that are looked at, in order; later files override earlier ones.",
            "A pipe gets the files that are there, one a line.",
            examples: ["cuff config path": "All places.", "cuff config path | xargs cat": "The contents of the existing files."])
        @Flag(help: "One JSON object for each place.") var json = false
        func run() throws {
            let places = CuffConfiguration.standardPlaces().map { (path: $0, isThere: access($0, F_OK) == 0) }
            if json {
                return Terminal.put(
                    places.map { JSONOutput.line("configuration_file", ("path", .text($0.path)), ("exists", .bool($0.isThere))) }.joined()
                )
            }
            guard Terminal.outputIsTerminal else { return Terminal.put(places.filter(\.isThere).map { $0.path + "\n" }.joined()) }
            Terminal.show(places.map { "\($0.path)\($0.isThere ? "" : "  (not there)")\n" }.joined())
        }
    }

    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "example", "Prints a commented configuration in which nothing is switched on.",
            examples: [
                "cuff config example": "To read.",
                "cuff config example | sudo tee /etc/cuff/config.toml": "To begin with, for the service.",
            ])
        func run() throws { Terminal.put(ConfigText.example) }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "check", "Reads the configuration and says what is wrong with it.",
            """
            The address of `web` is tried: nothing stays open. With --connect, the helper of each sink on a server connects as it would to deliver readings: address, certificate, \
            password, rights, tables. Nothing is stored there. The status is 78 if something must be changed, and 69 if a server \
            is away or another program has the page's port.
            """,
            examples: [
                "cuff config check": "The files that a watch reads.",
                "cuff config check --connect": "And whether each server would accept readings.",
                "cuff config check --config new.toml": "A file that is not yet in its place.",
            ])
        @OptionGroup var file: ConfigOption
        @Flag(help: "Also connect to the server of each sink; nothing is stored there.") var connect = false
        func run() throws {
            let found = try CuffConfiguration.load(file.config)
            Terminal.put(found.files.isEmpty ? "no configuration\n" : found.files.map { "\($0): ok\n" }.joined())
            for slot in found.idleSlots {
                Terminal.say(
                    "cuff: \(slot.origin): `\(slot.place)` gets no readings: those of \(slot.driver) name no user\n"
                        + "  fix: write `\(slot.cuff)` in [person.\(slot.person)] if all its readings are this person's")
            }
            var statuses = [PageReport.print(found)]
            if connect { statuses.append(ConnectionReport.print(found.sinks)) }
            if let status = statuses.first(where: { $0 != .done }) { throw ExitCode(status) }
        }
    }

    struct ShowConfig: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "show", "Prints what the configuration says, one value a line, with file and line.",
            examples: ["cuff config show": "The files that a watch reads.", "cuff config show --json | jq -r .name": "For a script."])
        @OptionGroup var file: ConfigOption
        @Flag(help: "One JSON object for each value.") var json = false
        func run() throws {
            let lines = try CuffConfiguration.load(file.config).lines
            let rows = lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
            if json {
                let keys = ["name", "value", "settings", "origin"]
                return Terminal.put(
                    rows.map { cells in JSONOutput.line("setting", zip(keys, cells).map { ($0, $1.isEmpty ? nil : .text($1)) }) }.joined())
            }
            guard Terminal.outputIsTerminal, !rows.isEmpty else { return Terminal.put(lines.map { $0 + "\n" }.joined()) }
            Terminal.put(TextTable(["NAME", "VALUE", "SETTINGS", "SET IN"], rows, wrapping: 1).text(width: Terminal.outputWidth))
        }
    }
}

/// A configuration file instead of the standard ones.
struct ConfigOption: ParsableArguments {
    @Option(help: ArgumentHelp("Read this configuration (default: the standard files).", valueName: "file"), completion: .file())
    var config: String?
}
