import ArgumentParser
import CuffCore
import CuffIngest

struct CaptureVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "capture", "Works on recordings of a cuff.",
        examples: [
            "cuff capture convert night.capture night.pcapng": "From text to a file that Wireshark opens.",
            "cuff capture convert night.pcapng -": "To text on standard output.",
            "cuff capture anonymise night.capture -o to-send.capture": "Without names, serial numbers and dates, to be shared.",
        ], subcommands: [Convert.self, Anonymise.self])

    struct Convert: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "convert", "Converts a capture between text and pcapng, which Wireshark opens.",
            """
            Input is text, pcapng of serial bytes (LINKTYPE_RTAC_SERIAL), and a usbmon capture of a cuff on the USB bus: behind \
            an FTDI, CP210x, PL2303 or CH340 chip, as CDC-ACM or as HID. The suffix of the new file selects its format.
            """,
            examples: [
                "cuff capture convert usb.pcapng --usb 0403:6001 --driver beurer-serial two-users.capture":
                    "One device of a USB recording, as text.",
                "cuff capture convert two-users.capture two-users.pcapng": "For Wireshark.",
            ])

        @Argument(help: "A capture; `-` reads standard input.", completion: .file()) var input: String
        @Argument(help: "The new file, .pcapng or any other suffix for text; `-` writes text to standard output.", completion: .file())
        var output: String
        @Option(help: "The cuff family, for captures that name none.", completion: DriverChoice.completion) var driver: String?
        @OptionGroup var usb: USBOptions
        @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false

        func run() throws {
            let report = try CaptureConversion.run(
                from: input, to: output, driver: driver, selection: try usb.selection(), replaces: force)
            for remark in report.remarks { Terminal.say("cuff: \(remark)") }
        }
    }
}
