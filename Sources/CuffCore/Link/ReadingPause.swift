/// Pauses reading while the sinks are full or the peer does not accept writes.
struct ReadingPause: Sendable {
    private(set) var isPaused = false
    private(set) var areSinksFull = false
    private var since = Duration.zero
    private var count = 0
    private var total = Duration.zero

    mutating func setSinksFull(_ isFull: Bool, at now: Duration) -> Bool {
        guard isFull != areSinksFull else { return false }
        areSinksFull = isFull
        if isFull {
            since = now
            count += 1
        } else {
            total += now - since
        }
        return true
    }

    mutating func update(isOutputFull: Bool) -> LinkEffect? {
        guard (areSinksFull || isOutputFull) != isPaused else { return nil }
        isPaused.toggle()
        return isPaused ? .pauseReading : .resumeReading
    }

    mutating func end(at now: Duration) { if areSinksFull { total += now - since } }

    func count(into counters: inout LinkCounters) {
        counters.pauses += count
        counters.paused += total
    }
}
