import ArgumentParser
import CuffIngest

struct Decode: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "decode", "Turns raw bytes of a cuff into readings.",
        """
        Only frames of the named driver are looked for. A pcapng file is recognised by its first bytes: serial bytes, or a usbmon capture.
        """,
        examples: [
            "cat /dev/ttyUSB0 | cuff decode --live --driver omron-hbp | jq .systolic_mmHg":
                "Readings as they arrive; the port was set with stty before.",
            "cuff decode --driver phd --explain dump.bin": "Each message as a tree of fields and values.",
        ])

    @Option(help: ArgumentHelp("The driver's id, or the cuff's model.", valueName: "id|model"), completion: DriverChoice.completion)
    var driver: String
    @Argument(help: "A file; `-` or nothing reads standard input.", completion: .file()) var file: String = "-"
    @Flag(help: "The bytes come from a cuff right now: readings get their receive time.") var live = false
    @Flag(
        help: ArgumentHelp(
            "Print what each byte is: the values it carries, check, structure, or not known (phd: a tree of fields).",
            discussion: "The driver itself finds it out: each byte is changed, and the frame decoded again.")
    ) var explain = false
    @Option(help: Help.clockZone) var tz: String?
    @OptionGroup var usb: USBOptions
    @Flag(help: Help.keepPatient) var keepPatient = false
    @OptionGroup var output: OutputOptions

    func run() throws {
        let driver = try DriverChoice.named(driver).id.description
        if explain {
            try Flags.refuse("--live", when: live, why: "--explain prints fields, not readings")
            try Flags.refuse("--sink", when: !output.sink.isEmpty, why: "--explain prints fields, not readings")
            try Flags.refuse("--raw", when: output.raw, why: "--explain prints the bytes already")
            try Flags.refuse("--json", when: output.json, why: "--explain prints text")
            return try Explaining.run(
                file, driver: driver, options: try DriverChoice.options(output.option), selection: try usb.selection()
            ) { Terminal.show($0) }
        }
        var options = try output.ingestOptions()
        options.keepsPatients = keepPatient
        options.zone = try tz.map { try HostZone.named($0) }
        options.stop.watch()
        output.showProgress(&options)
        let report = try Ingest.decode(
            driver: driver, input: .path(file), isLive: live, selection: try usb.selection(), options: options)
        report.showSinks(output)
        try report.conclude(output)
    }
}
