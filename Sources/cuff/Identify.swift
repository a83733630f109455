import ArgumentParser
import CuffIngest

struct Identify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Names the driver of a device or a recording; nothing is written to the device.",
        discussion: Help.text(
            """
            A device with a cuff's own USB ids is named by them, without being opened. Any other port is listened to: only cuffs that send by \
            themselves can be recognised there; the others wait for requests, and none is sent. Of a capture the header counts first; then, \
            and for raw bytes, the drivers that can read something in it.
            """,
            [
                "cuff identify /dev/ttyUSB0 --for 60s": "Take a measurement on the cuff meanwhile, or press its memory key.",
                "cuff identify night.capture": "Which drivers understand a recording.",
            ]))

    @Argument(help: "A device, a capture, or raw bytes; `-` reads standard input.", completion: .file()) var source: String = "-"
    @Option(help: ArgumentHelp("Line settings to listen with (default: 9600 8N1).", valueName: "settings")) var line: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("How long to listen to a port.", valueName: "time")) var limit = Span.seconds(10)
    @Flag(help: "One JSON object for each driver that fits.") var json = false

    func run() throws {
        let report = try Identifying.run(source, line: try LineChoice.settings(line), limit: limit.duration)
        Terminal.put(json ? report.jsonLines : report.text)
        if report.isEmpty { throw ExitCode(.no) }
    }
}
