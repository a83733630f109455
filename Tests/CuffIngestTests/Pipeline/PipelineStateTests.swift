import CuffCore
import Testing

@testable import CuffIngest

extension PipelineState.Effect {
    var text: String {
        switch self {
        case .deliver(let batches, let sink):
            "deliver \(batches.map { "\($0.entries.count) of \($0.source)" }.joined(separator: " and ")) to \(sink)"
        case .committed(let source, let through): "committed \(source) \(through)"
        case .passedOn(let source, let through): "passed on \(source) \(through)"
        case .pauseSources: "pause"
        case .resumeSources: "resume"
        case .missed(let sink, let readings): "sink \(sink) missed \(readings)"
        case .thinned(let source, let samples): "thinned \(source) \(samples)"
        }
    }
}

@Suite struct PipelineStateTests {
    private var effects: [PipelineState.Effect] = []

    private static func state(
        _ rules: [PipelineState.Rule], high: Int = 10, low: Int = 4, delivery: Int = 8, optional: Int = 6, live: Int = 3
    ) -> PipelineState {
        var limits = PipelineState.Limits()
        limits.high = high
        limits.low = low
        limits.delivery = delivery
        limits.optional = optional
        limits.live = live
        return PipelineState(rules, limits: limits)
    }

    private static let required = PipelineState.Rule()
    private static let optional = PipelineState.Rule(isRequired: false)
    private static let passThrough = PipelineState.Rule(isDurable: false)

    private func texts(_ body: (inout [PipelineState.Effect]) -> Void) -> [String] {
        var effects: [PipelineState.Effect] = []
        body(&effects)
        return effects.map(\.text)
    }

    @Test func commit_ComesAfterTheLastRequiredSink() {
        var state = Self.state([Self.required, Self.required])
        #expect(texts { state.accept(.sample(0..<2), into: &$0) } == ["deliver 2 of 1 to 0", "deliver 2 of 1 to 1"])
        #expect(texts { state.stored(by: 0, into: &$0) } == [])
        #expect(!state.isCommitted)
        #expect(texts { state.stored(by: 1, into: &$0) } == ["committed 1 2"])
        #expect(state.isDrained)
    }

    @Test func whatWasInFlightAtTheEnd_CountsAsStored() {
        var state = Self.state([Self.required])
        _ = texts { state.accept(.sample(0..<2), into: &$0) }
        _ = texts { state.accept(.sample(2..<5), into: &$0) }
        #expect(state.unstored(by: 0) { _ in false }.readings == 5)
        state.storedLast(by: 0)
        #expect(state.unstored(by: 0) { _ in false }.readings == 3)
        state.storedLast(by: 0)
        #expect(state.unstored(by: 0) { _ in false }.readings == 3)
    }

    @Test func busySink_GetsOneMergedDeliveryAfterwards() {
        var state = Self.state([Self.required])
        #expect(texts { state.accept(.sample(0..<1), into: &$0) } == ["deliver 1 of 1 to 0"])
        #expect(texts { state.accept(.sample(1..<3), into: &$0) } == [])
        #expect(texts { state.accept(.sample(3..<6), into: &$0) } == [])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 5 of 1 to 0", "committed 1 1"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 6"])
    }

    @Test func batchesOfOtherSourcesAndDevices_AreNotMerged() {
        var state = Self.state([Self.required])
        var renamed = ReadingBatch.sample(2..<3)
        renamed.device = "another"
        _ = texts { state.accept(.sample(0..<1), into: &$0) }
        _ = texts { state.accept(.sample(1..<2, source: 2), into: &$0) }
        _ = texts { state.accept(renamed, into: &$0) }
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 1 of 2 to 0", "committed 1 1"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 1 of 1 to 0", "committed 2 2"])
    }

    @Test func groupingSink_GetsTheBatchesOfSeveralCuffs_InOrder() {
        var rule = Self.required
        (rule.takesGroups, rule.takesLiveEvents) = (true, false)
        var state = Self.state([rule], delivery: 4)
        _ = texts { state.accept(.sample(0..<1), into: &$0) }
        _ = texts { state.accept(.sample(1..<2, source: 2), into: &$0) }
        _ = texts { state.accept(.sample(2..<3), into: &$0) }
        // A batch of live events alone separates nothing.
        _ = texts {
            state.accept(
                ReadingBatch(source: 3, driver: "r1", entries: [.live(.started, driver: "r1", elapsed: nil)], through: 0), into: &$0)
        }
        _ = texts { state.accept(.sample(3..<4), into: &$0) }
        _ = texts { state.accept(.sample(4..<6, source: 2), into: &$0) }
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 1 of 2 and 2 of 1 to 0", "committed 1 1"])
        #expect(
            texts { state.stored(by: 0, into: &$0) } == [
                "deliver 2 of 2 to 0", "committed 2 2", "committed 1 3", "committed 3 0", "committed 1 4",
            ])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 2 6"])
        #expect(state.isDrained)
    }

    @Test func full_PausesAndResumesAtTheLowMark() {
        var state = Self.state([Self.required], delivery: 4)
        _ = texts { state.accept(.sample(0..<4), into: &$0) }
        _ = texts { state.accept(.sample(4..<8), into: &$0) }
        #expect(texts { state.accept(.sample(8..<12), into: &$0) } == ["pause"])
        #expect(state.held == 12)
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 4 of 1 to 0", "committed 1 4"])
        #expect(state.isPaused)
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 4 of 1 to 0", "committed 1 8", "resume"])
        #expect(!state.isPaused)
    }

    /// One transaction of readings that lie far apart changes fewer pages than several; a live cuff waits for no larger one.
    @Test(arguments: [false, true]) func scatteredReadings_GetLargerDeliveries(_ isLive: Bool) {
        var state = Self.state([PipelineState.Rule(takesGroups: true), Self.required], delivery: 2)
        _ = texts { state.accept(.sample(0..<2), mayThin: isLive, into: &$0) }
        for number in 1..<6 { _ = texts { state.accept(.sample(2 * number..<2 * number + 2), mayThin: isLive, into: &$0) } }
        #expect(state.isPaused)
        let larger = isLive ? "deliver 2 of 1 to 0" : "deliver 8 of 1 to 0"
        #expect(texts { state.stored(by: 0, isScattered: true, into: &$0) } == [larger])
        #expect(texts { state.stored(by: 1, into: &$0) } == ["deliver 2 of 1 to 1", "committed 1 2"], "another sink has its own")
    }

    @Test func duplicatesAlone_AreCommittedAfterTheirOriginals() {
        var state = Self.state([Self.required])
        _ = texts { state.accept(.sample(0..<2), into: &$0) }
        #expect(texts { state.accept(.sample(0..<0, through: 5), into: &$0) } == [])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 5"])
        #expect(texts { state.accept(.sample(0..<0, through: 6), into: &$0) } == ["committed 1 6"])
    }

    @Test func failedSink_GetsTheSameAgain_AndNothingIsCommittedBefore() {
        var state = Self.state([Self.required, Self.required])
        _ = texts { state.accept(.sample(0..<2), into: &$0) }
        #expect(texts { state.failed(0, into: &$0) } == [])
        #expect(texts { state.stored(by: 1, into: &$0) } == [])
        // More arrives meanwhile; the paused sink gets nothing.
        #expect(texts { state.accept(.sample(2..<3), into: &$0) } == ["deliver 1 of 1 to 1"])
        #expect(texts { state.retry(0, into: &$0) } == ["deliver 3 of 1 to 0"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 2"])
        #expect(texts { state.stored(by: 1, into: &$0) } == ["committed 1 3"])
    }

    @Test func optionalSink_HoldsUpNobodyAndItsMissesAreCounted() {
        var state = Self.state([Self.required, Self.optional], delivery: 2)
        _ = texts { state.accept(.sample(0..<2), into: &$0) }
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 2"])
        // Sink 1 stalls with its first delivery; six readings may be queued.
        for start in stride(from: 2, to: 8, by: 2) {
            _ = texts { state.accept(.sample(start..<(start + 2)), into: &$0) }
            _ = texts { state.stored(by: 0, into: &$0) }
        }
        #expect(texts { state.accept(.sample(8..<10), into: &$0) } == ["deliver 2 of 1 to 0", "sink 1 missed 2"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 10"])
        #expect(state.isCommitted && !state.isDrained && !state.isPaused)
        #expect(texts { state.stored(by: 1, into: &$0) } == ["deliver 2 of 1 to 1"])
    }

    // MARK: Durable and pass-through

    @Test func onlyOptionalSinks_CommitNothing_AndHoldNobodyUp() {
        var state = Self.state([Self.optional, Self.optional])
        #expect(!state.isDurable)
        #expect(
            texts { state.accept(.sample(0..<2), into: &$0) } == ["deliver 2 of 1 to 0", "deliver 2 of 1 to 1", "passed on 1 2"])
        #expect(!state.isCommitted && state.isSettled && !state.isDrained)
        #expect(texts { state.failed(0, into: &$0) } == [])
        #expect(texts { state.stored(by: 1, into: &$0) } == [])
        #expect(texts { state.retry(0, into: &$0) } == ["deliver 2 of 1 to 0"])
        #expect(texts { state.stored(by: 0, into: &$0) } == [])
        #expect(!state.isCommitted && state.isDrained)
    }

    @Test func onlyPassThroughSinks_CommitNothing_ButPauseTheSources() {
        var state = Self.state([Self.passThrough], delivery: 4)
        #expect(texts { state.accept(.sample(0..<4), into: &$0) } == ["deliver 4 of 1 to 0"])
        _ = texts { state.accept(.sample(4..<8), into: &$0) }
        #expect(texts { state.accept(.sample(8..<12), into: &$0) } == ["pause"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 4 of 1 to 0", "passed on 1 4"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 4 of 1 to 0", "passed on 1 8", "resume"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["passed on 1 12"])
        #expect(!state.isCommitted && state.isSettled)
    }

    @Test func aCommit_CountsDurableSinksAlone() {
        var state = Self.state([Self.required, Self.passThrough, Self.optional], delivery: 4)
        _ = texts { state.accept(.sample(0..<4), into: &$0) }
        #expect(texts { state.stored(by: 1, into: &$0) } == [], "a reader of standard output has stored nothing")
        #expect(texts { state.stored(by: 2, into: &$0) } == [])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 4"])
        // Standard output stalls: what is on disk is still acknowledged, and the sources pause.
        _ = texts { state.accept(.sample(4..<8), into: &$0) }
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 8"])
        #expect(state.isCommitted && !state.isSettled)
        _ = texts { state.accept(.sample(8..<12), into: &$0) }
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 12"])
        #expect(texts { state.accept(.sample(12..<14), into: &$0) }.contains("pause"), "ten readings wait for standard output")
    }

    @Test func unstored_IsCountedExactly_WithWhatTheCuffStillHas() {
        var state = Self.state([Self.required])
        _ = texts { state.accept(.sample(0..<3), into: &$0) }
        _ = texts { state.accept(.sample(3..<5), into: &$0) }
        // `sample` is from a cuff's memory.
        #expect(state.unstored(by: 0) { _ in false } == UnstoredReadings(readings: 5, inTheCuff: 5))
        _ = texts { state.stored(by: 0, into: &$0) }
        #expect(state.unstored(by: 0) { _ in false } == UnstoredReadings(readings: 2, inTheCuff: 2))
        var pushed = Reading.sample(7)
        pushed.origin = .push
        _ = texts { state.accept(ReadingBatch(source: 1, driver: "and-std", entries: [.reading(pushed)], through: 6), into: &$0) }
        #expect(state.unstored(by: 0) { _ in false } == UnstoredReadings(readings: 3, inTheCuff: 2))
        #expect(state.unstored(by: 0) { _ in true } == UnstoredReadings(readings: 3, inTheCuff: 3))
    }

    @Test func liveEvents_GoToSinksOfLinesOnly_AndNeverHoldACommit() {
        var lines = PipelineState.Rule()
        lines.takesLiveEvents = true
        var state = Self.state([lines, PipelineState.Rule(isRequired: true, takesLiveEvents: false)])
        let live = ReadingBatch(source: 1, driver: "and-std", entries: [.live(.started, driver: "and-std", elapsed: nil)])
        #expect(texts { state.accept(live, mayThin: true, into: &$0) } == ["deliver 1 of 1 to 0"])
        #expect(state.held == 0)
        #expect(texts { state.stored(by: 0, into: &$0) } == ["committed 1 0"])
        #expect(state.isDrained)
    }

    @Test func liveSamples_AreThinnedBeyondTheirBound_BeginningsAndEndsAreNot() {
        var state = Self.state([Self.required])
        let sample = BatchEntry.live(.cuffPressure(.mmHg(90)), driver: "and-std", elapsed: nil)
        let batch = ReadingBatch(source: 1, driver: "and-std", entries: [sample, sample, sample])
        _ = texts { state.accept(batch, mayThin: true, into: &$0) }
        let more = ReadingBatch(
            source: 1, driver: "and-std", entries: [sample, .live(.ended, driver: "and-std", elapsed: nil), .reading(.sample(0))])
        #expect(texts { state.accept(more, mayThin: true, into: &$0) } == ["thinned 1 1"])
        #expect(texts { state.stored(by: 0, into: &$0) } == ["deliver 2 of 1 to 0", "committed 1 0"])
        // Samples of a file are not thinned and count towards the capacity.
        var whole = Self.state([Self.required])
        for _ in 0..<3 { _ = texts { whole.accept(batch, into: &$0) } }
        #expect(texts { whole.accept(batch, into: &$0) } == ["pause"])
    }

    /// Random sinks, failures and sizes: every required sink receives every reading in order, and no commit is reported too early.
    @Test(arguments: UInt64(1)...40)
    func anySchedule_LosesNothing(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let sinks = 1 + Int(random.next() % 3)
        var rules = (0..<sinks).map { _ in PipelineState.Rule(isRequired: random.next() % 3 > 0, isDurable: random.next() % 3 > 0) }
        rules[0] = PipelineState.Rule()
        for sink in rules.indices { rules[sink].takesGroups = random.next() % 2 == 0 }
        var state = Self.state(rules, high: 12, low: 5, delivery: 1 + Int(random.next() % 9))
        var stored = [Set<UInt64>](repeating: [], count: sinks)
        var flying = [[ReadingBatch]?](repeating: nil, count: sinks)
        var held = [Bool](repeating: false, count: sinks)
        var order: [Reading.ID] = []
        var through = [Int: Int]()
        var perSource = [Int: [UInt64]]()
        var missed = [Int](repeating: 0, count: sinks)
        var effects: [PipelineState.Effect] = []

        func perform() {
            for effect in effects {
                switch effect {
                case .deliver(let batches, let sink):
                    #expect(flying[sink] == nil && !held[sink] && (rules[sink].takesGroups || batches.count == 1))
                    flying[sink] = batches
                case .committed(let source, let count):
                    #expect(count >= through[source, default: 0])
                    through[source] = count
                    for hash in (perSource[source] ?? []).prefix(count) {
                        for sink in 0..<sinks where rules[sink].isRequired && rules[sink].isDurable { #expect(stored[sink].contains(hash)) }
                    }
                case .missed(let sink, let readings): missed[sink] += readings
                case .passedOn: Issue.record("there is a durable sink")
                case .pauseSources, .resumeSources, .thinned: break
                }
            }
            effects.removeAll()
        }
        func settle(_ sink: Int, failing: Bool) {
            guard let batches = flying[sink] else { return }
            flying[sink] = nil
            if failing {
                held[sink] = true
                state.failed(sink, into: &effects)
            } else {
                for entry in batches.flatMap(\.entries) { if case .reading(let reading) = entry { stored[sink].insert(reading.id.hash) } }
                state.stored(by: sink, into: &effects)
            }
            perform()
        }

        var next = 0
        for _ in 0..<200 {
            switch random.next() % 4 {
            case 0 where !state.isPaused:
                let source = 1 + Int(random.next() % 2)
                let count = Int(random.next() % 4)
                let batchEntries = (next..<(next + count)).map { Reading.sample($0) }
                next += count
                order += batchEntries.map(\.id)
                perSource[source, default: []] += batchEntries.map(\.id.hash)
                state.accept(
                    ReadingBatch(
                        source: source, driver: "and-std", device: "\(source)", entries: batchEntries.map { .reading($0) },
                        through: perSource[source]?.count ?? 0), into: &effects)
                perform()
                #expect(state.held <= 12 + 3)
            case 1: settle(Int(random.next() % UInt64(sinks)), failing: random.next() % 4 == 0)
            default:
                let sink = Int(random.next() % UInt64(sinks))
                if held[sink] {
                    held[sink] = false
                    state.retry(sink, into: &effects)
                    perform()
                }
            }
        }
        for _ in 0..<2000 where !state.isDrained {
            for sink in 0..<sinks {
                if held[sink] {
                    held[sink] = false
                    state.retry(sink, into: &effects)
                    perform()
                }
                settle(sink, failing: false)
            }
        }
        #expect(state.isDrained)
        for sink in 0..<sinks {
            let lost = order.filter { !stored[sink].contains($0.hash) }.count
            #expect(rules[sink].isRequired ? lost == 0 : lost == missed[sink])
        }
        for (source, hashes) in perSource { #expect(through[source, default: 0] == hashes.count) }
    }
}

extension PipelineState {
    var isCommitted: Bool { isDurable && committed == end }
}
