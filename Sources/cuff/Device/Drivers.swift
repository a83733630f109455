import ArgumentParser
import CuffCore
import CuffIngest

struct Drivers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drivers", _superCommandName: Cuff.name,
        abstract: "Finds the driver of a cuff by model, maker or USB id, or prints the details of one.",
        discussion: Help.text(
            """
            Without a word it lists the drivers and their models. The details of a driver tell what it can do, what reading changes \
            on the cuff, and how well each fact is known. Models that cannot be read here are found too, with the reason and what to \
            do instead.
            """,
            [
                "cuff drivers bm58": "Which driver reads a Beurer BM58, and how.",
                "cuff drivers 0403:6001": "Cuffs behind this USB id (`lsusb` prints it).",
                "cuff drivers beurer-serial": "Everything that is known about one driver.",
                "cuff drivers --json | jq -r '.models[]'": "Every model, for a script.",
            ]))

    @Argument(help: "A driver's id, or words to search for: a model, a maker, a USB id.", completion: DriverChoice.completion)
    var words: [String] = []

    @Flag(help: "One line for each model instead of each driver, those included that cannot be read.") var models = false
    @Flag(help: "One JSON object for each driver; for a search or with --models, for each model.") var json = false
    @Flag(help: ArgumentHelp("The table of docs/CUFFS.md; with --models that of docs/MODELS.md.", visibility: .hidden)) var markdown = false
    @Flag(help: "Print the udev rules for these drivers.") var udev = false

    func run() throws {
        let forms = [json, markdown, udev].count { $0 }
        guard forms < 2 else {
            throw IngestError(.usage, "--json, --markdown and --udev are three forms of one list", hint: "choose one of them")
        }
        try Flags.refuse("--udev", when: udev && models, why: "rules are for drivers, not models")
        if words.count == 1, !models, let driver = CuffFamilies.named(words[0]) { return print([driver], isOne: true) }
        guard models || !words.isEmpty else { return print(CuffFamilies.all, isOne: false) }
        let found = try words.isEmpty ? CuffModel.list(CuffFamilies.all, UnreachableCuffs.all) : ModelTable.found(words)
        if udev {
            let ids = Set(found.compactMap { if case .driver(let driver) = $0.support { driver.id } else { nil } })
            return Terminal.put(UdevRules.text(for: CuffFamilies.all.filter { ids.contains($0.id) }))
        }
        Terminal.put(
            json
                ? ModelTable.json(found)
                : markdown
                    ? ModelTable.markdown(found)
                    : Terminal.outputIsTerminal ? ModelTable.table(found, width: Terminal.outputWidth) : ModelTable.plain(found))
    }

    private func print(_ drivers: [CuffDriver], isOne: Bool) {
        if json {
            var text = TextBuffer()
            for driver in drivers { DriverSheet.appendJSON(driver, to: &text) }
            Terminal.put(text.string)
        } else if markdown {
            Terminal.put(DriverSheet.markdown(drivers))
        } else if udev {
            Terminal.put(UdevRules.text(for: drivers))
        } else if isOne {
            Terminal.show(drivers.map(DriverSheet.text).joined(separator: "\n"))
        } else {
            Self.list(drivers)
        }
    }

    static func list(_ drivers: [CuffDriver]) {
        Terminal.put(Terminal.outputIsTerminal ? DriverSheet.table(drivers, width: Terminal.outputWidth) : DriverSheet.plain(drivers))
    }
}
