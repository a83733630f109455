import ArgumentParser
import CuffCore
import CuffIngest

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Asks a cuff for its model, serial number and clock, and shows what its driver can do.",
        discussion: "For a family that cannot be asked only the driver is shown; nothing is sent to the cuff.")

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: OutputOptions
    @Flag(help: "One JSON object.") var json = false

    func run() throws {
        let driver = try DriverChoice.named(try DevicePlace(device.address, driver: device.driver).driver)
        // What a family can do is known without asking the cuff, and some cannot be asked.
        guard driver.capabilities.contains(.information) else {
            let information = DeviceInformation(driver: driver, identity: nil, clock: nil)
            return Terminal.put(json ? information.json : information.text)
        }
        let report = try device.run(.information, options: try output.ingestOptions())
        let information = DeviceInformation(driver: driver, identity: report.identity, clock: report.clock)
        Terminal.put(json ? information.json : information.text)
        try report.conclude(output)
    }
}

struct Clock: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clock",
        abstract: "Compares a cuff's clock with this machine's, or sets it.",
        discussion: "Stored readings carry the old clock: read them before setting a new one.")

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: OutputOptions
    @Option(help: "Set the clock: `now`, or a local time such as 2026-05-05T07:31:00.") var set: String?
    @Flag(help: "Exit with 1 when the clock differs by more than --max-drift.") var check = false
    @Option(help: "With --check: the largest difference that is accepted (default: 60s).") var maxDrift: Span?

    func run() throws {
        try Flags.refuse("--check", when: check && set != nil, why: "--set sets the clock", hint: "check it in a second run")
        try Flags.refuse("--max-drift", when: maxDrift != nil && !check, why: "it is the limit of --check", hint: "add --check")
        let command = try set.map { SessionCommand.setClock(try HostTime.local($0)) } ?? .readClock
        let report = try device.run(command, options: try output.ingestOptions())
        if let clock = report.clock { Terminal.put("\(clock.text)\n") }
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
}

struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Erases a cuff's memory after everything in it is stored.",
        discussion: "It reads the memory into the sinks first; a database or a file must be among them.")

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: OutputOptions
    @Option(name: .shortAndLong, help: "One user's readings, where the cuff has users.") var user: Int?
    @Option(help: "Confirm with `--confirm erase`.") var confirm: String = ""

    func run() throws {
        let options = try output.ingestOptions()
        try Clearing.permit(options, confirmation: confirm)
        try device.run(.clear(user: user), options: options).conclude(output)
    }
}
