import ArgumentParser
import CuffCore
import CuffIngest

struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "clock", "Compares a cuff's clock with this machine's, or sets it.",
        """
        Stored readings carry the old clock: read them before setting a new one.
        """,
        examples: [
            "cuff clock /dev/ttyUSB0 --driver taidoc": "What the cuff's clock shows, and how far off it is.",
            "cuff clock /dev/ttyUSB0 --driver taidoc --set now": "Sets it to this machine's time.",
        ])

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
        let report = try device.run(command, recording: record, quietly: output.quiet, options: try output.conversationOptions())
        if let clock = report.clock { json ? Terminal.put(try told(clock)) : Terminal.show("\(clock.text)\n") }
        report.showPassing(output)
        try device.conclude(report, output)
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
        let driver = try DriverChoice.named(try DevicePlace(device.address, driver: device.driverID()).driver)
        return DeviceInformation(driver: driver, identity: nil, clock: clock).json
    }
}
