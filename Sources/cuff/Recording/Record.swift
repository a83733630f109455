import ArgumentParser
import CuffCore
import CuffIngest

struct Record: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "record", "Saves the bytes of both directions while a cuff is read, as a capture to replay.",
        """
        A driver is needed, because most cuffs are silent until they are asked. `--follow` records what a cuff sends unasked. \
        `cuff replay` plays the capture. The readings are printed and kept as by `read`. With tcp-listen:// each cuff that calls after \
        the first has a file of its own, numbered before the suffix: day.pcapng, day-2.pcapng, day-3.pcapng.
        """,
        examples: [
            "cuff record /dev/ttyUSB0 --driver beurer-serial -o two-users.capture":
                "The bytes of both directions while the memory is read, as text.",
            "cuff record /dev/ttyACM0 --driver omron-hbp --follow -o day.pcapng": "What the cuff sends, until Ctrl-C, for Wireshark.",
        ])

    @OptionGroup var device: DeviceVerb
    @Option(help: ArgumentHelp("Refused: --output names the capture.", visibility: .hidden)) var record: String?
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @Option(
        name: [.short, .customLong("output"), .long],
        help: ArgumentHelp(
            "The capture to write; .pcapng gives a file that Wireshark opens, any other suffix text.", valueName: "file"),
        completion: .file()) var out: String
    @Flag(help: "Send no requests; record what the cuff sends, until stopped.") var follow = false

    func run() throws {
        try Flags.refuse("--record", when: record != nil, why: "--output names the capture")
        var options = try output.liveOptions()
        try store.useStandardStore(&options, output)
        let report = try device.run(
            follow ? .follow : .readMemory(user: nil), follow: follow, recording: out, quietly: output.quiet, options: options)
        report.show(output)
        try device.conclude(report, output)
    }
}
