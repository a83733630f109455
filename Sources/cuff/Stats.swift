import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Statistics of stored blood pressures by day, week, month, hour or part of the day.",
        discussion: Help.text(
            """
            Days begin at midnight in the stated zone, weeks on Monday; --since and --until are widened to whole ones. Readings that are \
            implausible, invalid, test data or of unknown time are left out, and counted. Users of a cuff are different persons: each gets a section, \
            and a JSON line names its user.
            """,
            [
                "cuff stats --by week --since 90d": "Averages and extremes of each week.",
                "cuff stats --by daypart --user 1 --json | jq .systolic.avg": "Morning against evening of user 1, for a script.",
            ]))

    @OptionGroup var selected: SelectionOptions
    @Option(help: ArgumentHelp("day, week, month, hour (each hour of each day), hour-of-day or daypart.", valueName: "bucket"))
    var by: Bucketing = .day
    @Option(help: ArgumentHelp("discrete-arithmetic, discrete-temporally-weighted or cumulative.", valueName: "style")) var style:
        AggregationStyle = .discreteArithmetic
    @Flag(help: "Also for each cuff separately.") var bySource = false
    @Flag(help: "List the manual and the automatic readings of each bucket (JSON only).") var readings = false
    @Flag(help: "Leave out readings with movement, a loose cuff or a wrong position.") var undisturbed = false
    @Option(
        help: ArgumentHelp("table or jsonl (default: a table at a terminal, else JSON Lines).", valueName: "format"),
        completion: .list(["table", "jsonl"]))
    var format: String?
    @Flag(help: "The same as --format jsonl.") var json = false

    func run() throws {
        var options: StatisticsCollection.Options = []
        if bySource { options.insert(.bySource) }
        if readings { options.insert(.readings) }
        try selected.types().requireOnly(.bloodPressure, "stats")
        try WordChoice.check(format, "format", among: ["table", "jsonl"], option: "--format")
        try Flags.refuse("--json", when: json && format == "table", why: "--format names another form")
        let isTable = try HealthRuns.isTable(json ? "jsonl" : format, isTerminal: Terminal.outputIsTerminal)
        try Flags.refuse("--readings", when: readings && isTable, why: "a table has no room for lists", hint: "add --json")
        let persons = try HealthRuns.statisticsOfEach(
            try selected.store(), try selected.selection(), by: by, style: style, options: options, excludesDisturbed: undisturbed)
        Terminal.put(HealthRuns.text(persons, isTable: isTable, width: Terminal.outputWidth))
    }
}

extension Bucketing: ExpressibleByArgument {}
extension AggregationStyle: ExpressibleByArgument {}
