import ArgumentParser
import CuffCore
import CuffIngest

struct Drivers: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "drivers", "Finds the driver of a cuff by model, maker or USB id, or prints the details of one.",
        """
        Without a word it lists the drivers and their models. The details of a driver tell what it can do, what reading changes \
        on the cuff, and how well each fact is known. Models that cannot be read here are found too, with the reason and what to \
        do instead.

        For the recording of a cuff that no driver reads, --draft prints what its bytes show: frames, checks that hold, and bytes \
        that count or look like dates and pressures. Send it with the recording (CONTRIBUTING.md).
        """,
        examples: [
            "cuff drivers bm58": "Which driver reads a Beurer BM58, and how.",
            "cuff drivers 0403:6001": "Cuffs behind this USB id (`lsusb` prints it).",
            "cuff drivers beurer-serial": "Everything that is known about one driver.",
            "cuff drivers --draft unknown.capture": "A draft of a driver's sheet for an unknown cuff.",
            "cuff drivers --json | jq -r '.models[]'": "Every model, for a script.",
        ])

    @Argument(help: "A driver's id, or words to search for: a model, a maker, a USB id.", completion: DriverChoice.completion)
    var words: [String] = []

    @Flag(help: "One line for each model instead of each driver, those included that cannot be read.") var models = false
    @Flag(help: "One JSON object for each driver; for a search or with --models, for each model.") var json = false
    @Flag(help: ArgumentHelp("The table of docs/CUFFS.md; with --models that of docs/MODELS.md.", visibility: .hidden)) var markdown = false
    @Flag(help: "Print the udev rules for these drivers.") var udev = false
    @Option(help: ArgumentHelp("Print what the bytes of an unknown cuff's recording show.", valueName: "file"), completion: .file())
    var draft: String?

    func run() throws {
        let forms = [json, markdown, udev].count { $0 }
        guard forms < 2 else {
            throw IngestError(.usage, "--json, --markdown and --udev are three forms of one list", hint: "choose one of them")
        }
        if let draft {
            try Flags.refuse(
                "--draft", when: models || markdown || udev || !words.isEmpty, why: "it prints a sheet for this recording alone")
            return try Self.print(Identifying.draft(draft), json: json)
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

    private static func print(_ draft: RecordingDraft, json: Bool) {
        if json {
            Terminal.put(
                draft.observations.map { JSONOutput.line("observation", ("name", .text($0.name)), ("text", .text($0.text))) }.joined())
        } else {
            let lines = draft.observations.map { $0.name + String(repeating: " ", count: max(1, 14 - $0.name.count)) + $0.text + "\n" }
            Terminal.show("draft         each line is a guess from the bytes alone\n" + lines.joined())
        }
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
