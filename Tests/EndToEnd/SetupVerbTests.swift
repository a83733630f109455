import CuffCore
import Foundation
import Testing

@testable import CuffIngest
@testable import cuff

/// Names of users are given only where readings name a user.
@Suite struct SetupVerbTests {
    private let scratch: Scratch
    private var file: String { scratch.path("config.toml") }
    init() throws { scratch = try Scratch() }

    private func setup(_ driver: String, _ names: String...) async throws -> CuffProcess {
        try await CuffProcess.run(
            ["setup", "--yes", "--assign", "port:1-1.2=\(driver),name=hallway", "--output", "-"] + names.flatMap { ["--user-name", $0] },
            environment: ["CUFF_CONFIG": "/dev/null", "HOME": scratch.url.path])
    }

    @Test func namesOfUsers_GoToACuffWhoseReadingsNameThem() async throws {
        let taidoc = try await setup("taidoc", "1=Anna", "2=Ben")
        #expect(taidoc.status == 0 && taidoc.output.contains("users = { 1 = \"Anna\", 2 = \"Ben\" }"), "\(taidoc.output) \(taidoc.errors)")
        // The records of this cuff name the user who is selected on it (MicrolifeBPA100.swift).
        let selected = try await setup("microlife-bpa100", "1=Anna", "2=Ben")
        #expect(selected.status == 0 && selected.output.contains("users = { 1 = \"Anna\", 2 = \"Ben\" }"), "\(selected.errors)")
    }

    @Test func aDeviceOfTheFile_IsNotAddedAgain() async throws {
        func setup(_ assignments: String...) async throws -> CuffProcess {
            try await CuffProcess.run(
                ["setup", "--yes", "--output", file] + assignments.flatMap { ["--assign", $0] },
                environment: ["CUFF_CONFIG": "/dev/null", "HOME": scratch.url.path])
        }
        #expect(try await setup("port:9-1.2=taidoc,name=hallway").status == 0)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let again = try await setup("port:9-1.2=and-std,name=hallway")
        #expect(again.errors.contains("port:9-1.2 is in the configuration already: [device.hallway]"), "\(again.errors)")
        #expect(try String(contentsOfFile: file, encoding: .utf8) == text)
        let other = try await setup("port:9-1.2=taidoc", "port:9-1.3=taidoc")
        #expect(other.status == 0 && other.errors.contains("1 cuff added"), "\(other.errors)")
        let twice = try await setup("port:9-1.4=taidoc", "port:9-1.4=and-std")
        #expect(twice.status == 64, "\(twice.errors)")
        #expect(twice.errors.contains("port:9-1.4 is assigned twice: to taidoc and to and-std"), "\(twice.errors)")
    }

    /// BeurerSerial.swift: the records do not say whose they are.
    @Test func aNameThatNoCuffCanHave_IsRefused() async throws {
        let slots = try await setup("beurer-serial", "1=Anna", "2=Ben")
        #expect(slots.status == 64 && slots.output.isEmpty)
        #expect(slots.errors.contains("no cuff can have `--user-name 1=Anna`: readings of beurer-serial name no user"), "\(slots.errors)")
        #expect(slots.errors.contains("write --user-name '0=Anna' if all"), "\(slots.errors)")
        let owner = try await setup("beurer-serial", "0=Anna")
        #expect(owner.status == 0 && owner.output.contains("cuffs = [\"hallway\"]"), "\(owner.output) \(owner.errors)")
        let users = try await setup("taidoc", "0=Anna")
        #expect(
            users.status == 64 && users.errors.contains("taidoc has several users\n  fix: write --user-name '1=Anna'"), "\(users.errors)")
    }

    @Test func check_NamesSlotsThatGetNoReadings() async throws {
        let text = """
            [device.hallway]
            match = "port:1-1.2"
            driver = "beurer-serial"
            users = { 1 = "Anna" }
            [device.kitchen]
            match = "port:1-1.3"
            driver = "taidoc"
            users = { 1 = "Anna" }
            [person.Ben]
            cuffs = ["hallway:2", "wrist:1"]
            """
        try text.write(toFile: file, atomically: true, encoding: .utf8)
        let check = try await CuffProcess.run(["config", "check", "--config", file])
        #expect(check.status == 0 && check.output.contains("config.toml: ok"), "\(check.output)")
        #expect(
            check.errors.contains("config.toml:3: `hallway:1` gets no readings: those of beurer-serial name no user"), "\(check.errors)")
        #expect(check.errors.contains("fix: write `hallway` in [person.Anna]"), "\(check.errors)")
        #expect(check.errors.contains("config.toml:10: `hallway:2` gets no readings"), "\(check.errors)")
        #expect(!check.errors.contains("kitchen") && !check.errors.contains("wrist"), "\(check.errors)")
    }

    /// The examples that a user copies.
    @Test func examples_BindNoSlotInVain() throws {
        let lines = ConfigText.example.split(separator: "\n").map { $0.hasPrefix("#") && !$0.hasPrefix("# ") ? $0.dropFirst() : $0 }
        let manual = try String(contentsOf: CuffProcess.folder.appendingPathComponent("man/cuff.toml.5"), encoding: .utf8)
        let start = try #require(manual.range(of: "[device.hallway]\n", options: .backwards)).lowerBound
        let end = try #require(manual.range(of: "\n.Ed", range: start..<manual.endIndex)).lowerBound
        for text in [lines.joined(separator: "\n"), String(manual[start..<end])] {
            var configuration = CuffConfiguration()
            try configuration.read(text, file: "example.toml", drivers: CuffFamilies.all)
            #expect(configuration.devices.contains { !$0.users.isEmpty })
            #expect(configuration.idleSlots.isEmpty, "\(configuration.idleSlots)")
        }
    }
}
