import Foundation
import Testing

/// Verbs that change a database do not create one, and `cuff delete` names what is not there.
@Suite(.timeLimit(.minutes(3))) struct MissingDatabaseTests {
    private static let id = "20260505T073100-45d9621ae0ee0919"

    @Test(arguments: [
        ["delete", id, "--confirm", "delete"], ["delete", "--forget"], ["db", "purge", "--confirm", "purge"],
        ["db", "redecode", "--confirm", "redecode"], ["db", "undo-import", "bp.csv", "--confirm", "undo"],
        ["sinks", "drop", "https://example.org/", "--confirm", "drop"], ["export", "--new", "doctor"],
        ["note", id, "--note", "text"], ["edit", id, "--systolic", "128"],
    ])
    func changing_CreatesNone(_ verb: [String]) async throws {
        let scratch = try Scratch()
        let path = scratch.path("missing/bp.db")
        try FileManager.default.createDirectory(atPath: scratch.path("missing"), withIntermediateDirectories: true)
        let environment = ["XDG_DATA_HOME": scratch.path("data"), "XDG_STATE_HOME": scratch.path("state"), "HOME": scratch.path("home")]
        for database in [["--db", path], []] {
            let run = try await CuffProcess.run(verb + database, environment: environment)
            #expect(run.status == 66 && run.errors.contains("no database"), "\(run.status) \(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("missing")) == [])
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data/cuff")))
    }

    @Test func deletingWhatIsNotThere_IsAnError() async throws {
        let scratch = try Scratch()
        let database = ["--db", scratch.path("bp.db")]
        #expect(try await CuffProcess.run(["add", "128/82", "--at", "2026-05-05T07:30"] + database).status == 0)
        let shown = try await CuffProcess.run(["show", "--json"] + database)
        let id = try #require(shown.objects("blood_pressure").first?["id"] as? String)
        for options in [["--confirm", "delete"], ["--dry-run"]] {
            let run = try await CuffProcess.run(["delete", id, Self.id] + options + database)
            #expect(run.status == 66 && run.errors.contains(Self.id) && !run.errors.contains("would be"), "\(run.errors)")
        }
        #expect(try await CuffProcess.run(["show", "--json"] + database).output == shown.output)
        #expect(try await CuffProcess.run(["delete", id, "--confirm", "delete"] + database).errors.contains("1 reading deleted"))
        // The overwriting of what was deleted can be repeated.
        let again = try await CuffProcess.run(["delete", id, "--confirm", "delete"] + database)
        #expect(again.status == 0 && again.errors.contains("0 readings deleted"), "\(again.errors)")
    }
}
