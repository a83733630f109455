import CuffCore
import Glibc
import Logging
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct RunStatisticsTests {
    private var sample: RunStatistics {
        var counters = LinkCounters()
        (counters.frames, counters.bytes, counters.skippedBytes, counters.badChecks) = (12, 480, 7, 1)
        (counters.readings, counters.duplicates, counters.pauses, counters.paused) = (11, 2, 3, .milliseconds(1500))
        var commits = LatencyHistogram()
        for nanoseconds in [300_000, 700_000, 700_000, 20_000_000_000] as [Int64] { commits.add(nanoseconds: nanoseconds) }
        var sink = SinkReport(label: "sqlite:/home/anna/bp.db", isRequired: true)
        (sink.stored, sink.known, sink.waiting) = (10, 2, 1)
        sink.fault = IngestError(.inputOutput, "cannot write /home/anna/bp.db", why: "no space left on device")
        sink.writes.add(nanoseconds: 4_000_000)
        return RunStatistics(
            elapsed: .seconds(65), links: [RunStatistics.Link(place: "/dev/null", driver: "and-std", counters: counters)],
            drivers: [("and-std", counters)], sinks: [sink], commits: commits)
    }

    @Test func histogram_CountsIntoItsSteps() {
        let commits = sample.commits
        #expect(commits.count == 4)
        #expect(commits.bound(of: 0.5) == .milliseconds(1))
        #expect(commits.bound(of: 0.25) == .microseconds(500))
        #expect(commits.bound(of: 1) == nil)
        #expect(commits.longest == .seconds(20))
    }

    @Test func text_TellsEachLinkDriverAndSink() {
        #expect(
            sample.text == """
                after 1 min 5 s: 4 commits, half within 1.0 ms, 99 % over 10 s, longest 20.0 s
                link /dev/null (and-std): 12 frames, 480 bytes, 7 skipped, 1 bad check, 11 readings, 2 duplicates, 0 live samples left out, 3 pauses (1.5 s)
                driver and-std: 12 frames, 480 bytes, 7 skipped, 1 bad check, 11 readings, 2 duplicates, 0 live samples left out, 3 pauses (1.5 s)
                sink sqlite:/home/anna/bp.db: 10 stored, 2 of them known, 1 waiting, 1 write, half within 4.0 ms, 99 % within 4.0 ms, longest 4.0 ms, cannot write /home/anna/bp.db: no space left on device
                """)
    }

    @Test func sinksOfTheProgramItself_AreShownOnlyWithAFault() {
        var statistics = sample
        var own = SinkReport(label: "alerts", isRequired: false)
        own.isInternal = true
        statistics.sinks.append(own)
        #expect(statistics.text == sample.text)
        statistics.sinks[1].fault = IngestError(.inputOutput, "no space left on device")
        #expect(
            statistics.text.hasSuffix("\nsink alerts?: 0 stored, 0 of them known, no writes, no space left on device"), "\(statistics.text)"
        )
    }

    @Test func openMetrics_HoldsCountsAndNoPath() {
        let lines = sample.openMetrics.split(separator: "\n").map(String.init)
        #expect(lines.last == "# EOF")
        #expect(lines.contains("cuff_link_frames_total{driver=\"and-std\",link=\"null\"} 12"))
        #expect(lines.contains("cuff_driver_paused_seconds_total{driver=\"and-std\"} 1.500000"))
        #expect(lines.contains("cuff_sink_up{sink=\"0:sqlite\",required=\"true\"} 0"))
        #expect(lines.contains("cuff_commit_seconds_bucket{le=\"0.001000\"} 3"))
        #expect(lines.contains("cuff_commit_seconds_bucket{le=\"+Inf\"} 4"))
        #expect(lines.contains("cuff_commit_seconds_sum 20.001700"))
        #expect(!sample.openMetrics.contains("anna"))
        // The name of a link may contain a serial number. Links whose node is gone stay apart.
        let folder = TestFolder()
        let place = folder.file("usb-FTDI_FT232R_A50285BI-if00")
        #expect(symlink("/dev/zero", place) == 0)
        var others = sample
        others.links = [place, "/dev/serial/by-id/usb-A50285BI", "/tmp/A50285BI", "tcp://pi:3001"].map {
            RunStatistics.Link(place: $0, driver: "and-std", counters: LinkCounters())
        }
        let labels = others.openMetrics.split(separator: "\n").filter { $0.hasPrefix("cuff_link_frames_total") }
        #expect(
            labels == ["zero", "1", "2", "tcp://pi:3001"].map { "cuff_link_frames_total{driver=\"and-std\",link=\"\($0)\"} 0" })
        // Every sample belongs to a family declared before it.
        var families: Set<String> = []
        for line in lines.dropLast() {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "#" {
                if words[1] == "TYPE" { #expect(families.insert(words[2]).inserted, "\(words[2]) is declared twice") }
                continue
            }
            let name = words[0].split(separator: "{")[0]
            let family = ["_total", "_bucket", "_count", "_sum"].first { name.hasSuffix($0) }.map { String(name.dropLast($0.count)) }
            #expect(families.contains(family ?? String(name)), "\(line)")
        }
    }

    @Test func pipeline_MeasuresCommitsAndWrites() async throws {
        let sink = MemorySink(failures: 1)
        let pipeline = Pipeline([Pipeline.Member(sink)], policy: .retry)
        let source = pipeline.attach(Pipeline.Source(mayThin: false, committed: { _ in }, paused: { _ in }))
        for number in 0..<5 { pipeline.submit(.sample(number..<number + 1, source: source)) }
        _ = await sink.arrivals.wait { $0.reduce(0, +) == 5 }
        try await onThread { try pipeline.finish() }
        #expect(pipeline.commits.count == 5)
        // The first write failed and was repeated after 100 ms.
        #expect(pipeline.commits.longest >= .milliseconds(90))
        #expect(pipeline.reports[0].writes.count >= 1 && pipeline.reports[0].waiting == 0 && pipeline.reports[0].nextTry == nil)
    }

    @Test func log_SpeaksTheJournalsLanguage_AndCommandsNoTerminal() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var journal = Logger(label: "t") { [ends] _ in StandardErrorLog(level: .info, isJournal: true, descriptor: ends[1]) }
        journal.warning("cannot write x\n  fix: y")
        journal.info("a \u{1B}[31mred\u{9B}2J name")
        journal.debug("bytes")
        journal = Logger(label: "t") { [ends] _ in StandardErrorLog(level: .notice, isJournal: false, descriptor: ends[1]) }
        journal.error("no")
        journal.info("unheard")
        close(ends[1])
        var room = [UInt8](repeating: 0, count: 4096)
        let count = read(ends[0], &room, room.count)
        #expect(
            String(decoding: room[..<max(0, count)], as: UTF8.self) == "<4>cannot write x\n<4>  fix: y\n<6>a ?[31mred?2J name\ncuff: no\n")
        var status = stat()
        fstat(ends[0], &status)
        #expect(StandardErrorLog.leadsToJournal(ends[0], "\(status.st_dev):\(status.st_ino)"))
        #expect(!StandardErrorLog.leadsToJournal(ends[0], "1:2"))
        #expect(!StandardErrorLog.leadsToJournal(ends[0], nil))
    }

    @Test func deviceStrings_CommandNoTerminal() {
        var text = TextBuffer()
        text.append(jsonString: "a\u{1B}[2J\u{9B}31m\u{7F}é\u{A0}")
        #expect(text.string == "\"a\\u001b[2J\\u009b31m\\u007fé\u{A0}\"")
        text.removeAll()
        CSVRow.table.append(cell: "x\u{9B}31m\u{1B}é", to: &text)
        #expect(text.string.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } && text.string.contains("é"))
    }
}
