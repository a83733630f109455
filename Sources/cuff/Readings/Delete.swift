import ArgumentParser
import CuffIngest

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "delete", "Deletes readings from the database, by id or by filter. It asks first.",
        """
        A tombstone stays: the id alone, so that reading the cuff again does not bring the reading back. --forget removes \
        tombstones. Servers that received a reading get a deletion notice from the next watch or read with the same sink. \
        Files that other sinks wrote are not touched.
        """,
        examples: [
            "cuff delete --user 2 --until 2026-01-01 --dry-run": "How many readings of user 2 from before this year there are.",
            "cuff delete 20260505T073100-45d9621ae0ee0919 --confirm delete": "One reading, without a question.",
        ])

    @Argument(help: "Ids, as `cuff show --format plain` prints them.") var ids: [String] = []
    @OptionGroup var selected: SelectionOptions
    @Flag(name: .shortAndLong, help: "Print what would be deleted, and delete nothing.") var dryRun = false
    @Option(help: "Confirm with `--confirm delete` instead of being asked.") var confirm = ""
    @Flag(help: "Remove the tombstones of these ids, or all, so that the cuff's copies are stored again.") var forget = false

    func run() throws {
        var selection = try selected.readingSelection("delete")
        selection.ids = try ReadingSelection.ids(ids)
        let path = try selected.database.path()
        let store = try selected.store(.write)
        try Flags.refuse("--confirm", when: !confirm.isEmpty && (dryRun || forget), why: "nothing is deleted")
        if forget {
            var filters = selection
            filters.ids = []
            try Flags.refuse("a filter", when: !filters.isEverything, why: "--forget works on ids, or on all tombstones", hint: "name ids")
            try Flags.refuse("--dry-run", when: dryRun, why: "--forget deletes nothing")
            let count = try store.forgetDeletion(of: ids.isEmpty ? nil : selection.ids)
            return Terminal.say("cuff: \(Plural.text(count, "tombstone")) removed")
        }
        try Deletion.permit(selection)
        try store.requireKnown(selection.ids)
        let count = try store.count(selection) + store.damaged(among: selection.ids).count
        // Repeats an earlier overwrite that failed.
        if count == 0 && !dryRun && confirm == "delete" { try store.overwriteRemains() }
        if count == 0 { return Terminal.say("cuff: 0 readings \(dryRun ? "would be " : "")deleted from \(path)") }
        if dryRun || confirm.isEmpty {
            let persons = try store.persons(selection)
            let counted = Plural.text(count, "reading") + (persons.isOne ? "" : ", of \(persons.sentence),")
            if dryRun { return Terminal.say("cuff: \(counted) would be deleted from \(path)") }
            try Deletion.confirm(Terminal.ask("\(counted) will be deleted from \(path). Type `delete` to continue: "))
        } else {
            try Deletion.confirm(confirm)
        }
        Terminal.say("cuff: \(Plural.text(try store.delete(selection), "reading")) deleted")
        for (sink, count) in try store.owedDeletions() {
            Terminal.say("cuff: the next run with \(sink) reports \(Plural.text(count, "deletion")) to it")
        }
    }
}
