/// Reads retained messages: subscribe, wait for the message, unsubscribe. A broker sends a retained message right after it has
/// confirmed the subscription; after UNSUBACK none can follow.
/// A filter with `+` waits for its whole time, as more messages may follow.
struct Fetches: Sendable {
    private struct Fetch: Sendable {
        /// The deadline for the message; `nil` before the subscription is confirmed.
        var until: Double?
        var isEnding = false
        var messages: [String: [UInt8]] = [:]

        func isDue(_ now: Double, _ filter: String) -> Bool { until.map { messages[filter] != nil || now >= $0 } ?? false }
    }

    private var fetches: [String: Fetch] = [:]

    var isEmpty: Bool { fetches.isEmpty }
    var wakeAt: Double? { fetches.values.compactMap { $0.isEnding ? nil : $0.until }.min() }

    mutating func begin(_ topic: String) { fetches[topic] = Fetch() }
    mutating func subscribed(_ topic: String, until: Double) { fetches[topic]?.until = until }
    mutating func received(_ topic: String, _ payload: [UInt8]) {
        for filter in fetches.keys where Self.matches(topic, filter) { fetches[filter]?.messages[topic] = payload }
    }
    func isUnderWay(_ topic: String) -> Bool { fetches[topic] != nil }

    mutating func endDue(_ now: Double) -> [String] {
        let due = fetches.filter { !$0.value.isEnding && $0.value.isDue(now, $0.key) }.keys.sorted()
        for topic in due { fetches[topic]?.isEnding = true }
        return due
    }

    /// The retained messages by topic; `nil` if the filter was not requested.
    mutating func end(_ filter: String) -> [String: [UInt8]]? { fetches.removeValue(forKey: filter)?.messages }

    private static func matches(_ topic: String, _ filter: String) -> Bool {
        guard topic != filter else { return true }
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        let wanted = filter.split(separator: "/", omittingEmptySubsequences: false)
        return levels.count == wanted.count && zip(levels, wanted).allSatisfy { $1 == "+" || $0 == $1 }
    }

    mutating func removeAll() { fetches.removeAll() }
}
