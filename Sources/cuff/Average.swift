import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Average: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "average",
        abstract: "The average of blood pressures measured at home, by a named rule: cuff average --rule nice-ng136 --since 7d",
        discussion: """
            A rule says which days and readings count, and how many it takes; `--rules` lists them. Each person and each cuff has an \
            average of its own; --together joins the cuffs of one person. `--readings` says what became of each reading. \
            Means are exact and are compared before they are rounded. A mean is compared with a guideline's numbers only with --adult: \
            for children, in pregnancy and with atrial fibrillation other numbers hold. Nothing here is medical advice.
            """)

    @OptionGroup var selected: SelectionOptions
    @Option(help: "The rule (default: all, which leaves nothing out).", completion: .list(AveragingRule.all.map(\.name)))
    var rule = AveragingRule.everything.name
    @Flag(help: "List the rules and guidelines with their years and sources, and end.") var rules = false
    @Option(
        help: "The guideline whose threshold and classes are used (default: the one of the rule).",
        completion: .list(PressureGuideline.all.map(\.name)))
    var guideline: String?
    @Option(help: "home (the default) or office: how all of these readings were made.") var setting: PressureSetting = .home
    @Flag(help: "The plan is of an adult who is not pregnant and has no atrial fibrillation: compare the mean.") var adult = false
    @Flag(help: "Take all cuffs of a person together.") var together = false
    @Flag(help: "List each reading with what became of it.") var readings = false
    @Option(help: ArgumentHelp("When morning is (default: 04:00-12:00).", valueName: "hh:mm-hh:mm")) var morning: String?
    @Option(help: ArgumentHelp("When evening is (default: 16:00-03:00).", valueName: "hh:mm-hh:mm")) var evening: String?
    @Option(help: "With --rule all: leave out the first so many days.") var leaveOutDays: Int?
    @Option(help: "With --rule all: of each session only the first so many readings.") var perSession: Int?
    @Option(help: "table or jsonl; without it a terminal gets a table and a pipe JSON Lines.") var format: String?
    @Flag(help: "The same as --format jsonl.") var json = false

    func run() throws {
        if rules { return Terminal.put(AverageText.rules()) }
        try selected.types().requireOnly(.bloodPressure, "average")
        try Flags.refuse("--json", when: json && format == "table", why: "--format asks for a table")
        let isTable = try HealthRuns.isTable(json ? "jsonl" : format, isTerminal: Terminal.outputIsTerminal)
        var request = AverageRequest(try chosenRule())
        request.windows = try windows()
        request.joinsSources = together
        let guideline = try chosenGuideline(request.rule)
        let output = try OutputFile("-")
        var text = TextBuffer(capacity: 1 << 16)
        var failure: (any Error)?
        let zone = try HostZone.named(selected.tz)
        let rule = request.rule
        let tell: (HomeReading, ReadingFate, [Provenance]) -> Void = { reading, fate, sources in
            if isTable {
                AverageText.append(reading, fate, zone: zone, to: &text)
            } else {
                AverageLines(sources: sources).append(reading, fate, rule: rule, zone: zone, to: &text)
            }
            guard text.count > 1 << 15, failure == nil else { return }
            do { try output.append(&text) } catch { failure = error }
        }
        let run = try HealthRuns.average(
            try selected.store(), try selected.selection(), request, tell: readings ? tell : nil)
        if let failure { throw failure }
        let lines = AverageLines(sources: run.sources, guideline: guideline, setting: setting, isAdult: adult)
        if isTable {
            if readings { text.append(0x0A) }
            AverageText(lines: lines).append(run, zone: zone, to: &text)
        } else {
            for (owner, average) in run.averages.each { lines.append(average, owner, to: &text) }
        }
        try output.append(&text)
        try output.finish()
    }

    private func chosenRule() throws -> AveragingRule {
        guard var chosen = AveragingRule.named(rule) else {
            throw IngestError(
                .usage, "unknown rule `\(rule)`", why: "rules are \(AveragingRule.all.map(\.name).joined(separator: ", "))",
                hint: "`cuff average --rules` explains them")
        }
        let isOwn = chosen == .everything
        try Flags.refuse(
            "--leave-out-days or --per-session", when: (leaveOutDays ?? perSession) != nil && !isOwn,
            why: "\(rule) says itself what it leaves out", hint: "leave it out, or write --rule all")
        try Flags.requirePositive(perSession, "--per-session")
        try Flags.requirePositive(leaveOutDays, "--leave-out-days")
        chosen.leavesOutDays = leaveOutDays ?? chosen.leavesOutDays
        chosen.takesOfSession = perSession ?? chosen.takesOfSession
        return chosen
    }

    private func chosenGuideline(_ rule: AveragingRule) throws -> PressureGuideline? {
        guard let name = guideline ?? rule.guideline else {
            try Flags.refuse("--adult", when: adult, why: "no guideline is named", hint: "add --guideline NAME, or leave it out")
            return nil
        }
        guard let found = PressureGuideline.named(name) else {
            throw IngestError(
                .usage, "unknown guideline `\(name)`",
                why: "guidelines are \(PressureGuideline.all.map(\.name).joined(separator: ", "))",
                hint: "`cuff average --rules` lists them")
        }
        guard setting == .home || setting == .office else {
            throw IngestError(
                .usage, "`average` is of readings at home or in an office", why: "\(setting.rawValue) is part of a day of measurements",
                hint: "`cuff ambulatory` evaluates one")
        }
        return found
    }

    private func windows() throws -> DayWindows {
        let morning = try Self.window(morning ?? "04:00-12:00", "--morning")
        let evening = try Self.window(evening ?? "16:00-03:00", "--evening")
        guard let windows = DayWindows(morning: morning, evening: evening) else {
            throw IngestError(
                .usage, "--morning and --evening overlap", why: "morning comes first, and evening ends before the next morning",
                hint: "write e.g. --morning 04:00-12:00 --evening 16:00-03:00")
        }
        return windows
    }

    static func window(_ text: String, _ flag: String) throws -> (from: Int, to: Int) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { TimeWords.minuteOfDay(String($0)) }
        guard parts.count == 2, let from = parts[0], let to = parts[1], from < 1440 else {
            throw IngestError(.usage, "\(flag) `\(text)` is not a part of a day", hint: "write e.g. \(flag) 04:00-12:00")
        }
        return (from, to)
    }
}

extension PressureSetting: ExpressibleByArgument {}
