import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Average: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "average", "The average of blood pressures measured at home, by a named rule: cuff average --rule nice-ng136 --since 7d",
        """
        A rule says which days and readings count, and how many it takes; `--rules` lists them. Each person and each cuff has an \
        average of its own; --together joins the cuffs of one person, and user 1 of all cuffs where it has no name. `--readings` shows how each reading was used. \
        Means are exact and are compared before they are rounded. A mean is compared with a guideline's numbers only with --adult: \
        for children, in pregnancy and with atrial fibrillation other numbers hold. A rule that a newer one replaces still works \
        and says so.

        \(Help.intendedUse)
        """,
        examples: [
            "cuff average --rule nice-ng136 --since 7d": "The home average of the last week by NICE NG136.",
            "cuff average --rule esh-2021 --readings --json | jq .counts": "Which readings count, for a script.",
        ])

    @Argument(help: "Readings as JSON Lines instead of the database; `-` is standard input.", completion: .file()) var file: String?
    @OptionGroup var selected: SelectionOptions
    @OptionGroup var average: AverageOptions
    @Flag(help: "List the rules and guidelines with their dates, sources and grades of evidence, and end.") var rules = false
    @Flag(help: "List each reading and how it was used.") var readings = false
    @OptionGroup var form: TableOptions

    func run() throws {
        if rules {
            guard form.json || form.format == "jsonl" else { return Terminal.show(RuleList.text()) }
            var text = TextBuffer(capacity: 65_536)
            RuleLines.append(to: &text)
            return Terminal.put(text.string)
        }
        try selected.types().requireOnly(.bloodPressure, "average")
        let isTable = try form.isTable()
        let request = try average.request()
        let guideline = try average.chosenGuideline(request.rule)
        let selection = try selected.selection()
        let output = try OutputFile("-", width: isTable ? Terminal.outputWidth : nil)
        var text = TextBuffer(capacity: 65_536)
        var failure: (any Error)?
        let tell: (HomeReading, ReadingFate, [Provenance]) -> Void = { reading, fate, sources in
            if isTable {
                AverageText.append(reading, fate, zone: selection.zone, to: &text)
            } else {
                AverageLines(sources: sources).append(reading, fate, rule: request.rule, zone: selection.zone, to: &text)
            }
            guard text.count > 32_768, failure == nil else { return }
            do { try output.append(&text) } catch { failure = error }
        }
        try Flags.refuse("--db", when: file != nil && selected.database.db != nil, why: "the readings are those of a file")
        let run: AverageRun
        if let file {
            run = try HealthRuns.average(lines: file, selection, request, tell: readings ? tell : nil)
        } else {
            let store = try selected.store()
            run = try HealthRuns.average(store, selection, request, tell: readings ? tell : nil)
            try SelectionOptions.sayUnknownTimes(store, selection)
        }
        if let failure { throw failure }
        let lines = AverageLines(sources: run.sources, guideline: guideline, setting: average.setting, isAdult: average.adult)
        if isTable {
            if readings { text.append(0x0A) }
            let blocks = AverageText(lines: lines).blocks(run.averages)
            if blocks.isEmpty { text.append("no readings\n") }
            for (index, block) in blocks.enumerated() {
                if index > 0 { text.append(0x0A) }
                block.appendText(to: &text)
            }
        } else {
            for (owner, average) in run.averages.each { lines.append(average, owner, to: &text) }
        }
        try output.append(&text)
        try output.finish()
    }
}
