package enum RequestFault: Fault {
    case unknownDriver(String, known: [String])
    /// The name of a model that several drivers read.
    case ambiguousDriver(String, drivers: [String])
    /// The name of a model that no driver reads.
    case unreachableModel(String)
    case unknownZone(String)
    case notATime(String)
    case notALocalTime(String)
    case notASpeed(String)
    /// A condition on a series; `measures` are the allowed numbers.
    case notACondition(String, measures: [String])
    case emptyRange
    /// An address after `--listen`; `why` is the parser's reason.
    case notAListener(String, why: String?)

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .unknownDriver(let id, let known): (.usage, "unknown driver `\(id)`: drivers are \(known.joined(separator: " "))")
        case .ambiguousDriver(let name, let drivers):
            (.usage, "`\(name)` may be one of several drivers: \(drivers.joined(separator: ", "))")
        case .unreachableModel(let name): (.usage, "no driver reads `\(name)`")
        case .unknownZone(let name): (.usage, "unknown time zone `\(name)`: \(HostZone.folder) has no such file")
        case .notATime(let text): (.usage, "`\(text)` is not a date or duration")
        case .notALocalTime(let text): (.usage, "`\(text)` is not a local time")
        case .notASpeed(let text): (.usage, "invalid speed `\(text)`")
        case .notACondition(let text, let measures):
            (.usage, "`\(text)` is not a condition, which is one of \(measures.joined(separator: ", ")), then a sign and a number")
        case .emptyRange: (.usage, "`--since`/`--until` is not a valid time range: --until is not after --since")
        case .notAListener(let text, let why): (.usage, "`\(text)` is not an address to listen on\(why.map { ": \($0)" } ?? "")")
        }
    }
}
