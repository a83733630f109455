package enum RunFault: Fault {
    /// A sink failed, and these readings were not stored.
    case notStored(UnstoredReadings, cause: IngestError)
    case ended(RunStatus, [RunEnding])

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .notStored(let missing, let cause): (cause.status, "\(cause); \(missing)")
        case .ended(let status, let endings):
            (status, endings.isEmpty ? "the run failed" : endings.map(\.description).joined(separator: "; "))
        }
    }
}
