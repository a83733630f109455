import ArgumentParser
import CuffCore
import CuffIngest

struct Edit: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "edit", "Corrects a reading that you typed in, or assigns a reading to a person. What a cuff measured cannot be changed.",
        """
        --user NAME moves any reading to that person; the record of the cuff stays as it is, and --user none undoes that. \
        The reading keeps its id and gets the next revision. Other values are unchanged. The previous values are kept, and \
        `cuff show --earlier` shows them, with the person whose the reading is now; `cuff delete` removes both. A corrected reading is \
        exported again by exports with --new and sent again to sinks that had it. `cuff note` changes remarks.
        """,
        examples: [
            "cuff edit 20260505T073100-45d9621ae0ee0919 --systolic 128": "It was 128, not 182.",
            "cuff edit 20260505T073100-45d9621ae0ee0919 --at 2026-05-05T19:30": "Another time.",
            "cuff edit 20260505T073100-45d9621ae0ee0919 --user Ben": "Ben's arm was in the cuff.",
        ])

    @Argument(help: "The id, as `cuff show --format plain` prints it.") var id: String
    @Option(help: ArgumentHelp("Systolic pressure in mmHg.", valueName: "mmHg")) var systolic: String?
    @Option(help: ArgumentHelp("Diastolic pressure in mmHg.", valueName: "mmHg")) var diastolic: String?
    @Option(help: ArgumentHelp("Pulse per minute, or none.", valueName: "rate")) var pulse: String?
    @Option(help: ArgumentHelp("When it was measured.", valueName: "time")) var at: String?
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Whose it is: a name, or none; of a reading that you typed in also a user number.", valueName: "name|number"))
    var user: String?
    @Flag(inversion: .prefixedNo, help: "The device showed an irregular pulse.") var irregular: Bool?
    @Option(help: ArgumentHelp("The time zone of --at (default: this machine's).", valueName: "zone")) var tz: String?
    @OptionGroup var database: DatabaseOption
    @Flag(name: .shortAndLong, help: "Also store values that look wrong.") var force = false

    private var hasValues: Bool { systolic != nil || diastolic != nil || pulse != nil || at != nil || irregular != nil }

    func run() throws {
        if !hasValues, user == nil { throw IngestError(.usage, "nothing is corrected", hint: "name what is, e.g. --systolic 128") }
        guard let id = try ReadingSelection.ids([self.id]).first else { return }
        let store = try database.store(.write)
        let old = try store.storedReading(id)
        let choice = user.map { UserChoice($0) }
        // Before anything changes: the name may be unknown.
        let person: String? = if case .name(let name)? = choice { try store.redelivery.household.known(name) } else { nil }
        var isChanged = false
        if hasValues || old.origin == .entered { isChanged = try correct(old, choice, store) }
        if let choice {
            if case .number = choice, old.origin != .entered { throw IngestError(SelectionFault.slotOfRecord(self.id)) }
            isChanged = try store.move(old.id, to: person) || isChanged
        }
        try store.close()
        let isMoved = !hasValues && old.origin != .entered
        Terminal.say("cuff: \(self.id) \(isChanged ? isMoved ? "has another person" : "is corrected" : "unchanged")")
    }

    private func correct(_ old: Reading, _ choice: UserChoice?, _ store: Store) throws -> Bool {
        guard old.origin == .entered else { throw IngestError(StoreFault.notEntered(self.id, driver: old.driver.description)) }
        guard let pressure = old.bloodPressure, let measured = old.measured else {
            let isMove =
                switch choice {
                case .name?, UserChoice.none?: true
                case .number?, nil: false
                }
            if isMove, !hasValues { return false }
            throw IngestError(
                .usage, "only a blood pressure can be corrected",
                hint: "delete it, and add it again: cuff delete \(id); cuff add --quantity …")
        }
        let zone = try HostZone.named(tz)
        var corrected = pressure
        if let systolic { corrected.systolic = Pressure(try ManualEntry.digits(systolic), .mmHg) }
        if let diastolic { corrected.diastolic = Pressure(try ManualEntry.digits(diastolic), .mmHg) }
        if let pulse { corrected.pulse = pulse == "none" ? nil : PulseRate(try ManualEntry.digits(pulse)) }
        var slot = old.user.map { Int($0) }
        switch choice {
        case .number(let number)?: slot = number
        // Of a reading that was moved, the move alone is undone.
        case UserChoice.none?: if old.person == nil { slot = nil }
        case .name?, nil: break
        }
        let entry = try ManualEntry.checked(
            corrected, at: try at.map { try HostZone.instant($0, zone) } ?? measured, user: slot,
            irregular: irregular ?? old.flags.contains(.irregularPulse), force: force)
        return try store.edit(old.id, to: entry, zone: zone)
    }
}
