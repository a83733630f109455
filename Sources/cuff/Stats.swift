import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Statistics of stored blood pressures by day, week, month, hour or part of the day.",
        discussion: """
            Days begin at midnight in the stated zone, weeks on Monday; --since and --until are widened to whole ones. Readings that are implausible, invalid, test data or of \
            unknown time are left out, and counted. Users of a cuff are different persons: each gets a section, and a JSON line names its user.
            """)

    @OptionGroup var selected: SelectionOptions
    @Option(help: "day, week, month, hour (each hour of each day), hour-of-day or daypart.") var by: Bucketing = .day
    @Option(help: "discrete-arithmetic, discrete-temporally-weighted or cumulative.") var style: AggregationStyle = .discreteArithmetic
    @Flag(help: "Also for each cuff separately.") var bySource = false
    @Flag(help: "List the manual and the automatic readings of each bucket (JSON only).") var readings = false
    @Flag(help: "Leave out readings with movement, a loose cuff or a wrong position.") var undisturbed = false
    @Option(help: "table or jsonl; without it a terminal gets a table and a pipe JSON Lines.") var format: String?

    func run() throws {
        var options: StatisticsCollection.Options = []
        if bySource { options.insert(.bySource) }
        if readings { options.insert(.readings) }
        try selected.types().requireOnly(.bloodPressure, "stats")
        let isTable = try HealthRuns.isTable(format, isTerminal: Terminal.outputIsTerminal)
        try Flags.refuse("--readings", when: readings && isTable, why: "a table has no room for lists", hint: "add --format jsonl")
        let persons = try HealthRuns.statisticsOfEach(
            try selected.store(), try selected.selection(), by: by, style: style, options: options, excludesDisturbed: undisturbed)
        Terminal.put(HealthRuns.text(persons, isTable: isTable))
    }
}

extension Bucketing: ExpressibleByArgument {}
extension AggregationStyle: ExpressibleByArgument {}
