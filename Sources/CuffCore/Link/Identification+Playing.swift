extension Identification {
    /// What a driver read in a recording: readings, and the bytes of their records.
    private struct Yield {
        var readings = 0
        var bytes = 0

        mutating func take(_ replay: inout Replay) {
            replay.flush()
            for case .submit(let batch) in replay.effects { bytes += batch.entries.readings.reduce(0) { $0 + $1.raw.count } }
            replay.effects.removeAll(keepingCapacity: true)
            readings = replay.link.emitted
        }
    }

    /// As much of one side as is given to memory reads one byte at a time; a memory of 200 records has less.
    private static let mostAnswers = 1 << 14

    /// The families that a recording fits, best first: those that read something in what they explain, then by their framing alone. `items` are
    /// played through a session of every driver; of a port that was listened to they are the bytes that came.
    package static func candidates(of items: [CaptureItem], among drivers: [CuffDriver]) -> [Candidate] {
        let heard = items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        let hasQuestions = items.contains { if case .toCuff = $0.content { true } else { false } }
        var found = candidates(for: heard, among: drivers)
        for driver in drivers {
            var yield = self.yield(of: items, by: driver)
            if yield.readings == 0, !hasQuestions { yield = self.yield(ofAnswers: heard, to: driver) }
            guard yield.readings > 0 else { continue }
            let index = found.firstIndex { $0.driver == driver.id } ?? found.endIndex
            if index == found.endIndex {
                found.append(candidate(driver, frames: 0, bytes: min(yield.bytes, heard.count), of: heard.count))
            }
            found[index].readings = yield.readings
            found[index].hasQuestions = hasQuestions
        }
        // A related family may read a part by chance if reports have no frames.
        let most = found.map(\.readings).max() ?? 0
        found.removeAll { $0.frames == 0 && $0.readings < most }
        // Readings from unexplained bytes rank after all families that explain the bytes.
        func rank(_ candidate: Candidate) -> Int {
            (candidate.readings > 0 ? 0 : 1) + (candidate.isLikely || candidate.isExplained ? 0 : 2)
        }
        return (0...3).flatMap { place in found.filter { rank($0) == place } }
    }

    private static func yield(of items: [CaptureItem], by driver: CuffDriver) -> Yield {
        var replay = Replay(LinkState.Setup(driver))
        var yield = Yield()
        for item in items {
            replay.play(item)
            yield.take(&replay)
        }
        replay.end()
        yield.take(&replay)
        return yield
    }

    /// The same for bytes without the questions that they answer: the driver asks its own, and takes the bytes one by one, reports whole.
    private static func yield(ofAnswers bytes: [UInt8], to driver: CuffDriver) -> Yield {
        var yield = Yield()
        guard driver.capabilities.contains(.storedReadings), bytes.count <= mostAnswers else { return yield }
        var replay = Replay(LinkState.Setup(driver, commands: [.readMemory(user: nil)]), looksAhead: false)
        let size = driver.medium == .hidraw ? Int(driver.reports.input) + (driver.reports.areNumbered ? 1 : 0) : 1
        for start in stride(from: 0, to: bytes.count, by: max(1, size)) {
            replay.play(bytes: Array(bytes[start..<min(start + max(1, size), bytes.count)]))
            yield.take(&replay)
        }
        replay.end()
        yield.take(&replay)
        return yield
    }
}
