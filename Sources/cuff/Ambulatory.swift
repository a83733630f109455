import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Ambulatory: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ambulatory",
        abstract: "Evaluates a day and a night of automatic measurements: cuff ambulatory --asleep 23:00 --awake 07:00",
        discussion: """
            Without --since it is the 24 hours up to the latest measurement. Day and night are those of a diary (--asleep, --awake), else \
            the fixed hours of the rule. A failed measurement that is repeated within five minutes counts once. Definitions of a morning \
            surge disagree, so each stands with its name; one night reproduces poorly. Nothing here is medical advice.
            """)

    @OptionGroup var selected: SelectionOptions
    @Option(help: "What makes a recording valid (default: htn-canada).", completion: .list(AmbulatoryRule.all.map(\.name)))
    var rule: String?
    @Option(
        help: "The guideline whose thresholds and loads are printed (default: the one of a rule that is named).",
        completion: .list(PressureGuideline.all.map(\.name)))
    var guideline: String?
    @Option(help: ArgumentHelp("When this person went to sleep, by a diary.", valueName: "hh:mm")) var asleep: String?
    @Option(help: ArgumentHelp("When this person woke up, by a diary.", valueName: "hh:mm")) var awake: String?
    @Option(help: "The planned time between measurements by day, e.g. 30m.") var every: Span?
    @Option(help: "The planned time between measurements at night (default: as by day).") var everyNight: Span?
    @Flag(help: "The person is an adult who is not pregnant and has no atrial fibrillation: compare the means.") var adult = false
    @Flag(help: "Draw the hours.") var plot = false
    @Option(help: "table or jsonl; without it a terminal gets a table and a pipe JSON Lines.") var format: String?
    @Flag(help: "The same as --format jsonl.") var json = false

    func run() throws {
        try selected.types().requireReadings("ambulatory")
        try Flags.refuse("--json", when: json && format == "table", why: "--format asks for a table")
        let isTable = try HealthRuns.isTable(json ? "jsonl" : format, isTerminal: plot || Terminal.outputIsTerminal)
        try Flags.refuse("--plot", when: plot && !isTable, why: "JSON Lines hold no picture")
        let guideline = try chosenGuideline()
        let persons = try HealthRuns.recordings(
            try selected.store(), try selected.selection(), rule: try chosenRule(), plan: try plan())
        var text = TextBuffer(capacity: 1 << 14)
        var isWithout = persons.isEmpty
        for (index, person) in persons.enumerated() {
            let recording: AmbulatoryRecording
            switch person.result {
            case .success(let found): recording = found
            case .failure(let fault):
                let error = Self.error(fault)
                if persons.count == 1 { throw error }
                Terminal.say("cuff: \(Persons.heading(person.user)): \(error.sentence)")
                isWithout = true
                continue
            }
            guard isTable else {
                recording.appendLine(user: person.user, guideline, isAdult: adult, to: &text)
                continue
            }
            if index > 0 { text.append(0x0A) }
            if persons.count > 1 { text.append(string: Persons.heading(person.user) + "\n") }
            for line in AmbulatoryText(recording: recording, guideline: guideline, isAdult: adult).block {
                text.append(string: line + "\n")
            }
            if plot { RangePlot(recording, style: Terminal.plotStyle, lines: Self.lines(guideline)).append(to: &text) }
        }
        Terminal.put(text.string)
        if isWithout, persons.isEmpty { throw Self.error(.empty) }
    }

    private static func lines(_ guideline: PressureGuideline?) -> ReferenceLines {
        guard let threshold = guideline?.thresholds[.ambulatory24h] ?? guideline?.thresholds[.ambulatoryDay] else { return .home }
        return ReferenceLines(systolic: Double(threshold.systolic), diastolic: Double(threshold.diastolic))
    }

    private func chosenRule() throws -> AmbulatoryRule {
        let name = rule ?? AmbulatoryRule.all[0].name
        guard let found = AmbulatoryRule.named(name) else {
            throw IngestError(
                .usage, "unknown rule `\(name)`", why: "rules are \(AmbulatoryRule.all.map(\.name).joined(separator: ", "))",
                hint: "write e.g. --rule htn-canada")
        }
        return found
    }

    private func chosenGuideline() throws -> PressureGuideline? {
        guard let name = try guideline ?? (rule == nil ? nil : chosenRule().guideline) else {
            try Flags.refuse("--adult", when: adult, why: "no guideline is named", hint: "add --guideline NAME, or leave it out")
            return nil
        }
        guard let found = PressureGuideline.named(name) else {
            throw IngestError(
                .usage, "unknown guideline `\(name)`",
                why: "guidelines are \(PressureGuideline.all.map(\.name).joined(separator: ", "))",
                hint: "`cuff average --rules` lists them")
        }
        return found
    }

    private func plan() throws -> AmbulatoryPlan {
        guard (asleep == nil) == (awake == nil) else {
            throw IngestError(.usage, "--asleep and --awake belong together", hint: "give both, or neither")
        }
        var plan = AmbulatoryPlan(
            dayMinutes: try Self.minutes(every, "--every"), nightMinutes: try Self.minutes(everyNight, "--every-night"))
        guard let asleep, let awake else { return plan }
        guard let from = TimeWords.minuteOfDay(asleep), let to = TimeWords.minuteOfDay(awake),
            let diary = DayAndNight(asleep: from % 1440, awake: to % 1440)
        else {
            throw IngestError(.usage, "--asleep \(asleep) --awake \(awake) is not a night", hint: "write e.g. --asleep 23:00 --awake 07:00")
        }
        plan.diary = diary
        return plan
    }

    private static func minutes(_ span: Span?, _ flag: String) throws -> Int? {
        guard let seconds = span?.duration.components.seconds else { return nil }
        guard seconds >= 60, seconds % 60 == 0, seconds <= 86400 else {
            throw IngestError(.usage, "\(flag) takes whole minutes, up to a day", hint: "write e.g. \(flag) 30m")
        }
        return Int(seconds / 60)
    }

    private static func error(_ fault: RecordingFault) -> IngestError {
        switch fault {
        case .empty: IngestError(.noInput, "there is no measurement with a known time", hint: "`cuff show` lists the readings")
        case .tooLong:
            IngestError(.usage, "these measurements span more than two days", hint: "narrow them with --since and --until")
        case .tooMany:
            IngestError(
                .usage, "these are more than \(AmbulatoryRecording.mostEvents) measurements", hint: "narrow them with --since and --until")
        case .severalCuffs(let names):
            IngestError(
                .usage, "a recording is of one cuff, and these measurements are of several", why: names.joined(separator: ", "),
                hint: "add --device NAME, or narrow them with --since and --until")
        }
    }
}
