import ArgumentParser
import CuffIngest

struct Identify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Listens to a device, or reads a file, and names the drivers that fit.",
        discussion: Help.text(
            """
            Only cuffs that send by themselves can be recognised; the others wait for requests, and none is sent. Nothing is written to the device.
            """,
            [
                "cuff identify /dev/ttyUSB0 --for 60s": "Take a measurement on the cuff meanwhile, or press its memory key.",
                "cuff identify night.capture": "Which drivers understand a recording.",
            ]))

    @Argument(help: "A port, a capture, or raw bytes; `-` reads standard input.", completion: .file()) var source: String = "-"
    @Option(help: ArgumentHelp("Line settings to listen with (default: 9600 8N1).", valueName: "settings")) var line: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("How long to listen to a port.", valueName: "time")) var limit = Span.seconds(10)
    @Flag(help: "One JSON object for each driver that fits.") var json = false

    func run() throws {
        let report = try Identifying.run(source, line: try LineChoice.settings(line), limit: limit.duration)
        Terminal.put(json ? report.jsonLines : report.text)
        if report.candidates.isEmpty { throw ExitCode(.no) }
    }
}
