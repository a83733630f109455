import Glibc

/// What `--check ADDRESS` found out: whether readings can be delivered there as things are. Nothing was stored.
public enum CheckResult: Error, Sendable, Equatable {
    /// They can, as far as that can be known without sending one; the text says what was checked, and what was not.
    case ok(String)
    /// The server is away or busy: the same again later.
    case later(String)
    /// A person must change something; the text says what.
    case fatal(String)

    /// The line, with its line feed: a word of the remote sink protocol, and the text.
    public var line: String {
        switch self {
        case .ok(let text): "ok \(Self.oneLine(text))\n"
        case .later(let text): "later \(Self.oneLine(text))\n"
        case .fatal(let text): "fatal \(Self.oneLine(text))\n"
        }
    }

    /// The status to exit with (sysexits.h).
    public var status: Int32 {
        switch self {
        case .ok: 0
        case .later: EX_TEMPFAIL
        case .fatal: EX_CONFIG
        }
    }

    /// Long enough for advice; a server may say more than that.
    private static func oneLine(_ text: String) -> String { Answer.oneLine(text, limit: 1000) }
}
