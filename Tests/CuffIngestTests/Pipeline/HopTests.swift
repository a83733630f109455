import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffIngest

/// The tables of hops in ARCHITECTURE.md name existing files and functions, and an R1 result passes their stages in order.
@Suite(.timeLimit(.minutes(3))) struct HopTests {
    struct Hop: Sendable, CustomTestStringConvertible {
        var number: Int
        var file: String
        var functions: [String]
        var testDescription: String { "\(number) \(file)" }
    }

    /// The rows of the table after a line that starts with `title`: number, file, functions in back quotes, remarks.
    static func table(_ title: String) -> [Hop] {
        guard let text = try? String(contentsOfFile: ProjectFolder.path("ARCHITECTURE.md"), encoding: .utf8) else { return [] }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let rows = lines.drop { !$0.hasPrefix(title) }.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return rows.compactMap { row in
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count >= 2, let number = Int(cells[0]) else { return nil }
            let words = cells[1].split(separator: "`").map(String.init).filter { !$0.allSatisfy { " ,".contains($0) } }
            return words.isEmpty ? nil : Hop(number: number, file: words[0], functions: Array(words.dropFirst()))
        }
    }

    static let reading = table("The hops of an R1 result")
    static let hotplug = table("And from a udev event to the session")

    @Test func theTables_AreNumbered_AndNameAnotherFileInEachRow() {
        for (table, most) in [(Self.reading, 23), (Self.hotplug, 12)] {
            #expect(table.count > 8 && table.count <= most, "\(table.count - 1) hops between files")
            #expect(table.map(\.number) == Array(1...max(1, table.count)))
            #expect(zip(table, table.dropFirst()).allSatisfy { $0.file != $1.file })
        }
    }

    @Test(arguments: reading + hotplug) func aHop_IsAFunctionOfItsFile(_ hop: Hop) throws {
        let paths = ["CuffCore", "CuffIngest"].map { ProjectFolder.path("Sources/\($0)/\(hop.file)") }
        let path = try #require(paths.first { FileManager.default.fileExists(atPath: $0) }, "\(hop.file) does not exist")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!hop.functions.isEmpty)
        for function in hop.functions { #expect(text.contains("func \(function)("), "\(hop.file) declares no \(function)") }
    }

    // MARK: An exchange over a pseudo terminal

    /// Records what passes, and whether on the loop.
    private final class NotedTransport: Transport {
        let inner: TTYTransport
        let notes: Mailbox<String>
        var address: String { inner.address }
        var checksBytes: Bool { inner.checksBytes }

        init(_ path: String, _ notes: Mailbox<String>) {
            inner = TTYTransport(path: path, line: LineSettings(rate: 38400))
            self.notes = notes
        }
        func open() throws(IngestError) { try inner.open() }
        func start(on loop: EventLoop, deliver: @escaping (TransportEvent) -> Void) throws(IngestError) {
            let notes = notes
            try inner.start(on: loop) { event in
                if case .received = event { notes.post("received\(loop.isCurrent ? " on the loop" : "")") }
                deliver(event)
            }
        }
        func write(_ bytes: [UInt8]) {
            notes.post("\(bytes == HopTests.acknowledgement ? "acknowledged" : "asked")\(EventLoop.shared.isCurrent ? " on the loop" : "")")
            inner.write(bytes)
        }
        func writeFeature(_ bytes: [UInt8]) { inner.writeFeature(bytes) }
        func pause() { inner.pause() }
        func resume() { inner.resume() }
        func close() { inner.close() }
    }

    /// Records what is on disk before and after a write.
    private final class NotedSink: ReadingSink {
        let inner: SQLiteSink
        let notes: Mailbox<String>
        let memory: DriverMemory
        var label: String { inner.label }
        var takesLiveEvents: Bool { inner.takesLiveEvents }
        var isDurable: Bool { inner.isDurable }

        init(_ path: String, _ memory: DriverMemory, _ notes: Mailbox<String>) throws {
            inner = try SQLiteSink(path: path)
            self.memory = memory
            self.notes = notes
        }
        func write(_ batch: ReadingBatch) throws(IngestError) -> Int {
            notes.post(memory.allOutstanding("r1").isEmpty ? "not persisted" : "persisted")
            let known = try inner.write(batch)
            notes.post("stored\(EventLoop.shared.isCurrent ? " on the loop" : "")")
            return known
        }
        func close() throws(IngestError) { try inner.close() }
    }

    private static let acknowledgement: [UInt8] = [0x02, 0x06, 0x03, 0x0B]

    @Test func anR1Result_PassesTheStagesInOrder_WithTwoChangesOfThread() async throws {
        let folder = TestFolder()
        let pty = Pty()
        let notes = Mailbox<String>()
        let memory = DriverMemory(folder: folder.file("state"))
        let sink = try NotedSink(folder.file("a.db"), memory, notes)
        let ended = Mailbox<Bool>()
        let link = TestLink(
            driver: .r1, device: "one", transport: NotedTransport(pty.path, notes), pipeline: Pipeline([Pipeline.Member(sink)]),
            options: ["poll": "yes"], memory: memory
        ) { if case .ended = $0 { ended.post(true) } }
        link.start([.follow])
        await notes.wait { $0.contains("asked on the loop") }
        let body = [0x02] + Array("R1,000000000,000000,000000,128,097,082,071,0000,0000,00000,000".utf8) + [0x03]
        pty.write(body + [body.reduce(0, &+)])
        await notes.wait { $0.contains { $0.hasPrefix("acknowledged") } }
        var seen: [String] = []
        for note in notes.values where !note.hasPrefix("asked") && seen.last != note { seen.append(note) }
        #expect(seen.prefix(4) == ["received on the loop", "persisted", "stored", "acknowledged on the loop"])
        link.stop()
        await ended.wait { !$0.isEmpty }
    }
}
