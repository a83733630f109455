import ArgumentParser
import CuffCore
import CuffIngest

extension DatabaseVerb {
    struct Redecode: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "redecode", "Decodes the stored records with the current drivers, and shows what would change.",
            """
            For use after an error in a driver was corrected: the bytes that a cuff sent are stored with each reading. It shows what \
            would change and asks; without a terminal and --confirm nothing is written. A corrected reading keeps its id and gets the \
            next revision; for an unchanged one only the versions of program and driver that decoded it are updated. A reading that \
            would get another time, user or number, and so another id, is shown and not changed. Other sinks than the database do not \
            get the corrections; `cuff export --new` exports corrected readings again. Repeat any --option that the cuff needs.
            """,
            examples: [
                "cuff db redecode --source taidoc --dry-run": "Differences under the current taidoc driver.",
                "cuff db redecode --source taidoc --confirm redecode": "The same, written into the database without a question.",
            ])
        @OptionGroup var selected: SelectionOptions
        @Flag(name: .shortAndLong, help: "Print what would change, and change nothing.") var dryRun = false
        @Option(
            help: ArgumentHelp(
                "Confirm with `--confirm redecode` instead of being asked; take a backup first (`cuff db backup`).", valueName: "word"))
        var confirm = ""
        /// The former name of `--confirm redecode`.
        @Flag(help: ArgumentHelp("The same as --confirm redecode.", visibility: .hidden)) var apply = false
        @Option(help: Help.option, completion: DriverChoice.optionCompletion) var option: [String] = []
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
                : "\(Plural.text(preview.renewed, "reading")) will be marked as decoded by this version"
            return effect + ". Type `redecode` to continue: "
        }

        private func run(applies: Bool, isShown: Bool) throws -> HealthRuns.RedecodeReport {
            let options = try DriverChoice.options(option)
            if let unknown = options.keys.sorted().first(where: { key in !CuffFamilies.all.contains { $0.options[key] != nil } }) {
                throw IngestError(.usage, "no driver has an option `\(unknown)`", hint: "`cuff drivers ID` explains a driver's options")
            }
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
            Terminal.say("cuff: \(Plural.text(report.same, "reading")) unchanged, \(report.changed) \(done)")
            if report.renewed > 0 {
                let done = applies ? "marked" : "would be marked"
                Terminal.say("cuff: \(Plural.text(report.renewed, "unchanged reading")) \(done) as decoded by this version")
            }
            guard whole else { return }
            if report.otherIdentity > 0 {
                let count = Plural.text(report.otherIdentity, "reading")
                Terminal.say("cuff: \(count) not changed, because of another id: read the cuff again, then delete the old ones")
            }
            for (driver, count) in report.undecided.sorted(by: { $0.key < $1.key }) {
                Terminal.say("cuff: \(Plural.text(count, "reading")) of \(driver) not changed: a record alone cannot be decoded")
            }
            if report.withoutDriver > 0 { Terminal.say("cuff: \(Plural.text(report.withoutDriver, "reading")) without a record of a cuff") }
        }

        private func object(_ one: HealthRuns.Redecoded, _ applies: Bool) -> String {
            JSONOutput.line(
                "redecoded", ("id", .text(one.stored.id.description)), ("driver", .text("\(one.stored.driver)")),
                ("revision", .number(Int(one.decoded.revision))), ("other_id", one.isOtherIdentity ? .bool(true) : nil),
                ("applied", .bool(applies && !one.isOtherIdentity)),
                ("before", .present(one.differences.map { ($0.field, $0.before.map { .text($0) }) })),
                ("after", .present(one.differences.map { ($0.field, $0.after.map { .text($0) }) })))
        }

        private func text(_ one: HealthRuns.Redecoded) -> String {
            let changes = one.differences.map { "\($0.field) \($0.before ?? "-") -> \($0.after ?? "-")" }.joined(separator: ", ")
            return StandardErrorLog.harmless("\(one.stored.id)  \(changes)\(one.isOtherIdentity ? "  (another id: not changed)" : "")")
                + "\n"
        }

        private func total(_ report: HealthRuns.RedecodeReport, _ applies: Bool) -> String {
            JSONOutput.line(
                "redecode", ("applied", .bool(applies)), ("same", .number(report.same)), ("renewed", .number(report.renewed)),
                ("changed", .number(report.changed)), ("other_id", .number(report.otherIdentity)),
                ("undecided", .number(report.undecided.values.reduce(0, +))), ("without_driver", .number(report.withoutDriver)))
        }
    }
}
