import ArgumentParser
import CuffIngest

struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "list", "Lists what is plugged in, which driver would claim it, and whether this user may open it.",
        examples: [
            "cuff list": "What is plugged in, and what a watch would do with it.",
            "cuff list --watch --json": "Also later changes, for a script.",
        ])

    @Flag(help: "Keep running, and print what is plugged in and unplugged.") var watch = false
    @Flag(help: "One JSON object per device.") var json = false
    @Flag(help: "Explain instead how a device is named.") var addresses = false
    @Flag(help: ArgumentHelp("With --addresses: the table of docs/CUFFS.md.", visibility: .hidden)) var markdown = false
    @Option(help: ArgumentHelp("As for `cuff watch`.", valueName: "device=driver")) var assign: [String] = []
    @OptionGroup var file: ConfigOption

    func run() throws {
        if addresses {
            guard !json, !markdown else { return Terminal.put(json ? AddressTable.json : AddressTable.text(isMarkdown: true)) }
            return Terminal.show(AddressTable.text(isMarkdown: false))
        }
        try Flags.refuse("--markdown", when: markdown, why: "the list of devices has no such form", hint: "add --addresses")
        let assignments = try WatchSetup.assignments(config: .files(file.config), assign: assign)
        let listing = DeviceListing(
            assignments: assignments, isJSON: json,
            isTerminal: Terminal.outputIsTerminal, width: Terminal.outputWidth)
        Terminal.put(try listing.plugged())
        guard watch else {
            guard Terminal.outputIsTerminal, !json, let devices = try? DeviceEnumeration.plugged() else { return }
            return Terminal.show("\n" + ListAdvice.text(devices, assignments) { Access.look(at: $0.node) })
        }
        try listing.follow {
            Terminal.put($0)
        } warn: {
            Terminal.say("cuff: \($0)")
        }
    }
}
