import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// An import that is cut off at any instant: what it stored is complete, and the next import stores the rest once.
/// `make test-kill` sets `CUFF_KILLS=500`.
@Suite(.serialized, .timeLimit(.minutes(30))) struct ImportKillTests {
    private static let rounds = ProcessInfo.processInfo.environment["CUFF_KILLS"].flatMap { Int($0) } ?? 2
    /// Three transactions.
    private static let count = 10_000

    /// A Withings table; each row has its own minute.
    private static let table: String = {
        let rows = (0..<count).map { index in
            let day = index / 24
            let date = "20\(20 + day / 336)-\(padded(1 + day / 28 % 12))-\(padded(1 + day % 28))"
            return "\(date) \(padded(index % 24)):\(padded(index % 60)):00,\(50 + index % 50),\(110 + index % 60),\(60 + index % 40),\n"
        }
        return "Date,Heart rate,Systolic,Diastolic,Comments\n" + rows.joined()
    }()

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Time and values of every stored reading; checks that each belongs to an import.
    private func stored(_ folder: Scratch) throws -> [String] {
        let path = folder.path("bp.db")
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        var readings: [String] = []
        let store = try Store(path, access: .write)
        try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
            readings.append("\(reading.measured?.utcText ?? "") \(reading.bloodPressure.map { "\($0)" } ?? "")")
            return true
        }
        #expect(try store.imports().reduce(0) { $0 + $1.readings } == readings.count)
        try store.close()
        return readings
    }

    /// The number of readings stored so far.
    private func count(_ folder: Scratch) -> Int {
        (try? Store(folder.path("bp.db"), access: .read).imports().reduce(0) { $0 + $1.readings }) ?? 0
    }

    private func importer(_ folder: Scratch) throws -> RunningCuff {
        try RunningCuff(["import", folder.path("bp.csv"), "--yes", "--db", folder.path("bp.db")], folder: folder)
    }

    @Test func killed_AtAnyInstant_LosesNothing_AndDoublesNothing() async throws {
        let whole = try Scratch()
        _ = try whole.write("bp.csv", Self.table)
        #expect(try await importer(whole).end() == 0)
        let expected = try stored(whole)
        #expect(expected.count == Self.count && Set(expected).count == Self.count)
        var random = SplitMix64(seed: 41)
        var inTheMiddle = 0
        for round in 0..<Self.rounds {
            let folder = try Scratch()
            _ = try folder.write("bp.csv", Self.table)
            let running = try importer(folder)
            // After a random number of transactions, from none to all but one.
            let most = Int(random.next() % UInt64(Self.count - 1000))
            _ = try await eventually { !running.isRunning || count(folder) >= most }
            running.signal(SIGKILL)
            _ = await running.end()
            let partial = try stored(folder)
            if !partial.isEmpty, partial.count < Self.count { inTheMiddle += 1 }
            #expect(partial == Array(expected.filter(Set(partial).contains)), "round \(round): \(partial.count) readings")
            #expect(try await importer(folder).end() == 0)
            #expect(try stored(folder) == expected, "round \(round): after \(partial.count) readings")
        }
        print("note: kill -9 of an import at \(Self.rounds) instants, \(inTheMiddle) of them with a part stored: 0 lost, 0 twice")
        #expect(inTheMiddle > Self.rounds / 10, "the instants must fall into the import")
    }
}
