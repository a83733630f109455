import HTTPClient
import RemoteSink

/// A query that stores nothing and shows whether the server would accept readings.
public struct HTTPCheck: Sendable {
    public let request: HTTPRequest
    public let judge: @Sendable (HTTPAnswer) -> CheckResult

    public init(_ request: HTTPRequest, judge: @escaping @Sendable (HTTPAnswer) -> CheckResult) {
        self.request = request
        self.judge = judge
    }

    /// Performs the checks in order and stops at the first failure.
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
    /// Here a content error is a fault of the query, not of a reading.
    static func failure(_ answer: HTTPAnswer, message: String) -> CheckResult { CheckResult(Verdict.failure(answer, message: message)) }

    init(_ verdict: Verdict) {
        switch verdict {
        case .taken: self = .ok("the server accepts readings")
        case .later(let text): self = .later(text)
        case .content(let text), .configuration(let text): self = .fatal(text)
        }
    }
}
