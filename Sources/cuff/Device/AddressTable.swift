import CuffCore
import CuffIngest

enum AddressTable {
    /// The ways to select a connected device, then every kind of transport.
    private static var rows: [(form: String, help: String, example: String)] {
        TransportKind.choices.map { ($0.form, $0.help, $0.example) } + TransportKind.all.map { ($0.form, $0.help, $0.example) }
    }

    static var json: String {
        rows.map { JSONOutput.line("address_form", ("form", .text($0.form)), ("help", .text($0.help)), ("example", .text($0.example))) }
            .joined()
    }

    static func text(isMarkdown: Bool) -> String {
        if isMarkdown {
            return "| address | what it is | example |\n|---|---|---|\n"
                + rows.map { "| `\($0.form)` | \($0.help) | `\($0.example)` |\n" }.joined()
        }
        guard Terminal.outputIsTerminal else { return rows.map { "\($0.form)\t\($0.help)\t\($0.example)\n" }.joined() }
        let cells = rows.map { [$0.form, $0.help, $0.example] }
        return TextTable(["DEVICE", "WHAT IT IS", "EXAMPLE"], cells, wrapping: 1, optional: [2]).text(width: Terminal.outputWidth)
    }
}
