import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// No line of tables and lists is wider than the terminal.
@Suite(.timeLimit(.minutes(5))) struct TerminalWidthTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    private static let captures = CuffProcess.folder.appendingPathComponent("captures").path

    /// Verbs that print for people, without a cuff. `DB` is replaced by the database.
    private static let screens: [[String]] = [
        ["drivers"], ["drivers", "beurer"], ["drivers", "--models"], ["export", "--columns"], ["sinks", "kinds"], ["sinks", "--db", "DB"],
        ["list"], ["list", "--addresses"], ["average", "--rules"],
        ["identify", "\(captures)/and-std/last-result.capture"], ["identify", "\(captures)/nibp-nano/sync-byte-in-the-data.capture"],
        ["info", "/dev/null", "--driver", "hl7-oru"], ["doctor", "--db", "DB"],
        ["replay", "\(captures)/and-std/last-result.capture"], ["decode", "--driver", "phd", "--explain", "PHD"],
        ["show", "--db", "DB"], ["show", "--db", "DB", "--plot"], ["show", "--db", "DB", "--type", "event"],
        ["show", "--db", "DB", "--earlier"],
        ["stats", "--db", "DB"], ["stats", "--db", "DB", "--by", "hour-of-day", "--by-source"],
        ["stats", "--db", "DB", "--by", "week", "--style", "discrete-temporally-weighted"],
        ["stats", "--db", "DB", "--quantity", "body_mass"], ["average", "--db", "DB", "--readings"],
        ["ambulatory", "--db", "DB"], ["ambulatory", "--db", "DB", "--plot"], ["edit", "--help"], ["help", "capture", "anonymise"],
        ["db", "check", "--db", "DB"], ["db", "purge", "--dry-run", "--db", "DB"],
        ["db", "redecode", "--dry-run", "--db", "DB"],
    ]

    @Test(arguments: [60, 80, 120]) func noLine_IsWiderThanTheTerminal(_ columns: Int) async throws {
        try await fill()
        let phd = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "\(Self.captures)/phd").filter { $0.hasSuffix(".capture") }.sorted().first)
        let sheets = try await CuffProcess.run(["drivers"]).lines.map { ["drivers", String($0.prefix { $0 != "\t" })] }
        #expect(sheets.count > 30)
        for screen in Self.screens + sheets {
            let words = screen.map { $0 == "DB" ? database : $0 == "PHD" ? "\(Self.captures)/phd/\(phd)" : $0 }
            let lines = try await run(words, columns)
            let wide = lines.filter { $0.count > columns }
            #expect(!lines.isEmpty || screen.contains("redecode"), "\(screen) prints nothing")
            #expect(wide.isEmpty, "\(screen.joined(separator: " ")) at \(columns): \(wide.prefix(2))")
        }
    }

    /// Cells for scripts are tab-separated; a terminal gets columns with heads.
    @Test func listsOfCells_AreTablesAtATerminal() async throws {
        let file = try scratch.write("c.toml", "[device.kitchen]\nmatch = \"port:1-1.2\"\ndriver = \"and-std\"\n")
        let bp = try scratch.write("bp.csv", "Date,Heart rate,Systolic,Diastolic,Comments\n\"2026-05-05 07:33:10\",71,128,82,\n")
        #expect(try await CuffProcess.run(["import", bp, "--yes", "--db", database]).status == 0)
        for (words, head, cell) in [
            (["config", "show", "--config", file], "NAME", "device kitchen"), (["db", "imports", "--db", database], "NAME", "bp.csv"),
        ] {
            let lines = try await run(words, 200)
            #expect(lines.first?.hasPrefix(head) == true && lines.dropFirst().first?.hasPrefix(cell) == true, "\(lines)")
            #expect(!lines.contains { $0.contains("\t") }, "\(lines)")
            let cells = try await CuffProcess.run(words)
            #expect(cells.lines.first?.hasPrefix("\(cell)\t") == true, "\(cells.output) \(cells.errors)")
        }
        #expect(try await run(["show", "--type", "event", "--db", database], 100) == ["no events"])
    }

    @Test func aLongLine_GoesOnBelowItsColumn() async throws {
        let narrow = try await run(["drivers", "phd"], 60)
        let wide = try await run(["drivers", "phd"], 1000)
        #expect(narrow.count > wide.count)
        func words(_ lines: [String]) -> [Substring] { lines.flatMap { $0.split(separator: " ") } }
        #expect(words(narrow) == words(wide))
        let place = try #require(wide.firstIndex { $0.hasPrefix("source ") })
        let column = wide[place].count - wide[place].dropFirst(6).drop { $0 == " " }.count
        let first = try #require(narrow.firstIndex { $0.hasPrefix("cannot ") })
        #expect(narrow[first + 1].hasPrefix(String(repeating: " ", count: column)), "\(narrow[first + 1])")
    }

    private func fill() async throws {
        for capture in ["and-std/last-result", "r1/bp500-two-results", "maibobo/two-pushes", "phd"] {
            let path = "\(Self.captures)/\(capture).capture"
            guard FileManager.default.fileExists(atPath: path) else { continue }
            _ = try await CuffProcess.run(["replay", path, "--tz", "Europe/Berlin", "--sink", "sqlite:\(database)"])
        }
        for day in 10...18 {
            for (hour, systolic) in [("07:30", 130 + day), ("07:32", 128 + day), ("19:30", 121 + day), ("19:33", 119 + day)] {
                let more = day == 12 ? ["--note", "after a long walk up the stairs, with cold hands", "--arm", "left", "--irregular"] : []
                let run = try await CuffProcess.run(
                    ["add", "\(systolic)", "82", "71", "--at", "2026-05-\(day)T\(hour)", "--db", database] + more)
                #expect(run.status == 0, "\(run.errors)")
            }
        }
        #expect(try await CuffProcess.run(["add", "--quantity", "body_mass", "72.5", "--db", database]).status == 0)
        let first = try #require(try await CuffProcess.run(["show", "--db", database, "--json"]).objects().last?["id"] as? String)
        #expect(try await CuffProcess.run(["edit", first, "--systolic", "133", "--db", database]).status == 0)
    }

    /// Runs it on a terminal of this width; returns the lines without colours.
    private func run(_ arguments: [String], _ columns: Int) async throws -> [String] {
        let home = scratch.path("home")
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try Self.onTerminal(arguments, columns, home: home) })
            }
        }
    }

    private static func onTerminal(_ arguments: [String], _ columns: Int, home: String) throws -> [String] {
        var (master, slave): (Int32, Int32) = (0, 0)
        var size = winsize(ws_row: 40, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        var settings = termios()
        cfmakeraw(&settings)
        guard openpty(&master, &slave, nil, &settings, &size) == 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(master) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CuffProcess.path)
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        for name in ["COLUMNS", "STATE_DIRECTORY"] { variables[name] = nil }
        (variables["TZ"], variables["TERM"], variables["LC_ALL"]) = ("UTC", "xterm", "C.UTF-8")
        for name in ["HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"] { variables[name] = home }
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.standardError = FileHandle.nullDevice
        try process.run()
        close(slave)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(master, &buffer, buffer.count)
            // The terminal's other end is closed: EIO.
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self).replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast()
    }
}
