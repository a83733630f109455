import CuffClinical
import CuffCore

extension HealthRuns {
    /// Computes the averages in constant memory. If the clocks of the cuffs differ too much for `order`, the readings are sorted
    /// in memory. `tell` receives the fate of each reading. `kept`: what the selection finds, if that is known and `tell` is not there.
    package static func average(
        _ store: Store, _ selection: ReadingSelection, _ request: AverageRequest, order: ReadingOrder = ReadingOrder(),
        kept: [HomeReading]? = nil, tell: ((HomeReading, ReadingFate, [Provenance]) -> Void)? = nil
    ) throws(IngestError) -> AverageRun {
        let known = try store.sources()
        let numbers = known.keys.sorted()
        let sources = numbers.compactMap { known[$0]?.provenance }
        let places = Dictionary(uniqueKeysWithValues: numbers.enumerated().map { (Int($0.element), $0.offset) })
        let rule = InclusionRule(zone: selection.zone, excludesDisturbed: request.excludesDisturbed)
        func numbered(_ reading: HomeReading) -> HomeReading {
            var reading = reading
            reading.source = places[reading.source] ?? numbers.count
            return reading
        }
        func walk(withIDs: Bool, _ body: (HomeReading) -> Bool) throws(IngestError) {
            try store.forEachHomeReading(selection, rule: rule, withIDs: withIDs) { body(numbered($0)) }
        }
        let empty = HomeAverages(
            request.rule, zone: selection.zone, windows: request.windows, joinsSources: selection.household.joinsCuffs)
        var averages = empty
        if let kept {
            for reading in inOrder(kept) { averages.add(numbered(reading)) }
            averages.finish()
            return AverageRun(averages: averages, sources: sources)
        }
        var arriving = order
        try walk(withIDs: false) { reading in
            arriving.add(reading) { averages.add($0) }
            return !arriving.isBroken
        }
        arriving.finish { averages.add($0) }
        averages.finish()
        guard arriving.isBroken || tell != nil else { return AverageRun(averages: averages, sources: sources) }

        // A second pass: sorted, or with `tell`, which must receive only final results.
        averages = empty
        let hear: (HomeReading, ReadingFate) -> Void = { tell?($0, $1, sources) }
        if arriving.isBroken {
            var all: [HomeReading] = []
            try walk(withIDs: tell != nil) { reading in
                all.append(reading)
                return true
            }
            for reading in inOrder(all) { averages.add(reading, tell: hear) }
        } else {
            var second = order
            try walk(withIDs: true) { reading in
                second.add(reading) { averages.add($0, tell: hear) }
                return true
            }
            second.finish { averages.add($0, tell: hear) }
        }
        averages.finish(tell: hear)
        return AverageRun(averages: averages, sources: sources)
    }

    static func inOrder(_ readings: [HomeReading]) -> [HomeReading] {
        readings.sorted { ($0.time?.milliseconds ?? .min) < ($1.time?.milliseconds ?? .min) }
    }

    /// As above, for readings as JSON Lines in any order; `-` is standard input. Throws for a line that is not a reading.
    package static func average(
        lines path: String, _ selection: ReadingSelection, _ request: AverageRequest,
        tell: ((HomeReading, ReadingFate, [Provenance]) -> Void)? = nil
    ) throws(IngestError) -> AverageRun {
        var averages = HomeAverages(
            request.rule, zone: selection.zone, windows: request.windows, joinsSources: selection.household.joinsCuffs)
        let lines = try PrintedReadings(path)
        let readings = try lines.all(selection).compactMap { if case .reading(let reading) = $0 { reading } else { nil } }
        let hear: (HomeReading, ReadingFate) -> Void = { tell?($0, $1, lines.sources) }
        for reading in inOrder(readings) { averages.add(reading, tell: hear) }
        averages.finish(tell: hear)
        return AverageRun(averages: averages, sources: lines.sources)
    }
}
