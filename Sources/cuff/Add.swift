import ArgumentParser
import CuffCore
import CuffIngest

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a reading that you type in, marked as such.",
        discussion: Help.text(
            """
            The same values at the same time are the same reading: adding them twice changes nothing.
            """,
            [
                "cuff add 128 82 71": "Measured just now: 128/82 mmHg, pulse 71.",
                "cuff add 128 82 71 --note \"after the stairs\" --arm left": "With what no cuff says.",
                "cuff add 128 82 --at 2026-05-05T07:30 --user 2": "An earlier reading of user 2, without a pulse.",
            ]))

    @Argument(help: "Systolic pressure in mmHg.") var systolic: Int
    @Argument(help: "Diastolic pressure in mmHg.") var diastolic: Int
    @Argument(help: "Pulse per minute.") var pulse: Int?
    @Option(help: ArgumentHelp("When it was measured (default: now).", valueName: "time")) var at: String?
    @Option(name: .shortAndLong, help: "The user.") var user: Int?
    @Flag(help: "The device showed an irregular pulse.") var irregular = false
    @Option(help: ArgumentHelp("The time zone of --at (default: this machine's).", valueName: "zone")) var tz: String?
    @OptionGroup var said: RemarkOptions
    @OptionGroup var database: DatabaseOption
    @Flag(name: .shortAndLong, help: "Also store values that look wrong.") var force = false

    func run() throws {
        let zone = try HostZone.named(tz)
        var entry = try ManualEntry.checked(
            systolic, diastolic, pulse, at: try HostZone.instant(at ?? "now", zone), user: user, irregular: irregular, force: force)
        entry.remarks = try said.remarks()
        let (reading, isNew) = try HealthRuns.add(entry, zone: zone, to: try database.path())
        Terminal.say("cuff: \(isNew ? "added" : "already stored") as \(HealthRuns.text(reading.id))")
    }
}
