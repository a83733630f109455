import ArgumentParser
import CuffCore
import CuffIngest

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info", _superCommandName: Cuff.name,
        abstract: "Asks a cuff for its model, serial number and clock, and shows what its driver can do.",
        discussion: Help.text(
            """
            For a cuff that cannot be asked only the driver is shown; nothing is sent to the cuff. A reading that the cuff gives with its \
            answers is kept in this user's database, as by `read`.
            """,
            [
                "cuff info auto": "The one cuff that is plugged in.",
                "cuff info /dev/ttyUSB0 --driver taidoc --json": "Model, serial number and capabilities, for a script.",
            ]))

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @OptionGroup var output: ConversationOptions
    @Flag(help: "One JSON object.") var json = false

    func run() throws {
        let driver = try DriverChoice.named(try DevicePlace(device.address, driver: device.driver).driver)
        // What a family can do is known without asking the cuff, and some cannot be asked.
        guard driver.capabilities.contains(.information) else {
            let information = DeviceInformation(driver: driver, identity: nil, clock: nil)
            return put(information)
        }
        let report = try device.run(.information, recording: record, options: try output.conversationOptions())
        let information = DeviceInformation(driver: driver, identity: report.identity, clock: report.clock)
        put(information)
        report.tellPassing(output)
        try report.conclude(output)
    }

    private func put(_ information: DeviceInformation) {
        if json { Terminal.put(information.json) } else { Terminal.show(information.text) }
    }
}

struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock", _superCommandName: Cuff.name,
        abstract: "Compares a cuff's clock with this machine's, or sets it.",
        discussion: Help.text(
            """
            Stored readings carry the old clock: read them before setting a new one.
            """,
            [
                "cuff clock /dev/ttyUSB0 --driver taidoc": "What the cuff's clock shows, and how far off it is.",
                "cuff clock /dev/ttyUSB0 --driver taidoc --set now": "Sets it to this machine's time.",
            ]))

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @OptionGroup var output: ConversationOptions
    @Flag(help: "One JSON object.") var json = false
    @Option(help: ArgumentHelp("Set the clock: `now`, or a local time such as 2026-05-05T07:31:00.", valueName: "time")) var set: String?
    @Flag(help: "Exit with 1 when the clock differs by more than --max-drift.") var check = false
    @Option(
        help: ArgumentHelp("With --check: the largest difference that is accepted (default: 60s).", valueName: "time"))
    var maxDrift: Span?

    func run() throws {
        try Flags.refuse("--check", when: check && set != nil, why: "--set sets the clock", hint: "check it in a second run")
        try Flags.refuse("--max-drift", when: maxDrift != nil && !check, why: "it is the limit of --check", hint: "add --check")
        let command = try set.map { SessionCommand.setClock(try HostTime.local($0)) } ?? .readClock
        let report = try device.run(command, recording: record, options: try output.conversationOptions())
        if let clock = report.clock { json ? Terminal.put(try told(clock)) : Terminal.show("\(clock.text)\n") }
        report.tellPassing(output)
        try report.conclude(output)
        guard check else { return }
        guard let clock = report.clock else {
            throw IngestError(
                .protocolFault, "\(device.address) did not send its clock", why: "the conversation ended without it",
                hint: "try again, or look at the cuff")
        }
        if clock.behind.magnitude > UInt64((maxDrift?.duration ?? .seconds(60)).components.seconds) {
            throw ExitCode(.no)
        }
    }

    private func told(_ clock: DeviceClockReport) throws -> String {
        let driver = try DriverChoice.named(try DevicePlace(device.address, driver: device.driver).driver)
        return DeviceInformation(driver: driver, identity: nil, clock: clock).json
    }
}

struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear", _superCommandName: Cuff.name,
        abstract: "Erases a cuff's memory after everything in it is stored.",
        discussion: Help.text(
            """
            It reads the memory into the sinks first; a database or a file must be among them.
            """,
            [
                "cuff clear /dev/ttyUSB0 --driver taidoc --sink sqlite:bp.db --confirm erase":
                    "Stores everything in bp.db, then erases it on the cuff.",
                "cuff clear auto --user 1 --sink jsonl:user1.jsonl --confirm erase": "Only what user 1 has stored.",
            ]))

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @OptionGroup var output: OutputOptions
    @Option(name: .shortAndLong, help: ArgumentHelp("One user's readings, where the cuff has users.", valueName: "number")) var user: Int?
    @Option(help: ArgumentHelp("Confirm with `--confirm erase`.", valueName: "word")) var confirm: String = ""

    func run() throws {
        var options = try output.ingestOptions()
        try Clearing.permit(options, confirmation: confirm)
        output.showProgress(&options)
        let report = try device.run(.clear(user: user), recording: record, options: options)
        report.tell(output)
        try report.conclude(output)
    }
}
