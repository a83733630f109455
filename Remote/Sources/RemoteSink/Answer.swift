import Glibc

/// A line from a helper to `cuff`.
public enum Answer: Sendable, Equatable {
    /// The first line, within ten seconds: the version of the protocol.
    case ready
    /// The same, and the helper accepts deletions.
    case readyForDeletions
    /// And for reports of the machine's state.
    case readyForStatus
    case ok(id: String, revision: Int)
    /// The server is unreachable: `cuff` keeps the unanswered lines, stops this helper and restarts it after a growing pause.
    case later(String)
    /// The server will never accept this one.
    case refuse(id: String, revision: Int, String)
    case fatal(String)

    public static func ok(_ line: ReadingLine) -> Answer { .ok(id: line.id, revision: line.revision) }
    public static func refuse(_ line: ReadingLine, _ text: String) -> Answer { .refuse(id: line.id, revision: line.revision, text) }

    /// `cuff` stops the helper after `later` and `fatal`: its exit status (sysexits.h). `nil` after the others.
    public var status: Int32? {
        switch self {
        case .later: EX_TEMPFAIL
        case .fatal: EX_CONFIG
        case .ready, .readyForDeletions, .readyForStatus, .ok, .refuse: nil
        }
    }

    /// The line, with its line feed.
    public var line: String {
        switch self {
        case .ready: "ready 1\n"
        case .readyForDeletions: "ready 1 deletions\n"
        case .readyForStatus: "ready 1 deletions status\n"
        case .ok(let id, let revision): "ok \(id) \(revision)\n"
        case .later(let text): "later \(Self.oneLine(text))\n"
        case .refuse(let id, let revision, let text): "refuse \(id) \(revision) \(Self.oneLine(text))\n"
        case .fatal(let text): "fatal \(Self.oneLine(text))\n"
        }
    }

    /// `cuff` shows 200 bytes of an answer's text. A server's message may be longer and contain line feeds.
    public static func oneLine(_ text: String, limit: Int = 200) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let shown: Unicode.Scalar = scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar
            guard result.utf8.count + String(shown).utf8.count <= limit else { break }
            result.unicodeScalars.append(shown)
        }
        return result
    }
}
