import ArgumentParser
import CuffCore
import CuffIngest

/// Facts that a USB capture may lack.
struct USBOptions: ParsableArguments {
    @Option(help: ArgumentHelp("In a USB capture: the device BUS.ADDRESS or VVVV:PPPP instead of the first.", valueName: "device"))
    var usb: String?
    @Option(
        help: ArgumentHelp("The bridge chip, where a USB capture does not show it: ftdi, serial, hid or cp2110.", valueName: "chip"),
        completion: .list(USBConversation.Chip.allCases.map(\.rawValue)))
    var chip: String?

    func selection() throws -> CaptureSelection { try CaptureSelection(usb: usb, chip: chip) }
}
