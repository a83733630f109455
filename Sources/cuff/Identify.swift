import ArgumentParser
import CuffIngest

struct Identify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "identify",
        abstract: "Listens to a device, or reads a file, and names the families that fit. It never writes.",
        discussion: "Only families whose cuffs send unasked can be recognised; the others wait for requests, and none is sent.")

    @Argument(help: "A port, a capture, or raw bytes; `-` reads standard input.", completion: .file()) var source: String = "-"
    @Option(help: "Line settings to listen with; without them, 9600 8N1.") var line: String?
    @Option(name: .customLong("for"), help: "How long to listen to a port.") var limit = Span.seconds(10)
    @Flag(help: "One JSON object per family.") var json = false

    func run() throws {
        let report = try Identifying.run(source, line: try LineChoice.settings(line), limit: limit.duration)
        Terminal.put(json ? report.jsonLines : report.text)
        if report.candidates.isEmpty { throw ExitCode(.no) }
    }
}
