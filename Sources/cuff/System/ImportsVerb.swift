import ArgumentParser
import CuffCore
import CuffIngest

/// `cuff db imports`.
struct ListImports: ParsableCommand {
    static let configuration = CommandConfiguration(
        part: "imports", "Lists the imports, with their names for undo-import.",
        "Undone imports stay in the list.",
        examples: [
            "cuff db imports": "This user's database.",
            "cuff db imports --json | jq -r 'select(.undone == null).name'": "The names of those that are not undone.",
        ])
    @OptionGroup var database: DatabaseOption
    @Flag(help: "One JSON object for each import.") var json = false

    func run() throws {
        let imports = try Store(try database.path(), access: .read).imports()
        if json {
            let lines = imports.map { one in
                JSONOutput.line(
                    "import", ("name", .text(one.name)), ("file", .text(one.file)), ("layout", .text(one.layout)),
                    ("imported", .text(one.imported)), ("undone", one.undone.map { .text($0) }), ("readings", .number(one.readings)))
            }
            return Terminal.put(lines.joined())
        }
        let rows = imports.map { one in
            [one.name, one.layout, one.imported, one.undone.map { "undone \($0)" } ?? Plural.text(one.readings, "reading")]
        }
        guard !rows.isEmpty || !Terminal.outputIsTerminal else { return Terminal.say("cuff: no imports") }
        Terminal.list(["NAME", "LAYOUT", "IMPORTED", "STATE"], rows, wrapping: 0)
    }
}

/// `cuff db undo-import`.
struct UndoImport: ParsableCommand {
    static let configuration = CommandConfiguration(
        part: "undo-import", "Removes every reading that one import added. It asks first.",
        """
        Readings that were stored before the import, or that a cuff delivered, stay. A later version of an imported reading belongs to \
        the import that added the reading. Importing the file again restores the readings.
        """,
        examples: [
            "cuff db undo-import bp.csv": "The names are in `cuff db imports`.",
            "cuff db undo-import bp.csv --confirm undo": "Without a question.",
        ])
    @Argument(help: "The name of the import.") var name: String
    @OptionGroup var database: DatabaseOption
    @Option(help: ArgumentHelp("Confirm with `--confirm undo` instead of being asked.", valueName: "word")) var confirm = ""
    @Flag(help: "Print a JSON object.") var json = false

    func run() throws {
        let path = try database.path()
        try Store.require(path)
        let store = try Store(path, access: .write)
        if let record = try store.imports().first(where: { $0.name == name }), record.undone == nil {
            let question = "\(Plural.text(record.readings, "reading")) of \(name) will be removed. Type `undo` to continue: "
            guard Terminal.isConfirmed("undo", given: confirm, question) else {
                throw IngestError(.usage, "nothing was removed: not confirmed", hint: "add --confirm undo")
            }
        }
        let count = try store.undoImport(name)
        try store.close()
        guard json else { return Terminal.say("cuff: \(Plural.text(count, "reading")) of \(name) removed") }
        Terminal.put(JSONOutput.line("undo_import", ("name", .text(name)), ("removed", .number(count))))
    }
}
