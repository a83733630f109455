import CuffCore

/// What one rule knows of one person, or of one plan: the latest readings it looked at, and whether it stands. It holds ids and
/// times, and no value.
struct AlertTrack: Sendable, Hashable {
    /// Which rule and whom it is about.
    struct Key: Sendable, Hashable {
        var rule: UInt64
        var subject: UInt64
    }

    /// What a reading says to a rule. The raw value is the letter in the state's text.
    enum Verdict: String, Sendable, Hashable {
        case meets = "m"
        case clears = "c"
        case neither = "n"
    }

    struct Seen: Sendable, Hashable {
        var id: Reading.ID
        var time: Timestamp
        var verdict: Verdict
    }

    /// A cuff.
    struct Origin: Sendable, Hashable {
        var driver: DriverID
        var device: String
        /// Who it is about, for people.
        var person: String?
    }

    /// The alert stands.
    struct Standing: Sendable, Hashable {
        /// The time of the latest reading it rests on, or when the missed one was due.
        var since: Timestamp
        var readings: [Reading.ID]
    }

    var standing: Standing?
    /// Where the latest reading came from; `nil` after a restart until the next.
    var origin: Origin?
    /// Ascending by time.
    var seen: [Seen] = []

    /// Two determinations of one arm lie further apart than this; what is nearer is the same one, sent twice: an inflation and
    /// its deflation alone take longer.  guess
    static let sameDetermination: Int64 = 20_000

    /// Where the reading went; `nil` where the same determination is there already.
    mutating func insert(_ new: Seen, keeping span: Duration) -> Int? {
        guard !seen.contains(where: { $0.id == new.id || abs($0.time.milliseconds - new.time.milliseconds) < Self.sameDetermination })
        else { return nil }
        let index = seen.firstIndex { $0.time > new.time } ?? seen.count
        seen.insert(new, at: index)
        let oldest = (seen.last?.time.milliseconds ?? 0) - span.milliseconds
        let dropped = max(seen.prefix { $0.time.milliseconds < oldest }.count, seen.count - AlertNotice.mostReadings)
        guard dropped > 0 else { return index }
        seen.removeFirst(min(dropped, seen.count))
        return index >= dropped ? index - dropped : nil
    }

    /// The reading before or after the one at `index` that says the same, at a distance that the rule asks for.
    func partner(of index: Int, _ repeated: AlertRule.Repeated) -> Seen? {
        let reading = seen[index]
        let distances = repeated.after.milliseconds...max(repeated.after, repeated.within).milliseconds
        for neighbour in [index - 1, index + 1] where seen.indices.contains(neighbour) {
            let other = seen[neighbour]
            if other.verdict == reading.verdict, distances.contains(abs(other.time.milliseconds - reading.time.milliseconds)) {
                return other
            }
        }
        return nil
    }

    /// Forgets readings; answers whether what stands rested on one of them, and so stands no longer.
    mutating func forget(_ ids: Set<Reading.ID>) -> Bool {
        seen.removeAll { ids.contains($0.id) }
        guard let standing, standing.readings.contains(where: ids.contains) else { return false }
        self.standing = nil
        return true
    }

    /// Ids and times of everything it rests on.
    var ids: [Reading.ID] { seen.map(\.id) + (standing?.readings ?? []) }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
