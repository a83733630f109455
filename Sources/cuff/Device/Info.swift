import ArgumentParser
import CuffCore
import CuffIngest

struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "info", "Asks a cuff for its model and serial number, and shows what its driver can do.",
        """
        The cuff's clock is shown where the cuff sends it with its identity; `cuff clock` asks for it. For a cuff that cannot be asked \
        only the driver is shown; nothing is sent to the cuff. A reading that the cuff gives with its \
        answers is kept in this user's database, as by `read`.
        """,
        examples: [
            "cuff info auto": "The one cuff that is plugged in.",
            "cuff info /dev/ttyUSB0 --driver taidoc --json": "Model, serial number and capabilities, for a script.",
        ])

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @OptionGroup var output: ConversationOptions
    @Flag(help: "One JSON object.") var json = false

    func run() throws {
        let driver = try DriverChoice.named(try DevicePlace(device.address, driver: device.driverID()).driver)
        // Capabilities are known without the cuff, and some cuffs cannot be asked.
        guard driver.capabilities.contains(.information) else {
            let information = DeviceInformation(driver: driver, identity: nil, clock: nil)
            return put(information)
        }
        let report = try device.run(.information, recording: record, quietly: output.quiet, options: try output.conversationOptions())
        let information = DeviceInformation(driver: driver, identity: report.identity, clock: report.clock)
        put(information)
        report.showPassing(output)
        try device.conclude(report, output)
    }

    private func put(_ information: DeviceInformation) {
        if json { Terminal.put(information.json) } else { Terminal.show(information.text) }
    }
}
