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

    /// `excluded` is what averages do: the cuff's own average counts, and its three inflations do not.
    @Test func aTable_ExcludesTheInflationsOfACuffsAverage() async throws {
        let store = try await Store.open(folder.file("bp.db"))
        for number in 1...5 {
            var one = Reading.sample(number, systolic: 120 + number)
            // The last is a measurement of another day.
            one.measured = Timestamp(seconds: 1_777_968_000 + Int64(number) * 60 + (number == 5 ? 86400 : 0))
            one.flags = number == 4 ? [.averaged] : []
            try await store.save(one, device: "dev")
        }
        func excluded(_ selection: ReadingSelection, _ name: String) async throws -> [String] {
            _ = try await store.export(selection, as: .csv, to: folder.file(name))
            let rows = folder.lines(name).map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
            let column = try #require(rows.first?.firstIndex(of: "excluded"))
            return rows.dropFirst().map { $0[column] }
        }
        var selection = ReadingSelection(zone: .utc)
        let part = "part_of_average"
        #expect(try await excluded(selection, "all.csv") == [part, part, part, "", ""])
        selection.ids = [Reading.sample(1).id]
        #expect(try await excluded(selection, "one.csv") == [part], "the average is not selected")
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
