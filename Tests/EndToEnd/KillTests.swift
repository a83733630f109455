import CuffCore
import Foundation
import Glibc
import Testing

@testable import CuffIngest

/// The central guarantee: wherever a run is cut off, only durable readings are acknowledged to the cuff, and nothing is stored
/// twice. `make test-kill` sets `CUFF_KILLS=500`.
@Suite(.serialized, .timeLimit(.minutes(30))) struct KillTests {
    private static let rounds = ProcessInfo.processInfo.environment["CUFF_KILLS"].flatMap { Int($0) } ?? 20
    private static let sinkNames = ["bp.db", "bp.jsonl", "bp.csv"]

    /// The measurements in a sink, as times of the cuff's clock, in order.
    private func stored(_ name: String, _ folder: Scratch) throws -> [String] {
        let path = folder.path(name)
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        if name.hasSuffix(".db") {
            var times: [String] = []
            try Store(path, access: .read).forEach(ReadingSelection(zone: .utc)) { reading, _ in
                if let time = reading.clock.printable { times.append(Self.text(time)) }
                return true
            }
            return times
        }
        // A kill may truncate the last line; the next run repairs it.
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let lines = text[..<(text.lastIndex(where: \.isNewline) ?? text.startIndex)].split(whereSeparator: \.isNewline)
        // A pending line is completed by a later one with the same id.
        return lines.filter { !$0.contains("pending") }.compactMap { line in
            if name.hasSuffix(".csv") {
                let cells = line.split(separator: ",", omittingEmptySubsequences: false)
                if cells.count <= 12 { Issue.record("\(name) holds a broken line: \(line)") }
                return cells[0] == "id" || cells.count <= 12 ? nil : String(cells[12].prefix(19))
            }
            return line.split(separator: "\"device_time\":\"").dropFirst().first.map { String($0.prefix(19)) }
        }
    }

    private static func text(_ time: DeviceTime) -> String {
        var text = TextBuffer()
        text.append(time)
        return String(text.string.prefix(19))
    }

    /// Readings cut off at random instants; after each, everything confirmed to the cuff is in every sink exactly once. The last
    /// round ends normally.
    private func run(
        rounds: Int, seed: UInt64, cut: @escaping @Sendable (RunningCuff, Simulation) async -> Void
    ) async throws -> (confirmed: Int, stored: Int, cutInTheMiddle: Int) {
        let folder = try Scratch()
        let records = SimulatedRecord.sample(count: rounds * 600 + 100, seed: seed)
        let times = records.map { Self.text($0.time) }
        var random = SplitMix64(seed: seed)
        var confirmed = 0
        var inTheMiddle = 0
        for round in 0...rounds {
            let isLast = round == rounds
            let count = Locked(0)
            // A cuff keeps unconfirmed records.
            let left = Array(records[confirmed..<min(records.count, confirmed + (isLast ? 20 : 600))])
            let cuff = try Simulation(
                driver: CuffDriver.phd.witnessed { count.withLock { $0 += 1 } },
                script: SimulatorScript(records: left, interval: .milliseconds(1)))
            cuff.start()
            var arguments = ["read", cuff.address, "--driver", "phd", "--follow", "-q"]
            if isLast { arguments += ["--max", "\(left.count)", "--timeout", "20s"] }
            for (name, kind) in zip(Self.sinkNames, ["sqlite", "jsonl", "csv"]) { arguments += ["--sink", "\(kind):\(folder.path(name))"] }
            let reader = try RunningCuff(arguments, folder: folder)
            if isLast {
                let status = await reader.end()
                #expect(status == 0 || status == 74, "\(reader.said)")
            } else {
                // Most instants are during the reading, some before its start.
                let isEarly = random.next() % 10 == 0
                if !isEarly { _ = try await eventually(10) { count.withLock { $0 } > 0 } }
                try await Task.sleep(for: .microseconds(Int64(random.next() % (isEarly ? 60_000 : 120_000))))
                await cut(reader, cuff)
                _ = await reader.end()
            }
            cuff.stop()
            let fresh = count.withLock { $0 }
            if fresh > 0 && fresh < left.count { inTheMiddle += 1 }
            confirmed += fresh
            for name in Self.sinkNames {
                let stored = try stored(name, folder)
                let known = Set(stored)
                #expect(known.count == stored.count, "round \(round): \(name) holds \(stored.count - known.count) measurements twice")
                let lost = times[..<confirmed].filter { !known.contains($0) }
                #expect(
                    lost.isEmpty,
                    "round \(round): \(name) lacks \(lost.count) of \(confirmed) confirmed measurements, first \(lost.first ?? "")")
            }
        }
        let all = try Self.sinkNames.map { Set(try stored($0, folder)) }
        #expect(all.allSatisfy { $0 == all[0] }, "the sinks differ after the last round")
        return (confirmed, all[0].count, inTheMiddle)
    }

    @Test func killed_AtAnyInstant_LosesNothingConfirmed_AndDoublesNothing() async throws {
        let result = try await run(rounds: Self.rounds, seed: 11) { reader, _ in reader.signal(SIGKILL) }
        print(
            "note: kill -9 at \(Self.rounds) instants, \(result.cutInTheMiddle) of them between two confirmations: \(result.confirmed) confirmed, "
                + "0 of them lost, 0 of \(result.stored) stored twice")
        #expect(result.cutInTheMiddle > Self.rounds / 2, "the instants must fall into the reading")
    }

    @Test func unplugged_AtAnyInstant_LosesNothingConfirmed_AndDoublesNothing() async throws {
        let result = try await run(rounds: Self.rounds, seed: 12) { _, cuff in cuff.stop() }
        print(
            "note: unplugged at \(Self.rounds) instants, \(result.cutInTheMiddle) of them between two confirmations: \(result.confirmed) confirmed, "
                + "0 of them lost, 0 of \(result.stored) stored twice")
        #expect(result.cutInTheMiddle > Self.rounds / 2, "the instants must fall into the reading")
    }

    /// Readings and queued lines are in one file: whenever the run is cut off, both have the same readings.
    @Test func killed_BetweenTwoSinks_LeavesBothOrNeither() async throws {
        let folder = try Scratch()
        let records = SimulatedRecord.sample(count: Self.rounds * 400 + 100, seed: 31)
        var random = SplitMix64(seed: 31)
        var confirmed = 0
        let path = folder.path("bp.db")
        // It never answers, so that every line stays queued.
        let helper = "exec+ack:sh -c 'echo ready 1; cat > /dev/null'"
        for round in 0..<Self.rounds {
            let count = Locked(0)
            let cuff = try Simulation(
                driver: CuffDriver.phd.witnessed { count.withLock { $0 += 1 } },
                script: SimulatorScript(records: Array(records[confirmed..<confirmed + 400]), interval: .milliseconds(1)))
            cuff.start()
            let reader = try RunningCuff(
                [
                    "read", cuff.address, "--driver", "phd", "--follow", "-q", "--sink", "sqlite:\(path)",
                    "--sink", helper,
                ],
                folder: folder)
            _ = try await eventually(10) { count.withLock { $0 } > 0 }
            try await Task.sleep(for: .microseconds(Int64(random.next() % 100_000)))
            reader.signal(SIGKILL)
            _ = await reader.end()
            cuff.stop()
            confirmed += count.withLock { $0 }
            let store = try Store(path, access: .write)
            var readings: Set<String> = []
            try store.forEach(ReadingSelection(zone: .utc)) { reading, _ in
                readings.insert(reading.id.description)
                return true
            }
            // The first line of a reading may be pending, as its row is.
            let lines = Set(try Outbox(store, spec: helper).next(.max).filter { !$0.isPending }.map(\.id))
            try store.close()
            #expect(readings.count >= confirmed && readings == lines, "round \(round): \(readings.symmetricDifference(lines))")
        }
        #expect(confirmed > Self.rounds, "the instants must fall into the reading")
    }

    @Test func stopped_AndContinued_GoesOn() async throws {
        let folder = try Scratch()
        let records = SimulatedRecord.sample(count: 60, seed: 5)
        let count = Locked(0)
        let cuff = try Simulation(
            driver: CuffDriver.phd.witnessed { count.withLock { $0 += 1 } },
            script: SimulatorScript(records: records, interval: .milliseconds(20)))
        cuff.start()
        defer { cuff.stop() }
        let reader = try RunningCuff(
            [
                "read", cuff.address, "--driver", "phd", "--follow", "--max", "60", "--timeout", "60s", "--sink",
                "jsonl:\(folder.path("bp.jsonl"))",
            ],
            folder: folder)
        #expect(try await eventually { count.withLock { $0 } > 5 })
        reader.signal(SIGSTOP)
        try await Task.sleep(for: .milliseconds(200))
        let before = count.withLock { $0 }
        try await Task.sleep(for: .seconds(2))
        #expect(count.withLock { $0 } == before, "a stopped program acknowledges nothing")
        reader.signal(SIGCONT)
        let status = await reader.end(within: 60)
        #expect(status == 0, "\(reader.said)")
        #expect(try Set(stored("bp.jsonl", folder)) == Set(records.map { Self.text($0.time) }))
        #expect(try stored("bp.jsonl", folder).count == 60)
    }
}
