import CuffIngest

/// A refusal by a verb, with its texts.
struct VerbFault: Fault, Hinted {
    var kind: RunStatus
    /// In lower case and without a full stop.
    var what: String
    var why: String
    var hint: String

    var statement: (status: RunStatus, text: String) { (kind, what + (why.isEmpty ? "" : ": \(why)")) }
}

extension IngestError {
    init(_ status: RunStatus, _ what: String, why: String = "", hint: String = "") {
        self.init(VerbFault(kind: status, what: what, why: why, hint: hint))
    }
}
