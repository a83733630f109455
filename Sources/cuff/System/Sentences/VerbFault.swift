import CuffIngest

/// What a verb refuses on its own, with its words: nothing of the library is concerned.
struct VerbFault: Fault, Hinted {
    var status: RunStatus
    /// What failed, in lower case and without a full stop.
    var what: String
    /// Why; empty where it is not known.
    var why: String
    /// What to do; empty where nothing is known to help.
    var hint: String

    /// What and why.
    var description: String { what + (why.isEmpty ? "" : ": \(why)") }
}

extension IngestError {
    /// A refusal of a verb.
    init(_ status: RunStatus, _ what: String, why: String = "", hint: String = "") {
        self.init(VerbFault(status: status, what: what, why: why, hint: hint))
    }
}
