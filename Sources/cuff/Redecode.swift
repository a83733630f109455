import ArgumentParser
import CuffCore
import CuffIngest

extension DatabaseVerb {
    struct Redecode: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "redecode", abstract: "Decodes the stored records with the present drivers, and shows what would change.",
            discussion: Help.text(
                """
                For the time after an error in a driver was corrected: the bytes that a cuff sent are stored with each reading. Without \
                --apply nothing is written. With it, a corrected reading keeps its id and gets the next revision. A reading that would get \
                another time, user or number, and so another id, is shown and stays. Sinks other than the database are not told; \
                `cuff export --new` gives corrected readings again. Where a cuff needed an --option to be read, say it here too.
                """,
                [
                    "cuff db redecode --source taidoc": "What the present driver taidoc reads otherwise.",
                    "cuff db redecode --source taidoc --apply": "The same, written into the database.",
                ]))
        @OptionGroup var selected: SelectionOptions
        @Flag(help: "Store the corrected readings; take a backup first (`cuff db backup`).") var apply = false
        @Option(
            name: .customLong("option"),
            help: ArgumentHelp("An option of the driver; `cuff drivers ID` lists them.", valueName: "name=value"),
            completion: DriverChoice.optionCompletion)
        var option: [String] = []
        @Flag(help: "One JSON object for each reading that differs, and one with the totals.") var json = false

        func run() throws {
            let options = try DriverChoice.options(option)
            let selection = try selected.readingSelection("db redecode")
            let store = try selected.store(apply ? .write : .read)
            let report = try HealthRuns.redecode(store, selection, options: options, applies: apply) { Terminal.put(text($0)) }
            try store.close()
            if json { return Terminal.put(total(report)) }
            let done = apply ? "corrected" : "would change"
            Terminal.say("cuff: \(Plural.text(report.same, "reading")) say the same, \(report.changed) \(done)")
            if report.otherIdentity > 0 {
                Terminal.say("cuff: \(report.otherIdentity) would get another id and stay: read the cuff again, then delete them")
            }
            for (driver, count) in report.undecided.sorted(by: { $0.key < $1.key }) {
                Terminal.say("cuff: \(Plural.text(count, "reading")) of \(driver) cannot be decoded from their record alone, and stay")
            }
            if report.withoutDriver > 0 { Terminal.say("cuff: \(Plural.text(report.withoutDriver, "reading")) have no record of a cuff") }
        }

        private func text(_ one: HealthRuns.Redecoded) -> String {
            var id = TextBuffer(capacity: 64)
            id.append(one.stored.id)
            if json {
                return JSONObject.line(
                    "redecoded",
                    [
                        ("id", .text(id.string)), ("driver", .text("\(one.stored.driver)")),
                        ("revision", .number(Int(one.decoded.revision))), ("other_id", one.isOtherIdentity ? .truth(true) : nil),
                        ("applied", .truth(apply && !one.isOtherIdentity)),
                        ("before", .object(one.differences.map { ($0.field, $0.before.map { .text($0) }) })),
                        ("after", .object(one.differences.map { ($0.field, $0.after.map { .text($0) }) })),
                    ])
            }
            let changes = one.differences.map { "\($0.field) \($0.before ?? "-") -> \($0.after ?? "-")" }.joined(separator: ", ")
            return StandardErrorLog.harmless("\(id.string)  \(changes)\(one.isOtherIdentity ? "  (another id: not changed)" : "")") + "\n"
        }

        private func total(_ report: HealthRuns.RedecodeReport) -> String {
            JSONObject.line(
                "redecode",
                [
                    ("applied", .truth(apply)), ("same", .number(report.same)), ("changed", .number(report.changed)),
                    ("other_id", .number(report.otherIdentity)), ("undecided", .number(report.undecided.values.reduce(0, +))),
                    ("without_driver", .number(report.withoutDriver)),
                ])
        }
    }
}
