import ArgumentParser
import CuffIngest

struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "replay", "Plays captures through the same session, pipeline and sinks as a live cuff.",
        """
        A capture is text, or pcapng: serial bytes as `cuff record` writes them, or a usbmon capture of a cuff on the USB bus.
        """,
        examples: [
            "cuff replay two-users.capture | jq .systolic_mmHg": "The readings of a recording.",
            "cuff replay usb.pcapng --usb 0403:6001 --driver beurer-serial": "A recording of the USB bus, of one device.",
            "cuff replay night.capture --speed 60 --sink sqlite:bp.db": "Sixty times as fast as it was, into a database.",
        ])

    @Argument(help: "Captures; `-` reads standard input.", completion: .file()) var captures: [String]
    @Option(
        help: ArgumentHelp("The driver's id or the cuff's model, for captures that name none.", valueName: "id|model"),
        completion: DriverChoice.completion)
    var driver: String?
    @Option(help: ArgumentHelp("As fast as it goes (max), as it was (real), or a speed factor, e.g. 60.", valueName: "max|real|factor"))
    var speed = "max"
    @Option(help: Help.clockZone) var tz: String?
    @OptionGroup var usb: USBOptions
    @Flag(help: Help.keepPatient) var keepPatient = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        var options = try output.ingestOptions()
        options.keepsPatients = keepPatient
        options.zone = try tz.map { try HostZone.named($0) }
        let speed = try Ingest.Speed(speed)
        let driver = try driver.map { try DriverChoice.named($0).id.description }
        options.stop.watch()
        output.showProgress(&options)
        let report = try Ingest.replay(
            paths: captures, driver: driver, speed: speed, selection: try usb.selection(), options: options)
        report.showSinks(output)
        try report.conclude(output)
    }
}
