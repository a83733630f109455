import Glibc

/// The result of `--check ADDRESS`: whether readings can be delivered there. Nothing was stored.
public enum CheckResult: Error, Sendable, Equatable {
    /// Everything that can be checked without sending a reading is fine; the text lists what was checked.
    case ok(String)
    /// Try again later.
    case later(String)
    case fatal(String)

    /// The line, with its line feed: a word of the remote sink protocol, and the text.
    public var line: String {
        switch self {
        case .ok(let text): "ok \(Self.oneLine(text))\n"
        case .later(let text): "later \(Self.oneLine(text))\n"
        case .fatal(let text): "fatal \(Self.oneLine(text))\n"
        }
    }

    /// Prints the result of a check; returns the exit status.
    public static func tell(_ check: () throws(ConfigurationFault) -> CheckResult) -> Int32 {
        let result: CheckResult
        do throws(ConfigurationFault) { result = try check() } catch { result = .fatal(error.description) }
        print(result.line, terminator: "")
        return result.status
    }

    /// The exit status (sysexits.h).
    public var status: Int32 {
        switch self {
        case .ok: 0
        case .later: EX_TEMPFAIL
        case .fatal: EX_CONFIG
        }
    }

    /// Long enough for advice; limits a server's message.
    private static func oneLine(_ text: String) -> String { Answer.oneLine(text, limit: 1000) }
}
