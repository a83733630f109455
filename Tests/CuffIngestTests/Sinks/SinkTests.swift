import CFaultyDisk
import CuffCore
import Foundation
import Glibc
import SQLite
import Testing

@testable import CuffIngest

@Suite struct SinkTests {
    private static let isRoot = geteuid() == 0

    private func batch(_ readings: [Reading], device: String = "SN1", identity: DeviceIdentity? = nil) -> ReadingBatch {
        ReadingBatch(source: 1, driver: "and-std", device: device, identity: identity, entries: readings.map { .reading($0) })
    }

    // MARK: JSON Lines

    @Test func jsonl_KeepsLinesAcrossRuns_WithoutDoubles() throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        do {
            let sink = try JSONLinesSink(path: path, line: ReadingLine())
            #expect(try sink.write(batch([.sample(1), .sample(2)])) == 0)
            #expect(try sink.write(batch([.sample(2)])) == 1)
        }
        let sink = try JSONLinesSink(path: path, line: ReadingLine())
        #expect(try sink.write(batch([.sample(1), .sample(3)])) == 1)
        #expect(folder.lines("bp.jsonl").count == 3)
        #expect(folder.mode("bp.jsonl") == 0o600)
    }

    @Test func jsonl_CutsATornLineOff_AndTakesItsReadingAgain() throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        do { _ = try JSONLinesSink(path: path, line: ReadingLine()).write(batch([.sample(1), .sample(2)])) }
        let whole = folder.text("bp.jsonl")
        for cut in [1, 20, 100] {
            _ = folder.write("bp.jsonl", String(whole.dropLast(cut)))
            do {
                let sink = try JSONLinesSink(path: path, line: ReadingLine())
                // A line that only lacks its line feed is complete.
                #expect(try sink.write(batch([.sample(1), .sample(2)])) == (cut == 1 ? 2 : 1))
            }
            #expect(folder.text("bp.jsonl") == whole, "cut by \(cut)")
        }
    }

    @Test func jsonl_KeepsPendingAndCompleted() throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        let states: [Reading] = [.sample(1, isPending: true), .sample(1, revision: 1)]
        for _ in 0..<2 { _ = try JSONLinesSink(path: path, line: ReadingLine()).write(batch(states)) }
        #expect(folder.lines("bp.jsonl").count == 2)
    }

    /// A disk that rejects every truncation: the pending truncation is kept, however often writes fail.
    @Test func lineFile_OwesWhatItCouldNotCut_UntilItCan() throws {
        let descriptor = faulty_file()
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let file = try LineFile("/proc/self/fd/\(descriptor)")
        try Array("one\n".utf8).withUnsafeBytes { try file.append($0) }
        file.commit()
        let start = file.size
        try Array("two\n".utf8).withUnsafeBytes { try file.append($0) }
        try #require(faulty_file_grows_only(descriptor) == 0)
        file.rollBack()
        #expect(file.size == start)
        for _ in 0..<2 {
            #expect(throws: IngestError.self) { try Array("two\n".utf8).withUnsafeBytes { try file.append($0) } }
            file.rollBack()
            #expect(file.size == start)
        }
    }

    @Test func lineFile_IsOneProgramsAtATime_AndRefusesOtherContents() throws {
        let folder = TestFolder()
        let path = folder.file("bp.jsonl")
        let first = try JSONLinesSink(path: path, line: ReadingLine())
        #expect(throws: IngestError.writing(path, EWOULDBLOCK)) { try JSONLinesSink(path: path, line: ReadingLine()) }
        _ = first
        let diary = folder.write("diary.txt", "Dear diary,\n")
        #expect { try JSONLinesSink(path: diary, line: ReadingLine()) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect { try CSVSink(path: diary) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect(folder.text("diary.txt") == "Dear diary,\n")
        #expect { try CSVSink(path: folder.file("no/such/bp.csv")) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect { try CSVSink(path: folder.path) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
    }

    // MARK: CSV

    @Test func csv_HasOneHeaderAndNoDoubles() throws {
        let folder = TestFolder()
        let path = folder.file("bp.csv")
        for _ in 0..<2 { _ = try CSVSink(path: path).write(batch([.sample(1), .sample(2, code: "E44"), .sample(3, isPending: true)])) }
        do { _ = try CSVSink(path: path).write(batch([.sample(3, revision: 1)])) }
        let rows = folder.text("bp.csv").components(separatedBy: "\r\n").dropLast().map { $0.components(separatedBy: ",") }
        #expect(rows.count == 5)
        #expect(rows.allSatisfy { $0.count == 29 })
        #expect(rows.map(\.last) == ["decoder"] + Array(repeating: "\"\"", count: 4))
        #expect(rows.map { $0[2] } == ["type", "blood_pressure", "measurement", "pending", "blood_pressure"])
        #expect(rows[1][6...9] == ["120", "80", "93", "60"])
        #expect(rows[2][21...22] == ["movement", "E44"])
        #expect(rows[3][0] == rows[4][0] && rows[4][1] == "1")
        #expect(folder.mode("bp.csv") == 0o600)
    }

    @Test func csv_CutsATornRowOff() throws {
        let folder = TestFolder()
        let path = folder.file("bp.csv")
        do { _ = try CSVSink(path: path).write(batch([.sample(1), .sample(2)])) }
        let whole = folder.text("bp.csv")
        _ = folder.write("bp.csv", String(whole.unicodeScalars.dropLast(9)))
        do { #expect(try CSVSink(path: path).write(batch([.sample(1), .sample(2)])) == 1) }
        #expect(folder.text("bp.csv") == whole)
    }

    /// A reading that another program named as its decoder, with a quote.
    @Test func csv_HasTheDecoder_AndContinuesAFileWithoutThatColumn() throws {
        let folder = TestFolder()
        let path = folder.file("bp.csv")
        var second = Reading.sample(2)
        second.decoder = #"=cuff/0.3.0 "x""#
        do { _ = try CSVSink(path: path).write(batch([.sample(1), second])) }
        let whole = folder.text("bp.csv")
        #expect(whole.components(separatedBy: "\r\n")[2].hasSuffix(#","'=cuff/0.3.0 'x'""#))
        // Torn anywhere in the last cell, it is written again; without the line end alone, it is whole.
        for count in 1...20 {
            _ = folder.write("bp.csv", String(whole.unicodeScalars.dropLast(count)))
            #expect(try CSVSink(path: path).write(batch([.sample(1), second])) == (count <= 2 ? 2 : 1))
            #expect(folder.text("bp.csv") == whole)
        }
        // As files begin that were made before there was the column.
        let lines = whole.components(separatedBy: "\r\n")
        let former = "\(lines[0].dropLast(",decoder".count))\r\n\(lines[1].dropLast(3))\r\n"
        _ = folder.write("bp.csv", former)
        do { #expect(try CSVSink(path: path).write(batch([.sample(1), second])) == 1) }
        let rows = folder.text("bp.csv").components(separatedBy: "\r\n").dropLast()
        #expect(folder.text("bp.csv").hasPrefix(former))
        #expect(rows.map { $0.components(separatedBy: ",").count } == [28, 28, 28])
        // Its header was overwritten: its rows are kept.
        _ = folder.write("bp.csv", String(repeating: "\0", count: 20) + former.dropFirst(20))
        do { #expect(try CSVSink(path: path).write(batch([.sample(1)])) == 1) }
        #expect(folder.text("bp.csv") == "\(lines[0])\r\n\(lines[1].dropLast(3))\r\n")
    }

    @Test(arguments: [
        ("SN-1", "SN-1"), ("=1+2", "'=1+2"), ("+49", "'+49"), ("-x", "'-x"), ("@sum", "'@sum"), ("a,b", "\"a,b\""),
        ("say \"hi\"", "\"say \"\"hi\"\"\""), ("=a,\"b", "\"'=a,\"\"b\""), ("a\nb", "\"a b\""), ("", ""),
    ])
    func csvCell_IsNeitherFormulaNorSecondRow(_ value: String, _ cell: String) {
        var text = TextBuffer()
        CSVRow.table.append(cell: value, to: &text)
        #expect(text.string == cell)
    }

    // MARK: SQLite

    @Test func sqlite_KeepsEveryReadingOnce() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let identity = DeviceIdentity(id: "SN1", manufacturer: "A&D", model: "TM2655")
        do {
            let sink = try SQLiteSink(path: path)
            #expect(try sink.write(batch([.sample(1), .sample(2, code: "E44")], identity: identity)) == 0)
            #expect(try sink.write(batch([.sample(1), .sample(3)], identity: identity)) == 1)
            try sink.close()
        }
        let sink = try SQLiteSink(path: path)
        #expect(try sink.write(batch([.sample(1), .sample(2, code: "E44"), .sample(3)])) == 3)
        try sink.close()
        let columns = ["systolic_mmHg", "device_time", "received", "model", "device", "id"].joined(separator: " || ' ' || ")
        let readings = try column(path, "SELECT \(columns) FROM readings")
        #expect(readings.count == 2)
        #expect(readings[0] == "120 2026-05-05T16:54 2026-05-16T02:53:20.120Z TM2655 SN1 \(Reading.sample(1).id)")
        #expect(try column(path, "SELECT reason FROM failures") == ["movement"])
        #expect(try column(path, "SELECT hex(raw) FROM reading").first == "0100")
        #expect(folder.mode("bp.db") == 0o600)
    }

    @Test func sqlite_CompletesAPendingReading_AndNeverGoesBack() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(batch([.sample(1, isPending: true)]))
        #expect(try column(path, "SELECT id FROM readings").isEmpty)
        _ = try sink.write(batch([.sample(1, systolic: 121, revision: 1)]))
        _ = try sink.write(batch([.sample(1, isPending: true)]))
        #expect(try column(path, "SELECT systolic_mmHg FROM readings") == ["121"])
    }

    @Test func sqlite_TransactionIsDurableAndInTheLog() throws {
        let folder = TestFolder()
        let store = try Store(folder.file("bp.db"), access: .write)
        func setting(_ name: String) throws -> String? { try store.read { try $0.first("PRAGMA \(name)") { $0.text(0) } } }
        #expect(try setting("journal_mode") == "wal")
        #expect(try setting("synchronous") == "2")
        #expect(try setting("application_id") == "\(0x4355_4646)")
    }

    @Test func sqlite_RefusesWhatIsNotItsOwn() throws {
        let folder = TestFolder()
        let foreign = folder.file("contacts.db")
        try alter(foreign, "CREATE TABLE contact (name TEXT)")
        let before = try Data(contentsOf: URL(fileURLWithPath: foreign))
        #expect { try SQLiteSink(path: foreign) } throws: {
            ($0 as? IngestError)?.status == .cannotCreate && "\($0)".contains("another program")
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: foreign)) == before)
        let text = folder.write("notes.txt", "some notes that are no database\n")
        #expect { try SQLiteSink(path: text) } throws: { ($0 as? IngestError)?.status == .badData }
        #expect { try SQLiteSink(path: folder.path) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect { try SQLiteSink(path: folder.file("no/bp.db")) } throws: { ($0 as? IngestError)?.status == .cannotCreate }
        #expect { try Store(folder.file("none.db"), access: .read) } throws: { ($0 as? IngestError)?.status == .noInput }
        #expect(!FileManager.default.fileExists(atPath: folder.file("none.db")))
        // An empty file may be used.
        let empty = folder.write("empty.db", "")
        #expect(try SQLiteSink(path: empty).write(batch([.sample(1)])) == 0)
    }

    @Test func database_MayBeCreatedByTwoRunsAtOnce_WhileAThirdLooks() async throws {
        for _ in 0..<10 {
            let folder = TestFolder()
            let path = folder.file("bp.db")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<3 {
                    group.addTask {
                        try await onThread {
                            let sink = try SQLiteSink(path: path)
                            _ = try sink.write(.sample(number..<number + 1))
                            try sink.close()
                        }
                    }
                    group.addTask { try await onThread { for _ in 0..<20 { _ = try? Store(path, access: .read).count() } } }
                }
                try await group.waitForAll()
            }
            #expect(try Store(path, access: .read).count() == 3)
        }
    }

    @Test func latest_GivesTheLastOnesInOrder() throws {
        let folder = TestFolder()
        let path = folder.file("bp.db")
        let sink = try SQLiteSink(path: path)
        _ = try sink.write(batch((0..<5).map { .sample($0, systolic: 120 + $0) }))
        let store = try Store(path, access: .read)
        #expect(try store.all().suffix(2).map(\.systolic) == [123, 124])
        #expect(try store.all().count == 5)
        #expect(try store.count() == 5)
    }

    // MARK: Disks that do not obey

    /// A small file system; needs root.
    private func withTmpfs(_ body: (String) throws -> Void) throws {
        let folder = TestFolder()
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=512k") == 0 else { return }
        defer { umount2(folder.path, Int32(MNT_DETACH)) }
        try body(folder.path)
    }

    @Test(.enabled(if: isRoot)) func fullDisk_IsSaidAndLeavesWholeLinesOnly() throws {
        try withTmpfs { folder in
            for kind in [SinkKind.jsonl, .csv, .sqlite] {
                let path = "\(folder)/bp.\(kind)"
                let sink = try SinkSpec(kind, path: path).open()
                var failure: IngestError?
                var stored = 0
                do throws(IngestError) {
                    for start in stride(from: 0, to: 100_000, by: 100) {
                        _ = try sink.write(batch((start..<(start + 100)).map { .sample($0) }))
                        stored = start + 100
                    }
                } catch { failure = error }
                #expect(failure?.status == .inputOutput, "\(kind)")
                #expect(failure?.why == "no space left on device", "\(kind)")
                #expect(stored > 0)
                try? sink.close()
                if kind != .sqlite {
                    let text = try String(contentsOfFile: path, encoding: .utf8)
                    #expect(text.last?.isNewline == true)
                    let lines = text.split(whereSeparator: \.isNewline).count
                    #expect(lines == (kind == .csv ? stored + 1 : stored))
                } else {
                    #expect(try Store(path, access: .read).count() == stored)
                }
                for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
            }
        }
    }

    @Test(.enabled(if: isRoot)) func readOnlyDisk_IsSaid() throws {
        try withTmpfs { folder in
            try SinkSpec(.sqlite, path: "\(folder)/bp.db").open().close()
            #expect(mount("tmpfs", folder, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0)
            for spec in [SinkSpec(.sqlite, path: "\(folder)/bp.db"), SinkSpec(.jsonl, path: "\(folder)/bp.jsonl")] {
                #expect { try spec.open() } throws: { ($0 as? IngestError)?.status == .cannotCreate }
            }
        }
    }

    @Test func closedPipe_IsAnEndAndNoError() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        close(ends[0])
        let sink = StandardOutputSink(line: ReadingLine(), descriptor: ends[1])
        #expect(throws: IngestError.outputClosed) { try sink.write(batch([.sample(1)])) }
        close(ends[1])
    }

    @Test func writeIfReady_WritesWholeLinesOrNothing() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        defer {
            close(reader)
            close(writer)
        }
        let sink = StandardOutputSink(line: ReadingLine(), descriptor: writer)
        let other = StandardOutputSink(line: ReadingLine(), descriptor: writer)
        #expect(fcntl(writer, F_GETFL) & O_NONBLOCK == 0)
        var written = 0
        while sink.writeIfReady(ReadingBatch.sample(written..<(written + 1))) { written += 1 }
        #expect((150...300).contains(written))
        #expect(!other.writeIfReady(ReadingBatch.sample(0..<1)))
        var room = [UInt8](repeating: 0, count: 1 << 17)
        let count = read(reader, &room, room.count)
        #expect(room[..<count].count { $0 == UInt8(ascii: "\n") } == written && room[count - 1] == UInt8(ascii: "\n"))
        // More than a pipe accepts atomically.
        #expect(!sink.writeIfReady(ReadingBatch.sample(0..<16)) && !sink.writeIfReady(ReadingBatch.sample(0..<17)))
        #expect(sink.writeIfReady(ReadingBatch.sample(0..<2)))
        sink.close()
        #expect(!sink.writeIfReady(ReadingBatch.sample(0..<1)))
        let file = StandardOutputSink(line: ReadingLine(), descriptor: open("/dev/null", O_WRONLY | O_CLOEXEC))
        #expect(!file.writeIfReady(ReadingBatch.sample(0..<1)))
    }

    /// A pipe without a reader does not block a live source; afterwards every line is there, complete and in order.
    @Test(.timeLimit(.minutes(5))) func stalledPipe_HoldsUpNoLiveSource() async throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let pipeline = Pipeline([Pipeline.Member(StandardOutputSink(line: ReadingLine(), descriptor: writer))])
        let source = pipeline.attach(Pipeline.Source(mayThin: true, committed: { _ in }, paused: { _ in }))
        let total = 1500
        // About 300 KB into 64 KiB: returns although the sink blocks.
        try await onThread {
            for number in 0..<total {
                var one = ReadingBatch.sample(number..<(number + 1))
                one.source = source
                pipeline.submit(one)
            }
        }
        #expect(pipeline.reports[0].waiting > 0)
        async let text = onThread {
            var all: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 1 << 16)
            while case let count = read(reader, &room, room.count), count > 0 { all += room[..<count] }
            return String(decoding: all, as: UTF8.self)
        }
        try await onThread { try pipeline.finish() }
        close(writer)
        let lines = try await text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == total + 1 && lines.last == "")
        let ids = lines.dropLast().compactMap { $0.split(separator: "\"id\":\"").last?.prefix(15) }
        #expect(ids.count == total && ids == ids.sorted() && Set(ids).count == total)
        close(reader)
    }

    /// For a file, the lines are in the pipe on return; an optional sink delays nothing.
    @Test(.timeLimit(.minutes(5))) func bulkSource_PrintsInPlace_ForARequiredSinkAlone() async throws {
        signal(SIGPIPE, SIG_IGN)
        for isRequired in [true, false] {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            let writer = ends[1]
            let sink = Pipeline.Member(StandardOutputSink(line: ReadingLine(), descriptor: writer), isRequired: isRequired)
            let pipeline = Pipeline([sink])
            let source = pipeline.attach(Pipeline.Source(mayThin: false, committed: { _ in }, paused: { _ in }))
            let total = isRequired ? 100 : 1500
            try await onThread {
                var all = ReadingBatch.sample(0..<total)
                all.source = source
                pipeline.submit(all)
            }
            #expect(pipeline.reports[0].stored == (isRequired ? total : 0))
            close(ends[0])
            try? await onThread { try pipeline.finish() }
            close(writer)
        }
    }

    // MARK: Names

    @Test(arguments: [
        ("stdout", SinkSpec(.stdout)), ("jsonl:-", SinkSpec(.stdout)), ("jsonl:a.jsonl", SinkSpec(.jsonl, path: "a.jsonl")),
        ("csv:/tmp/a b.csv?", SinkSpec(.csv, path: "/tmp/a b.csv", isRequired: false)),
        ("sqlite:a:b.db", SinkSpec(.sqlite, path: "a:b.db")), ("stdout?", SinkSpec(.stdout, isRequired: false)),
    ])
    func spec_IsReadAndWritten(_ text: String, _ spec: SinkSpec) throws {
        #expect(try SinkSpec(text) == spec)
    }

    @Test(arguments: ["", "csv", "csv:", "sqlite:-", "mqtt:", "stdout:file", "jsonl", "?", "mqtt", "Mqtt://x", "a b:c", ":x"])
    func spec_RefusesWhatIsNoSink(_ text: String) {
        #expect { try SinkSpec(text) } throws: { ($0 as? IngestError)?.status == .usage }
    }

    @Test(arguments: [
        "https://h/fhir/0f8fad5b-d9cb-469f-a165-70867728950e/r4", "https://h/interconnect-fhir-oauth/api/FHIR/R4", "https://h/v1/tokens/7",
        "postgres://cuff@db.example/ward?sslmode=verify-full",
    ])
    func spec_TakesAPathThatIsAName(_ text: String) throws { #expect(try SinkSpec(text).description == text) }

    /// Whatever else is wrong with an address, its password is not printed.
    @Test(arguments: [
        "HTTPS://u:hunter2@host/", "https://user%3Ahunter2@host/", "https://user%3ahunter2%40host/", "Mqtts://u:hunter2@host",
        "mqtts://u:hunter2@host/?gateway=x", "nosuch+scheme://u:hunter2@host", "NOSUCH://host/?token=hunter2",
        "https://u:hunter2@host:99999/", "https://hooks.example/services/T00/B00/Xhunter2Xa9k3Lmn0pQr",
        "https://h/bot123:AAhunter2abcdefGHIJKL",
        "https://h/v1/token/hunter2hunter2", "https://h/x;apikey=hunter2/y", "INFLUX+https://h/?org=a&toKEN=hunter2",
    ])
    func spec_NeverRepeatsASecret(_ text: String) {
        #expect { try SinkSpec(text) } throws: { error in
            guard let error = error as? IngestError else { return false }
            return error.status == .usage && !error.description.contains("hunter2") && error.fault is SinkFault
        }
    }

    // MARK: The list

    @Test func everyKind_ParsesItsOwnExample_AndIsUnique() throws {
        #expect(Set(SinkKind.all.map(\.scheme)).count == SinkKind.all.count)
        for kind in SinkKind.all {
            let spec = try SinkSpec(kind.example)
            #expect(spec.kind == kind)
            #expect(try SinkSpec("\(spec)?") == SinkSpec(kind, path: spec.path, isRequired: false))
            #expect(!kind.help.isEmpty && !kind.help.contains("\n"))
        }
    }

    @Test func aProgramsOwnKind_IsParsed_Configured_AndOpened() throws {
        let kind = SinkKind("tally", help: "counts", example: "tally:a", durability: .acknowledged) { spec, _ in Tally(spec.name) }
        let kinds = SinkKind.all + [kind]
        let spec = try SinkSpec("tally:x", among: kinds)
        #expect(spec == SinkSpec(kind, path: "x") && spec.isDurable)
        let sink = try spec.open()
        #expect(sink.label == "tally:x")
        #expect(try sink.write(.sample(0..<3)) == 0)
        var configuration = CuffConfiguration()
        let text = "[sink.a]\ntally = \"x\"\n[sink.b]\naddress = \"tally:y?\"\n[sink.c]\nexec = \"cat\"\nack = true\n"
        try configuration.read(text, file: "c.toml", drivers: [], kinds: kinds)
        #expect(configuration.sinks.map { "\($0.spec)" } == ["tally:x", "tally:y?", "exec+ack:cat"])
    }

    private final class Tally: ReadingSink {
        let label: String
        init(_ label: String) { self.label = label }
        func write(_ batch: ReadingBatch) throws(IngestError) -> Int { 0 }
    }
}
