import ArgumentParser
import CuffCore
import CuffIngest

struct Note: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "note", "Attaches a note, medication, posture or arm to readings.",
        """
        On readings of any kind; their values stay as they are. An empty text removes a remark, --clear all of them; \
        removed remarks are not kept. Remarks are shown, exported and printed in the report; they never leave this machine in a problem report. \
        A changed reading is exported again by exports with --new and sent again to sinks that had it.
        """,
        examples: [
            "cuff note 20260505T073100-45d9621ae0ee0919 --note \"after the stairs\"": "A note.",
            "cuff note 20260505T073100-45d9621ae0ee0919 20260505T073300-9f0c61d2a4b7e3f0 --arm left --posture sitting":
                "The arm and the posture of two readings.",
            "cuff note 20260505T073100-45d9621ae0ee0919 --medication ''": "Removes one remark.",
        ])

    @Argument(help: "Ids, as `cuff show --format plain` prints them.") var ids: [String]
    @OptionGroup var said: RemarkOptions
    @Flag(help: "Remove all remarks.") var clear = false
    @OptionGroup var database: DatabaseOption

    func run() throws {
        try Flags.refuse("a remark", when: clear && !said.changes.isEmpty, why: "--clear removes all of them")
        guard clear || !said.changes.isEmpty else {
            throw IngestError(.usage, "there is no remark", hint: "add --note, --medication, --posture or --arm, or --clear")
        }
        _ = try said.remarks()
        let ids = try ReadingSelection.ids(ids)
        let store = try database.store(.write)
        let count = try store.remark(ids, clear ? Remarks.Key.allCases.map { ($0, "") } : said.changes)
        try store.close()
        Terminal.say("cuff: \(Plural.text(count, "reading")) changed\(count < ids.count ? ", \(ids.count - count) unchanged" : "")")
    }
}
