import RemoteSink

/// A question to a server whose answer tells whether readings would be accepted, and which stores nothing.
public struct HTTPCheck: Sendable {
    public let request: HTTPRequest
    public let judge: @Sendable (HTTPAnswer) -> CheckResult

    public init(_ request: HTTPRequest, judge: @escaping @Sendable (HTTPAnswer) -> CheckResult) {
        self.request = request
        self.judge = judge
    }

    /// Asks one after the other, until one says that something is wrong.
    public static func run(_ checks: [HTTPCheck], perform: (HTTPRequest) -> HTTPOutcome) -> CheckResult {
        var found: [String] = []
        for check in checks {
            switch perform(check.request) {
            case .unreachable(let text): return .later(text)
            case .misconfigured(let text): return .fatal(text)
            case .answered(let answer):
                let result = check.judge(answer)
                guard case .ok(let text) = result else { return result }
                found.append(text)
            }
        }
        return .ok(found.joined(separator: "; "))
    }
}

extension CheckResult {
    /// What an answer means that is not a success. Content is the fault of the question here, not of a reading.
    static func failure(_ answer: HTTPAnswer, said: String) -> CheckResult { CheckResult(Verdict.failure(answer, said: said)) }

    init(_ verdict: Verdict) {
        switch verdict {
        case .taken: self = .ok("the server accepts readings")
        case .later(let text): self = .later(text)
        case .content(let text), .configuration(let text): self = .fatal(text)
        }
    }
}
