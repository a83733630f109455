import Foundation
import TestSupport
import Testing

/// The files of `make install`, and how the scripts in `.ci` judge their parts, with stand-ins for the parts.
@Suite struct BuildScriptTests {
    private let scratch: Scratch
    init() throws { scratch = try Scratch() }

    private func make(_ arguments: String...) async throws -> CuffProcess {
        try await CuffProcess.run(
            executable: "/usr/bin/make",
            ["-C", CuffProcess.folder.path, "--no-print-directory", "BINARY=\(CuffProcess.path)", "DESTDIR=\(scratch.path("root"))"]
                + arguments, environment: ["MAKEFLAGS": "", "MAKELEVEL": "0"])
    }

    private func files() throws -> Set<String> {
        let root = scratch.path("root")
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return Set(
            names.filter {
                var isFolder: ObjCBool = false
                return FileManager.default.fileExists(atPath: "\(root)/\($0)", isDirectory: &isFolder) && !isFolder.boolValue
            })
    }

    /// Rules are read from the folders in udev(7); the hwdb from those in hwdb(7), /etc and /usr only. /lib is the spelling that
    /// Debian's trigger watches.
    @Test(arguments: [
        ("/usr/local", "usr/local/lib/udev/rules.d", "etc/udev/hwdb.d", "usr/local/lib/systemd/system"),
        ("/usr", "lib/udev/rules.d", "lib/udev/hwdb.d", "usr/lib/systemd/system"),
        ("/opt/cuff", "etc/udev/rules.d", "etc/udev/hwdb.d", "etc/systemd/system"),
    ])
    func install_PutsFilesWhereTheyAreRead(_ prefix: String, _ rules: String, _ hwdb: String, _ units: String) async throws {
        let run = try await make("PREFIX=\(prefix)", "install")
        #expect(run.status == 0, "\(run.errors)")
        let files = try files()
        #expect(files.contains("\(rules)/70-cuff.rules"))
        #expect(files.contains("\(hwdb)/70-cuff.hwdb"))
        #expect(files.isSuperset(of: ["\(units)/cuff.service", "\(units)/cuff@.service", "\(prefix.dropFirst())/bin/cuff"]))
        // Program, rules, hwdb, two units, a drop-in, three completions, and manual pages.
        let pages = files.filter { $0.contains("/share/man/") }
        #expect(files.count == 9 + pages.count)
        #expect(pages.isSuperset(of: ["\(prefix.dropFirst())/share/man/man1/cuff.1", "\(prefix.dropFirst())/share/man/man5/cuff.toml.5"]))
        #expect(pages.allSatisfy { $0.contains(/man([157])\/[a-z.-]+\.\1$/) }, "\(pages)")
        let unit = try String(contentsOfFile: scratch.path("root/\(units)/cuff.service"), encoding: .utf8)
        #expect(unit.contains("ExecStart=\(prefix)/bin/cuff watch"))
        // The remaining steps are printed, and nothing was built.
        #expect(run.output.contains("systemd-hwdb update") && run.output.contains("udevadm trigger"))
        #expect(!run.output.contains("swift build"))
        let removed = try await make("PREFIX=\(prefix)", "uninstall")
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(try self.files().isEmpty)
    }

    @Test func install_WithoutABuild_SaysSo() async throws {
        let run = try await make("BINARY=\(scratch.path("none"))", "install")
        #expect(run.status == 2)
        #expect(run.errors.contains("run `make build` first"))
        #expect(try files().isEmpty)
    }

    // MARK: .ci/pins

    /// Runs a modified copy of the inputs of `.ci/pins`.
    private func pins(_ words: [String], _ change: (String) throws -> Void = { _ in }) async throws -> CuffProcess {
        let place = scratch.path(UUID().uuidString)
        for file in [".ci/pins", ".ci/floating", ".ci/Package.resolved", ".github/workflows/ci.yml", "Package.swift"] {
            let target = URL(fileURLWithPath: "\(place)/\(file)")
            try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: CuffProcess.folder.appendingPathComponent(file), to: target)
        }
        try change(place)
        return try await CuffProcess.run(executable: "\(place)/.ci/pins", words)
    }

    private func replace(_ text: String, by other: String, in file: String) throws {
        let content = try String(contentsOfFile: file, encoding: .utf8)
        #expect(content.contains(text), "\(file) has no \(text)")
        try content.replacing(text, with: other).write(toFile: file, atomically: true, encoding: .utf8)
    }

    @Test func whatFloats_IsFound() async throws {
        for words in [["check"], ["floating"]] {
            let run = try await pins(words)
            #expect(run.status == 0 && run.output.isEmpty, "\(words): \(run.output)\(run.errors)")
        }
        let later = try await pins(["check"]) { try replace("from: \"1.8.2\"", by: "from: \"1.99.0\"", in: "\($0)/Package.swift") }
        #expect(later.status == 1 && later.output.contains("is pinned to 1.8.2; Package.swift asks for 1.99.0"))
        let tagged = try await pins(["floating"]) { place in
            let workflow = "\(place)/.github/workflows/ci.yml"
            let text = try String(contentsOfFile: workflow, encoding: .utf8).replacing(/checkout@[0-9a-f]{40}/, with: "checkout@v4")
            try text.write(toFile: workflow, atomically: true, encoding: .utf8)
        }
        #expect(tagged.status == 1 && tagged.output.contains(": actions/checkout@v4"), "\(tagged.output)")
        let idle = try await pins(["floating"]) {
            try Data("gone:1 no reason\n".utf8).write(to: URL(fileURLWithPath: "\($0)/.ci/floating"))
        }
        #expect(idle.status == 1 && idle.output.contains("gone:1 is excused in .ci/floating and used nowhere"))
    }

    @Test func aRelease_NeedsEveryCommit() async throws {
        let missing = try await pins(["use", scratch.path("")]) { place in
            let file = "\(place)/.ci/Package.resolved"
            let text = try String(contentsOfFile: file, encoding: .utf8).replacing(/"revision" : "[0-9a-f]+",/, with: "")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
        }
        #expect(missing.status == 1 && missing.output.contains("swift-argument-parser 1.8.2 has no commit"), "\(missing.output)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("Package.resolved")))
    }

    // MARK: .ci/run

    /// Runs a copy of the scripts with these shell lines as parts.
    private func ci(_ parts: [String: String]) async throws -> CuffProcess {
        let place = scratch.path(UUID().uuidString)
        for folder in [".ci", "Tests/Kernel", "bin"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(folder)", withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(atPath: CuffProcess.folder.path + "/.ci/run", toPath: "\(place)/.ci/run")
        func script(_ path: String, _ text: String) throws { try TestProgram.write("#!/bin/sh\n\(text)\n", to: "\(place)/\(path)") }
        let targets = parts.filter { !["kernel", "remote"].contains($0.key) }.map { "[ $1 = \($0.key) ] && { \($0.value); }" }
        try script("bin/make", targets.joined(separator: "\n") + "\nexit 0")
        try script(".ci/instructions", "exit 0")
        try script(".ci/remote", parts["remote"] ?? "exit 0")
        try script("Tests/Kernel/run", parts["kernel"] ?? "exit 0")
        return try await CuffProcess.run(
            executable: "/bin/sh", ["\(place)/.ci/run"], environment: ["PATH": "\(place)/bin:/usr/bin:/bin"])
    }

    @Test func ci_IsTheSumOfItsParts() async throws {
        let all = try await ci([:])
        #expect(all.status == 0, "\(all.output)")
        #expect(all.lines.last == "== 8 held; skipped: none; failed: none")
        let unbuilt = try await ci(["build": "exit 1"])
        #expect(unbuilt.status == 1)
        #expect(unbuilt.lines.last == "== 6 held; skipped: kernel; failed: build")
        let wrong = try await ci(["kernel": "echo 'FAILED  a reading'; exit 1"])
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("FAILED  a reading"))
        // A skipped part does not count as passed.
        let skipped = try await ci(["kernel": "echo 'skipped: no machine here' >&2; exit 77"])
        #expect(skipped.status == 0)
        #expect(skipped.output.contains("== kernel: skipped: no machine here"))
        #expect(skipped.lines.last == "== 7 held; skipped: kernel; failed: none")
        let servers = try await ci(["remote": "echo '-- fleet: failed with 1'; exit 1"])
        #expect(servers.status == 1 && servers.output.contains("-- fleet: failed with 1"))
        #expect(servers.lines.last == "== 7 held; skipped: none; failed: remote")
        let withoutServers = try await ci(["remote": "echo 'skipped: mqtt: no broker here'; exit 77"])
        #expect(withoutServers.output.contains("== remote: skipped: mqtt: no broker here"))
    }

    @Test(arguments: [(2, Int32(0)), (3, Int32(1))])
    func ci_ListsWhatPassedTheSecondTime_AndTwoAreTheMost(_ count: Int, _ status: Int32) async throws {
        let names = (1...count).map { "test\($0)" }
        let run = try await ci(["test-run": "printf '\(names.joined(separator: "\\n"))\\n' >>\"$CUFF_SECOND_TRY\"; exit 0"])
        #expect(run.status == status, "\(run.output)")
        #expect(names.allSatisfy { run.lines.contains("   \($0)") })
    }

    @Test func ci_TellsTheSumOfItsLimits() async throws {
        let script = CuffProcess.folder.path + "/.ci/run"
        let run = try await CuffProcess.run(executable: "/bin/sh", [script, "limits"])
        let minutes = try #require(run.lines.first)
        #expect(try String(contentsOfFile: script, encoding: .utf8).contains("together: \(minutes),"))
        #expect(try #require(Int(minutes.prefix { $0.isNumber })) < 80)
    }

    /// Runs `.ci/suite` with a `swift` whose test fails the first time and passes the second time. A run that crashes has no last line.
    private func suite(crashes: Bool) async throws -> CuffProcess {
        let swift = scratch.path("swift")
        try TestProgram.write(
            """
            #!/bin/sh
            if [ -e \(scratch.path("second")) ]; then echo "✔ Test run with 1 test in 1 suite passed after 1 second."; exit 0; fi
            touch \(scratch.path("second"))
            echo "✔ Test good() passed after 1.000 seconds."
            echo "✘ Test flaky() failed after 1 second with 1 issue."
            \(crashes ? "" : "echo '✘ Test run with 2 tests in 1 suite failed after 1 second with 1 issue.'")
            exit 1

            """, to: swift)
        return try await CuffProcess.run(
            executable: "/bin/sh", [CuffProcess.folder.path + "/.ci/suite", "60", "Some", "again"],
            environment: ["SWIFT": swift, "CUFF_SECOND_TRY": scratch.path("names"), "SWIFT_FLAGS": ""])
    }

    @Test func suite_KeepsTheNamesOfWhatPassedTheSecondTime() async throws {
        let run = try await suite(crashes: false)
        #expect(run.status == 0, "\(run.output)")
        #expect(run.output.contains("note: passed only the second time: flaky"))
        #expect(run.output.contains("✘ Test flaky() failed") && !run.output.contains("good()"))
        #expect(try String(contentsOfFile: scratch.path("names"), encoding: .utf8) == "flaky\n")
    }

    @Test func suite_DoesNotTryACrashAgain() async throws {
        let run = try await suite(crashes: true)
        #expect(run.status == 1, "\(run.output)")
        #expect(!FileManager.default.fileExists(atPath: scratch.path("names")))
    }

    // MARK: The kernel's rig

    @Test(arguments: [
        ("SPEED 1: x\nok      a\nlate    b\nEND 0 after 5 s", Int32(0), "1 checks held, 1 late"),
        ("SPEED 1: x\nok      a\nFAILED  b\nEND 1 after 5 s", 1, "1 checks failed"),
        ("SPEED 1: x\nok      a", 1, "did not end within"),
        ("SPEED 4: x\nok      a", 77, "4 times slower"),
        ("SPEED 4: x\nFAILED  a", 1, "1 checks failed"),
        ("", 77, "did not start"),
    ])
    func kernelRig_FailsOnWrongReadings_NotOnASlowMachine(_ said: String, _ status: Int32, _ words: String) async throws {
        guard try await CuffProcess.run(executable: "/bin/uname", ["-m"]).lines.first == "x86_64",
            FileManager.default.isExecutableFile(atPath: "/usr/bin/dpkg")
        else { return print("note: not Debian on x86_64; the kernel rig's verdict was not checked") }
        let place = scratch.path("rig")
        for folder in [".ci", "Tests/Kernel", "bin", ".build/kernel"] {
            try FileManager.default.createDirectory(atPath: "\(place)/\(folder)", withIntermediateDirectories: true)
        }
        try FileManager.default.copyItem(atPath: CuffProcess.folder.path + "/Tests/Kernel/run", toPath: "\(place)/Tests/Kernel/run")
        try Data(said.utf8).write(to: URL(fileURLWithPath: "\(place)/said"))
        for (path, text) in [
            (".ci/packages", "exit 0"), ("Tests/Kernel/image", "exit 0"), ("bin/qemu-system-x86_64", "cat \(place)/said; echo"),
        ] {
            try TestProgram.write("#!/bin/sh\n\(text)\n", to: "\(place)/\(path)")
        }
        let run = try await CuffProcess.run(
            executable: "/bin/bash", ["\(place)/Tests/Kernel/run", CuffProcess.path],
            environment: ["PATH": "\(place)/bin:/usr/bin:/bin", "LIMIT": "20"])
        #expect(run.status == status, "\(run.output) \(run.errors)")
        #expect((run.output + run.errors).contains(words), "\(run.output) \(run.errors)")
    }
}
