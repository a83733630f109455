import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

/// The options of a home average and its comparison, shared by `average` and `report`.
struct AverageOptions: ParsableArguments {
    @Option(
        help: "The rule (default: that of the configuration, else all, which leaves nothing out).",
        completion: .list(AveragingRule.all.map(\.name)))
    var rule: String?
    @Option(
        help: "The guideline whose threshold and classes are used (default: that of the configuration, else the one of the rule).",
        completion: .list(PressureGuideline.all.map(\.name)))
    var guideline: String?
    @Option(help: "home (the default) or office: where all of these readings were taken.") var setting: PressureSetting = .home
    @Flag(help: "The person is an adult who is not pregnant and has no atrial fibrillation: compare the mean.") var adult = false
    @Option(help: ArgumentHelp("When morning is (default: 04:00-12:00).", valueName: "hh:mm-hh:mm")) var morning: String?
    @Option(help: ArgumentHelp("When evening is (default: 16:00-03:00).", valueName: "hh:mm-hh:mm")) var evening: String?
    @Option(help: "With --rule all: leave out the first so many days.") var leaveOutDays: Int?
    @Option(help: "With --rule all: of each session only the first so many readings.") var perSession: Int?

    func request() throws -> AverageRequest {
        var request = AverageRequest(try chosenRule())
        request.windows = try windows()
        return request
    }

    private func chosenRule() throws -> AveragingRule {
        let settings = try CuffConfiguration.load().report
        let rule = rule ?? settings.rule.name
        guard var chosen = AveragingRule.named(rule) else {
            throw IngestError(
                .usage, "unknown rule `\(rule)`", why: "rules are \(AveragingRule.all.map(\.name).joined(separator: ", "))",
                hint: "`cuff average --rules` explains them")
        }
        try Flags.refuse(
            "--leave-out-days or --per-session", when: (leaveOutDays ?? perSession) != nil && chosen != .everything,
            why: "\(rule) determines what is left out", hint: "leave it out, or write --rule all")
        try Flags.requirePositive(perSession, "--per-session")
        try Flags.requirePositive(leaveOutDays, "--leave-out-days")
        chosen.leavesOutDays = leaveOutDays ?? chosen.leavesOutDays
        chosen.takesOfSession = perSession ?? chosen.takesOfSession
        return chosen
    }

    func chosenGuideline(_ rule: AveragingRule) throws -> PressureGuideline? {
        guard setting == .home || setting == .office else {
            throw IngestError(
                .usage, "an average is of readings at home or in an office", why: "\(setting.rawValue) is part of a day of measurements",
                hint: "`cuff ambulatory` evaluates one")
        }
        let settings = try CuffConfiguration.load().report
        guard let name = guideline ?? settings.guideline?.name ?? rule.guideline else {
            try Flags.refuse("--adult", when: adult, why: "no guideline is named", hint: "add --guideline NAME, or leave it out")
            return nil
        }
        return try Self.guideline(name)
    }

    static func guideline(_ name: String) throws -> PressureGuideline {
        guard let found = PressureGuideline.named(name) else {
            throw IngestError(
                .usage, "unknown guideline `\(name)`",
                why: "guidelines are \(PressureGuideline.all.map(\.name).joined(separator: ", "))",
                hint: "`cuff average --rules` lists them")
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

    private static func window(_ text: String, _ flag: String) throws -> (from: Int, to: Int) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { TimeWords.minuteOfDay(String($0)) }
        guard parts.count == 2, let from = parts[0], let to = parts[1], from < 1440 else {
            throw IngestError(.usage, "\(flag) `\(text)` is not a part of a day", hint: "write e.g. \(flag) 04:00-12:00")
        }
        return (from, to)
    }
}

extension PressureSetting: ExpressibleByArgument {
    /// Those of an average; the others are parts of a day of measurements.
    public static var allValueStrings: [String] { [home, office].map(\.rawValue) }
}

/// The plan of a 24-hour recording, and its comparison.
struct AmbulatoryOptions: ParsableArguments {
    @Option(help: ArgumentHelp("When this person went to sleep, according to a diary.", valueName: "hh:mm")) var asleep: String?
    @Option(help: ArgumentHelp("When this person woke up, according to a diary.", valueName: "hh:mm")) var awake: String?
    @Option(help: "The planned time between measurements by day, e.g. 30m.") var every: Span?
    @Option(help: "The planned time between measurements at night (default: as by day).") var everyNight: Span?

    var isSet: Bool { asleep != nil || awake != nil || every != nil || everyNight != nil }

    func plan() throws -> AmbulatoryPlan {
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

    static func rule(_ name: String?) throws -> AmbulatoryRule {
        guard let found = name.map(AmbulatoryRule.named) ?? AmbulatoryRule.usual else {
            throw IngestError(
                .usage, "unknown rule `\(name ?? "")`", why: "rules are \(AmbulatoryRule.all.map(\.name).joined(separator: ", "))",
                hint: "write e.g. --rule \(AmbulatoryRule.usual.name)")
        }
        return found
    }

    static func error(_ fault: RecordingFault) -> IngestError {
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
