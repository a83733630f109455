import CuffClinical
import CuffCore
import Testing

@testable import CuffIngest

/// `store.export` and `store.report`.
@Suite(.timeLimit(.minutes(5))) struct DocumentTests {
    private let folder = TestFolder()

    private func filled() async throws -> Store {
        let store = try await Store.open(folder.file("bp.db"))
        for number in 1...3 { try await store.save(.sample(number, systolic: 120 + number), device: "dev") }
        return store
    }

    @Test func anExport_IsAFile_AndANamedOneHoldsOnlyWhatIsNew() async throws {
        let store = try await filled()
        var selection = ReadingSelection(zone: .utc)
        selection.newFor = "diary"
        let first = try await store.export(selection, as: .jsonl, to: folder.file("first.jsonl"))
        #expect(first.written == 3 && folder.lines("first.jsonl").count == 3)
        try await store.save(.sample(4, systolic: 124), device: "dev")
        #expect(try await store.export(selection, as: .jsonl, to: folder.file("second.jsonl")).written == 1)
        #expect(folder.text("second.jsonl").contains(#""systolic_mmHg":124"#))
        await #expect(throws: IngestError.self) { try await store.export(selection, as: .jsonl, to: folder.file("first.jsonl")) }
        #expect(folder.lines("first.jsonl").count == 3, "nothing is replaced unless asked")
    }

    @Test func aReport_IsAPage_OfOnePerson() async throws {
        let store = try await filled()
        let (counted, leftOut) = try await store.report(ReadingSelection(zone: .utc), person: "M. Example", to: folder.file("page.html"))
        #expect(counted == 3 && leftOut == 0)
        #expect(folder.text("page.html").contains("M. Example"))
        var other = Reading.sample(9)
        (other.user, other.id) = (2, Reading.ID(wallSeconds: 1_778_000_000, hash: 9))
        try await store.save(other, device: "dev")
        let refused = await #expect(throws: IngestError.self) {
            try await store.report(ReadingSelection(zone: .utc), person: "M. Example", to: folder.file("two.html"))
        }
        #expect(refused?.status == .usage && folder.text("two.html").isEmpty)
    }
}
