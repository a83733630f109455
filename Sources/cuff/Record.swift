import ArgumentParser
import CuffCore
import CuffIngest

struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Saves the bytes of both directions while a cuff is read, as a capture to replay.",
        discussion:
            "A driver is needed, because most cuffs are silent until they are asked. `--follow` records what a cuff sends unasked.")

    @OptionGroup var device: DeviceVerb
    @OptionGroup var output: OutputOptions
    @Option(
        name: .shortAndLong, help: "The capture to write; .pcapng gives a file that Wireshark opens, any other suffix text.",
        completion: .file()) var out: String
    @Flag(help: "Send no requests; record what the cuff sends, until stopped.") var follow = false

    func run() throws {
        try Flags.refuse("--record", when: device.record != nil, why: "--out names the capture")
        var device = device
        device.record = out
        try device.run(follow ? .follow : .readMemory(user: nil), options: try output.ingestOptions()).conclude(output)
    }
}
