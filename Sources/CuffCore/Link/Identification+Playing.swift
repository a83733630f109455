extension Identification {
    /// Families that match a recording, best first: those that read something, then by framing. Plays `items` through every driver.
    public static func candidates(of items: [CaptureItem], among drivers: [CuffDriver]) -> [Candidate] {
        let heard = items.flatMap { item -> [UInt8] in
            if case .fromCuff(let bytes) = item.content { bytes } else { [] }
        }
        var found = candidates(for: heard, among: drivers)
        for driver in drivers {
            let readings = readings(of: items, by: driver)
            guard readings > 0 else { continue }
            if let index = found.firstIndex(where: { $0.driver == driver.id }) {
                found[index].readings = readings
            } else {
                found.append(candidate(driver, frames: 0, bytes: 0, of: heard.count, readings: readings))
            }
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

    private static func readings(of items: [CaptureItem], by driver: CuffDriver) -> Int {
        var replay = Replay(LinkState.Setup(driver))
        for item in items {
            replay.play(item)
            replay.effects.removeAll()
        }
        replay.end()
        return replay.link.emitted
    }
}
