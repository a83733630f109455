import ArgumentParser
import CuffIngest

/// The options that select stored readings, shared by all verbs on the database.
struct SelectionOptions: ParsableArguments {
    @OptionGroup var database: DatabaseOption
    @Option(help: ArgumentHelp("From this time on: 2026-05-05, 2026-05-05T07:30, 7d, 36h, today, monday.", valueName: "time")) var since:
        String?
    @Option(help: ArgumentHelp("Up to this time, not included.", valueName: "time")) var until: String?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "One person's readings, by name; or those of a user number of every cuff, each a person of its own, or `none` for those without one.",
            valueName: "name|number"))
    var user: String?
    @Flag(help: "Take all cuffs of a person together, and the same user number of all cuffs as one person where it has no name.")
    var together = false
    @Option(help: ArgumentHelp("One cuff's readings, by its name as `cuff person` prints it.", valueName: "name")) var device: String?
    @Option(help: ArgumentHelp("One source's readings: a driver's id, or manual for those typed in.", valueName: "id")) var source: String?
    @Option(
        help: ArgumentHelp(
            "blood_pressure, pulse_rate, quantity, measurement (a failed one), quantity_series, heartbeat_series, waveform_series or event.",
            valueName: "type"),
        completion: .list(TypeChoice.words))
    var type: [String] = []
    @Option(help: ArgumentHelp("The time zone, e.g. Europe/Berlin (default: this machine's).", valueName: "zone")) var tz: String?

    func types(usual: TypeChoice = .everything) throws -> TypeChoice { try TypeChoice(type, usual: usual) }

    func selection(_ types: TypeChoice? = nil) throws -> ReadingSelection {
        let zone = try HostZone.named(tz)
        var selection = ReadingSelection(kinds: try (types ?? self.types()).readings, zone: zone)
        selection.since = try since.map { try HostZone.instant($0, zone) }
        selection.until = try until.map { try HostZone.instant($0, zone) }
        if let since = selection.since, let until = selection.until, since >= until {
            throw IngestError(RequestFault.emptyRange)
        }
        (selection.device, selection.driver) = (device, source)
        selection.household = try CuffConfiguration.load().household
        selection.household.joinsCuffs = together
        try selection.choose(user.map { UserChoice($0) })
        return selection
    }

    /// For verbs on readings only.
    func readingSelection(_ verb: String) throws -> ReadingSelection {
        let types = try self.types()
        try types.requireReadings(verb)
        return try selection(types)
    }

    /// Says how many readings are left out because their time is implausible, or because it is unknown and so in no range.
    static func sayWithoutTime(_ store: Store, _ selection: ReadingSelection) throws {
        let found = try store.withoutTime(selection)
        sayImplausible(found.implausible)
        if selection.since != nil || selection.until != nil { sayLeftOut(found.unknown, "unknown") }
    }

    /// The same for verbs on blood pressures that count the implausible times themselves.
    static func sayUnknownTimes(_ store: Store, _ selection: ReadingSelection) throws {
        guard selection.since != nil || selection.until != nil else { return }
        var selection = selection
        selection.kinds = [.bloodPressure]
        sayLeftOut(try store.withoutTime(selection).unknown, "unknown")
    }

    static func sayImplausible(_ count: Int) {
        sayLeftOut(count, "later than the reception, or than the cuff's clock shows (clock: implausible)")
    }

    private static func sayLeftOut(_ count: Int, _ why: String) {
        guard count > 0 else { return }
        let (what, whose) = count == 1 ? ("1 reading is", "its time is") : ("\(count) readings are", "their times are")
        Terminal.say("cuff: \(what) left out: \(whose) \(why)")
    }

    /// Says if it has no reading of `--device`, whose name may be mistyped.
    func store(_ access: Store.Access = .read) throws -> Store {
        let store = try database.store(access)
        guard let device else { return store }
        let known = try store.cuffNames()
        if !known.contains(device) {
            let nearest = NearestWord.match(device, among: known).map { "; did you mean `\($0)`?" } ?? ""
            Terminal.say("cuff: no reading of a cuff `\(device)` is stored\(nearest)\n  fix: `cuff person` lists the cuffs")
        }
        return store
    }
}
