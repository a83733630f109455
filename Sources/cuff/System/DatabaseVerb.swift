import ArgumentParser
import CuffCore
import CuffIngest

struct DatabaseVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "db", "Backs up, checks and cleans the database, or decodes its records again.",
        "The database is one file with a log beside it, so a plain copy of the file alone may lack the latest readings.",
        examples: [
            "cuff db backup readings-2026-05.db": "A copy in one file, taken while cuff runs.",
            "cuff db check": "Is the database whole?",
            "cuff db redecode": "What would a corrected driver change in what is stored?",
        ], subcommands: [Backup.self, CheckStore.self, Redecode.self, PurgeStore.self, ListImports.self, UndoImport.self])

    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "backup", "Copies the database, with what is still in its log, into one new file.",
            """
            The copy is of one moment, also while a watch writes. It is checked and on disk before it gets its name. To restore it, \
            stop cuff, move the database and the files beside it away, and put the copy in its place.
            """,
            examples: [
                "cuff db backup readings-2026-05.db": "This user's database.",
                "sudo cuff db backup /srv/backup/cuff.db --db /var/lib/cuff/readings.db --force": "The service's, over an older copy.",
            ])
        @Argument(help: "The new file.", completion: .file()) var file: String
        @OptionGroup var database: DatabaseOption
        @Flag(name: .shortAndLong, help: "Replace an existing file.") var force = false
        @Flag(help: "Print a JSON object.") var json = false

        func run() throws {
            let path = try database.path()
            let backup = try Store(path, access: .read).backUp(to: file, replaces: force)
            guard json else { return Terminal.say("cuff: \(Plural.text(backup.readings, "reading")) of \(path) are in \(file)") }
            Terminal.put(
                JSONOutput.line(
                    "backup", ("database", .text(path)), ("file", .text(file)), ("readings", .number(backup.readings)),
                    ("bytes", .number(backup.bytes))))
        }
    }

    struct CheckStore: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "check", "Checks the database: SQLite's structure, then every reading, series and queued line.",
            """
            Nothing is changed. Exits with 65 where something is wrong. Each row has a checksum; one that does not match is damaged, and \
            `show`, `export` and `report` leave it out, say so and exit with 65, too.
            """,
            examples: [
                "cuff db check": "This user's database.",
                "cuff db check --db readings-2026-05.db --json": "A backup, for a script.",
            ])
        @OptionGroup var database: DatabaseOption
        @Flag(help: "One JSON object for each problem, and one with the totals.") var json = false

        func run() throws {
            let path = try database.path()
            let report = try Store(path, access: .read).check()
            if json {
                let lines = report.problems.map { problem in
                    JSONOutput.line(
                        "problem", ("rule", .text(problem.rule)), ("id", problem.id.map { .text($0) }),
                        ("text", .text(problem.description)))
                }
                let total = JSONOutput.line(
                    "database_check", ("database", .text(path)), ("readings", .number(report.readings)),
                    ("deleted", .number(report.deleted)), ("problems", .number(report.count)), ("unverified", .number(report.unverified)))
                Terminal.put(lines.joined() + total)
            } else if report.count == 0 {
                let deleted = report.deleted > 0 ? ", \(Plural.text(report.deleted, "tombstone")) of deleted ones" : ""
                let unverified =
                    report.unverified > 0
                    ? "; \(report.unverified) without a checksum: of an earlier version, or edited by another program" : ""
                Terminal.show("\(path): ok, \(Plural.text(report.readings, "reading"))\(deleted)\(unverified)\n")
            } else {
                Terminal.show(report.problems.map { StandardErrorLog.harmless($0.description) + "\n" }.joined())
            }
            guard report.count == 0 else { throw IngestError(StoreFault.problems(path, count: report.count)) }
        }
    }

    struct PurgeStore: ParsableCommand {
        static let configuration = CommandConfiguration(
            part: "purge", "Removes obsolete rows and compacts the file.",
            """
            Removed are the tombstones of deleted readings, what is left of them in the outbox, lines for sinks that are gone, and \
            cuffs without readings. A cuff that still has a deleted reading in its memory brings it back when it is read again. \
            Tombstones that an export with --new has not reported yet stay.
            """,
            examples: [
                "cuff db purge --dry-run": "What would be removed.",
                "cuff db purge --confirm purge": "Without a question.",
            ])
        @OptionGroup var database: DatabaseOption
        @Flag(name: .shortAndLong, help: "Print what would be removed, and remove nothing.") var dryRun = false
        @Option(help: ArgumentHelp("Confirm with `--confirm purge` instead of being asked.", valueName: "word")) var confirm = ""
        @Flag(help: "Print a JSON object.") var json = false

        func run() throws {
            try Flags.refuse("--confirm", when: dryRun && !confirm.isEmpty, why: "nothing is removed")
            let path = try database.path()
            if dryRun { return show(try Store(path, access: .read).purgePreview(), path, verb: "would be removed") }
            try Store.require(path)
            let store = try Store(path, access: .write)
            let preview = try store.purgePreview()
            if preview.tombstones > 0 {
                let question =
                    "\(Plural.text(preview.tombstones, "deleted reading")) of \(path) may come back from the cuff. Type `purge` to continue: "
                guard Terminal.isConfirmed("purge", given: confirm, question) else { throw IngestError(StoreFault.purgeNotConfirmed) }
            }
            show(try store.purge(), path, verb: "removed")
            try store.close()
        }

        private func show(_ purge: Store.Purge, _ path: String, verb: String) {
            if json {
                return Terminal.put(
                    JSONOutput.line(
                        "purge", ("database", .text(path)), ("applied", .bool(!dryRun)), ("tombstones", .number(purge.tombstones)),
                        ("kept_tombstones", .number(purge.owedTombstones)), ("outbox_lines", .number(purge.lines)),
                        ("sources", .number(purge.sources)), ("bytes_before", .number(purge.bytesBefore)),
                        ("bytes_after", .number(purge.bytesAfter))))
            }
            let parts = [
                Plural.text(purge.tombstones, "tombstone"), Plural.text(purge.lines, "outbox line"), Plural.text(purge.sources, "cuff"),
            ]
            let freed = dryRun ? "" : "; \(purge.bytesBefore / 1024) KiB before, \(purge.bytesAfter / 1024) KiB now"
            Terminal.show("\(path): \(parts.joined(separator: ", ")) \(verb)\(freed)\n")
            guard purge.owedTombstones > 0 else { return }
            Terminal.say("cuff: \(Plural.text(purge.owedTombstones, "tombstone")) stay until `cuff export --new` has reported them")
        }
    }
}
