import Foundation
import Testing

/// Each prints the affected name and a hint, exits with the sysexits code, and leaves nothing half-written.
@Suite struct BadInputTests {
    private let and = "and-std"

    private func expect(_ run: CuffProcess, _ status: Int32, _ words: [String], location: SourceLocation = #_sourceLocation) {
        #expect(run.status == status, "\(run.errors)", sourceLocation: location)
        for word in words { #expect(run.errors.contains(word), "`\(word)` is not in: \(run.errors)", sourceLocation: location) }
        #expect(
            run.errors.contains("fix:") || run.errors.contains("Usage:") || run.errors.contains("help"), "no hint in: \(run.errors)",
            sourceLocation: location)
    }

    @Test func aMissingFile_IsNamed() async throws {
        expect(try await CuffProcess.run(["decode", "--driver", and, "/nonexistent/x.bin"]), 66, ["/nonexistent/x.bin", "no such file"])
        expect(try await CuffProcess.run(["replay", "/nonexistent/x.capture"]), 66, ["/nonexistent/x.capture", "no such file"])
    }

    @Test func aDirectory_IsNotAFile() async throws {
        expect(try await CuffProcess.run(["decode", "--driver", and, "/tmp"]), 66, ["/tmp", "directory"])
        expect(try await CuffProcess.run(["replay", "/tmp"]), 66, ["/tmp", "directory"])
    }

    @Test func anEmptyFile_IsSaidToBeEmpty() async throws {
        let scratch = try Scratch()
        let empty = try scratch.write("empty", "")
        expect(try await CuffProcess.run(["decode", "--driver", and, empty]), 65, [empty, "empty"])
        expect(try await CuffProcess.run(["replay", empty]), 65, [empty, "empty"])
    }

    @Test func aBrokenLine_IsNamedByItsNumber() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("broken.capture", "# driver: and-std\n< 16 16\n< 1x\n< 16\n")
        let run = try await CuffProcess.run(["replay", file])
        expect(run, 65, ["\(file):3", "hexadecimal"])
        #expect(run.output.isEmpty)
    }

    @Test func aCapture_IsRecognisedByItsFirstLine_AndIsNotForDecode() async throws {
        let scratch = try Scratch()
        for text in ["\u{FEFF}# driver: and-std\n< 16\n", "\r\n\n< 16 16\n", "0.5 < 16\n", " [12] ! closed\n"] {
            let file = try scratch.write("a.capture", text)
            expect(try await CuffProcess.run(["decode", "--driver", and, file]), 64, ["write `cuff replay \(file)`"])
        }
        // Texts of a cuff.
        for text in ["\r\n120 80\r\n", "120/80\n", "#1 120 80\n"] {
            let file = try scratch.write("a.bin", text)
            let run = try await CuffProcess.run(["decode", "--driver", and, file])
            #expect(!run.errors.contains("is a capture"), "\(run.errors)")
        }
    }

    @Test(
        arguments: [
            ([0xD4, 0xC3, 0xB2, 0xA1], "classic pcap", "editcap -F pcapng"),
            ([0xA1, 0xB2, 0xC3, 0xD4], "classic pcap", "editcap -F pcapng"),
            ([0x4D, 0x3C, 0xB2, 0xA1], "classic pcap", "editcap -F pcapng"),
            ([0xA1, 0xB2, 0x3C, 0x4D], "classic pcap", "editcap -F pcapng"),
            ([0x1F, 0x8B, 0x08], "gzip", "gunzip"),
        ] as [([UInt8], String, String)])
    func anotherFormat_IsNamed_WithWhatMakesACaptureOfIt(_ magic: [UInt8], _ format: String, _ hint: String) async throws {
        let scratch = try Scratch()
        let file = scratch.path("a.pcap")
        try Data(magic + [UInt8](repeating: 0, count: 40)).write(to: URL(fileURLWithPath: file))
        for words in [
            ["replay", file], ["decode", "--driver", and, file], ["decode", "--explain", "--driver", and, file], ["identify", file],
            ["capture", "convert", file, "-"], ["capture", "anonymise", file, "-o", scratch.path("b.capture")],
        ] {
            expect(try await CuffProcess.run(words), 65, [file, format, hint])
        }
        #expect(!FileManager.default.fileExists(atPath: scratch.path("b.capture")))
    }

    @Test(arguments: [["--json"], ["--usb", "1.5"], ["--chip", "ftdi"], ["--option", "color=red"]])
    func anOptionThatDoesNotConcernBytes_IsRefusedWithExplain(_ option: [String]) async throws {
        let scratch = try Scratch()
        let file = try scratch.write("a.capture", "# driver: and-std\n< 16 16\n")
        expect(try await CuffProcess.run(["decode", "--driver", and, "--explain", file] + option), 64, [])
    }

    @Test func anUnknownDriver_IsAnsweredWithTheKnownOnes() async throws {
        expect(try await CuffProcess.run(["decode", "--driver", "and-sdt", "/dev/null"]), 64, ["and-sdt", "and-std"])
        let scratch = try Scratch()
        let file = try scratch.write("x.capture", "# driver: nobody\n< 00\n")
        expect(try await CuffProcess.run(["replay", file]), 64, ["nobody"])
        expect(try await CuffProcess.run(["drivers", "nobody"]), 64, ["nobody"])
    }

    @Test func aCaptureWithoutDriver_AsksForOne() async throws {
        let scratch = try Scratch()
        let file = try scratch.write("x.capture", "< 00\n")
        expect(try await CuffProcess.run(["replay", file]), 64, ["driver"])
    }

    /// Output to a full disk: an empty file must not be reported as success.
    @Test(arguments: [
        ["drivers"], ["drivers", "and-std"], ["drivers", "--json"], ["drivers", "--markdown"], ["drivers", "--udev"],
        ["info", "/dev/null", "--driver", "omron-hbp"], ["sinks"], ["sinks", "--json"], ["stats"], ["stats", "--format", "table"],
        ["show"], ["show", "--plot"], ["export", "--columns"], ["--version"], ["--help"], ["help", "read"], ["read", "--help"],
    ])
    func aFullDisk_IsSaid_ByVerbsThatAnswer(_ words: [String]) async throws {
        let scratch = try Scratch()
        let database = scratch.path("bp.db")
        let added = try await CuffProcess.run(["add", "120", "80", "60", "--at", "2026-05-05T07:00", "--db", database])
        #expect(added.status == 0, "\(added.errors)")
        let more = ["sinks", "stats", "show"].contains(words[0]) ? ["--db", database] : []
        let fits = try await CuffProcess.run(words + more)
        #expect(fits.status == 0 && !fits.output.isEmpty, "\(fits.errors)")
        let run = try await CuffProcess.run(
            executable: "/bin/sh", ["-c", "exec \"$0\" \"$@\" >/dev/full", CuffProcess.path] + words + more)
        expect(run, 74, ["standard output", "no space"])
    }

    @Test func aFolder_IsNoDatabase_AndIsNotWrittenTo() async throws {
        for verb in [["show"], ["stats"], ["export", "--format", "csv"]] {
            let run = try await CuffProcess.run(verb + ["--db", "/tmp"])
            expect(run, 66, ["cannot read /tmp", "directory"])
            #expect(!run.errors.contains("write"), "\(run.errors)")
        }
    }

    @Test func aFullDisk_IsSaid_AndNothingIsHalfWritten() async throws {
        let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/last-result.capture").path
        expect(try await CuffProcess.run(["replay", capture, "--sink", "jsonl:/dev/full"]), 74, ["/dev/full", "no space"])
        let run = try await CuffProcess.run(executable: "/bin/sh", ["-c", "\"$0\" replay \"$1\" >/dev/full", CuffProcess.path, capture])
        #expect(run.status == 74, "\(run.errors)")
        #expect(run.errors.lowercased().contains("no space"))
    }

    @Test func anotherProgramsDatabase_IsLeftAlone() async throws {
        let scratch = try Scratch()
        let database = scratch.path("other.db")
        let made = try await CuffProcess.run(
            executable: "/usr/bin/sqlite3", [database, "create table notes(text); insert into notes values('mine');"])
        try #require(made.status == 0, "sqlite3 is needed: \(made.errors)")
        let before = try Data(contentsOf: URL(fileURLWithPath: database))
        let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/last-result.capture").path
        expect(try await CuffProcess.run(["replay", capture, "--sink", "sqlite:\(database)"]), 73, [database, "another program"])
        #expect(try Data(contentsOf: URL(fileURLWithPath: database)) == before)
        let text = try scratch.write("not.db", "this is no database, but a long enough text to look like a file with some content in it\n")
        expect(try await CuffProcess.run(["replay", capture, "--sink", "sqlite:\(text)"]), 65, [text])
    }

    @Test func aReadOnlyDatabase_IsSaid() async throws {
        let scratch = try Scratch()
        let capture = CuffProcess.folder.appendingPathComponent("captures/and-std/last-result.capture").path
        let database = scratch.path("bp.db")
        #expect(try await CuffProcess.run(["replay", capture, "--sink", "sqlite:\(database)"]).status == 0)
        // Root can write anything, so the test switches to nobody, for whom folder and file are read-only.
        let isRoot = getuid() == 0
        _ = try await CuffProcess.run(executable: "/bin/chmod", ["-R", "a+rX,a-w", scratch.url.path])
        let command =
            isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", CuffProcess.path] : [CuffProcess.path]
        let run = try await CuffProcess.run(executable: "/usr/bin/env", command + ["replay", capture, "--sink", "sqlite:\(database)"])
        _ = try await CuffProcess.run(executable: "/bin/chmod", ["-R", "u+w", scratch.url.path])
        if isRoot && run.errors.contains("setpriv") || run.errors.contains("Permission denied (os") {
            print("note: aReadOnlyDatabase_IsSaid could not switch to another user: \(run.errors)")
            return
        }
        expect(run, 73, [database, "read"])
    }

    @Test func anUnreadableDatabase_Is77() async throws {
        let scratch = try Scratch()
        let database = scratch.path("bp.db")
        #expect(try await CuffProcess.run(["add", "128/82", "--db", database]).status == 0)
        #expect(chmod(database, 0) == 0)
        let isRoot = geteuid() == 0
        guard !isRoot || FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv") else {
            return print("note: skipped anUnreadableDatabase: root needs /usr/bin/setpriv (apt install util-linux)")
        }
        let command = [CuffProcess.path, "show", "--db", database]
        let switched = isRoot ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + command : command
        let run = try await CuffProcess.run(executable: switched[0], Array(switched.dropFirst()), environment: ["HOME": "/tmp"])
        #expect(run.status == 77, "\(run.errors)")
        #expect(run.errors.contains("cannot open \(database): permission denied"), "\(run.errors)")
    }

    @Test func aBadSink_IsAnswered() async throws {
        expect(try await CuffProcess.run(["decode", "--driver", and, "/dev/null", "--sink", "sqlight:x"]), 64, ["sqlight"])
    }

    @Test func aMissingPort_IsNamed() async throws {
        expect(try await CuffProcess.run(["read", "/dev/ttyUSB77", "--driver", and]), 69, ["/dev/ttyUSB77"])
        expect(try await CuffProcess.run(["read", "/etc/hostname", "--driver", and]), 66, ["/etc/hostname", "serial port"])
    }

    @Test func aVerbThatDoesNotExist_IsUsage() async throws {
        let run = try await CuffProcess.run(["raed"])
        #expect(run.status == 64)
        #expect(run.output.isEmpty)
    }
}
