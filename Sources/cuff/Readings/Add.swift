import ArgumentParser
import CuffClinical
import CuffCore
import CuffIngest

struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "add", "Adds a reading that you type in, marked as such.",
        """
        The same values at the same local time are the same reading: adding them twice changes nothing. After they were deleted, \
        adding them stores them again.
        """,
        examples: [
            "cuff add 128/82 71": "Measured just now: 128/82 mmHg, pulse 71; `128 82 71` and `128/82/71` are the same.",
            "cuff add 128/82 --at \"yesterday 21:00\"": "Last night's; also e.g. 7:12 (today), \"monday 8:00\".",
            "cuff add 128/82 71 --note \"after the stairs\" --arm left": "With remarks.",
            "cuff add --quantity environmental_audio_exposure 84 --for 30m": "Half an hour of 84 dB, until now or from --at on.",
            "cuff add --quantity dizziness moderate --for 20m":
                "What was felt, and how long: unspecified, not_present, mild, moderate or severe.",
            "cuff add 128/82 --at 2026-05-05T07:30 --user Anna": "An earlier reading of Anna, without a pulse.",
        ])

    @Argument(
        help: ArgumentHelp(
            "Systolic and diastolic pressure in mmHg and the pulse, or the value of --quantity, a number or a word.", valueName: "number"))
    var numbers: [String]
    @Option(
        help: ArgumentHelp(
            "Another quantity: \(QuantityType.all.map(\.name).joined(separator: ", ")), or audiogram, as Hz:LEFT/RIGHT,….",
            valueName: "name"),
        completion: .list(QuantityType.all.map(\.name) + ["audiogram"]))
    var quantity: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("With --quantity: how long it lasted, e.g. 30m.", valueName: "time")) var lasting:
        Span?
    @Option(help: ArgumentHelp("When it was measured, e.g. 21:00 or \"yesterday 21:00\" (default: now).", valueName: "time")) var at:
        String?
    @Option(name: .shortAndLong, help: ArgumentHelp("Whose it is: a name, or a user number.", valueName: "name|number")) var user: String?
    @Flag(help: "The device showed an irregular pulse.") var irregular = false
    @Option(help: ArgumentHelp("The time zone of --at (default: this machine's).", valueName: "zone")) var tz: String?
    @OptionGroup var said: RemarkOptions
    @OptionGroup var database: DatabaseOption
    @Flag(name: .shortAndLong, help: "Also store values that look wrong.") var force = false
    @Flag(help: "Print the stored reading as one JSON line, as `cuff show --json` does.") var json = false

    func run() throws {
        let zone = try HostZone.named(tz)
        let time = try HostZone.instant(at ?? "now", zone)
        let whose = try self.whose()
        let (reading, isNew) =
            try quantity.map { try addQuantity($0, at: time, of: whose, zone) }
            ?? HealthRuns.add(try pressure(at: time, of: whose), of: whose.name, zone: zone, to: try database.path())
        let name = whose.name.map { " for \($0)" } ?? ""
        let stored = TextBuffer.text { $0.append(local: time, offset: zone.offset(at: time.seconds) / 60) }
        if at != nil { Terminal.say("cuff: measured \(stored)") }
        Terminal.say("cuff: \(isNew ? "added" : "already stored") as \(reading.id.description)\(name)")
        if json { try show(reading.id, zone) }
    }

    private func show(_ id: Reading.ID, _ zone: ZoneTable) throws {
        var selection = ReadingSelection(zone: zone)
        selection.ids = [id]
        selection.household = try CuffConfiguration.load().household
        try HealthRuns.list(try database.store(), selection, as: .jsonl, to: try OutputFile("-"))
    }

    /// A name of the configuration, or a user number.
    private func whose() throws -> (name: String?, slot: Int?) {
        switch user.map({ UserChoice($0) }) {
        case .name(let name)?: (try CuffConfiguration.load().household.known(name), nil)
        case .number(let number)?: (nil, number)
        case UserChoice.none?, nil: (nil, nil)
        }
    }

    private func pressure(at time: Timestamp, of whose: (name: String?, slot: Int?)) throws -> ManualEntry {
        try Flags.refuse("--for", when: lasting != nil, why: "a blood pressure is of a moment")
        let words = numbers.flatMap { $0.split(separator: "/", omittingEmptySubsequences: false) }
        let values = try words.map { word in
            guard let value = try? ManualEntry.digits(String(word)) else {
                throw IngestError(.usage, "`\(word)` is not a number", hint: "write e.g. cuff add 128/82 71")
            }
            return value
        }
        guard (2...3).contains(values.count) else {
            throw IngestError(
                .usage, "a blood pressure is two numbers, with the pulse three", hint: "write e.g. cuff add 128/82 71, or name a --quantity"
            )
        }
        let pressure = BloodPressure(
            systolic: Pressure(values[0], .mmHg), diastolic: Pressure(values[1], .mmHg),
            pulse: values.count == 3 ? PulseRate(values[2]) : nil)
        var entry = try ManualEntry.checked(pressure, at: time, user: whose.slot, irregular: irregular, force: force)
        entry.remarks = try said.remarks()
        return entry
    }

    private func addQuantity(
        _ name: String, at time: Timestamp, of whose: (name: String?, slot: Int?), _ zone: ZoneTable
    ) throws -> (reading: Reading, isNew: Bool) {
        try Flags.refuse("--irregular", when: irregular, why: "it is about a pulse")
        guard numbers.count == 1 else {
            throw IngestError(.usage, "a quantity is one number", hint: "write e.g. cuff add --quantity body_mass 72.5")
        }
        if name == "audiogram" {
            try Flags.refuse("--for or --force", when: lasting != nil || force, why: "an audiogram takes neither")
            return try HealthRuns.add(
                audiogram: numbers[0], of: whose.name, at: time, user: whose.slot, remarks: try said.remarks(), zone: zone,
                to: try database.path())
        }
        let entry = try ManualQuantity.checked(
            name, numbers[0], at: time, lasting: lasting?.duration, user: whose.slot, remarks: try said.remarks(), force: force)
        return try HealthRuns.add(entry, of: whose.name, zone: zone, to: try database.path())
    }
}
