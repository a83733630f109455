import CuffIngest

/// A refusal by a verb itself, with its texts.
struct VerbFault: Fault, Hinted {
    var kind: RunStatus
    /// What failed, in lower case and without a full stop.
    var what: String
    /// Why; empty where it is not known.
    var why: String
    /// What to do; empty where nothing is known to help.
    var hint: String

    var statement: (status: RunStatus, text: String) { (kind, what + (why.isEmpty ? "" : ": \(why)")) }
}

extension IngestError {
    /// A refusal of a verb.
    init(_ status: RunStatus, _ what: String, why: String = "", hint: String = "") {
        self.init(VerbFault(kind: status, what: what, why: why, hint: hint))
    }
}
