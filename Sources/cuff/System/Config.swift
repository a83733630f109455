import ArgumentParser
import CuffCore
import CuffIngest
import Glibc

struct Config: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", _superCommandName: Cuff.name,
        abstract: "Shows where the configuration is and what it says, checks it, or prints an example.",
        discussion: Help.text(
            "`cuff setup` writes a configuration. cuff.toml(5) describes every key.",
            [
                "cuff config path": "The files that are looked at, in order.",
                "cuff config example > ~/.config/cuff/config.toml": "A commented file to begin with.",
                "cuff config check": "Is every file right?",
                "cuff config show": "What all of them together say, with file and line.",
            ]), subcommands: [Path.self, Example.self, ShowConfig.self, Check.self])

    struct Path: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "path",
            abstract: "Prints the files that are looked at, in order; a later one goes first where both say something.",
            discussion: Help.text(
                "A pipe gets the files that are there, one a line.",
                ["cuff config path": "All places.", "cuff config path | xargs cat": "What the files that are there hold."]))
        @Flag(help: "One JSON object for each place.") var json = false
        func run() throws {
            let places = CuffConfiguration.standardPlaces().map { (path: $0, isThere: access($0, F_OK) == 0) }
            if json {
                return Terminal.put(
                    places.map { ConfigText.line("configuration_file", [("path", $0.path)], "\"exists\":\($0.isThere)") }.joined())
            }
            guard Terminal.outputIsTerminal else { return Terminal.put(places.filter(\.isThere).map { $0.path + "\n" }.joined()) }
            Terminal.show(places.map { "\($0.path)\($0.isThere ? "" : "  (not there)")\n" }.joined())
        }
    }

    struct Example: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "example", abstract: "Prints a commented configuration in which nothing is switched on.",
            discussion: Help.text(
                "",
                [
                    "cuff config example": "To read.",
                    "cuff config example | sudo tee /etc/cuff/config.toml": "To begin with, for the service.",
                ]))
        func run() throws { Terminal.put(ConfigText.example) }
    }

    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Reads the configuration and says what is wrong with it.",
            discussion: Help.text(
                """
                The address of `web` is tried: nothing stays open. With --connect, the helper of each sink on a server connects as it would to deliver readings: address, certificate, \
                password, rights, tables. Nothing is stored there. The status is 78 if something must be changed, and 69 if a server \
                is away or another program has the page's port.
                """,
                [
                    "cuff config check": "The files that a watch reads.",
                    "cuff config check --connect": "And whether each server would accept readings.",
                    "cuff config check --config new.toml": "A file that is not yet in its place.",
                ]))
        @OptionGroup var file: ConfigOption
        @Flag(help: "Also connect to the server of each sink; nothing is stored there.") var connect = false
        func run() throws {
            let found = try CuffConfiguration.load(file.config)
            Terminal.put(found.files.isEmpty ? "no configuration\n" : found.files.map { "\($0): ok\n" }.joined())
            var statuses = [PageReport.print(found)]
            if connect { statuses.append(ConnectionReport.print(found.sinks)) }
            if let status = statuses.first(where: { $0 != .done }) { throw ExitCode(status) }
        }
    }

    struct ShowConfig: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints what the configuration says, one value a line, with file and line.",
            discussion: Help.text(
                "",
                ["cuff config show": "The files that a watch reads.", "cuff config show --json | jq -r .name": "For a script."]))
        @OptionGroup var file: ConfigOption
        @Flag(help: "One JSON object for each value.") var json = false
        func run() throws {
            let lines = try CuffConfiguration.load(file.config).lines
            guard json else { return Terminal.show(lines.map { $0 + "\n" }.joined()) }
            let keys = ["name", "value", "settings", "origin"]
            Terminal.put(
                lines.map { line in
                    let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
                    return ConfigText.line("setting", zip(keys, cells).filter { !$1.isEmpty })
                }.joined())
        }
    }
}

/// A configuration that is named instead of the standard files.
struct ConfigOption: ParsableArguments {
    @Option(help: ArgumentHelp("Read this configuration (default: the standard files).", valueName: "file"), completion: .file())
    var config: String?
}

/// What `cuff config check` says of the page, and of what the service may not do.
enum PageReport {
    /// Lines for the page and the network, faults on standard error; answers the status that stands for them.
    static func print(_ configuration: CuffConfiguration) -> RunStatus {
        if let warning = cutOff(configuration) { Terminal.say("cuff: \(warning.text)\n  fix: \(warning.hint)") }
        guard let web = configuration.web else { return .done }
        let finding = Doctor.page(web)
        switch finding.state {
        case .ok: Terminal.put("web \(web): ok: \(finding.text)\n")
        default: Terminal.say("cuff: web \(web): \(finding.text)" + (finding.hint.map { "\n  fix: \($0)" } ?? ""))
        }
        return finding.status
    }

    /// Where the machine's configuration needs a network that the service may not use.
    static func cutOff(_ configuration: CuffConfiguration) -> (text: String, hint: String)? {
        guard configuration.files.contains(where: { $0.hasPrefix("/etc/cuff/") }), ServiceNetwork(configuration).need > .none,
            ServiceNetwork.isServiceCutOff
        else { return nil }
        return ("the configuration needs the network, and cuff.service may not use it", "sudo cuff setup --system")
    }
}

/// What `cuff config check --connect` says of the sinks on servers.
enum ConnectionReport {
    /// One line for each, the faults on standard error; answers the status that stands for all of them.
    static func print(_ sinks: [CuffConfiguration.NamedSink]) -> RunStatus {
        let remote = sinks.filter { $0.spec.kind.traits.contains(.remote) }
        if remote.isEmpty { Terminal.put("no sink on a server\n") }
        var statuses: Set<RunStatus> = []
        for sink in remote {
            do throws(IngestError) {
                switch try SinkCheck.run(sink.spec) {
                case .ready(let text): Terminal.show("sink \(sink.name): ok: \(StandardErrorLog.harmless(text))\n")
                case .unknown: Terminal.show("sink \(sink.name): not checked: its helper program knows no --check, or did not answer\n")
                case .away(let text):
                    Terminal.say("cuff: sink \(sink.name): not now: \(text)")
                    statuses.insert(.unavailable)
                case .wrong(let text):
                    Terminal.say("cuff: sink \(sink.name): \(text)")
                    statuses.insert(.badConfiguration)
                }
            } catch {
                Terminal.say("cuff: sink \(sink.name): \(error.text)")
                statuses.insert(error.status)
            }
        }
        return statuses.contains(.badConfiguration) ? .badConfiguration : statuses.first ?? .done
    }
}

enum ConfigText {
    /// One JSON object and a line feed.
    static func line(_ type: String, _ fields: [(String, String)], _ more: String = "") -> String {
        var text = TextBuffer()
        text.append(string: "{\"type\":\"\(type)\",\"schema\":1")
        for (key, value) in fields {
            text.append(string: ",\"\(key)\":")
            text.append(jsonString: value)
        }
        text.append(string: (more.isEmpty ? "" : ",") + more + "}\n")
        return text.string
    }

    /// Every key that there is, commented out. A test uncomments all of it and reads it.
    static let example = """
        # Configuration of cuff(1); cuff.toml(5) describes it. `cuff config check` tells what is wrong with it.
        # Read in this order, the later file going first: /etc/cuff/config.toml, /etc/cuff/conf.d/*.toml,
        # ~/.config/cuff/config.toml.

        # A cuff behind an adapter that says nothing of what is plugged into it. `cuff list` prints what to write for `match`.
        # The name is the identity that readings are stored under: choose it once.
        #[device.hallway]
        #match = "port:1-1.2"
        #driver = "beurer-serial"
        #line = "4800 8N1"
        #users = { 1 = "Anna", 2 = "Ben" }

        # An option of a driver; `cuff drivers ID` lists them.
        #[device.clinic]
        #match = "usb:0403:6001:A10KX1"
        #driver = "and-std"
        #options = { variant = "inbody" }

        # Never to be opened.
        #[device.modem]
        #match = "usb:0403:6001:FT1ABC"
        #ignore = true

        # Where readings go; without a section they are kept in readings.db. `cuff sinks kinds` lists the kinds.
        #[sink.database]
        #sqlite = "/var/lib/cuff/readings.db"

        # A cuff does not wait for this one.
        #[sink.lines]
        #jsonl = "/var/lib/cuff/readings.jsonl"
        #required = false

        # Lines are kept until the program has answered for each.
        #[sink.server]
        #exec = "/usr/local/bin/to-server"
        #ack = true

        # Servers. Readings are kept until the server has answered for each; it may be away for days. Passwords never stand here:
        # they are the first lines of files of mode 0600 in ~/.config/cuff/credentials/, or for the service systemd's
        # LoadCredential=NAME:FILE. `cuff config check --connect` connects to each of them.

        # An MQTT broker, and through it Home Assistant. Password: mqtt.password. A broker that keeps nothing on disk
        # (mosquitto as installed) is a notification and not a store: no cuff waits for it.
        #[sink.home]
        #address = "mqtts://cuff@broker.example/?gateway=hallway&discovery=homeassistant"
        #required = false

        # A broker with a certification authority of your own.
        #[sink.fleet]
        #address = "mqtts://pi-7@rabbit.example/?gateway=pi-7&cafile=/etc/cuff/ca.pem"

        # PostgreSQL. Password: ~/.pgpass, or as a service LoadCredential=pgpass:FILE. The tables and the role:
        # cuff-sink-postgres --schema | psql -d ward
        #[sink.ward]
        #address = "postgres://cuff@db.example/ward?sslmode=verify-full"

        # InfluxDB 1.x. Password: influx.password.
        #[sink.influx1]
        #address = "influx+https://cuff@influx.example:8086/?db=bp"

        # InfluxDB 2.x. Token: influx.token.
        #[sink.influx2]
        #address = "influx+https://influx.example:8086/?org=clinic&bucket=bp"

        # A FHIR server. Token: fhir.token; with a user in the address fhir.password, with client=ID the key fhir.key. Whose the
        # readings are is never guessed: one subject for everybody, or one for each user slot (0: readings without one).
        #[sink.fhir]
        #address = "fhir+https://fhir.example/r4?subject=Patient/p1"
        #[sink.fhir-slots]
        #address = "fhir+https://fhir.example/r4?subject.1=Patient/p1&subject.2=Patient/p2&subject.0=Patient/p1&profile=phd"

        # Any web service that takes one reading as JSON in each POST and answers 2xx. Token: http.token; password: http.password.
        #[sink.web]
        #address = "https://example.org/readings"

        # A helper program of your own, cuff-sink-pigeon (cuff-sink(7)).
        #[sink.pigeon]
        #address = "pigeon://loft/7"

        # Alerts of `cuff watch`. The numbers are yours: cuff knows none, and an alert says nothing but that your rule holds.
        # It is raised by the second of two readings, 1 to 15 minutes apart, and cleared by two as well.
        #[alert.high]
        #when = "systolic >= 180 or diastolic >= 110"
        #clear = "systolic < 170 and diastolic < 100"
        #repeated = true
        #after = "1min"
        #within = "15min"
        #person = "Anna"
        #again = "12h"

        # The cuff noticed an irregular pulse in two of the last three readings, all of them within half an hour.
        #[alert.pulse]
        #irregular = "2 of 3"
        #within = "30min"
        #device = "hallway"
        # Flags with which a reading counts all the same: this driver's line has no check, so all its readings have this one.
        #accept = ["no_measurement_check"]

        # While `cuff schedule` measures: no reading came for so long after one was due.
        #[alert.silence]
        #silence = "30min"
        #driver = "par-nibp"

        #[watch]
        # Read a cuff that stays plugged in again after this.
        #again = "1h"
        # Cuffs that connect by themselves (IEEE 11073 agents).
        #listen = "127.0.0.1:6024"
        # A page with live pressures and the latest readings, without a password: whoever can open the address sees them.
        #web = "127.0.0.1:6025"

        """
}
