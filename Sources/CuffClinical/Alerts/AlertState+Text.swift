import CuffCore

/// The state that survives a restart, as lines of text: ids and times, but no values, names or devices.
extension AlertState {
    /// The first line identifies the format.
    private static let heading = "1 alerts"

    /// `r ID TIME` for each reading that was evaluated; `t RULE SUBJECT SINCE READINGS SEEN` for each alert and each possible
    /// alert: times in milliseconds since 1970, `-` for nothing, `SEEN` as `ID/TIME/VERDICT` with commas between.
    package var text: String {
        var lines = [Self.heading]
        for (id, time) in handled.sorted(by: { ($0.value, $0.key.hash) < ($1.value, $1.key.hash) }) {
            lines.append("r \(id) \(time.milliseconds)")
        }
        for (key, track) in tracks.sorted(by: { ($0.key.rule, $0.key.subject) < ($1.key.rule, $1.key.subject) }) {
            let standing = track.standing.map { "\($0.since.milliseconds) \(Self.list($0.readings.map(\.description)))" } ?? "- -"
            let seen = track.seen.map { "\($0.id)/\($0.time.milliseconds)/\($0.verdict.rawValue)" }
            let name = [key.rule, key.subject].map { number in TextBuffer.text { $0.append(hex: number) } }
            lines.append("t \(name[0]) \(name[1]) \(standing) \(Self.list(seen))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Restores the state of an earlier run. Incomplete lines and those of removed rules are ignored.
    package mutating func restore(_ text: String) {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
        guard lines.popFirst() == Self.heading[...] else { return }
        let known = Set(rules.map(\.identity))
        for line in lines {
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            if words.first == "r", words.count == 3, let id = Reading.ID.parse(String(words[1])), let time = Self.time(words[2]) {
                if handled.count < limits.remembered { handled[id] = time }
            } else if words.first == "t", words.count == 6, let key = Self.key(words[1], words[2]), known.contains(key.rule),
                tracks.count < limits.tracks, let track = Self.track(words[3], words[4], words[5])
            {
                tracks[key] = track
            }
        }
    }

    private static func list(_ words: [String]) -> String { words.isEmpty ? "-" : words.joined(separator: ",") }

    /// Limited to the years that an id can have.
    private static func time(_ word: Substring) -> Timestamp? {
        Int64(word).flatMap { $0.magnitude < 1 << 50 ? Timestamp(milliseconds: $0) : nil }
    }

    private static func key(_ rule: Substring, _ subject: Substring) -> AlertTrack.Key? {
        guard rule.utf8.count == 16, subject.utf8.count == 16, let rule = UInt64(rule, radix: 16), let subject = UInt64(subject, radix: 16)
        else { return nil }
        return AlertTrack.Key(rule: rule, subject: subject)
    }

    private static func track(_ since: Substring, _ readings: Substring, _ seen: Substring) -> AlertTrack? {
        var track = AlertTrack()
        if since != "-" {
            guard let time = time(since), let ids = ids(readings) else { return nil }
            track.standing = AlertTrack.Standing(since: time, readings: ids)
        }
        guard seen != "-" else { return track }
        for word in seen.split(separator: ",").prefix(AlertNotice.mostReadings) {
            let parts = word.split(separator: "/")
            guard parts.count == 3, let id = Reading.ID.parse(String(parts[0])), let time = time(parts[1]),
                let verdict = AlertTrack.Verdict(rawValue: String(parts[2]))
            else { return nil }
            track.seen.append(AlertTrack.Seen(id: id, time: time, verdict: verdict))
        }
        track.seen.sort { $0.time < $1.time }
        return track
    }

    private static func ids(_ word: Substring) -> [Reading.ID]? {
        guard word != "-" else { return [] }
        let words = word.split(separator: ",").prefix(AlertNotice.mostReadings)
        let ids = words.compactMap { Reading.ID.parse(String($0)) }
        return ids.count == words.count ? ids : nil
    }
}
