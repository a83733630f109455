import ArgumentParser
import CuffCore
import CuffIngest

struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes readings from the database, by id or by filter. It asks first.",
        discussion: """
            A tombstone stays: the id alone, so that reading the cuff again does not bring the reading back. --forget lifts \
            tombstones. Files that other sinks wrote are not touched.
            """)

    @Argument(help: "Ids, as `cuff show --format plain` prints them.") var ids: [String] = []
    @OptionGroup var selected: SelectionOptions
    @Flag(name: .shortAndLong, help: "Only say what would be deleted.") var dryRun = false
    @Option(help: "Write `delete` here to confirm without being asked.") var confirm = ""
    @Flag(help: "Lift the tombstones of these ids, or all, so that the cuff's copies are taken again.") var forget = false

    func run() throws {
        var selection = try selected.readingSelection("delete")
        selection.ids = try ReadingSelection.ids(ids)
        let path = try selected.database.path()
        let store = try selected.store(.write)
        try Flags.refuse("--confirm", when: !confirm.isEmpty && (dryRun || forget), why: "nothing is deleted")
        if forget {
            var filters = selection
            filters.ids = []
            try Flags.refuse("a filter", when: !filters.isEverything, why: "--forget takes ids, or lifts all", hint: "name ids")
            try Flags.refuse("--dry-run", when: dryRun, why: "--forget deletes nothing")
            let count = try store.forgetDeletion(of: ids.isEmpty ? nil : selection.ids)
            return Terminal.say("cuff: \(count) tombstones lifted")
        }
        try Deletion.permit(selection)
        let count = try store.count(selection)
        // What an earlier deletion could not overwrite.
        if count == 0 && !dryRun && confirm == "delete" { try store.overwriteRemains() }
        if dryRun || count == 0 { return Terminal.say("cuff: \(count) readings would be deleted from \(path)") }
        let answer =
            confirm.isEmpty ? Terminal.ask("\(count) readings will be deleted from \(path). Write `delete` to go on: ") : confirm
        try Deletion.confirm(answer)
        Terminal.say("cuff: \(try store.delete(selection)) readings deleted")
    }
}
