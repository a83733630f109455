import CuffCore
import Testing

@testable import CuffIngest

/// `store.changes(since:)`: each change once under a name, also after a restart.
@Suite(.timeLimit(.minutes(5))) struct StoreChangesTests {
    private let folder = TestFolder()
    private let anchor = ChangeAnchor("diary")

    private func open() async throws -> Store { try await Store.open(folder.file("bp.db")) }

    private func words(_ store: Store, _ anchor: ChangeAnchor, atMost limit: Int = .max) async throws -> [String] {
        var found: [String] = []
        for try await change in store.changes(since: anchor, follow: false) {
            found.append(Self.word(change))
            if found.count == limit { break }
        }
        return found
    }

    private static func word(_ change: StoreChange) -> String {
        func name(_ reading: Reading) -> String {
            if case .bloodPressure(let pressure) = reading.content { "\(Int(pressure.systolic.inMmHg))" } else { "?" }
        }
        return switch change {
        case .added(let reading, _): "added \(name(reading))"
        case .revised(let reading, _): "revised \(name(reading))"
        case .deleted(let id): "deleted \(id)"
        }
    }

    private func delete(_ number: Int, from store: Store) throws {
        var selection = ReadingSelection(zone: .utc)
        selection.ids = [Reading.sample(number).id]
        _ = try store.delete(selection)
    }

    @Test func eachChange_ComesOnce_AlsoAfterARestart() async throws {
        let store = try await open()
        for number in 1...3 { try await store.save(.sample(number, systolic: 120 + number), device: "dev") }
        #expect(try await words(store, anchor) == ["added 121", "added 122", "added 123"])
        try store.close()
        let reopened = try await open()
        #expect(try await words(reopened, anchor) == [])
        try await reopened.save(.sample(2, systolic: 140, revision: 1), device: "dev")
        try await reopened.save(.sample(4, systolic: 124), device: "dev")
        try delete(1, from: reopened)
        #expect(try await words(reopened, anchor) == ["deleted \(Reading.sample(1).id)", "revised 140", "added 124"])
        #expect(try await words(reopened, anchor) == [])
    }

    @Test func anchors_AreIndependent_AndCanBeForgotten() async throws {
        let store = try await open()
        try await store.save(.sample(1), device: "dev")
        #expect(try await words(store, anchor) == ["added 120"])
        #expect(try await words(store, ChangeAnchor("other's")) == ["added 120"])
        try await store.forget(anchor)
        #expect(try await words(store, anchor) == ["added 120"])
        #expect(try await words(store, ChangeAnchor("other's")) == [])
    }

    /// The loop's body may not have finished with the last one.
    @Test func whatALeftLoopHadLast_ComesAgain() async throws {
        let store = try await open()
        for number in 1...3 { try await store.save(.sample(number, systolic: 120 + number), device: "dev") }
        #expect(try await words(store, anchor, atMost: 2) == ["added 121", "added 122"])
        #expect(try await words(store, anchor) == ["added 121", "added 122", "added 123"])
    }

    /// More than are read together: those of the pages before are remembered.
    @Test func aLongList_ComesInPages() async throws {
        let store = try await open()
        let batch = ReadingBatch.sample(0..<250)
        #expect(try store.keep(Array(batch.entries.readings), driver: "and-std", device: "dev") == 250)
        #expect(try await words(store, anchor, atMost: 150).count == 150)
        #expect(try await words(store, anchor).count == 150, "the first page is taken")
        #expect(try await words(store, anchor).isEmpty)
    }

    @Test func pendingReadings_AreNoChange_BeforeTheyAreComplete() async throws {
        let store = try await open()
        try await store.save(.sample(1, isPending: true), device: "dev")
        #expect(try await words(store, anchor) == [])
        try await store.save(.sample(1, systolic: 125, revision: 1), device: "dev")
        #expect(try await words(store, anchor) == ["added 125"])
    }

    @Test func aFollowingLoop_SeesAnotherProgramsChange_AndEndsByCancellation() async throws {
        let (store, other) = (try await open(), try await open())
        let anchor = anchor
        let seen = Mailbox<String>()
        let loop = Task {
            for try await change in store.changes(since: anchor) { seen.post(Self.word(change)) }
        }
        try await other.save(.sample(1, systolic: 121), device: "dev")
        await seen.wait(count: 1)
        try await other.save(.sample(2, systolic: 122), device: "dev")
        await seen.wait(count: 2)
        #expect(seen.values == ["added 121", "added 122"])
        loop.cancel()
        try await loop.value
    }

    @Test func aDatabaseOpenForReading_CannotRememberAnAnchor() async throws {
        try await open().save(.sample(1), device: "dev")
        let store = try await Store.open(folder.file("bp.db"), access: .read)
        await #expect(throws: IngestError.self) {
            for try await _ in store.changes(since: anchor, follow: false) {}
        }
    }
}
