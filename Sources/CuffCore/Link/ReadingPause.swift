/// Whether the link reads from its cuff: not while the sinks are full, nor while the peer does not accept what is written to it.
struct ReadingPause: Sendable {
    private(set) var isPaused = false
    private(set) var areSinksFull = false
    private var since = Duration.zero
    private var count = 0
    private var total = Duration.zero

    /// Returns whether that is a change.
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

    /// What to do about reading, if it changes.
    mutating func update(isOutputFull: Bool) -> LinkEffect? {
        guard (areSinksFull || isOutputFull) != isPaused else { return nil }
        isPaused.toggle()
        return isPaused ? .pauseReading : .resumeReading
    }

    /// The link has ended.
    mutating func end(at now: Duration) { if areSinksFull { total += now - since } }

    /// Adds how often and how long the sinks were full.
    func count(into counters: inout LinkCounters) {
        counters.pauses += count
        counters.paused += total
    }
}
