import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Ambulatory: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "ambulatory", "Evaluates a day and a night of automatic measurements: cuff ambulatory --asleep 23:00 --awake 07:00",
        """
        Without --since it is the 24 hours up to the latest measurement. Day and night are those of a diary (--asleep, --awake), else \
        the fixed hours of the rule. A failed measurement that is repeated within five minutes counts once. Definitions of a morning \
        surge disagree, so each is printed with its name; one night reproduces poorly.

        \(Help.intendedUse)
        """,
        examples: [
            "cuff ambulatory --asleep 23:00 --awake 07:00": "The latest day and night, according to a diary.",
            "cuff ambulatory --since 2026-05-04 --plot": "From that day on, with the hours drawn.",
        ])

    @Argument(help: "Readings as JSON Lines instead of the database; `-` is standard input.", completion: .file()) var file: String?
    @OptionGroup var selected: SelectionOptions
    @Option(help: "What makes a recording valid (default: esc-2024).", completion: .list(AmbulatoryRule.all.map(\.name)))
    var rule: String?
    @Option(
        help: "The guideline whose thresholds and loads are printed (default: the one of a rule that is named).",
        completion: .list(PressureGuideline.all.map(\.name)))
    var guideline: String?
    @OptionGroup var planned: AmbulatoryOptions
    @Flag(help: "The person is an adult who is not pregnant and has no atrial fibrillation: compare the means.") var adult = false
    @Flag(help: "Draw the hours.") var plot = false
    @OptionGroup var form: TableOptions

    func run() throws {
        try selected.types().requireReadings("ambulatory")
        let isTable = try form.isTable(isTerminal: plot || Terminal.outputIsTerminal)
        try Flags.refuse("--plot", when: plot && !isTable, why: "JSON Lines hold no picture")
        let chosen = try AmbulatoryOptions.rule(rule)
        let guideline = try chosenGuideline(chosen)
        let plan = try planned.plan()
        let selection = try selected.selection()
        try Flags.refuse("--db", when: file != nil && selected.database.db != nil, why: "the readings are those of a file")
        let persons =
            if let file {
                try HealthRuns.recordings(lines: file, selection, rule: chosen, plan: plan)
            } else {
                try recordings(try selected.store(), selection, chosen, plan)
            }
        let owners = Persons(persons.map(\.person))
        var text = TextBuffer(capacity: 16_384)
        for (index, person) in persons.enumerated() {
            let recording: AmbulatoryRecording
            switch person.result {
            case .success(let found): recording = found
            case .failure(let fault):
                let error = AmbulatoryOptions.error(fault)
                if persons.count == 1 { throw error }
                Terminal.say("cuff: \(owners.heading(person.person)): \(error.description)")
                continue
            }
            guard isTable else {
                recording.appendLine(person: person.person, guideline, isAdult: adult, to: &text)
                continue
            }
            if index > 0 { text.append(0x0A) }
            var block = AmbulatoryBlock(recording, guideline, isAdult: adult).block
            block.heading = owners.neededHeading(person.person) ?? ""
            block.appendText(to: &text)
            guard plot else { continue }
            Terminal.show(text.string)
            text.removeAll()
            var drawn = TextBuffer(capacity: 16_384)
            RangePlot(recording, style: Terminal.plotStyle, lines: .ambulatory(guideline)).append(to: &drawn)
            Terminal.put(drawn.string, hasColor: true)
        }
        if isTable { Terminal.show(text.string) } else { Terminal.put(text.string) }
        if persons.isEmpty { throw AmbulatoryOptions.error(.empty) }
    }

    private func recordings(
        _ store: Store, _ selection: ReadingSelection, _ rule: AmbulatoryRule, _ plan: AmbulatoryPlan
    ) throws -> [PersonRecording] {
        var own = selection
        own.kinds = [.bloodPressure, .measurement]
        try SelectionOptions.sayWithoutTime(store, own)
        return try HealthRuns.recordings(store, selection, rule: rule, plan: plan)
    }

    private func chosenGuideline(_ chosen: AmbulatoryRule) throws -> PressureGuideline? {
        guard let name = guideline ?? (rule == nil ? nil : chosen.guideline) else {
            try Flags.refuse("--adult", when: adult, why: "no guideline is named", hint: "add --guideline NAME, or leave it out")
            return nil
        }
        return try AverageOptions.guideline(name)
    }
}
