import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// Sinks with an outbox in the database of another sink of the run: readings and lines are one transaction.
@Suite(.timeLimit(.minutes(5))) struct FollowingSinkTests {
    /// A helper that never answers, so that lines stay queued.
    private static let silent = "exec+ack:sh -c 'echo ready 1; cat > /dev/null'"

    private func pipeline(_ folder: TestFolder, _ sinks: [String]) throws -> Pipeline {
        var options = IngestOptions()
        options.sinks = try sinks.map { try SinkSpec($0.replacingOccurrences(of: "DB", with: folder.file("bp.db"))) }
        return try Ingest.pipeline(options)
    }

    private func ids(_ folder: TestFolder, _ table: String) throws -> [String] {
        try column(folder.file("bp.db"), "SELECT id FROM \(table) ORDER BY id").compactMap { $0 }
    }

    private func execute(_ folder: TestFolder, _ sql: String) throws {
        try alter(folder.file("bp.db"), sql)
    }

    private func run(_ folder: TestFolder, _ sinks: [String], _ batches: [ReadingBatch]) async throws -> (
        reports: [SinkReport], fault: IngestError?
    ) {
        let pipeline = try pipeline(folder, sinks)
        for batch in batches {
            let source = pipeline.attach(Pipeline.Source(mayThin: false, committed: { _ in }, paused: { _ in }))
            var batch = batch
            batch.source = source
            pipeline.submit(batch)
        }
        let fault = await failure { try pipeline.finish() }
        return (pipeline.reports, fault)
    }

    @Test(arguments: [["sqlite:DB", silent], [silent, "sqlite:DB"], ["sqlite:DB?", silent], ["sqlite:DB", silent + "?"]])
    func readingsAndLines_AreOneTransaction(_ sinks: [String]) async throws {
        let folder = TestFolder()
        try SQLiteSink(path: folder.file("bp.db")).close()
        for table in ["outbox", "reading"] {
            try execute(
                folder,
                "CREATE TRIGGER no BEFORE INSERT ON \(table) WHEN NEW.id = '\(Reading.sample(7).id)' BEGIN SELECT RAISE(ABORT, 'no'); END")
            let result = try await run(folder, sinks, [.sample(0..<10)])
            #expect(result.fault != nil)
            #expect(try ids(folder, "reading").isEmpty && ids(folder, "outbox").isEmpty, "neither has what the other lacks")
            try execute(folder, "DROP TRIGGER no")
        }
        let result = try await run(folder, sinks, [.sample(0..<10), .sample(5..<15)])
        #expect(result.fault == nil)
        let all = (0..<15).map { Reading.sample($0).id.description }
        #expect(try ids(folder, "reading") == all && ids(folder, "outbox") == all)
        #expect(result.reports.map(\.stored) == [20, 20] && result.reports.map(\.known) == [5, 5], "\(result.reports)")
        #expect(result.reports.compactMap(\.backlog).map(\.waiting) == [15])
    }

    @Test func aDeletedReading_IsNotSentToANewSink() async throws {
        let folder = TestFolder()
        _ = try await run(folder, ["sqlite:DB"], [.sample(0..<3)])
        let store = try Store(folder.file("bp.db"), access: .write)
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [Reading.sample(1).id]
        #expect(try store.delete(selection) == 1)
        try store.close()
        _ = try await run(folder, ["sqlite:DB", Self.silent], [.sample(0..<3)])
        #expect(try ids(folder, "outbox") == [0, 2].map { Reading.sample($0).id.description })
    }

    @Test func lines_AreCarried_AndAcknowledged() async throws {
        let folder = TestFolder()
        let helper = "exec:sh -c 'cat >> \(folder.file("got"))'"
        let result = try await run(folder, [helper, "sqlite:DB"], [.sample(0..<50)])
        #expect(result.fault == nil)
        #expect(folder.lines("got").count == 50)
        #expect(try SinkOverview(database: folder.file("bp.db")).rows.first { $0.sink == helper }?.pending == 0)
    }

    @Test func follower_IsHandedNothing_AndHasWhatItsLeaderHas() {
        func texts(_ body: (inout [PipelineState.Effect]) -> Void) -> [String] {
            var effects: [PipelineState.Effect] = []
            body(&effects)
            return effects.map(\.text)
        }
        var limits = PipelineState.Limits()
        limits.optional = 1
        var state = PipelineState(
            [PipelineState.Rule(leader: 1), PipelineState.Rule(), PipelineState.Rule(isRequired: false, leader: 1)], limits: limits)
        #expect(texts { state.accept(.sample(0..<2), into: &$0) } == ["deliver 2 of 1 to 1"])
        #expect(texts { state.accept(.sample(2..<6), into: &$0) } == [], "nothing is missed by one that has no queue of its own")
        #expect(state.waiting == [6, 6, 6])
        #expect(texts { state.failed(1, into: &$0) } == [])
        #expect(texts { state.retry(1, into: &$0) } == ["deliver 6 of 1 to 1"])
        #expect(texts { state.stored(by: 1, into: &$0) } == ["committed 1 6"])
        #expect(state.isDrained && state.waiting == [0, 0, 0])
    }
}
