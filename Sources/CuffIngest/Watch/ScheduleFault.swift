import CuffCore

package enum ScheduleFault: Fault {
    case takesNoTimes(action: String)
    case noInterval
    case notWholeMinutes
    case notAWindow
    case notANight(String)
    /// Only one of `--night` and `--every-night` was given.
    case halfANight
    /// `--night` with `--from` and `--to`.
    case nightWithinWindow
    case notALength
    case unknownAction(String, known: [String])
    case notByItself(driver: String)
    case noFolder
    /// The next cuff may get the same name, and would be inflated.
    case unknownCuff(device: String)
    /// The cuff cannot be started, and has no such cycle; `own` are its cycles in minutes.
    case notAtTheseTimes(driver: String, own: [Int])
    /// Shorter than an arm needs, or longer than a day.
    case interval(minutes: Int, own: [Int])

    package var statement: (status: RunStatus, text: String) {
        switch self {
        case .takesNoTimes(let action): (.usage, "`\(action)` takes no times")
        case .noInterval: (.usage, "`set` needs an interval")
        case .notWholeMinutes: (.usage, "a schedule counts whole minutes")
        case .notAWindow: (.usage, "`--from`/`--to` is not a valid time range: both must be times of day, and different")
        case .notANight(let text): (.usage, "`--night \(text)` is not a valid time range: it is two different times of day")
        case .halfANight: (.usage, "--night and --every-night belong together")
        case .nightWithinWindow: (.usage, "--night has no effect here: --from and --to leave out the rest of the day")
        case .notALength: (.usage, "`--for` is not the length of a schedule: it is longer than one interval, and at most 31 days")
        case .unknownAction(let action, let known): (.usage, "unknown action `\(action)`: actions are \(known.joined(separator: ", "))")
        case .notByItself(let driver):
            (.usage, "\(driver) cuffs cannot measure automatically: they have no automatic cycles and cannot be started remotely")
        case .noFolder: (.usage, "no folder to store a schedule in")
        case .unknownCuff(let device):
            (
                .usage,
                "cannot tell which cuff is on \(device): the next cuff that is plugged in may get that name, "
                    + "and would be inflated by this schedule"
            )
        case .notAtTheseTimes(let driver, let own):
            (.usage, "\(driver) cuffs cannot measure at these times: they cannot be started remotely\(Self.cycles(own))")
        case .interval(let minutes, let own):
            (
                .usage,
                "invalid interval of \(minutes) minutes: an arm needs \(MonitoringPlan.intervals.lowerBound) minutes between inflations, "
                    + "and a day is the longest\(Self.cycles(own))"
            )
        }
    }

    private static func cycles(_ own: [Int]) -> String {
        own.isEmpty ? "" : "; its own cycles are \(own.map(String.init).joined(separator: ", ")) minutes"
    }
}
