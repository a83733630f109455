import CuffCore
import CuffIngest
import Foundation
import Glibc
import TestSupport
import Testing

@testable import cuff

/// What a newcomer types first: models instead of drivers, readings by hand, a cuff that does not answer, a look at everything.
@Suite(.timeLimit(.minutes(3))) struct FirstHourTests {
    private let scratch: Scratch
    private var environment: [String: String] {
        ["XDG_DATA_HOME": scratch.path("data"), "XDG_STATE_HOME": scratch.path("state"), "XDG_CONFIG_HOME": scratch.path("config")]
    }

    init() throws { scratch = try Scratch() }

    private func run(_ arguments: String...) async throws -> CuffProcess { try await CuffProcess.run(arguments, environment: environment) }

    // MARK: Readings by hand

    @Test func slashesAndBlanks_AreTheSameReading() async throws {
        for words in [["128", "82", "71"], ["128/82", "71"], ["128/82/71"]] {
            let run = try await CuffProcess.run(["add"] + words + ["--at", "2026-05-05T07:30"], environment: environment)
            #expect(run.status == 0, "\(words): \(run.errors)")
        }
        let all = try await run("show", "--json").objects("blood_pressure")
        #expect(all.count == 1)
        #expect(all.first?["systolic_mmHg"] as? Int == 128 && all.first?["diastolic_mmHg"] as? Int == 82)
        #expect(all.first?["pulse_per_min"] as? Int == 71)
        for wrong in [["128/82/71", "4"], ["128/"], ["/82"], ["128//82"], ["12x/82"], ["128"]] {
            let run = try await CuffProcess.run(["add"] + wrong, environment: environment)
            #expect(run.status == 64 && run.errors.contains("128/82 71"), "\(wrong): \(run.errors)")
        }
    }

    @Test func aTimeOfDay_MayBeTyped() async throws {
        #expect(try await run("add", "128/82", "--at", "yesterday 21:00").status == 0)
        let reading = try #require(try await run("show", "--json").objects("blood_pressure").first)
        let yesterday = Date().addingTimeInterval(-86400).formatted(.iso8601.year().month().day())
        #expect(reading["measured"] as? String == "\(yesterday)T21:00:00+00:00")
        let wrong = try await run("add", "128/82", "--at", "tomorrow 21:00")
        #expect(wrong.status == 64 && wrong.errors.contains("yesterday 21:00"), "\(wrong.errors)")
    }

    // MARK: Models

    @Test func aModel_IsTakenWhereADriverIs() async throws {
        let cuff = try await SimulatedCuff("beurer-serial", ["--count", "3"], in: scratch)
        // Of the two drivers of a BM58, only beurer-serial reads a serial line.
        let read = try await CuffProcess.run(
            ["read", cuff.port, "--driver", "bm58", "--no-store", "--timeout", "30s"], environment: environment)
        #expect(read.status == 0 && read.objects("blood_pressure").count == 3, "\(read.errors)")
        #expect(read.objects("blood_pressure").first?["driver"] as? String == "beurer-serial")
        let setup = try await run("setup", "--yes", "--assign", "port:1-1.2=bm65 pl2303", "--output", "-")
        #expect(setup.output.contains("driver = \"beurer-serial\""), "\(setup.output) \(setup.errors)")
        let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/last-result.capture").path
        #expect(try await run("replay", capture, "--driver", "tm-2655p").objects("blood_pressure").isEmpty == false)
    }

    @Test func aModelOfSeveralDrivers_OrOfNone_IsRefused() async throws {
        let several = try await run("decode", "--driver", "bm58", "/dev/null")
        #expect(several.status == 64 && several.errors.contains("beurer-hid, beurer-serial"), "\(several.errors)")
        let config = try scratch.write("c.toml", "[device.a]\nmatch = \"port:1-1\"\ndriver = \"bm58\"\n")
        let check = try await run("config", "check", "--config", config)
        #expect(check.status == 78 && check.errors.contains("beurer-hid, beurer-serial"), "\(check.errors)")
        let none = try await run("read", "/dev/null", "--driver", "m7")
        #expect(none.status == 64 && none.errors.contains("cuff drivers m7"), "\(none.errors)")
        let maker = try await run("decode", "--driver", "terumo", "/dev/null")
        #expect(maker.status == 64 && maker.errors.contains("unknown driver `terumo`"), "\(maker.errors)")
    }

    @Test func anUnknownWord_IsNamed() async throws {
        let run = try await run("drivers", "beurer", "xyz99")
        #expect(run.status == 64 && run.errors.contains("`xyz99`") && run.errors.contains("cuff drivers beurer"), "\(run.errors)")
    }

    /// In `setup`: only models that the device's kind of node can carry.
    @Test func anAnswer_IsSoughtAmongWhatTheDeviceCanBe() {
        let serial = PluggedDevice(node: "/dev/ttyUSB0", subsystem: .tty, syspath: "/sys/a")
        let hid = PluggedDevice(node: "/dev/hidraw0", subsystem: .hidraw, syspath: "/sys/b")
        func text(_ answer: String, _ device: PluggedDevice) -> String {
            switch ModelAnswer(answer, for: device) {
            case .driver(let id): "\(id)"
            case .choice(let models): models.map { "\($0.driver)" }.joined(separator: "|")
            case .none(let why): why
            }
        }
        #expect(text("bm58", serial) == "beurer-serial" && text("bm58", hid) == "beurer-hid")
        #expect(text("beurer-hid", hid) == "beurer-hid" && text("beurer-hid", serial).contains("hidraw"))
        let choice = text("A&D", serial).split(separator: "|")
        #expect(Set(choice).count > 1 && choice.count <= ModelAnswer.most, "\(choice)")
        #expect(text("evolv", serial).contains("Bluetooth") && text("nothing-like-it", serial).contains("nothing-like-it"))
    }

    // MARK: No answer

    /// A pseudo terminal on which nothing answers.
    private func silentPort() throws -> (path: String, close: () -> Void) {
        var (master, slave): (Int32, Int32) = (0, 0)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &slave, &name, nil, nil) == 0 else { throw CocoaError(.fileReadUnknown) }
        let (first, second) = (master, slave)
        return (
            String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self),
            {
                close(first)
                close(second)
            }
        )
    }

    @Test func aCuffThatDoesNotAnswer_HasThreeLikelyCauses() async throws {
        let port = try silentPort()
        defer { port.close() }
        let read = try await run("read", port.path, "--driver", "and-std", "--timeout", "1s")
        #expect(read.status == 124)
        // AndStd.swift: 9600 8N1, also 2400.
        for part in [
            "likely causes: the cuff is not ready", "9600 8N1", "2400 8N1", "not a cuff of and-std", "next: cuff identify \(port.path)",
        ] {
            #expect(read.errors.contains(part), "\(part): \(read.errors)")
        }
        let beurer = try await run("read", port.path, "--driver", "beurer-serial", "--timeout", "1s")
        #expect(beurer.errors.contains("press MEM until the display shows PC mode"), "\(beurer.errors)")
        let quiet = try await run("read", port.path, "--driver", "and-std", "--timeout", "1s", "--quiet")
        #expect(!quiet.errors.contains("likely causes"), "\(quiet.errors)")
        // Other verbs do not read the driver after a device.
        let named = try await run("read", "\(port.path),driver=and-std", "--timeout", "1s")
        #expect(named.errors.hasSuffix("next: cuff identify \(port.path)\n"), "\(named.errors)")
        // Not at a terminal.
        #expect(!read.errors.contains("waiting for the cuff"))
    }

    /// Every driver has three causes and a next command.
    @Test func everyDriver_HasAdvice() {
        for driver in CuffFamilies.all {
            let advice = NoAnswer(driver, at: "/dev/x", line: nil)
            #expect(Set(advice.causes).count == 3 && advice.next.hasSuffix(" /dev/x"), "\(driver.id)")
            #expect(driver.preparation?.hasSuffix(".") != true, "\(driver.id)")
        }
    }

    @Test(arguments: [60, 120]) func atATerminal_TheWaitIsShown(_ columns: Int) async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else {
            return print("note: script(1) is not installed; the terminal was not checked")
        }
        let port = try silentPort()
        defer { port.close() }
        let command = "\(CuffProcess.path) read \(port.path) --driver beurer-serial --no-store --timeout 4s"
        let run = try await CuffProcess.run(
            executable: "/usr/bin/script", ["-qec", "stty cols \(columns); \(command)", "/dev/null"], environment: environment)
        #expect(
            run.output.contains(
                "waiting for the cuff (connect it, switch it on, choose the user, and press MEM until the display shows PC mode) …"),
            "\(run.output)")
    }

    /// The simulated cuff's clock is of 2026-05-05, or this computer's clock is wrong.
    @Test func aClockThatIsFarOff_IsShownAtATerminal() async throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/script") else {
            return print("note: script(1) is not installed; the terminal was not checked")
        }
        let cuff = try await SimulatedCuff("microlife-bpa100", ["--count", "2"], in: scratch)
        let command = "\(CuffProcess.path) read \(cuff.port) --driver microlife-bpa100 --no-store --timeout 30s"
        let run = try await CuffProcess.run(executable: "/usr/bin/script", ["-qec", command, "/dev/null"], environment: environment)
        #expect(run.output.contains("the cuff's clock is far off: 2026-05-05T"), "\(run.output)")
        #expect(run.output.contains("cuff clock \(cuff.port) --driver microlife-bpa100 --set now"), "\(run.output)")
    }

    // MARK: list, doctor, completion

    @Test func doctor_LooksAtTheUsersDatabase_AndLeavesAnIdlePort() async throws {
        let before = try await run("doctor", "--json")
        let absent = try #require(before.objects("check").first { $0["step"] as? String == "database" }, "\(before.output)")
        #expect(absent["state"] as? String == "ok" && (absent["text"] as? String)?.contains(scratch.path("data")) == true)
        #expect(try await run("add", "128/82", "--at", "2026-05-05T07:30").status == 0)
        let after = try await run("doctor", "--json").objects("check")
        let database = after.filter { $0["device"] as? String == "database" }
        #expect(database.map { $0["step"] as? String } == ["database", "file modes"])
        #expect((database.first?["text"] as? String)?.hasSuffix("1 reading") == true, "\(database)")
        for check in after where (check["device"] as? String)?.hasPrefix("/dev/ttyS") == true {
            #expect(check["state"] as? String == "skipped")
        }
        try Data("no database".utf8).write(to: URL(fileURLWithPath: scratch.path("data/cuff/readings.db")))
        let damaged = try await run("doctor", "--json").objects("check").first { $0["step"] as? String == "database" }
        #expect(damaged?["state"] as? String == "failed", "\(String(describing: damaged))")
    }

    @Test func doctor_ReportsAWrongSection() async throws {
        try FileManager.default.createDirectory(atPath: scratch.path("config/cuff"), withIntermediateDirectories: true)
        _ = try scratch.write("config/cuff/config.toml", "[watch]\nwebb = \"127.0.0.1:6025\"\n")
        let checks = try await run("doctor", "--json").objects("check")
        let wrong = try #require(checks.first { $0["step"] as? String == "settings" }, "\(checks)")
        #expect(wrong["state"] as? String == "failed" && (wrong["text"] as? String)?.contains("webb") == true)
    }

    @Test func completion_OffersDevices() async throws {
        let words = try await run("---completion", "read", "--", "positional@0", "0", "0", "")
        #expect(words.lines.contains("auto"), "\(words.output)")
        _ = try scratch.write("port", "")
        #expect(DeviceChoice.candidates(scratch.path("po")).contains(scratch.path("port")))
        #expect(DeviceChoice.candidates("au") == ["auto"])
    }

    @Test func theNextStep_IsSaid() {
        let assigned = Assignment(.node("/dev/ttyUSB0"), driver: "taidoc")
        let bridge = PluggedDevice(node: "/dev/ttyUSB0", subsystem: .tty, syspath: "/sys/a")
        let text = ListAdvice.text([bridge], [assigned]) { _ in .granted }
        #expect(text == "Read it: cuff read /dev/ttyUSB0\n")
        #expect(ListAdvice.text([], []) { _ in .granted }.contains("cuff drivers MODEL"))
        // A built-in port is no reason to ask.
        #expect(ListAdvice.text([bridge], []) { _ in .granted }.hasPrefix("No cuff is recognised."))
    }

    /// With a systemctl that writes down what it is asked.
    @Test(arguments: [nil, "restart cuff.service"]) func setup_StartsTheService(_ failing: String?) throws {
        let (asked, program) = (scratch.path("asked"), scratch.path("systemctl"))
        try TestProgram.write("#!/bin/sh\necho \"$*\" >>\(asked)\n[ \"$*\" != \"\(failing ?? "")\" ]\n", to: program)
        ServiceStart.offer(isAgreed: true, systemctl: program)
        #expect(
            try String(contentsOfFile: asked, encoding: .utf8)
                == "cat cuff.service\ndaemon-reload\nenable cuff.service\nrestart cuff.service\n")
        // Without the unit nothing is started.
        try FileManager.default.removeItem(atPath: asked)
        try TestProgram.write("#!/bin/sh\necho \"$*\" >>\(asked)\nexit 1\n", to: program)
        ServiceStart.offer(isAgreed: true, systemctl: program)
        #expect(try String(contentsOfFile: asked, encoding: .utf8) == "cat cuff.service\n")
    }

    // MARK: Intended use

    @Test func clinicalVerbs_ReadmeAndReport_SayWhatTheyAreFor() async throws {
        let use = Help.intendedUse
        let readme = try String(contentsOf: CuffProcess.folder.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(readme.replacing("**", with: "").contains(use))
        for verb in ["average", "stats", "report", "ambulatory"] {
            let help = try await run(verb, "--help").output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(help.contains(use), "\(verb)")
        }
        #expect(try await run("add", "128/82", "--at", "2026-05-05T07:30").status == 0)
        #expect(try await run("report", "-o", "-").output.contains("not a medical device"))
    }
}
