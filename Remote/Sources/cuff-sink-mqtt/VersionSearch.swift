/// How the version of the protocol is found. A connection that ends before it is answered may be a passing fault, and MQTT 3.1.1 is
/// worse, because its acknowledgements have no reasons: it takes two such ends, or the broker's own word.
struct VersionSearch: Sendable {
    private enum Attempt: Sendable { case five, fiveAgain, three }
    private var attempt = Attempt.five

    var isVersion5: Bool { attempt != .three }

    /// Answers whether to try once more, at once.
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
