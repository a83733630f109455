/// Why a run could not be brought to its end.
public enum RunFault: Fault {
    /// A sink failed; the text says what was not stored, and what becomes of it.
    case notStored(String, cause: IngestError)
    /// It ended otherwise than it should; the text is what the session said last.
    case ended(RunStatus, String?)

    /// What kind of failure it is.
    public var status: RunStatus {
        switch self {
        case .notStored(_, let cause): cause.status
        case .ended(let status, _): status
        }
    }

    /// What happened, in one plain line.
    public var description: String {
        switch self {
        case .notStored(let missing, let cause): "\(cause); \(missing)"
        case .ended(_, let text): text ?? "the run did not end as it should"
        }
    }
}
