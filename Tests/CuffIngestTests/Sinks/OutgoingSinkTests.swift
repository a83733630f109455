import CuffCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct OutgoingSinkTests {
    private func open(_ spec: String, _ folder: TestFolder, faults: Mailbox<IngestError> = Mailbox()) throws -> any ReadingSink {
        var context = SinkContext()
        context.outbox = folder.file("bp.db")
        context.onFault = { faults.post($1) }
        return try SinkSpec(spec).open(context)
    }

    private func batch(_ numbers: Range<Int>) -> ReadingBatch { .sample(numbers) }

    private func lines(_ numbers: Range<Int>) -> [String] {
        var text = TextBuffer()
        ReadingLine().append(batch(numbers).entries, device: "dev-1", to: &text)
        return text.string.split(separator: "\n").map(String.init)
    }

    private func overview(_ folder: TestFolder, _ sink: String) throws -> SinkOverview.Row? {
        try SinkOverview(database: folder.file("bp.db")).rows.first { $0.sink == sink }
    }

    // MARK: exec

    @Test func exec_HandsOverEveryLineOnce_AcrossRunsThatBringThemAgain() async throws {
        let folder = TestFolder()
        let spec = "exec:sh -c 'cat >> \(folder.file("got"))'"
        for numbers in [0..<300, 0..<400] {
            let sink = try open(spec, folder)
            #expect(try sink.write(batch(numbers)) == (numbers.count == 300 ? 0 : 300))
            try await onThread { try sink.close() }
        }
        #expect(folder.lines("got") == lines(0..<400))
        let row = try #require(try overview(folder, spec))
        #expect(row.pending == 0 && row.error == nil)
        #expect(row.acknowledged == Reading.sample(399).id.description)
    }

    @Test func exec_IsStartedAgain_WhenItEnds() async throws {
        let folder = TestFolder()
        // Reads two lines and exits, each time.
        let spec = "exec:sh -c 'head -n 2 >> \(folder.file("got"))'"
        let sink = try open(spec, folder)
        for number in 0..<3 {
            _ = try sink.write(batch(number * 2..<number * 2 + 2))
            try await Task.sleep(for: .milliseconds(300))
        }
        try await onThread { try sink.close() }
        #expect(Set(folder.lines("got")) == Set(lines(0..<6)), "what was taken by a program that ended may come twice, never not at all")
    }

    @Test func exec_ThatFails_LeavesItsLinesInTheOutbox_AndSaysWhy() async throws {
        let folder = TestFolder()
        let faults = Mailbox<IngestError>()
        let sink = try open("exec:false", folder, faults: faults)
        _ = try sink.write(batch(0..<3))
        _ = await faults.wait(count: 1)
        #expect(sink.backlog?.waiting == 3)
        #expect(sink.backlog?.fault != nil)
        try await onThread { try sink.close() }
        let row = try #require(try overview(folder, "exec:false"))
        #expect(row.pending == 3 && row.acknowledged == nil && row.error != nil && row.nextTry != nil && row.oldest != nil)
    }

    // MARK: +ack

    private func id(_ number: Int) -> String { Reading.sample(number).id.description }

    /// The helpers in Examples.
    private static let helpers =
        ProjectFolder.path("Examples/Sinks")

    @Test(arguments: ["python3", "sh"]) func theExampleHelpers_KeepEveryReadingOnce(_ language: String) async throws {
        try #require(CommandPeer.find(language) != nil, "\(language) is not installed")
        let folder = TestFolder()
        let file = language == "sh" ? "append.sh" : "append.py"
        let spec = "exec+ack:\(language) \(Self.helpers)/\(file) \(folder.file("got"))"
        for numbers in [0..<20, 0..<25] {
            let sink = try open(spec, folder)
            #expect(sink.isDurable)
            #expect(try sink.write(batch(numbers)) == (numbers.count == 20 ? 0 : 20))
            try await onThread { try sink.close() }
        }
        #expect(folder.lines("got") == lines(0..<25))
        let row = try #require(try overview(folder, spec))
        #expect(row.pending == 0 && row.error == nil && row.acknowledged == id(24))
    }

    private func check(_ helper: String, _ folder: TestFolder) async throws -> (status: Int32, said: String) {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "\(Self.helpers)/check")
        program.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        program.arguments = ["--lines", "100", "--stored", "cat got", "--away", "\(helper) /dev/full", "\(helper) got"]
        let output = Pipe()
        program.standardOutput = output
        program.standardError = FileHandle.nullDevice
        try program.run()
        return try await onThread {
            let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            program.waitUntilExit()
            return (program.terminationStatus, said)
        }
    }

    @Test(arguments: ["python3", "sh"]) func theExampleHelpers_KeepToTheProtocol(_ language: String) async throws {
        let folder = TestFolder()
        let (status, said) = try await check("\(language) \(Self.helpers)/append.\(language == "sh" ? "sh" : "py")", folder)
        #expect(status == 0, "\(said)")
    }

    /// Two common faults of helpers: a repeated reading is written again, and answers continue after `later`.
    @Test func theCheckOfTheProtocol_FindsFaults() async throws {
        let folder = TestFolder()
        let helper = folder.write(
            "careless.sh",
            #"""
            echo ready 1
            while IFS= read -r line; do
                id=${line#*\"id\":\"}
                revision=0
                case $line in *\"revision\":*) revision=${line#*\"revision\":} revision=${revision%%[!0-9]*} ;; esac
                if printf '%s\n' "$line" >>"$1"; then echo "ok ${id%%\"*} $revision"; else echo "later full"; fi
            done
            """#)
        let (status, said) = try await check("sh \(helper)", folder)
        #expect(status == 1)
        #expect(said.contains("FAIL: twice in one conversation: a reading that comes again is stored once"), "\(said)")
        #expect(said.contains("FAIL: it can deliver nothing: nothing follows after `later` and `fatal`"), "\(said)")
        #expect(!said.contains("FAIL: a conversation:"), "\(said)")
    }

    /// Answers of wrong addresses, before anything was sent and for each line: each of these acknowledged a reading once.
    @Test(arguments: ["ok", "ERROR: no such table", "HTTP/1.1 400 Bad Request", "220 mail.example ESMTP", "", "ready 2"])
    func anotherProgram_AcknowledgesNothing(_ line: String) async throws {
        for script in ["echo \"\(line)\"; exec cat", "echo ready 1; while read a; do echo \"\(line)\"; done"] {
            let folder = TestFolder()
            let spec = "exec+ack:sh -c '\(script)'"
            let faults = Mailbox<IngestError>()
            let sink = try open(spec, folder, faults: faults)
            _ = try sink.write(batch(0..<3))
            let fault = await faults.wait(count: 1)
            #expect(fault.first?.status == .protocolFault)
            try await onThread { try sink.close() }
            #expect(sink.backlog?.waiting == 3)
            let row = try #require(try overview(folder, spec))
            #expect(row.acknowledged == nil && row.pending == 3)
        }
    }

    private func keptLines(_ store: Store) throws -> Int? {
        try store.read { try Store.count($0, "outbox WHERE line IS NOT NULL") }
    }

    @Test func aRefusedReading_IsSetAside_AndShown() async throws {
        let folder = TestFolder()
        let helper = folder.write(
            "helper.sh",
            #"""
            echo ready 1
            while read -r line; do
                id=${line#*\"id\":\"}
                id=${id%%\"*}
                case $id in "$1") echo "refuse $id 0 too old" ;; *) echo "ok $id 0" ;; esac
            done
            """#)
        let spec = "exec+ack:sh \(helper) \(id(1))"
        let sink = try open(spec, folder)
        _ = try sink.write(batch(0..<3))
        try await onThread { try sink.close() }
        #expect(sink.backlog?.waiting == 0 && sink.backlog?.refused == 1)
        let overview = try SinkOverview(database: folder.file("bp.db"))
        let row = try #require(overview.rows.first { $0.sink == spec })
        #expect(row.pending == 0 && row.refused == 1)
        #expect(row.refusals == [SinkOverview.Refusal(id: id(1), revision: 0, reason: "too old")])
        #expect(overview.table().contains("refused \(id(1)) 0: too old"))
        let json = "\"refused\":1,\"refusals\":[{\"id\":\"\(id(1))\",\"revision\":0,\"reason\":\"too old\"}]"
        #expect(overview.jsonLines.contains(json))
        // It is kept until the reading is deleted or the line is dropped.
        let store = try Store(folder.file("bp.db"), access: .write)
        #expect(try keptLines(store) == 1)
        #expect(try store.dropOutbox(spec) == 1)
        #expect(try store.outboxes().first { $0.spec == spec }?.refused == 0)
    }

    /// Refuses every line while a file exists.
    private func moody(_ folder: TestFolder) -> String {
        let helper = folder.write(
            "moody.sh",
            #"""
            echo ready 1
            while IFS= read -r line; do
                id=${line#*\"id\":\"}
                id=${id%%\"*}
                if [ -e "$1" ]; then echo "refuse $id 0 HTTP 400: no"; else printf '%s\n' "$line" >>"$2" && echo "ok $id 0"; fi
            done
            """#)
        return "exec+ack:sh \(helper) \(folder.file("refuses")) \(folder.file("got"))"
    }

    @Test func aRefusedReading_IsDeliveredLater() async throws {
        let folder = TestFolder()
        let (spec, database) = (moody(folder), folder.file("bp.db"))
        func carry(_ numbers: Range<Int>) async throws -> SinkBacklog? {
            let sink = try open(spec, folder)
            _ = try sink.write(batch(numbers))
            try await onThread { try sink.close() }
            return sink.backlog
        }
        _ = try await carry(0..<1)
        _ = folder.write("refuses", "")
        #expect(try await carry(0..<3)?.refused == 2)
        let row = try #require(try overview(folder, spec))
        #expect(row.refused == 2 && row.pending == 0 && row.error == nil)
        #expect(try await carry(0..<3)?.refusals.readings == 2, "what is not delivered is said again")
        let shown = try SinkOverview(database: database)
        #expect(shown.plain.contains("\trefused: HTTP 400: no\t2\t0\n"), "why, in the table too: \(shown.plain)")
        func retry(refused: Bool) async throws -> SinkRuns.Retried {
            try await onThread { try SinkRuns.retry(database: database, sink: spec, refused: refused) }
        }
        #expect(try await retry(refused: false) == SinkRuns.Retried())
        #expect(try await retry(refused: true) == SinkRuns.Retried(sent: 0, refused: 2, left: 0), "it refuses them again")
        unlink(folder.file("refuses"))
        #expect(try await retry(refused: true) == SinkRuns.Retried(sent: 2, refused: 0, left: 0))
        #expect(folder.lines("got") == lines(0..<3), "in their order")
        #expect(try overview(folder, spec)?.refused == 0)
        // Dropping refused lines and reading them again queues them.
        _ = folder.write("refuses", "")
        #expect(try await carry(3..<4)?.refused == 1)
        unlink(folder.file("refuses"))
        #expect(try await carry(3..<4)?.refusals.readings == 1)
        #expect(folder.lines("got").count == 3)
        #expect(try SinkRuns.drop(database: database, sink: spec, confirmation: "drop") == 1)
        let unknown = IngestError(SinkFault.noQueue("exec+ack:./typo"))
        #expect(throws: unknown) { try SinkRuns.drop(database: database, sink: "exec+ack:./typo", confirmation: "drop") }
        #expect(throws: unknown) { try SinkRuns.retry(database: database, sink: "exec+ack:./typo") }
        _ = try await carry(0..<4)
        #expect(folder.lines("got") == lines(0..<4))
    }

    @Test func aLineWithoutATime_GivesWayToOneThatHasIt() throws {
        let folder = TestFolder()
        let outbox = try Outbox(try Store(folder.file("bp.db"), access: .write), spec: "tcp:a:1")
        var timed = Reading.sample(1)
        timed.measured = Timestamp(milliseconds: 1_778_000_060_000)
        func batch(_ reading: Reading) -> ReadingBatch {
            ReadingBatch(source: 1, driver: "and-std", device: "d", entries: [.reading(reading)], through: 1)
        }
        #expect(try outbox.put([batch(.sample(1))], line: ReadingLine()).added == 1)
        let first = try #require(try outbox.next(9).first)
        #expect(first.lacksZone && !first.isCompleteReading)
        try outbox.setAside(first, reason: "no time")
        #expect(outbox.refusals.readings == 1 && outbox.refusals.withoutZone == 1)
        #expect(try outbox.put([batch(.sample(1))], line: ReadingLine()).added == 0)
        #expect(try outbox.put([batch(timed)], line: ReadingLine()).added == 1)
        let second = try #require(try outbox.next(9).first)
        #expect(second.isCompleteReading && outbox.waiting == 1)
        // Acknowledged: it is not sent again.
        try outbox.acknowledge([second])
        #expect(try outbox.put([batch(timed)], line: ReadingLine()).added == 0)
    }

    @Test func withoutAnswers_WhatWasHandedOver_AndNotReadToTheEnd_IsCounted() async throws {
        let folder = TestFolder()
        // Reads everything, then exits with a failure.
        let spec = "exec:sh -c 'cat > \(folder.file("got")); exit 3'"
        let sink = try open(spec, folder)
        #expect(!sink.isDurable)
        _ = try sink.write(batch(0..<40))
        try await onThread { try sink.close() }
        #expect(sink.backlog?.waiting == 0 && sink.backlog?.lost == 40)
        let row = try #require(try overview(folder, spec))
        #expect(row.lost == 40 && !row.isDurable)
        #expect(try SinkOverview(database: folder.file("bp.db")).jsonLines.contains("\"durable\":false"))
        // The kernel accepts the connection, but the listener never does.
        let (listener, port) = try TCPTransport.listening("127.0.0.1", "0", "test")
        defer { Glibc.close(listener) }
        let deaf = try open("tcp:127.0.0.1:\(port)", folder)
        _ = try deaf.write(batch(0..<40))
        try await onThread { try deaf.close() }
        let backlog = try #require(deaf.backlog)
        #expect(backlog.lost + backlog.waiting == 40, "none of them is known to have arrived")
    }

    @Test(arguments: [
        ("./notify -a 'b c' \"d \\\" e\"", ["./notify", "-a", "b c", "d \" e"]), ("sh -c 'cat >> log'", ["sh", "-c", "cat >> log"]),
        ("a  b\\ c ''", ["a", "b c", ""]), ("echo $HOME *", ["echo", "$HOME", "*"]), ("x \"\\n\"", ["x", "\\n"]),
    ])
    func command_IsWordsAndNoShell(_ text: String, _ words: [String]) throws {
        #expect(try CommandPeer.words(text) == words)
    }

    @Test(arguments: [
        "exec:", "exec:  ", "exec:'a", "exec:a\\", "tcp:host", "tcp::1", "tcp:h:0", "tcp:h:70000", "unix:", "jsonl+ack:x", "exec+ack",
    ])
    func spec_RefusesWhatIsNone(_ text: String) {
        #expect { try SinkSpec(text) } throws: { ($0 as? IngestError)?.status == .usage }
    }

    @Test(arguments: [
        ("exec:cat", SinkSpec(.exec, path: "cat"), "exec:cat"),
        ("tcp+ack://[::1]:5?", SinkSpec(.tcpAck, path: "[::1]:5", isRequired: false), "tcp+ack:[::1]:5?"),
        ("unix:/run/x", SinkSpec(.unix, path: "/run/x"), "unix:/run/x"),
    ])
    func spec_IsReadAndWritten(_ text: String, _ spec: SinkSpec, _ written: String) throws {
        #expect(try SinkSpec(text) == spec)
        #expect("\(spec)" == written)
    }

    @Test func exec_OfAMissingProgram_IsSaidAtOnce() {
        let folder = TestFolder()
        #expect { try open("exec:no-such-program-here", folder) } throws: { ($0 as? IngestError)?.status == .unavailable }
    }

    // MARK: Sockets

    @Test(arguments: [false, true]) func socket_ThatComesLater_GetsEverythingInOrder(_ isUnix: Bool) async throws {
        let folder = TestFolder()
        let port = try Server.freePort()
        let place: SocketPeer.Place = isUnix ? .unix(folder.file("s")) : .tcp(host: "127.0.0.1", port: port)
        let spec = isUnix ? "unix:\(folder.file("s"))" : "tcp:127.0.0.1:\(port)"
        let faults = Mailbox<IngestError>()
        do {
            let sink = try open(spec, folder, faults: faults)
            _ = try sink.write(batch(0..<50))
            _ = await faults.wait(count: 1)
            try await onThread { try sink.close() }
        }
        #expect(try overview(folder, spec)?.pending == 50)
        // Another run: the receiver exists now, disconnects, and comes back.
        let server = try Server(place)
        let sink = try open(spec, folder)
        _ = await server.lines.wait { $0.count >= 50 }
        server.hangUp()
        _ = try sink.write(batch(50..<60))
        _ = await server.lines.wait { Set($0).count >= 60 }
        try await onThread { try sink.close() }
        let got = server.lines.values
        var first: [String] = []
        for line in got where !first.contains(line) { first.append(line) }
        #expect(first == lines(0..<60))
        #expect(try overview(folder, spec)?.pending == 0)
        server.close()
    }

    @Test func unixSocket_ThatIsNotRead_HoldsTheLines_AndDelaysNobody() async throws {
        let folder = TestFolder()
        let server = try Server(.unix(folder.file("s")), isReading: false)
        let spec = "unix:\(folder.file("s"))"
        let sink = try open(spec, folder)
        let start = HostClock.monotonic()
        for number in 0..<40 { _ = try sink.write(batch(number * 100..<number * 100 + 100)) }
        #expect(HostClock.monotonic() - start < 30_000_000_000, "a write waits for the disk alone")
        #expect(sink.backlog?.waiting == 4000)
        server.startReading()
        let last = lines(3999..<4000)[0]
        _ = await server.lines.wait { $0.last == last }
        #expect(Set(server.lines.values).count == 4000)
        try await onThread { try sink.close() }
        #expect(try overview(folder, spec)?.pending == 0)
        server.close()
    }

    @Test func socket_ThatBreaksOffUnread_LosesNothing() async throws {
        let folder = TestFolder()
        let port = try Server.freePort()
        var server = try Server(.tcp(host: "127.0.0.1", port: port), isReading: false)
        let sink = try open("tcp:127.0.0.1:\(port)", folder)
        // More than both kernels buffer.
        for number in 0..<30 { _ = try sink.write(batch(number * 100..<number * 100 + 100)) }
        try await Task.sleep(for: .milliseconds(200))
        // Bytes written before the peer disconnected count once nothing more can be read.
        server.close()
        try await Task.sleep(for: .milliseconds(200))
        let taken = 3000 - (sink.backlog?.waiting ?? 0)
        server = try Server(.tcp(host: "127.0.0.1", port: port))
        #expect(taken < 3000, "the connection must break off with lines untaken")
        let last = lines(2999..<3000)[0]
        _ = await server.lines.wait { $0.last == last }
        try await onThread { try sink.close() }
        #expect(Set(server.lines.values).isSuperset(of: lines(taken..<3000)), "\(taken) lines were taken before")
        server.close()
    }

    // MARK: The outbox

    @Test func outbox_OfOneSink_IsNotAnothers_AndDeletedReadingsLeaveIt() async throws {
        let folder = TestFolder()
        let store = try Store(folder.file("bp.db"), access: .write)
        let first = try Outbox(store, spec: "tcp:a:1")
        let second = try Outbox(store, spec: "tcp:b:1")
        #expect(try first.put([batch(0..<5)], line: ReadingLine()).repeated == 0)
        #expect(try second.put([batch(0..<2)], line: ReadingLine()).repeated == 0)
        let all = try first.next(10)
        #expect(all.map(\.sequence) == [1, 2, 3, 4, 5])
        try first.acknowledge(all[0..<3])
        #expect(first.waiting == 2 && second.waiting == 2)
        #expect(try first.put([batch(0..<6)], line: ReadingLine()).repeated == 5)
        #expect(try first.next(10).map(\.sequence) == [4, 5, 6])
        let sqlite = try SQLiteSink(path: folder.file("bp.db"))
        _ = try sqlite.write(batch(0..<6))
        var selection = ReadingSelection(kinds: [], zone: ZoneTable.utc)
        selection.ids = [Reading.sample(5).id]
        #expect(try store.delete(selection) == 1)
        #expect(try first.next(10).map(\.sequence) == [4, 5])
        #expect(try store.dropOutbox("tcp:a:1") == 2)
        #expect(try first.refresh() == 0)
    }

    @Test func outbox_IsSentByOneRunAtATime() async throws {
        let folder = TestFolder()
        let server = try Server(.unix(folder.file("s")))
        let spec = "unix:\(folder.file("s"))"
        let first = try open(spec, folder)
        _ = try first.write(batch(0..<1))
        _ = await server.lines.wait(count: 1)
        let faults = Mailbox<IngestError>()
        let second = try open(spec, folder, faults: faults)
        _ = try second.write(batch(1..<2))
        #expect(await faults.wait(count: 1)[0].status == .tryAgain)
        // The first polls the database every few seconds and finds what the second queued.
        _ = await server.lines.wait(count: 2)
        try await onThread {
            try second.close()
            try first.close()
        }
        #expect(server.lines.values == lines(0..<2))
        server.close()
    }
}

/// A listener for lines that a test can stall and disconnect.
final class Server: @unchecked Sendable {
    let lines = Mailbox<String>()
    private let listener: Int32
    private let client = Locked<Int32>(-1)
    private let gate: Gate

    static func freePort() throws -> Int {
        let (descriptor, port) = try TCPTransport.listening("127.0.0.1", "0", "test")
        Glibc.close(descriptor)
        return port
    }

    init(_ place: SocketPeer.Place, isReading: Bool = true) throws {
        gate = Gate(isOpen: isReading)
        switch place {
        case .tcp(let host, let port): (listener, _) = try TCPTransport.listening(host, String(port), "test")
        case .unix(let path):
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
            let result = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
            }
            guard result == 0, listen(listener, 4) == 0 else { throw SystemFault("bind") }
        }
        _ = fcntl(listener, F_SETFL, 0)
        Thread.detachNewThread { [self] in serve() }
    }

    private func serve() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else { return }
            client.withLock { $0 = descriptor }
            gate.pass()
            var rest: [UInt8] = []
            var room = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &room, room.count)
                guard count > 0 else { break }
                rest += room[..<count]
                while let end = rest.firstIndex(of: 0x0A) {
                    lines.post(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            client.withLock { $0 = -1 }
            Glibc.close(descriptor)
        }
    }

    func startReading() { gate.set(open: true) }

    /// Disconnects; the next connection is accepted.
    func hangUp() { client.withLock { if $0 >= 0 { shutdown($0, Int32(SHUT_RDWR)) } } }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        hangUp()
        gate.set(open: true)
    }
}
