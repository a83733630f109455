import ArgumentParser
import CuffCore
import CuffIngest

struct Clear: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "clear", "Erases a cuff's memory after everything in it is stored.",
        """
        It reads the memory into the sinks first; a database or a file must be among them.
        """,
        examples: [
            "cuff clear /dev/ttyUSB0 --driver taidoc --sink sqlite:bp.db --confirm erase":
                "Stores everything in bp.db, then erases it on the cuff.",
            "cuff clear auto --user 1 --sink jsonl:user1.jsonl --confirm erase": "Only what user 1 has stored.",
        ])

    @OptionGroup var device: DeviceVerb
    @Option(help: Help.record, completion: .file()) var record: String?
    @OptionGroup var output: OutputOptions
    @Option(name: .shortAndLong, help: ArgumentHelp("One user's readings, where the cuff has users.", valueName: "number")) var user: Int?
    @Option(help: ArgumentHelp("Confirm with `--confirm erase`.", valueName: "word")) var confirm: String = ""

    func run() throws {
        var options = try output.liveOptions()
        try Clearing.permit(options, confirmation: confirm)
        output.showProgress(&options)
        let report = try device.run(.clear(user: user), recording: record, quietly: output.quiet, options: options)
        report.show(output)
        try device.conclude(report, output)
    }
}
