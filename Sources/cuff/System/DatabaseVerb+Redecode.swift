import ArgumentParser
import CuffCore
import CuffIngest

extension DatabaseVerb {
    struct Redecode: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "redecode", abstract: "Decodes the stored records with the present drivers, and shows what would change.",
            discussion: Help.text(
                """
                For the time after an error in a driver was corrected: the bytes that a cuff sent are stored with each reading. It shows what \
                would change and asks; without a terminal and --confirm nothing is written. A corrected reading keeps its id and gets the next revision; an unchanged one only names the present versions of program and driver \
                as what decoded it. A reading that would get \
                another time, user or number, and so another id, is shown and stays. Sinks other than the database are not told; \
                `cuff export --new` gives corrected readings again. Where a cuff needed an --option to be read, say it here too.
                """,
                [
                    "cuff db redecode --source taidoc --dry-run": "What the present driver taidoc reads otherwise.",
                    "cuff db redecode --source taidoc --confirm redecode": "The same, written into the database without a question.",
                ]))
        @OptionGroup var selected: SelectionOptions
        @Flag(name: .shortAndLong, help: "Print what would change, and change nothing.") var dryRun = false
        @Option(
            help: ArgumentHelp(
                "Confirm with `--confirm redecode` instead of being asked; take a backup first (`cuff db backup`).", valueName: "word"))
        var confirm = ""
        /// The former name of `--confirm redecode`.
        @Flag(help: ArgumentHelp("The same as --confirm redecode.", visibility: .hidden)) var apply = false
        @Option(
            name: .customLong("option"),
            help: ArgumentHelp("An option of the driver; `cuff drivers ID` lists them.", valueName: "name=value"),
            completion: DriverChoice.optionCompletion)
        var option: [String] = []
        @Flag(help: "One JSON object for each reading that differs, and one with the totals.") var json = false

        func run() throws {
            try Flags.refuse("--confirm", when: dryRun && (apply || !confirm.isEmpty), why: "nothing is changed")
            let isConfirmed = apply || confirm == "redecode"
            guard isConfirmed || confirm.isEmpty else { throw IngestError(StoreFault.redecodingNotConfirmed) }
            let preview = try run(applies: isConfirmed, isShown: true)
            guard !isConfirmed, !dryRun, !json, preview.changed + preview.renewed > 0,
                let answer = Terminal.ask(question(preview))
            else { return }
            guard answer == "redecode" else { throw IngestError(StoreFault.redecodingNotConfirmed) }
            _ = try run(applies: true, isShown: false)
        }

        private func question(_ preview: HealthRuns.RedecodeReport) -> String {
            let effect =
                preview.changed > 0
                ? "\(Plural.text(preview.changed, "reading")) will be corrected"
                : "\(Plural.text(preview.renewed, "reading")) will name this version"
            return effect + ". Type `redecode` to continue: "
        }

        private func run(applies: Bool, isShown: Bool) throws -> HealthRuns.RedecodeReport {
            let options = try DriverChoice.options(option)
            let selection = try selected.readingSelection("db redecode")
            let store = try selected.store(applies ? .write : .read)
            let report = try HealthRuns.redecode(store, selection, options: options, applies: applies, program: Cuff.program) { one in
                guard isShown else { return }
                if json { Terminal.put(object(one, applies)) } else { Terminal.show(text(one)) }
            }
            try store.close()
            if json { Terminal.put(total(report, applies)) } else { show(report, applies, whole: isShown) }
            return report
        }

        private func show(_ report: HealthRuns.RedecodeReport, _ applies: Bool, whole: Bool) {
            let done = applies ? "corrected" : "would change"
            Terminal.say("cuff: \(Plural.text(report.same, "reading")) are unchanged, \(report.changed) \(done)")
            if report.renewed > 0 {
                let names = applies ? "now name" : "would name"
                Terminal.say("cuff: \(Plural.text(report.renewed, "unchanged reading")) \(names) this version as what decodes them")
            }
            guard whole else { return }
            if report.otherIdentity > 0 {
                Terminal.say("cuff: \(report.otherIdentity) would get another id and stay: read the cuff again, then delete them")
            }
            for (driver, count) in report.undecided.sorted(by: { $0.key < $1.key }) {
                Terminal.say("cuff: \(Plural.text(count, "reading")) of \(driver) cannot be decoded from their record alone, and stay")
            }
            if report.withoutDriver > 0 { Terminal.say("cuff: \(Plural.text(report.withoutDriver, "reading")) have no record of a cuff") }
        }

        private func object(_ one: HealthRuns.Redecoded, _ applies: Bool) -> String {
            JSONOutput.line(
                "redecoded",
                [
                    ("id", .text(one.stored.id.description)), ("driver", .text("\(one.stored.driver)")),
                    ("revision", .number(Int(one.decoded.revision))), ("other_id", one.isOtherIdentity ? .bool(true) : nil),
                    ("applied", .bool(applies && !one.isOtherIdentity)),
                    ("before", .present(one.differences.map { ($0.field, $0.before.map { .text($0) }) })),
                    ("after", .present(one.differences.map { ($0.field, $0.after.map { .text($0) }) })),
                ])
        }

        private func text(_ one: HealthRuns.Redecoded) -> String {
            let changes = one.differences.map { "\($0.field) \($0.before ?? "-") -> \($0.after ?? "-")" }.joined(separator: ", ")
            return StandardErrorLog.harmless("\(one.stored.id)  \(changes)\(one.isOtherIdentity ? "  (another id: not changed)" : "")")
                + "\n"
        }

        private func total(_ report: HealthRuns.RedecodeReport, _ applies: Bool) -> String {
            JSONOutput.line(
                "redecode",
                [
                    ("applied", .bool(applies)), ("same", .number(report.same)), ("renewed", .number(report.renewed)),
                    ("changed", .number(report.changed)),
                    ("other_id", .number(report.otherIdentity)), ("undecided", .number(report.undecided.values.reduce(0, +))),
                    ("without_driver", .number(report.withoutDriver)),
                ])
        }
    }
}
