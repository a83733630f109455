import ArgumentParser
import CuffClinical
import CuffIngest

struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "show", "Shows readings, series and events from a database, as lines or as a picture.",
        """
        Without --type it shows blood pressures. quantity_series are the pressures in the cuff during one measurement, \
        heartbeat_series the beats; event lists irregular pulses and pulses beyond the limits. Times are in the zone of --tz; \
        without it each is as it was stored, at a terminal with its offset (+0900) if that is not this machine's. JSON lines keep \
        the stored offset.
        """,
        examples: [
            "cuff show --since monday": "This week's readings.",
            "cuff show --plot --since 30d": "A picture of the last thirty days.",
            "cuff show --type quantity_series --where \"max>=180\"": "Measurements during which the cuff was pumped to 180 or more.",
            "cuff show --where \"systolic>=135\" --json": "High readings, for a script.",
        ])

    @OptionGroup var selected: SelectionOptions
    @Option(help: ArgumentHelp("Only the latest so many.", valueName: "count")) var last: Int?
    @Option(help: ArgumentHelp("Only these readings, or the series they own.", valueName: "id")) var id: [String] = []
    @Flag(help: "Also earlier versions of edited readings, with the time of each change.") var earlier = false
    @OptionGroup var form: FormatOptions
    @Flag(help: "Draw the range of each day's pressures.") var plot = false
    @Flag(help: "Each value of a series on a line of its own, by time over all series.") var values = false
    @Flag(help: "With --values: series by series, each value with the reading that owns it.") var byOwner = false
    @Option(
        help: ArgumentHelp(
            "Readings whose systolic, diastolic, mean, pulse, pulse_pressure or value, or series whose min, max, avg, last, sum, count, duration, end or sdnn meets the condition, e.g. \"systolic>=135\"; several must all hold.",
            valueName: "condition"))
    var `where`: [String] = []
    @Option(
        help: ArgumentHelp("iso, or unix: JSON lines also hold measured_unix_s, seconds since 1970.", valueName: "form"),
        completion: .list(["iso", "unix"]))
    var time = "iso"
    @Option(help: "A pulse at or below makes an event (default: 40).") var lowPulse: Double?
    @Option(help: "A pulse at or above makes an event (default: 120).") var highPulse: Double?

    func run() throws {
        let format = try form.chosen()
        let store = try selected.store()
        let types = try selected.types(usual: .only(.bloodPressure))
        try refuseIdleFlags(types, format)
        var selection = try selected.selection(types)
        selection.last = last
        var options = ShowOptions()
        if types.series.isEmpty {
            let conditions = try self.where.map { try ReadingCondition($0) }
            if !conditions.isEmpty { selection.condition = .all(conditions) }
        } else {
            options.conditions = try self.where.map { try SeriesCondition($0) }
        }
        selection.ids = try ReadingSelection.ids(id)
        if plot || selection.since != nil || selection.until != nil {
            try SelectionOptions.sayWithoutTime(store, selection)
        }
        if plot { return Terminal.put(try HealthRuns.plot(store, selection, style: Terminal.plotStyle), hasColor: true) }
        options.form = try HealthRuns.Listing(format, isTerminal: Terminal.outputIsTerminal)
        options.earlier = earlier
        options.placesTimes = selected.tz != nil
        try WordChoice.check(time, "form of times", among: ["iso", "unix"], option: "--time")
        options.unixTimes = time == "unix"
        try Flags.refuse("--time unix", when: options.unixTimes && options.form != .jsonl, why: "it is for JSON lines", hint: "add --json")
        (options.values, options.byOwner) = (values, byOwner)
        options.limits = try HeartRateLimits.checked(low: lowPulse ?? 40, high: highPulse ?? 120)
        let width = options.form == .table ? Terminal.outputWidth : nil
        try HealthRuns.show(store, types, selection, options, to: try OutputFile("-", width: width))
    }

    private func refuseIdleFlags(_ types: TypeChoice, _ format: String?) throws {
        try Flags.requirePositive(last, "--last")
        let isSeries = !types.series.isEmpty
        try Flags.refuse("--values", when: values && !isSeries, why: "only series have values", hint: "add --type quantity_series")
        try Flags.refuse(
            "--where", when: !self.where.isEmpty && isSeries && (types.hasReadings || types.events),
            why: "readings and series have other values", hint: "choose one --type")
        try Flags.refuse("--by-owner", when: byOwner && !values, why: "it orders the values of series", hint: "add --values")
        try Flags.refuse(
            "--low-pulse or --high-pulse", when: (lowPulse ?? highPulse) != nil && !types.events, why: "no events are shown",
            hint: "add --type event")
        try Flags.refuse("--earlier", when: earlier && !types.hasReadings, why: "no readings are shown")
        guard plot else { return }
        try Flags.refuse("--earlier", when: earlier, why: "--plot draws")
        try types.requireOnly(.bloodPressure, "show --plot")
        try Flags.refuse(form.json ? "--json" : "--format", when: format != nil, why: "--plot draws")
        try Flags.refuse("--values", when: values, why: "--plot draws")
    }
}
