import Foundation
import Testing

@Suite struct CaptureVerbTests {
    private static let captures = CuffProcess.folder.appendingPathComponent("captures")

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: captures.appendingPathComponent(name), encoding: .utf8)
    }

    private static let samples = [
        "beurer-serial/asleep-then-awake", "taidoc/d40-glucose-between", "microlife-bpa100/copies-differ",
        "omron-hbp/format5-two-people", "nibp-nano/before-and-after-a-measurement",
    ]

    private func write(_ capture: BusCapture, _ scratch: Scratch, _ name: String = "bus.pcapng") throws -> String {
        try Data(capture.bytes).write(to: URL(fileURLWithPath: scratch.path(name)))
        return scratch.path(name)
    }

    /// Each capture gives the same readings as transfers of each bridge chip.
    @Test(arguments: [BusCapture.Chip.ftdi, .cp210x, .pl2303, .ch340, .acm], samples)
    func replay_OfAUSBCapture_SaysWhatTheSerialCaptureSays(_ chip: BusCapture.Chip, _ sample: String) async throws {
        let scratch = try Scratch()
        let file = try write(BusCapture(chip, lines: BusCapture.Line.all(of: try Self.text("\(sample).capture"))), scratch)
        let driver = String(sample.split(separator: "/")[0])
        let expected = try Self.text("\(sample).expected.jsonl")
        let run = try await CuffProcess.run(["replay", file, "--driver", driver])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == expected)
        #expect(!expected.isEmpty)
        let decoded = try await CuffProcess.run(["decode", "--driver", driver, file])
        #expect(decoded.output == expected, "\(decoded.errors)")
    }

    /// A cuff with its own USB ids determines its driver.
    @Test(arguments: ["mes-variant", "bad-check-then-good"])
    func replay_OfAHIDCuff_NeedsNoDriver(_ sample: String) async throws {
        let scratch = try Scratch()
        guard let lines = try? BusCapture.Line.all(of: Self.text("omron-hid/\(sample).capture")) else {
            Issue.record("there is no capture omron-hid/\(sample)")
            return
        }
        let run = try await CuffProcess.run(["replay", try write(BusCapture(.hid, lines: lines), scratch)])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == (try Self.text("omron-hid/\(sample).expected.jsonl")))
    }

    @Test func severalDevices_AreToldApart() async throws {
        let scratch = try Scratch()
        var bus = BusCapture(link: 220)
        bus.plug(.ftdi, 5)
        bus.plug(.pl2303, 6)
        let first = BusCapture.Line.all(of: try Self.text("taidoc/d40-glucose-between.capture"))
        let second = BusCapture.Line.all(of: try Self.text("beurer-serial/asleep-then-awake.capture"))
        for index in 0..<max(first.count, second.count) {
            if index < first.count { bus.say(first[index], .ftdi, 5) }
            if index < second.count { bus.say(second[index], .pl2303, 6) }
        }
        let file = try write(bus, scratch)
        let one = try await CuffProcess.run(["replay", file, "--driver", "taidoc", "--verbose"])
        #expect(one.output == (try Self.text("taidoc/d40-glucose-between.expected.jsonl")))
        #expect(one.errors.contains("read 1.5 (0403:6001); --usb chooses another: 1.6 (067b:2303)"), "\(one.errors)")
        for device in ["1.6", "067b:2303"] {
            let other = try await CuffProcess.run(["replay", file, "--driver", "beurer-serial", "--usb", device])
            #expect(other.output == (try Self.text("beurer-serial/asleep-then-awake.expected.jsonl")))
        }
        let explained = try await CuffProcess.run(["decode", "--explain", file, "--driver", "taidoc"])
        #expect(explained.status == 0 && explained.output.contains("systolic"), "\(explained.errors)")
        let foreign = try await CuffProcess.run(["decode", "--explain", file, "--driver", "taidoc", "--usb", "1.6"])
        #expect(!foreign.output.contains("systolic"), "\(foreign.output)")
        let none = try await CuffProcess.run(["replay", file, "--driver", "taidoc", "--usb", "1.9"])
        #expect(none.status == 65)
        #expect(none.errors.contains("no device of the capture was read; it holds 1.5 (0403:6001), 1.6 (067b:2303)"), "\(none.errors)")
    }

    @Test(arguments: samples)
    func convert_ThereAndBack_KeepsTheConversation(_ sample: String) async throws {
        let scratch = try Scratch()
        let original = Self.captures.appendingPathComponent("\(sample).capture").path
        let there = try await CuffProcess.run(["capture", "convert", original, scratch.path("a.pcapng")])
        #expect(there.status == 0, "\(there.errors)")
        let mode = try FileManager.default.attributesOfItem(atPath: scratch.path("a.pcapng"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let replayed = try await CuffProcess.run(["replay", scratch.path("a.pcapng")])
        #expect(replayed.output == (try Self.text("\(sample).expected.jsonl")))
        let piped = try await CuffProcess.run(
            ["replay", "-"], input: Array(try Data(contentsOf: URL(fileURLWithPath: scratch.path("a.pcapng")))))
        #expect(piped.output == replayed.output)
        let back = try await CuffProcess.run(["capture", "convert", scratch.path("a.pcapng"), "-"])
        #expect(back.status == 0, "\(back.errors)")
        func conversation(_ text: String) -> [String] {
            BusCapture.Line.all(of: text).map {
                ($0.isFromCuff ? "<" : ">") + $0.bytes.map { String($0, radix: 16) }.joined(separator: " ")
            }
        }
        #expect(conversation(back.output) == conversation(try Self.text("\(sample).capture")))
        #expect(back.output.hasPrefix("# driver: "))
        let again = try await CuffProcess.run(["capture", "convert", original, scratch.path("a.pcapng")])
        #expect(again.status == 73, "a file that is there is not replaced")
    }

    @Test func convert_OfAUSBCapture_GivesATextCaptureThatReplays() async throws {
        let scratch = try Scratch()
        let lines = BusCapture.Line.all(of: try Self.text("beurer-serial/asleep-then-awake.capture"))
        let file = try write(BusCapture(.ftdi, lines: lines), scratch)
        let convert = try await CuffProcess.run(
            ["capture", "convert", file, scratch.path("a.capture"), "--driver", "beurer-serial"])
        #expect(convert.status == 0, "\(convert.errors)")
        let run = try await CuffProcess.run(["replay", scratch.path("a.capture")])
        #expect(run.output == (try Self.text("beurer-serial/asleep-then-awake.expected.jsonl")))
    }

    /// Recordings are checked with tshark.
    @Test func record_WritesWhatWiresharkOpens() async throws {
        let scratch = try Scratch()
        let port = scratch.path("port")
        let simulator = try RunningCuff(["simulate", "beurer-serial", "--count", "4", "--link", port], folder: scratch)
        defer { simulator.signal(SIGKILL) }
        #expect(try await eventually(60) { FileManager.default.fileExists(atPath: port) }, "\(simulator.said)")
        let file = scratch.path("memory.pcapng")
        let record = try await CuffProcess.run(["record", port, "--driver", "bm58", "-o", file, "--timeout", "14s"])
        #expect(record.status == 0, "\(record.errors)")
        let recorded = String(decoding: try Data(contentsOf: URL(fileURLWithPath: file)), as: UTF8.self)
        #expect(recorded.contains("cuff: Beurer BM58 (PL2303)"), "the model that was named")
        #expect(record.objects("blood_pressure").count == 4)
        let replay = try await CuffProcess.run(["replay", file])
        #expect(
            replay.objects("blood_pressure").map { $0["id"] as? String } == record.objects("blood_pressure").map { $0["id"] as? String })
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/tshark") else {
            print("note: skipped the judgement of tshark: /usr/bin/tshark is not installed (apt install tshark)")
            return
        }
        let fields = ["frame.interface_name", "frame.interface_description", "_ws.col.Protocol", "_ws.col.Info", "data.data"]
        let seen = try await CuffProcess.run(
            executable: "/usr/bin/tshark", ["-r", file, "-T", "fields", "-E", "separator=|"] + fields.flatMap { ["-e", $0] })
        #expect(seen.status == 0, "\(seen.errors)")
        #expect(seen.lines.count > 8)
        #expect(seen.lines.allSatisfy { $0.hasPrefix("\(port)|4800 8N1|RTAC Serial|DATA_") }, "\(seen.lines.first ?? "")")
        #expect(seen.lines.first?.contains("DATA_TX_START") == true)
        #expect(seen.lines.first?.hasSuffix("|aa") == true, "the first byte of a Beurer conversation is AA: \(seen.lines.first ?? "")")
        #expect(seen.lines.dropFirst().first?.contains("DATA_RX_START") == true)
        #expect(seen.lines.dropFirst().first?.hasSuffix("|55") == true)
    }

    @Test func whatIsWrong_IsSaid() async throws {
        let scratch = try Scratch()
        let lines = BusCapture.Line.all(of: try Self.text("beurer-serial/asleep-then-awake.capture"))
        let whole = BusCapture(.pl2303, lines: lines)
        let longer = BusCapture(.pl2303, lines: lines + [.init(isFromCuff: false, bytes: [0xF6])])
        try Data(longer.bytes.dropLast(3)).write(to: URL(fileURLWithPath: scratch.path("cut.pcapng")))
        let cut = try await CuffProcess.run(["replay", scratch.path("cut.pcapng"), "--driver", "beurer-serial"])
        #expect(cut.status == 65)
        #expect(cut.output == (try Self.text("beurer-serial/asleep-then-awake.expected.jsonl")), "what stood before the cut is kept")
        #expect(cut.errors.contains("cut.pcapng: block "), "\(cut.errors)")
        #expect(cut.errors.contains("the file ends within the block"), "\(cut.errors)")
        let noDriver = try await CuffProcess.run(["replay", try write(whole, scratch)])
        #expect(noDriver.status == 64)
        #expect(noDriver.errors.contains("names no driver"), "\(noDriver.errors)")
        for (flag, value) in [("--usb", "left"), ("--usb", "1.2.3"), ("--chip", "z80")] {
            let run = try await CuffProcess.run(["replay", scratch.path("bus.pcapng"), "--driver", "beurer-serial", flag, value])
            #expect(run.status == 64)
            #expect(run.errors.contains("`\(value)`"), "\(run.errors)")
        }
        var windows = BusCapture(link: 249)
        windows.serial(lines[0])
        let foreign = try await CuffProcess.run(["replay", try write(windows, scratch, "windows.pcapng"), "--driver", "beurer-serial"])
        #expect(foreign.status == 65)
        #expect(foreign.errors.contains("link type 249 is not read: convert it to a Linux usbmon capture"), "\(foreign.errors)")
    }

    /// Serial packets of a cuff, in a file five times as long: no more memory.
    @Test(.timeLimit(.minutes(3))) func replay_IsConstantInMemory() async throws {
        let scratch = try Scratch()
        func peak(_ count: Int) async throws -> (memory: Int, readings: Int) {
            let url = URL(fileURLWithPath: scratch.path("\(count).pcapng"))
            var capture = BusCapture(link: 250)
            for index in 0..<count {
                let stamp = String(
                    format: "%02d%02d%02d%02d%02d", index / 40320 / 12 % 90 + 10, index / 40320 % 12 + 1, index / 1440 % 28 + 1,
                    index / 60 % 24, index % 60)
                capture.serial(.init(isFromCuff: true, bytes: DecodeReplayTests.frame(100 + index % 90, stamp)))
            }
            try Data(capture.bytes).write(to: url)
            let timed = try await CuffProcess.run(
                executable: "/usr/bin/python3",
                [
                    "-c",
                    "import subprocess,resource,sys; out=subprocess.run(sys.argv[1:],stdout=subprocess.PIPE,check=True).stdout; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, out.count(b'\\n'))",
                    CuffProcess.path, "replay", "--driver", "and-std", url.path,
                ], limit: 120)
            let words = timed.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            return words.count == 2 ? (words[0], words[1]) : (0, 0)
        }
        let small = try await peak(8_000)
        let large = try await peak(40_000)
        #expect(small.readings == 8_000)
        #expect(large.readings == 40_000)
        #expect(Sanitizer.isRunning || large.memory < small.memory + 4096, "\(small.memory) KiB for 1 MB, \(large.memory) KiB for 5 MB")
    }
}
