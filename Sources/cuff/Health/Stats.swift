import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Stats: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "stats", "Statistics of stored blood pressures by day, week, month, hour, part of the day or any other interval.",
        """
        Days begin at midnight in the stated zone, weeks on Monday; --since and --until are widened to whole ones. Readings that are \
        implausible, invalid, test data or of unknown time are left out, and counted. Each person gets a section; user 1 of one cuff and user 1 of \
        another are different persons, unless `cuff person bind` gave them one name. A JSON line says whose it is.

        \(Help.intendedUse)
        """,
        examples: [
            "cuff stats --by week --since 90d": "Averages and extremes of each week.",
            "cuff stats --by day --since 7d --follow --json": "Each day again as it changes, for a display.",
            "cuff stats --quantity body_mass --by week": "Weight by week.",
            "cuff stats --by daypart --user 1 --json | jq .systolic_mmHg.avg": "Morning against evening of user 1, for a script.",
        ])

    @OptionGroup var selected: SelectionOptions
    @Option(
        help: ArgumentHelp(
            "day (the default), week, month, hour (each hour of each day), hour-of-day, daypart (morning from 6:00, afternoon from 12:00, evening from 18:00, night from 22:00; `cuff average` has its own hours), or a length such as 6h or 10d.",
            valueName: "interval"), completion: .list(Bucketing.named.map(\.rawValue)))
    var by: String?
    @Option(
        help: ArgumentHelp("With a length: where one interval begins, 07:00 or a date with or without a time.", valueName: "time"))
    var anchor: String?
    @Option(
        help: ArgumentHelp("One bucket for a whole range: a time up to now, or two times: 7d, 2026-05-04..2026-05-11.", valueName: "range"))
    var over: String?
    @Option(help: ArgumentHelp("discrete-arithmetic or discrete-temporally-weighted.", valueName: "style")) var style: AggregationStyle =
        .discreteArithmetic
    @Option(
        help: ArgumentHelp(
            "Of another quantity, the values of its series included: \(SampleType.statisticsWords.joined(separator: ", ")).",
            valueName: "name"), completion: .list(SampleType.statisticsWords))
    var quantity: String?
    @Flag(help: "Also for each cuff separately.") var bySource = false
    @Flag(help: "List the manual and the automatic readings of each bucket (JSON only).") var readings = false
    @Flag(help: "Keep running, and print each bucket again when it changes, until interrupted.") var follow = false
    @Flag(help: "Leave out readings with movement, a loose cuff or a wrong position.") var undisturbed = false
    @OptionGroup var form: TableOptions

    func run() throws {
        var options: StatisticsCollection.Options = []
        if bySource { options.insert(.bySource) }
        if readings { options.insert(.readings) }
        try selected.types().requireOnly(.bloodPressure, "stats")
        try WordChoice.check(form.format, "format", among: ["table", "jsonl"], option: "--format")
        let isTable = try form.isTable(why: "--format names another form")
        let (selection, cut) = try selectionAndCut()
        try Flags.refuse("--readings", when: readings && isTable, why: "a table has no room for lists", hint: "add --json")
        try Flags.refuse(
            "--style", when: style == .equivalentContinuousLevel || style == .cumulative, why: "it has no meaning for pressures",
            hint: "--quantity chooses the style of its type")
        if let quantity { return try show(quantity, selection, cut, isTable: isTable) }
        if follow { return try follow(selection, cut, options, isTable: isTable) }
        let store = try selected.store()
        let persons = try HealthRuns.statisticsOfEach(
            store, selection, by: cut, style: style, options: options, excludesDisturbed: undisturbed)
        SelectionOptions.sayImplausible(persons.reduce(0) { $0 + ($1.collection.excluded[.timeImplausible] ?? 0) })
        try SelectionOptions.sayUnknownTimes(store, selection)
        put(HealthRuns.text(persons, isTable: isTable, width: Terminal.outputWidth), isTable)
        // A table has them below it.
        for note in persons.flatMap(\.collection.leftOutNotes) where !isTable { Terminal.say("cuff: \(note)") }
    }

    private func put(_ text: String, _ isTable: Bool) {
        if isTable { Terminal.show(text) } else { Terminal.put(text) }
    }

    private func show(_ name: String, _ selection: ReadingSelection, _ cut: CalendarCut, isTable: Bool) throws {
        try Flags.refuse(
            "--readings, --undisturbed or --style", when: readings || undisturbed || style != .discreteArithmetic,
            why: "they are for blood pressures")
        let (store, type) = (try selected.store(), try SampleType.ofStatistics(name))
        let width = Terminal.outputWidth
        if follow {
            try refusePastRange()
            let stop = StopSignal()
            stop.watch()
            return try HealthRuns.follow(
                store, selection, of: type, by: cut, bySource: bySource, name: name, isTable: isTable, width: width, stop: stop
            ) { (text) throws(IngestError) in put(text, isTable) }
        }
        if QuantityType.named(name) != nil {
            var own = selection
            own.kinds = [.quantity]
            try SelectionOptions.sayWithoutTime(store, own)
        }
        let persons = try HealthRuns.statistics(store, selection, of: type, by: cut, bySource: bySource)
        put(HealthRuns.text(persons, name: name, isTable: isTable, width: width), isTable)
        let leftOut = persons.reduce(0) { $0 + ($1.collection.source == nil ? $1.collection.leftOut : 0) }
        if !isTable, leftOut > 0 { Terminal.say("cuff: \(Plural.text(leftOut, "value")) left out") }
    }

    private func refusePastRange() throws {
        try Flags.refuse("--follow", when: over != nil || selected.until != nil, why: "a past range does not change", hint: "use --since")
    }

    private func follow(
        _ selection: ReadingSelection, _ cut: CalendarCut, _ options: StatisticsCollection.Options, isTable: Bool
    ) throws {
        try refusePastRange()
        var request = StatisticsRequest(selection, by: cut)
        (request.style, request.options, request.excludesDisturbed) = (style, options, undisturbed)
        let stop = StopSignal()
        stop.watch()
        try HealthRuns.follow(try selected.store(), request, stop: stop) { (table, buckets) throws(IngestError) in
            var text = TextBuffer()
            if isTable {
                if let person = table.person, person != .unnamed(slot: nil, cuff: person.cuff) {
                    text.append(string: person.text(ofSeveralCuffs: true) + "\n")
                }
                table.append(table: buckets, cut, width: Terminal.outputWidth, to: &text)
            } else {
                table.append(lines: buckets, cut, lists: readings, to: &text)
            }
            put(text.string, isTable)
        }
    }

    private func selectionAndCut() throws -> (ReadingSelection, CalendarCut) {
        var selection = try selected.selection()
        let zone = selection.zone
        guard let over else { return (selection, try cut(zone)) }
        try Flags.refuse("--by or --anchor", when: (by ?? anchor) != nil, why: "--over makes one bucket")
        try Flags.refuse("--since or --until", when: (selected.since ?? selected.until) != nil, why: "--over gives the range")
        let parts = over.split(separator: "..", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2 else {
            throw IngestError(.usage, "`\(over)` is not a time range", hint: "write e.g. --over 7d or --over 2026-05-04..2026-05-11")
        }
        let since = try HostZone.instant(parts[0], zone)
        let until = try HostZone.instant(parts.count == 2 ? parts[1] : "now", zone)
        guard since < until else {
            throw IngestError(.usage, "`\(over)` is not a time range", why: "its end is not after its beginning", hint: "exchange them")
        }
        (selection.since, selection.until) = (since, until)
        return (selection, CalendarCut(since: since, until: until, zone: zone))
    }

    private func cut(_ zone: ZoneTable) throws -> CalendarCut {
        let word = by ?? Bucketing.day.rawValue
        if let named = Bucketing.named.first(where: { $0.rawValue == word }) {
            try Flags.refuse(
                "--anchor", when: anchor != nil, why: "\(word) has its own beginning", hint: "write e.g. --by 6h --anchor 07:00")
            return CalendarCut(named, zone: zone)
        }
        guard let length = Self.seconds(word), let cut = CalendarCut(every: length, anchor: try anchorWall(zone), zone: zone) else {
            let names = Bucketing.named.map(\.rawValue)
            throw IngestError(
                .usage, "unknown interval `\(word)`", why: "intervals are \(names.joined(separator: ", ")), or a length",
                hint: NearestWord.match(word.lowercased(), among: names).map { "did you mean `--by \($0)`?" }
                    ?? "write e.g. --by 6h, --by 90m or --by 10d")
        }
        return cut
    }

    private func anchorWall(_ zone: ZoneTable) throws -> Int64 {
        guard let anchor else { return 0 }
        if let minute = TimeWords.minuteOfDay(anchor) { return Int64(minute % 1440) * 60 }
        return zone.wall(at: try HostZone.instant(anchor, zone).seconds)
    }

    /// `90m`, `6h`, `10d`, `2w`, in whole seconds.
    private static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86400, "w": 7 * 86400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), (1...1_000_000).contains(count) else {
            return nil
        }
        return count * unit
    }
}

extension AggregationStyle: ExpressibleByArgument {
    /// Those that make sense for pressures.
    public static var allValueStrings: [String] { [discreteArithmetic, discreteTemporallyWeighted].map(\.rawValue) }
}
