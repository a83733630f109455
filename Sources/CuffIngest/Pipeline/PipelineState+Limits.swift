import CuffCore

/// Limits on what is queued, and thinning when they are reached.
extension PipelineState {
    /// Skips the oldest batches beyond an optional sink's limit, except the one being written.
    mutating func limit(_ index: Int, into effects: inout [Effect]) {
        var position = members[index].position
        let start = members[index].flight?.upperBound ?? position
        var missed = 0
        var next = max(position, start)
        while next < end, totals.readings - readingsBefore(next) > limits.optional {
            missed += slots[head + next - base].readings
            next += 1
            position = next
        }
        guard missed > 0 || position > members[index].position else { return }
        members[index].position = position
        if missed > 0 { effects.append(.missed(sink: index, readings: missed)) }
    }

    /// Drops samples beyond the limit, but never the start or end of a measurement.
    func thin(_ batch: inout ReadingBatch, into effects: inout [Effect]) {
        guard totals.live - liveBefore(base) >= limits.live else { return }
        let before = batch.entries.count
        batch.entries.removeLiveEvents { event in
            switch event {
            case .cuffPressure, .beat, .oscillation, .waveform: return true
            case .started, .ended, .aborted, .recovered, .failed, .alert: return false
            }
        }
        let thinned = before - batch.entries.count
        if thinned > 0 { effects.append(.thinned(source: batch.source, samples: thinned)) }
    }

    func slot(_ sequence: Int) -> Slot? {
        sequence < end && sequence >= base ? slots[head + sequence - base] : nil
    }
    func weightBefore(_ sequence: Int) -> Int { slot(sequence)?.weightBefore ?? totals.weight }
    func readingsBefore(_ sequence: Int) -> Int { slot(sequence)?.readingsBefore ?? totals.readings }
    func liveBefore(_ sequence: Int) -> Int { slot(sequence)?.liveBefore ?? totals.live }
}
