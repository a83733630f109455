/// Why a run could not be brought to its end.
public enum RunFault: Fault {
    /// A sink failed, and these readings were not stored.
    case notStored(UnstoredReadings, cause: IngestError)
    /// It ended otherwise than it should.
    case ended(RunStatus, [RunEnding])

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
        case .ended(_, let endings):
            endings.isEmpty ? "the run did not end as it should" : endings.map(\.description).joined(separator: "; ")
        }
    }
}
