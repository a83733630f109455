import CuffCore
import Foundation
import Testing

@testable import CuffIngest

/// Readings are stored in and read from the default database.
@Suite(.timeLimit(.minutes(5))) struct DefaultStoreTests {
    private let scratch: Scratch
    private var environment: [String: String] { ["XDG_DATA_HOME": scratch.path("data"), "XDG_STATE_HOME": scratch.path("state")] }
    private var database: String { scratch.path("data/cuff/readings.db") }
    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String..., more: [String: String] = [:]) async throws -> CuffProcess {
        try await CuffProcess.run(arguments, environment: environment.merging(more) { $1 })
    }

    private func read(_ more: [String], _ variables: [String: String] = [:]) async throws -> CuffProcess {
        let cuff = try await SimulatedCuff("beurer-serial", ["--count", "3"], in: scratch)
        return try await CuffProcess.run(
            cuff.arguments("read", ["--timeout", "30s"] + more),
            environment: cuff.environment.merging(environment) { $1 }.merging(variables) { $1 })
    }

    private func kept(_ path: String) throws -> Int? {
        FileManager.default.fileExists(atPath: path) ? try Store(path, access: .read).count() : nil
    }

    @Test func read_KeepsAndPrints_AndEveryVerbFindsThem() async throws {
        let read = try await read([])
        #expect(read.status == 0, "\(read.errors)")
        #expect(read.objects("blood_pressure").count == 3)
        // Not at a terminal.
        #expect(!read.errors.contains("readings.db"))
        #expect(try kept(database) == 3)
        let attributes = try FileManager.default.attributesOfItem(atPath: database)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let folder = try FileManager.default.attributesOfItem(atPath: scratch.path("data/cuff"))
        #expect(folder[.posixPermissions] as? Int == 0o700)
        #expect(try await run("show").lines.count == 3)
        #expect(try await run("export").output.split(whereSeparator: \.isNewline).count == 4)
        #expect(try await run("stats", "--format", "jsonl").objects("statistics").isEmpty == false)
        #expect(try await run("report", "-o", "-").output.contains("<html"))
        #expect(try await run("sinks", "--json").objects("sink").first?["sink"] as? String == "sqlite:\(database)")
        #expect(try await run("add", "128", "82", "71", "--at", "2026-05-05T07:30").status == 0)
        #expect(try kept(database) == 4)
        #expect(try await run("delete", "--source", "manual", "--confirm", "delete").status == 0)
        #expect(try kept(database) == 3)
    }

    @Test(arguments: [["--no-store"], ["--sink", "stdout"]]) func aNamedSink_OrNoStore_KeepsNothing(_ more: [String]) async throws {
        let read = try await read(more)
        #expect(read.status == 0 && read.objects("blood_pressure").count == 3, "\(read.errors)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
    }

    /// A service's standard output is the journal.
    @Test func aService_KeepsInItsStateFolder_AndPrintsNothing() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path("lib"), withIntermediateDirectories: true)
        let read = try await read([], ["STATE_DIRECTORY": scratch.path("lib")])
        #expect(read.status == 0 && read.output.isEmpty, "\(read.errors)")
        #expect(try kept(scratch.path("lib/readings.db")) == 3)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
    }

    @Test func watch_KeepsThem_UnlessTheConfigurationNamesSinks() async throws {
        let cuff = try await SimulatedCuff("beurer-serial", ["--count", "3"], in: scratch)
        let variables = cuff.environment.merging(environment) { $1 }
        let watch = try SpawnedCuff(["watch", "--no-config", "--assign", "\(cuff.port)=beurer-serial"], environment: variables)
        #expect(try await eventually { (try? kept(database)) == 3 }, "\(watch.errors)")
        #expect(try await watch.prints { $0.output.split(separator: "\n").count >= 3 })
        watch.signal(SIGTERM)
        #expect(await watch.end().status == 0)
        let config = try scratch.write("c.toml", "[sink.a]\njsonl = \"\(scratch.path("a.jsonl"))\"\n")
        let other = try SpawnedCuff(
            ["watch", "--config", config], environment: variables.merging(["XDG_DATA_HOME": scratch.path("other")]) { $1 })
        #expect(try await eventually { FileManager.default.fileExists(atPath: scratch.path("a.jsonl")) })
        other.signal(SIGTERM)
        _ = await other.end()
        #expect(!FileManager.default.fileExists(atPath: scratch.path("other")))
    }

    @Test func filters_StoreNothing() async throws {
        let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/bad-check-then-good.capture").path
        #expect(try await run("replay", capture).objects("blood_pressure").count == 1)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
    }

    @Test func withoutAHome_ItSaysSo() async throws {
        let run = try await run("show", more: ["XDG_DATA_HOME": "", "HOME": ""])
        #expect(run.status == 64 && run.errors.contains("XDG_DATA_HOME") && run.errors.contains("--db FILE"), "\(run.errors)")
        let empty = try await self.run("show")
        #expect(empty.status == 66 && empty.errors.contains("cuff read DEVICE --driver ID`"), "\(empty.errors)")
    }
}
