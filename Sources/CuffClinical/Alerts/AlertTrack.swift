import CuffCore

/// The state of one rule for one person or one plan: the latest evaluated readings, and whether the alert is raised. It holds ids and
/// times, but no values.
struct AlertTrack: Sendable, Hashable {
    struct Key: Sendable, Hashable {
        var rule: UInt64
        var subject: UInt64
    }

    /// The result of evaluating one reading. The raw value is the letter in the state's text.
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

    struct Origin: Sendable, Hashable {
        var driver: DriverID
        var device: String
        /// The person, as printed.
        var person: String?
    }

    struct Standing: Sendable, Hashable {
        /// The time of its latest reading, or when the missing one was due.
        var since: Timestamp
        var readings: [Reading.ID]
    }

    var standing: Standing?
    /// The cuff of the latest reading; `nil` after a restart until the next reading.
    var origin: Origin?
    /// Ascending by time.
    var seen: [Seen] = []

    /// In milliseconds. Two readings closer than this are the same measurement, sent twice: inflation and deflation alone take
    /// longer.  guess
    static let sameDetermination: Int64 = 20_000

    /// Returns the index of the new reading; `nil` if the measurement is there already.
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

    /// The neighbour of the reading at `index` with the same verdict, at a distance that the rule allows.
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

    /// Removes readings; returns whether that cleared the raised alert.
    mutating func forget(_ ids: Set<Reading.ID>) -> Bool {
        seen.removeAll { ids.contains($0.id) }
        guard let standing, standing.readings.contains(where: ids.contains) else { return false }
        self.standing = nil
        return true
    }

    var ids: [Reading.ID] { seen.map(\.id) + (standing?.readings ?? []) }
}

extension Duration {
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
