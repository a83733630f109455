import ArgumentParser
import CuffCore
import CuffIngest

struct Read: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "read", "Reads the stored readings of a cuff, then ends; --follow waits for new ones.",
        """
        Readings are printed, and kept in this user's database unless a sink is named. Nothing is erased, except on \
        cuffs that delete a reading once it is acknowledged (`forgets` in `cuff drivers ID`). Such a cuff is not read if nothing keeps its readings. \
        tcp-listen:// waits a minute for a cuff that calls, unless --timeout or --follow is given.
        """,
        examples: [
            "cuff read /dev/ttyUSB0 --driver beurer-serial": "Everything that is stored on the cuff.",
            "cuff read auto --since 7d --sink csv:week.csv": "The last seven days, into a table for a spreadsheet.",
            "cuff read /dev/ttyUSB0 --driver omron-hbp --follow": "Waits for each measurement, until Ctrl-C.",
        ])

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @Flag(help: "Keep running for readings that the cuff sends unasked.") var follow = false
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("One user's readings, where the cuff has users: a name, or the number.", valueName: "name|number"))
    var user: String?
    @Option(help: ArgumentHelp("Stop after this many readings; more are kept if the cuff has already sent them.", valueName: "count"))
    var max: Int?
    @Option(help: ArgumentHelp("Only readings from this time on: 2026-05-05, 2026-05-05T07:30, 7d, today, monday.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Only readings up to this time, not included.", valueName: "time")) var until: String?
    @Option(help: ArgumentHelp("Only readings that this database does not hold yet.", valueName: "database"), completion: .file())
    var newTo: String?
    @Option(
        help: ArgumentHelp(
            "The time zone of the cuff's clock and of --since and --until (default: this machine's). Stored readings keep theirs.",
            valueName: "zone"))
    var tz: String?
    @OptionGroup var store: StoreOptions
    @Flag(help: Help.keepPatient) var keepPatient = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        var options = try output.liveOptions()
        options.keepsPatients = keepPatient
        try Flags.requirePositive(max, "--max")
        options.maximum = max
        options.zone = try tz.map { try HostZone.named($0) }
        let filter = try ReadingFilter.asked(since: since, until: until, newTo: newTo, zone: tz)
        try store.useStandardStore(&options, output)
        output.showProgress(&options)
        let report = try device.run(
            .readMemory(user: try slot(options)), follow: follow, filter: filter, recording: record, quietly: output.quiet, options: options
        )
        report.show(output)
        showZones(report, options)
        showClock(report.clock)
        try device.conclude(report, output)
    }

    /// Stored readings keep their times: reading a cuff in another country does not change when it measured.
    private func showZones(_ report: IngestReport, _ options: IngestOptions) {
        guard let zone = options.zone, !output.quiet, let cuff = try? device.cuff(for: .readMemory(user: nil), options) else { return }
        let name = report.identity.flatMap { $0.id.isEmpty ? nil : $0.id } ?? cuff.options.device
        for sink in report.sinks where sink.known > 0 && sink.label.hasPrefix("sqlite:") {
            guard let store = try? Store(String(sink.label.dropFirst(7)), access: .read),
                let count = try? store.readingsOfAnotherZone(zone, device: name, driver: cuff.driver.id), count > 0
            else { continue }
            Terminal.say(
                "cuff: \(Plural.text(count, "stored reading")) of this cuff \(count == 1 ? "keeps" : "keep") another time zone: "
                    + "--tz is for new ones\n  fix: if the stored times are wrong and the cuff still has the readings: `cuff delete ID`, "
                    + "`cuff delete ID --forget`, and read it again")
        }
    }

    /// The readings' times are corrected by this difference; what the cuff displays is not.
    static let clockLimit: UInt64 = 300

    /// At a terminal: a cuff's clock that is far off.
    private func showClock(_ clock: DeviceClockReport?) {
        guard Terminal.errorIsTerminal, !output.quiet, let clock, clock.behind.magnitude > Self.clockLimit else { return }
        let driver = (try? DevicePlace(device.address, driver: device.driverID())).flatMap { CuffFamilies.named($0.driver) }
        let canSet = driver?.capabilities.contains(.setClock) == true
        let named = device.driver.map { " --driver \($0)" } ?? ""
        Terminal.say(
            "cuff: the cuff's clock is far off: \(clock.text)"
                + (canSet ? "\n  fix: cuff clock \(device.address)\(named) --set now" : "\n  fix: set it on the cuff"))
    }

    /// A name needs the cuff's own name, which it has in the configuration or by --device.
    private func slot(_ options: IngestOptions) throws -> Int? {
        guard let user else { return nil }
        if case .number(let number) = UserChoice(user) { return number }
        let cuff = try device.cuff(for: .readMemory(user: nil), options).options.device
        return try options.household.slot(of: UserChoice(user), at: cuff)
    }
}

enum LineChoice {
    static func settings(_ text: String?) throws -> LineSettings? {
        guard let text else { return nil }
        guard let line = LineSettings(text) else {
            throw IngestError(.usage, "invalid line settings `\(text)`", hint: "write e.g. 9600, or \"2400 8E1\"")
        }
        return line
    }
}
