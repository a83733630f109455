import Foundation
import Glibc
import TestSupport
import Testing

/// `cuff import` and the verbs around it, as a user runs them.
@Suite(.timeLimit(.minutes(3))) struct ImportVerbTests {
    private static let withings =
        "Date,Heart rate,Systolic,Diastolic,Comments\n2026-05-05 07:33:10,71,128,82,\n2026-05-05 21:05:09,66,134,,\n"
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func cuff(_ arguments: String..., input: String = "") async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", folder.path("bp.db")], input: Array(input.utf8))
    }

    private func readings() async throws -> [[String: Any]] { try await cuff("show", "--json").objects("blood_pressure") }

    @Test func withoutTerminal_ItNeedsYes() async throws {
        let file = try folder.write("bp.csv", Self.withings)
        let asked = try await cuff("import", file)
        #expect(asked.status == 64 && asked.errors.contains("nothing was imported: not confirmed") && asked.errors.contains("--yes"))
        let dry = try await cuff("import", file, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("new") && dry.output.contains("128/82"), "\(dry.output)")
        #expect(dry.output.contains("refused: line 3: half a blood pressure"), "\(dry.output)")
        #expect(!FileManager.default.fileExists(atPath: folder.path("bp.db")))
        let done = try await cuff("import", file, "--yes")
        #expect(done.status == 0)
        #expect(done.errors.contains("bp.csv: 1 read, 1 imported, 1 refused"), "\(done.errors)")
        #expect(done.errors.contains("times without a zone are read in UTC"), "\(done.errors)")
        let stored = try await readings()
        #expect(stored.count == 1)
        let reading = try #require(stored.first)
        #expect(reading["origin"] as? String == "import" && reading["driver"] as? String == "import-withings")
        #expect(reading["device"] as? String == "bp.csv" && reading["device_time"] as? String == "2026-05-05T07:33:10")
    }

    @Test func aMissingFile_NeedsNoConfirmation() async throws {
        for more in [[], ["--dry-run"], ["--yes"]] {
            let run = try await CuffProcess.run(["import", folder.path("none.csv"), "--db", folder.path("bp.db")] + more)
            #expect(run.status == 66, "\(more): \(run.errors)")
            #expect(run.errors.contains("none.csv: no such file or directory") && !run.errors.contains("--yes"), "\(run.errors)")
        }
    }

    /// 07:33:10 in Berlin, which has summer time in May.
    @Test(arguments: ["--tz", "--zone"]) func aZone_HasTheNameOfOtherVerbs(_ option: String) async throws {
        let file = try folder.write("bp.csv", Self.withings)
        #expect(try await cuff("import", file, "--yes", option, "Europe/Berlin").status == 0)
        #expect(try await readings().first?["measured"] as? String == "2026-05-05T07:33:10+02:00")
    }

    /// `/dev/stdin` is the pipe of the test, the FIFO what the shell gives for `<(…)`.
    @Test func pipes_AreReadAsFiles() async throws {
        let standard = try await cuff("import", "/dev/stdin", "--dry-run", input: Self.withings)
        #expect(standard.status == 0 && standard.output.contains("128/82"), "\(standard.errors)")
        let fifo = folder.path("bp.csv")
        #expect(mkfifo(fifo, 0o600) == 0)
        let text = Self.withings
        Thread.detachNewThread { try? text.write(to: URL(fileURLWithPath: fifo), atomically: false, encoding: .utf8) }
        let piped = try await cuff("import", fifo, "--yes")
        #expect(piped.status == 0 && piped.errors.contains("bp.csv: 1 read, 1 imported"), "\(piped.errors)")
        #expect(try await readings().count == 1)
        #expect(try await cuff("import", "/dev/null", "--yes").errors.contains("is empty"))
        let directory = try await cuff("import", folder.url.path, "--yes")
        #expect(directory.status == 66, "\(directory.errors)")
    }

    @Test func standardInput_IsReadAsAFile() async throws {
        #expect(try await cuff("import", "-", "--yes", "--user", "2", input: Self.withings).status == 0)
        #expect(try await readings().first?["user"] as? Int == 2)
    }

    @Test func unknownTable_SaysWhatWasLookedFor_AndHowToMapIt() async throws {
        let file = try folder.write("clinic.csv", "When;Upper;Lower\n5.4.2026 07:33;128;82\n")
        let unknown = try await cuff("import", file, "--yes")
        #expect(unknown.status == 65, "\(unknown.errors)")
        #expect(unknown.errors.contains("When;Upper;Lower") && unknown.errors.contains("withings") && unknown.errors.contains("--columns"))
        let mapping = "time=When,sys=Upper,dia=Lower"
        let ambiguous = try await cuff("import", file, "--yes", "--columns", mapping)
        #expect(ambiguous.status == 64 && ambiguous.errors.contains("--dates"), "\(ambiguous.errors)")
        let saved = try await cuff("import", file, "--yes", "--columns", mapping, "--dates", "dmy", "--save", "clinic")
        #expect(saved.status == 0 && saved.errors.contains("--layout clinic"), "\(saved.errors)")
        let next = try folder.write("next.csv", "Lower;When;Upper\n83;6.4.2026 07:33;129\n")
        #expect(try await cuff("import", next, "--yes", "--layout", "clinic").status == 0)
        #expect(try await readings().compactMap { $0["device_time"] as? String } == ["2026-04-05T07:33", "2026-04-06T07:33"])
        let list = try await cuff("import", "--layouts")
        #expect(list.status == 0 && list.output.contains("clinic") && list.output.contains("import-") == false, "\(list.output)")
        let taken = try await cuff("import", file, "--yes", "--columns", mapping, "--save", "fhir")
        #expect(taken.status == 64 && taken.errors.contains("name of a layout"), "\(taken.errors)")
        let other = try await cuff("import", next, "--yes", "--layout", "nothing")
        #expect(other.status == 64 && other.errors.contains("unknown layout `nothing`"), "\(other.errors)")
    }

    @Test func undoImport_IsConfirmed_AndListed() async throws {
        let file = try folder.write("bp.csv", Self.withings)
        #expect(try await cuff("import", file, "--yes").status == 0)
        let asked = try await cuff("db", "undo-import", "bp.csv")
        #expect(asked.status == 64 && asked.errors.contains("--confirm undo"))
        #expect(try await readings().count == 1)
        let undone = try await cuff("db", "undo-import", "bp.csv", "--confirm", "undo")
        #expect(undone.status == 0 && undone.errors.contains("1 reading of bp.csv removed"), "\(undone.errors)")
        #expect(try await readings().isEmpty)
        let list = try await cuff("db", "imports", "--json").objects("import")
        #expect(list.count == 1 && list.first?["readings"] as? Int == 0 && list.first?["undone"] is String)
    }

    @Test func brokenFile_DoesNotStopTheOthers() async throws {
        let good = try folder.write("bp.csv", Self.withings)
        let bad = try folder.write("bad.bin", "\u{1}\u{2}\u{3}")
        let run = try await cuff("import", bad, good, "--yes")
        #expect(run.status == 65, "\(run.errors)")
        #expect(try await readings().count == 1)
        let strict = try await cuff("import", good, "--strict", "--yes")
        #expect(strict.status == 65 && strict.errors.contains("--strict"), "\(strict.errors)")
    }

    @Test func readingsOfSeveralPersons_AreRefused_UnlessTheUserIsNamed() async throws {
        let points = ["anna", "ben"].map {
            """
            {"header":{"schema_id":{"name":"blood-pressure"},"user_id":"\($0)"},"body":{\
            "systolic_blood_pressure":{"value":128,"unit":"mmHg"},"diastolic_blood_pressure":{"value":82,"unit":"mmHg"},\
            "effective_time_frame":{"date_time":"2026-05-05T07:33:1\($0.utf8.count)Z"}}}

            """
        }
        let file = try folder.write("points.jsonl", points.joined())
        let refused = try await cuff("import", file, "--yes")
        #expect(refused.status == 64 && refused.errors.contains("points.jsonl: readings of several persons"), "\(refused.errors)")
        #expect(refused.errors.contains("--user N"), "\(refused.errors)")
        #expect(try await readings().isEmpty)
        #expect(try await cuff("import", file, "--yes", "--user", "2").status == 0)
        #expect(try await readings().map { $0["user"] as? Int } == [2, 2])
    }

    @Test func report_SaysWhichReadingsWereImported() async throws {
        let file = try folder.write("bp.csv", Self.withings)
        #expect(try await cuff("import", file, "--yes").status == 0)
        #expect(try await cuff("add", "130", "84", "--at", "2026-05-06T07:30").status == 0)
        let text = folder.path("report.html")
        let report = try await cuff("report", "-o", text)
        #expect(report.status == 0, "\(report.errors)")
        #expect(try String(contentsOfFile: text, encoding: .utf8).contains("imported"))
    }

    /// At a terminal it shows the readings, asks, and imports only on `y`.
    @Test(arguments: [("n\n", 0), ("y\n", 1)]) func terminal_IsAsked(_ answer: String, _ count: Int) async throws {
        let file = try folder.write("bp.csv", Self.withings)
        let shown = try await onTerminal(["import", file, "--db", folder.path("bp.db")], answer)
        #expect(shown.contains("128/82") && shown.contains("Import 1 reading from bp.csv? [y/N]"), "\(shown)")
        #expect(FileManager.default.fileExists(atPath: folder.path("bp.db")) == (count == 1))
        if count == 1 { #expect(try await readings().count == 1) }
    }

    /// Runs it with a pseudo terminal on all three descriptors; returns what the terminal shows.
    private func onTerminal(_ arguments: [String], _ answer: String) async throws -> String {
        var (master, slave): (Int32, Int32) = (0, 0)
        guard openpty(&master, &slave, nil, nil, nil) == 0 else { throw CocoaError(.fileReadUnknown) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CuffProcess.path)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        (variables["TZ"], variables["XDG_DATA_HOME"]) = ("UTC", folder.path("data"))
        process.environment = variables
        for key in [\Process.standardInput, \.standardOutput, \.standardError] {
            process[keyPath: key] = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        }
        try process.run()
        close(slave)
        return await withCheckedContinuation { [master] continuation in
            Thread.detachNewThread {
                var bytes: [UInt8] = []
                var hasAnswered = false
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let count = read(master, &buffer, buffer.count)
                    // The terminal's other end is closed: EIO.
                    guard count > 0 else { break }
                    bytes += buffer[..<count]
                    if !hasAnswered, String(decoding: bytes, as: UTF8.self).hasSuffix("[y/N] ") {
                        hasAnswered = true
                        _ = Array(answer.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
                    }
                }
                close(master)
                continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
            }
        }
    }
}
