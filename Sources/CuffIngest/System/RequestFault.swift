/// An invalid word in a request.
package enum RequestFault: Fault {
    case unknownDriver(String, known: [String])
    case unknownZone(String)
    /// A text that is neither a date nor a duration.
    case notATime(String)
    /// A text that is no date and time of day for a cuff's clock.
    case notALocalTime(String)
    /// A factor of a replay.
    case notASpeed(String)
    /// A condition on a number of a series; `measures` are those that it may name.
    case notACondition(String, measures: [String])
    /// `--until` is not after `--since`.
    case emptyRange
    /// A text after `--listen`; `why` is the parser's reason, where there is one.
    case notAListener(String, why: String?)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .unknownDriver(let id, let known): (.usage, "unknown driver `\(id)`: drivers are \(known.joined(separator: " "))")
        case .unknownZone(let name): (.usage, "unknown time zone `\(name)`: \(HostZone.folder) has no such file")
        case .notATime(let text): (.usage, "`\(text)` is not a date or duration")
        case .notALocalTime(let text): (.usage, "`\(text)` is not a local time")
        case .notASpeed(let text): (.usage, "invalid speed `\(text)`")
        case .notACondition(let text, let measures):
            (.usage, "`\(text)` is not a condition: it is one of \(measures.joined(separator: ", ")), a sign and a number")
        case .emptyRange: (.usage, "`--since`/`--until` is not a valid time range: --until is not after --since")
        case .notAListener(let text, let why): (.usage, "`\(text)` is not an address to listen on\(why.map { ": \($0)" } ?? "")")
        }
    }
}
