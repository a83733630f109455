import ArgumentParser
import CuffCore
import CuffIngest

extension CaptureVerb {
    struct Anonymise: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "anonymise", "Anonymises a recording so that it can be shared: without names and serial numbers, its times shifted.",
            """
            Names and ids of persons, serial numbers and system ids are overwritten, all times are shifted by the same number of whole \
            days, checks are computed again. The numbers of the readings stay: the result is replayed beside the original, and nothing \
            is written where the two differ. Fields of which no document says what they hold are cleared. Comments and most of the \
            header are left out. Check the result before sending it. Several recordings go into a folder, with one shift.
            """,
            examples: [
                "cuff capture anonymise night.capture -o to-send.capture": "One recording.",
                "cuff capture anonymise *.capture -o to-send/ --json": "Several, into an existing folder.",
            ])

        @Argument(help: "Captures; `-` reads standard input.", completion: .file()) var inputs: [String]
        @Option(
            name: .shortAndLong,
            help: ArgumentHelp("The new file, or a folder for several; `-` writes text to standard output.", valueName: "file"),
            completion: .file())
        var output: String
        @Option(help: "The cuff family, for captures whose header names none.", completion: DriverChoice.completion) var driver: String?
        @Option(help: Help.option, completion: DriverChoice.optionCompletion) var option: [String] = []
        @Option(
            parsing: .unconditional,
            help: ArgumentHelp("Shift times by so many days (default: a random number, one to five years back).", valueName: "days"))
        var days: Int?
        @OptionGroup var usb: USBOptions
        @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false
        @Flag(help: "One JSON object for each recording, on standard output.") var json = false

        func run() throws {
            try Flags.refuse("--json", when: json && output == "-", why: "the recording goes to standard output")
            guard days.map({ $0 != 0 && abs($0) <= 36_500 }) ?? true else {
                throw IngestError(.usage, "--days \(days ?? 0) is not a shift", hint: "write e.g. --days -1000")
            }
            let options = try DriverChoice.options(option)
            let selection = try usb.selection()
            let shift = days ?? CaptureAnonymising.randomDays()
            let targets = try CaptureAnonymising.targets(of: inputs, in: output)
            for (input, target) in zip(inputs, targets) {
                let report = try CaptureAnonymising.run(
                    from: input, to: target, days: shift, driver: driver, options: options, selection: selection, replaces: force)
                if json { Terminal.put(line(report, input)) } else { show(report) }
            }
        }

        private func show(_ report: CaptureAnonymising.Report) {
            let kinds = Redaction.Kind.allCases.compactMap { kind in report.changes[kind].map { "\(kind.rawValue) (\($0))" } }
            let changed = kinds.isEmpty ? "no bytes had to be changed" : "changed " + kinds.joined(separator: ", ")
            Terminal.say("cuff: \(report.path): \(changed); \(Plural.text(report.readings, "reading")) as before")
            if !report.droppedFields.isEmpty {
                Terminal.say("cuff: left out of the header: \(report.droppedFields.joined(separator: ", "))")
            }
            for field in report.keptFields { Terminal.say("cuff: kept, please check: \(field.key): \(field.value)") }
            guard report.leftBytes > 0 else { return }
            Terminal.say(
                "cuff: \(Plural.text(report.leftBytes, "byte")) of no whole frame stay as recorded, and may show a name, a number or a time"
            )
        }

        private func line(_ report: CaptureAnonymising.Report, _ input: String) -> String {
            JSONOutput.line(
                "anonymised", ("input", .text(input)), ("file", .text(report.path)), ("driver", .text(report.driver)),
                ("readings", .number(report.readings)),
                ("changed", .present(Redaction.Kind.allCases.map { ("\($0)", report.changes[$0].map { .number($0) }) })),
                ("dropped_fields", .text(report.droppedFields.joined(separator: ","))), ("left_bytes", .number(report.leftBytes)))
        }
    }
}
