/// Reads retained messages: subscribe, wait for the message, unsubscribe. A broker sends a retained message right after it has
/// confirmed the subscription; after UNSUBACK none can follow.
struct Fetches: Sendable {
    private struct Fetch: Sendable {
        /// The deadline for the message; `nil` before the subscription is confirmed.
        var until: Double?
        var isEnding = false
        var payload: [UInt8]?

        func isDue(_ now: Double) -> Bool { until.map { payload != nil || now >= $0 } ?? false }
    }

    private var fetches: [String: Fetch] = [:]

    var isEmpty: Bool { fetches.isEmpty }
    var wakeAt: Double? { fetches.values.compactMap { $0.isEnding ? nil : $0.until }.min() }

    mutating func begin(_ topic: String) { fetches[topic] = Fetch() }
    mutating func subscribed(_ topic: String, until: Double) { fetches[topic]?.until = until }
    mutating func received(_ topic: String, _ payload: [UInt8]) { fetches[topic]?.payload = payload }
    func isUnderWay(_ topic: String) -> Bool { fetches[topic] != nil }

    mutating func endDue(_ now: Double) -> [String] {
        let due = fetches.filter { !$0.value.isEnding && $0.value.isDue(now) }.keys.sorted()
        for topic in due { fetches[topic]?.isEnding = true }
        return due
    }

    /// The retained message, `nil` if none; returns `nil` if the topic was not requested.
    mutating func end(_ topic: String) -> [UInt8]?? { fetches.removeValue(forKey: topic).map(\.payload) }

    mutating func removeAll() { fetches.removeAll() }
}
