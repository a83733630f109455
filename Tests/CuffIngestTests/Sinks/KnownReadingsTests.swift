import CuffCore
import Testing

@testable import CuffIngest

@Suite(.timeLimit(.minutes(5))) struct KnownReadingsTests {
    private func key(_ number: Int, ordered: Bool) -> KnownReadings.Key {
        var random = SplitMix64(seed: UInt64(number))
        let wall = 1_700_000_000 + (ordered ? Int64(number) : Int64(random.next() % 100_000_000))
        return KnownReadings.Key(Reading.ID(wallSeconds: wall, hash: random.next()), revision: 0, isPending: false)
    }

    /// The same answers as a set, however many keys were spilled to disk.
    @Test(arguments: [true, false]) func answers_AreThoseOfASet(_ ordered: Bool) throws {
        let known = try KnownReadings(cacheKiB: 32)
        var model: Set<KnownReadings.Key> = []
        var random = SplitMix64(seed: 7)
        for step in 0..<20_000 {
            let number = Int(random.next() % 8000)
            let key = key(ordered ? min(number, step) : number, ordered: ordered)
            #expect(try known.insert(key) == model.insert(key).inserted)
            if step % 9 == 0 { known.commit() }
        }
        known.commit()
        for key in model { #expect(try !known.insert(key)) }
    }

    @Test func forgotten_KeysAreNewAgain_AndKeptOnesAreNot() throws {
        let known = try KnownReadings(cacheKiB: 32)
        let keys = (0..<40).map { key($0, ordered: true) }
        for key in keys[..<20] { #expect(try known.insert(key)) }
        known.commit()
        for key in keys[20...] { #expect(try known.insert(key)) }
        known.forget()
        for key in keys[..<20] { #expect(try !known.insert(key)) }
        for key in keys[20...] { #expect(try known.insert(key)) }
    }

    /// A batch rolled back between committed ones, with pages that are already in the file.
    @Test func forgotten_BatchesLeaveKeptOnesAlone() throws {
        let known = try KnownReadings(cacheKiB: 32)
        var model: Set<KnownReadings.Key> = []
        for batch in 0..<40 {
            let keys = (0..<500).map { key(batch * 500 + $0, ordered: false) }
            for key in keys { #expect(try known.insert(key)) }
            if batch % 3 == 1 {
                known.forget()
            } else {
                known.commit()
                model.formUnion(keys)
            }
        }
        for number in 0..<20_000 {
            let key = key(number, ordered: false)
            #expect(try known.insert(key) != model.contains(key))
        }
    }

    @Test func states_OfOneReadingAreApart() throws {
        let known = try KnownReadings()
        let id = Reading.ID(wallSeconds: 1_700_000_000, hash: 5)
        for (revision, isPending) in [(0, true), (0, false), (1, false)] {
            #expect(try known.insert(KnownReadings.Key(id, revision: UInt8(revision), isPending: isPending)))
        }
        // An id without a time sorts first.
        #expect(Reading.ID(wallSeconds: nil, hash: 5).sortKey == 0)
        #expect(try known.insert(KnownReadings.Key(Reading.ID(wallSeconds: nil, hash: 5), revision: 0, isPending: false)))
    }

    @Test func sortKey_HasTheOrderOfThePrintedForm() {
        let times = [-2_000_000_000, 0, 59, 60, 3600, 86_399, 86_400, 1_700_000_000, 4_000_000_000].map { Int64($0) }
        let keys = times.map { Reading.ID(wallSeconds: $0, hash: 0).sortKey }
        #expect(keys == keys.sorted() && Set(keys).count == keys.count)
    }

    @Test func file_OfManyReadings_IsNotDoubled() throws {
        let folder = TestFolder()
        let count = 52_152
        let readings = (0..<count).map { number in
            var reading = Reading.one
            reading.id = Reading.ID(wallSeconds: 1_778_000_000 + Int64(number) * 60, hash: UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
            return reading
        }
        for round in 0..<2 {
            for (name, spec) in [("a.jsonl", SinkKind.jsonl), ("a.csv", .csv)] {
                let sink = try SinkSpec(spec, path: folder.file(name)).open()
                var repeated = 0
                for start in stride(from: 0, to: count, by: 1000) {
                    repeated += try sink.write(
                        ReadingBatch(source: 1, driver: "and-std", entries: readings[start..<min(count, start + 1000)].map { .reading($0) })
                    )
                }
                #expect(repeated == round * count)
                try sink.close()
            }
        }
        #expect(folder.lines("a.jsonl").count == count)
        #expect(folder.lines("a.csv").count == count + 1)
    }
}

extension Reading {
    fileprivate static let one = Reading.sample(0)
}

enum FileNames {
    static func `in`(_ folder: String) throws -> [String] { Folder.names(folder).filter { $0 != "." && $0 != ".." } }
}
