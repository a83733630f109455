/// Why a run could not be brought to its end.
package enum RunFault: Fault {
    /// A sink failed, and these readings were not stored.
    case notStored(UnstoredReadings, cause: IngestError)
    /// It ended otherwise than it should.
    case ended(RunStatus, [RunEnding])

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .notStored(let missing, let cause): (cause.status, "\(cause); \(missing)")
        case .ended(let status, let endings):
            (status, endings.isEmpty ? "the run did not end as it should" : endings.map(\.description).joined(separator: "; "))
        }
    }
}
