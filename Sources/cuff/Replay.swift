import ArgumentParser
import CuffIngest

struct Replay: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Plays captures through the same session, pipeline and sinks as a live cuff.",
        discussion: """
            A capture is text, or pcapng: serial bytes as `cuff record` writes them, or a usbmon capture of a cuff on the USB bus.

              cuff replay two-users.capture | jq .systolic_mmHg
              cuff replay usb.pcapng --usb 0403:6001 --driver beurer-serial
            """)

    @Argument(help: "Captures; `-` reads standard input.", completion: .file()) var captures: [String]
    @Option(help: "For captures that name no driver.", completion: DriverChoice.completion) var driver: String?
    @Option(help: "max, real, or a factor.") var speed = "max"
    @Option(help: ArgumentHelp("The time zone of the cuff's clock, for readings with a device time.", valueName: "zone")) var tz: String?
    @OptionGroup var usb: USBOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
        var options = try output.ingestOptions()
        options.zone = try tz.map { try HostZone.named($0) }
        let speed = try Ingest.Speed(speed)
        options.stop.watch()
        try Ingest.replay(paths: captures, driver: driver, speed: speed, selection: try usb.selection(), options: options).conclude(output)
    }
}
