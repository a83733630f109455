import CuffIngest

/// A fault that a person can do something about. There is one file for the faults of each layer.
protocol Hinted {
    /// What to do; empty where nothing is known to help.
    var hint: String { get }
}

extension IngestError {
    var hint: String { (fault as? any Hinted)?.hint ?? "" }

    /// For standard error: what happened in one line, what to do in another.
    var text: String { description + (hint.isEmpty ? "" : "\n  fix: \(hint)") }
}

extension RequestFault: Hinted {
    var hint: String {
        switch self {
        case .unknownDriver(let id, let known):
            NearestWord.match(id, among: known).map { "did you mean `\($0)`?" } ?? "`cuff drivers` lists them"
        case .unknownZone: "write e.g. Europe/Berlin or UTC; `apt-get install tzdata` if no zone is found"
        case .notATime: "write e.g. 2026-05-05, 2026-05-05T07:30, 7d, 36h, today or monday"
        case .notALocalTime: "write `now`, or e.g. 2026-05-05T07:31:00"
        case .notASpeed: "write max, real or a number, e.g. 10"
        case .notACondition: "write e.g. --where \"max>=180\""
        case .emptyRange: "exchange them"
        case .notAListener: "write e.g. --listen 127.0.0.1:6024"
        }
    }
}

extension RunFault: Hinted {
    var hint: String {
        switch self {
        case .notStored(_, let cause): cause.hint
        case .ended: ""
        }
    }
}
