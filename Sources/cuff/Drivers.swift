import ArgumentParser
import CuffCore
import CuffIngest

struct Drivers: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drivers",
        abstract: "Lists the cuff families, or prints the details of one.",
        discussion: "The details list what the driver can do, what reading changes on the cuff, and how well each fact is known.")

    @Argument(help: "A driver id, e.g. and-std.", completion: .list(CuffFamilies.all.map(\.id.description)))
    var driver: String?

    @Flag(help: "One JSON object per driver.") var json = false
    @Flag(help: "The table of the README.") var markdown = false

    @Flag(help: "The udev rules for what is listed.") var udev = false

    func run() throws {
        let forms = [json, markdown, udev].count { $0 }
        guard forms < 2 else {
            throw IngestError(.usage, "--json, --markdown and --udev are three forms of one list", hint: "choose one of them")
        }
        let drivers = try driver.map { [try DriverChoice.named($0)] } ?? CuffFamilies.all
        if json {
            var text = TextBuffer()
            for driver in drivers { DriverSheet.appendJSON(driver, to: &text) }
            Terminal.put(text.string)
        } else if markdown {
            Terminal.put(DriverSheet.markdown(drivers))
        } else if udev {
            Terminal.put(UdevRules.text(for: drivers))
        } else if driver != nil {
            Terminal.put(drivers.map(DriverSheet.text).joined(separator: "\n"))
        } else {
            Self.list(drivers)
        }
    }

    /// What `cuff drivers` prints where nothing else is asked for.
    static func list(_ drivers: [CuffDriver]) {
        Terminal.put(Terminal.outputIsTerminal ? DriverSheet.table(drivers) : DriverSheet.plain(drivers))
    }
}
