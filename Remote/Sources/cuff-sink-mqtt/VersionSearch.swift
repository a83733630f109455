/// Finds the protocol version. A connection that ends before CONNACK may be a transient fault, and MQTT 3.1.1 is
/// worse, because its acknowledgements have no reasons. It falls back after two such ends, or at the broker's request.
struct VersionSearch: Sendable {
    private enum Attempt: Sendable { case five, fiveAgain, three }
    private var attempt = Attempt.five

    var isVersion5: Bool { attempt != .three }

    /// Returns whether to retry immediately.
    mutating func failed(_ ending: MQTTState.Ending) -> Bool {
        switch (ending, attempt) {
        case (.oldVersion, .five), (.oldVersion, .fiveAgain), (.closedEarly, .fiveAgain): attempt = .three
        case (.closedEarly, .five): attempt = .fiveAgain
        default: return false
        }
        return true
    }

    mutating func beginAnew() { attempt = .five }
}
