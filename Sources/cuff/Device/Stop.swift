import ArgumentParser
import CuffCore
import CuffIngest

struct Stop: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "stop", "Stops a running measurement and lets the cuff deflate.",
        """
        If another `cuff` process runs the measurement, it is asked to stop it; otherwise the stop is sent to the cuff.
        """,
        examples: [
            "cuff stop auto": "The one cuff that is plugged in.",
            "cuff stop /dev/ttyUSB0 --driver par-nibp": "A cuff at a serial port.",
        ])

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: ConversationOptions

    func run() throws {
        let cuff = try device.cuff(for: .stop, try output.conversationOptions())
        cuff.options.stop.watch()
        let report = try cuff.stopping()
        report.showPassing(output)
        try report.conclude(output)
    }
}
