import ArgumentParser
import CuffCore
import CuffIngest

/// Which stored readings are meant: the same flags for every verb over the database.
struct SelectionOptions: ParsableArguments {
    @Option(help: "The database.", completion: .file()) var db: String = "bp.db"
    @Option(help: ArgumentHelp("From this time on: 2026-05-05, 2026-05-05T07:30, 7d, 36h, today, monday.", valueName: "time")) var since:
        String?
    @Option(help: ArgumentHelp("Up to this time, not included.", valueName: "time")) var until: String?
    @Option(name: .shortAndLong, help: "One user's readings.") var user: Int?
    @Option(help: "One cuff's readings, by the identity they are kept under.") var device: String?
    @Option(help: ArgumentHelp("One source's readings: a driver's id, or manual for those typed in.", valueName: "id")) var source: String?
    @Option(help: ArgumentHelp("blood_pressure, pulse_rate, quantity or measurement (a failed one).", valueName: "type")) var type:
        [String] = []
    @Option(help: ArgumentHelp("The time zone, e.g. Europe/Berlin; without it this machine's.", valueName: "zone")) var tz: String?

    func selection(_ kinds: Set<ReadingSelection.Kind> = []) throws -> ReadingSelection {
        let zone = try HostZone.named(tz)
        var selection = ReadingSelection(kinds: kinds, zone: zone)
        if !type.isEmpty { selection.kinds = Set(try type.map { try ReadingSelection.kind($0) }) }
        selection.since = try since.map { try HostZone.instant($0, zone) }
        selection.until = try until.map { try HostZone.instant($0, zone) }
        (selection.user, selection.device, selection.driver) = (user, device, source)
        return selection
    }

    func store(_ access: Store.Access = .read) throws -> Store { try Store(db, access: access) }
}
