/// A word of a request that means nothing here.
public enum RequestFault: Fault {
    case unknownDriver(String, known: [String])
    case unknownZone(String)
    /// A text that is neither a date nor a duration.
    case notATime(String)

    /// What kind of failure it is.
    public var status: RunStatus { .usage }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .unknownDriver(let id, let known): "unknown driver `\(id)`: drivers are \(known.joined(separator: " "))"
        case .unknownZone(let name): "unknown time zone `\(name)`: \(HostZone.folder) has no such file"
        case .notATime(let text): "`\(text)` is not a date or duration"
        }
    }
}
