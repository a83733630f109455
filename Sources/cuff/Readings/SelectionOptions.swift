import ArgumentParser
import CuffCore
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
            "One user's readings, by number or by a name of the configuration; `none` for those without a user.", valueName: "number|name"))
    var user: String?
    @Option(help: ArgumentHelp("One cuff's readings, by the identity they are stored under.", valueName: "name")) var device: String?
    @Option(help: ArgumentHelp("One source's readings: a driver's id, or manual for those typed in.", valueName: "id")) var source: String?
    @Option(
        help: ArgumentHelp(
            "blood_pressure, pulse_rate, quantity, measurement (a failed one), quantity_series, heartbeat_series or event.",
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
        try choose(&selection)
        return selection
    }

    /// A name in the configuration means one slot of one cuff.
    private func choose(_ selection: inout ReadingSelection) throws {
        guard let user else { return }
        if let choice = UserChoice(user) { return selection.choose(choice) }
        let meant = try CuffConfiguration.load().users(named: user).filter { device == nil || $0.device == device }
        guard let one = meant.first else {
            throw IngestError(
                .usage, "no user is called `\(user)`", why: "it is neither a number nor a name of the configuration",
                hint: "write --user 1, or `users = { 1 = \"\(user)\" }` in a [device.NAME] section of the configuration")
        }
        guard meant.count == 1 else {
            throw IngestError(
                .usage, "`\(user)` is a user of several cuffs", why: meant.map(\.device).joined(separator: ", "),
                hint: "add e.g. --device \(one.device)")
        }
        (selection.device, selection.user) = (one.device, one.slot)
    }

    /// For verbs on readings only.
    func readingSelection(_ verb: String) throws -> ReadingSelection {
        let types = try self.types()
        try types.requireReadings(verb)
        return try selection(types)
    }

    /// Reports readings left out of a range because their time is invalid.
    static func sayImplausibleTimes(_ count: Int) {
        guard count > 0 else { return }
        let (what, whose) = count == 1 ? ("1 reading is", "its time is") : ("\(count) readings are", "their times are")
        Terminal.say("cuff: \(what) left out: \(whose) later than the reception, or than the cuff's clock shows (clock: implausible)")
    }

    func store(_ access: Store.Access = .read) throws -> Store { try database.store(access) }
}
