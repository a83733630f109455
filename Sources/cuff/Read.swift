import ArgumentParser
import CuffCore
import CuffIngest

struct Read: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads the stored readings of a live cuff, then ends; --follow stays for pushed ones.",
        discussion: "Nothing is erased, save where a family's own receipt of a stored reading is the erasure; its sheet says so.")

    @OptionGroup var device: DeviceVerb
    @Flag(help: "Stay for readings that the cuff sends by itself.") var follow = false
    @Option(name: .shortAndLong, help: "One user's readings, where the cuff has users.") var user: Int?
    @Option(help: "End after so many readings.") var max: Int?
    @OptionGroup var output: OutputOptions

    func run() throws {
        var options = try output.ingestOptions()
        options.maximum = max
        try device.run(.readMemory(user: user), follow: follow, options: options).conclude(output)
    }
}

enum LineChoice {
    static func settings(_ text: String?) throws -> LineSettings? {
        guard let text else { return nil }
        guard let line = LineSettings(text) else {
            throw IngestError(.usage, "`\(text)` are no line settings", cure: "write e.g. 9600, or \"2400 8E1\"")
        }
        return line
    }
}
