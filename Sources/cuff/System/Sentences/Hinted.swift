import CuffIngest

/// An error that the user can fix. One file per layer has its hints.
protocol Hinted: CustomStringConvertible {
    /// What to do; empty if unknown.
    var hint: String { get }
}

extension Hinted {
    /// For standard error: one line for what happened, one for what to do.
    var text: String { description + (hint.isEmpty ? "" : "\n  fix: \(hint)") }
}

extension IngestError: Hinted {
    var hint: String { (fault as? any Hinted)?.hint ?? "" }
}

extension RunEnding: Hinted {
    var hint: String {
        switch self {
        case .notStored(let unstored, _): unstored.inTheCuff > 0 ? "read the cuff again" : "see what its sink says: cuff sinks"
        case .sinkDidNotClose, .measurementStopped, .stoppedByOther, .noResult, .session: ""
        case .undelivered: "they go out with the next run, or now: cuff sinks retry"
        case .refused(_, _, _, lacksZone: true): "name the time zone of the cuff's clock and run it again, e.g. --tz Europe/Berlin"
        case .refused: "`cuff sinks` shows them; when the cause is removed: cuff sinks retry --refused"
        case .nothingUnderstood(let driver, _, _, _, let recorded?) where recorded != driver.description:
            "the capture names \(recorded): leave out --driver"
        case .nothingUnderstood: "`cuff identify` names the family of a file or of a port"
        case .requestsMissing(let driver, _):
            "record both sides: cuff record DEVICE --driver \(driver) -o FILE; then cuff replay FILE"
        case .wrongSettings: "try other settings (--line), or let `cuff identify` listen"
        case .timeRanOut, .measurementTimedOut: "allow more time: --timeout"
        case .lost: "check the cable, then plug it in again"
        case .nothingPluggedIn: "see what is there: cuff list"
        }
    }
}

extension WatchNotice: Hinted {
    var hint: String {
        if case .flickered(let device) = self { "if it does not stay, see what takes it: cuff doctor \(device.key)" } else { "" }
    }
}

extension RequestFault: Hinted {
    var hint: String {
        switch self {
        case .unknownDriver(let id, let known):
            NearestWord.match(id, among: known).map { "did you mean `\($0)`?" } ?? "`cuff drivers` lists them"
        case .ambiguousDriver(let name, _): "name the driver; `cuff drivers \(name)` says which cuff each of them reads"
        case .unreachableModel(let name): "`cuff drivers \(name)` says why, and what to do instead"
        case .unknownZone: "write e.g. Europe/Berlin or UTC; `apt-get install tzdata` if no zone is found"
        case .notATime: "write e.g. 2026-05-05, 2026-05-05T07:30, 7d, 36h, today, monday, 21:00 or \"yesterday 21:00\""
        case .notALocalTime: "write `now`, or e.g. 2026-05-05T07:31:00"
        case .notASpeed: "write max, real or a number, e.g. 10"
        case .notACondition(_, let measures) where measures == SeriesCondition.Measure.allCases.map(\.rawValue):
            "write e.g. --where \"max>=180\""
        case .notACondition(let text, _):
            (try? SeriesCondition(text)) == nil ? "write e.g. --where \"systolic>=135\"" : "add --type quantity_series"
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
