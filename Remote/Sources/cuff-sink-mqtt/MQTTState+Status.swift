import RemoteSink

/// What this machine says about itself: the newest report is retained at `PREFIX/GATEWAY/heartbeat/status`. Gateways that do not know it
/// ignore topics that end in `status`.
extension Topics {
    var heartbeat: String { "\(base)/heartbeat/status" }
}

/// The newest report of `cuff`, and whether the broker has it.
struct Heartbeat: Sendable {
    private var report: JSONValue?
    private var isUnderWay = false

    mutating func accept(_ report: JSONValue) { self.report = report }

    /// The message to publish now, with what `cuff` does not know: the versions and the user that the broker knows.
    mutating func next(_ settings: Settings) -> String? {
        guard !isUnderWay, case .object(let members)? = report else { return nil }
        report = nil
        isUnderWay = true
        let own: [JSONValue.Member] = [
            .init(key: "version", value: .string(helperVersion)), .init(key: "user", value: .string(settings.user ?? "")),
        ]
        return JSONValue.object(members + own).text
    }

    mutating func acknowledged() { isUnderWay = false }
    /// The next report follows.
    mutating func forget() { self = Heartbeat() }
}
