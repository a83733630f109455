import CuffCore

extension ScheduleRequest {
    package struct Words: Sendable {
        package var every: Duration?
        /// A window of the day, `08:00`.
        package var from, to: String?
        /// The part of the day with another interval, `22:00-07:00`.
        package var night: String?
        package var everyNight: Duration?
        package var length: Duration?

        package init() {}

        var isEmpty: Bool { every == nil && from == nil && to == nil && night == nil && everyNight == nil && length == nil }
    }

    /// Longer schedules need no end.
    private static let longest: Int64 = 31 * 86400

    /// Parses `get`, `off`, or `set` with its times.
    package init(_ action: String, _ words: Words) throws(IngestError) {
        switch action {
        case "get", "off":
            guard words.isEmpty else {
                throw IngestError(ScheduleFault.takesNoTimes(action: action))
            }
            self = action == "get" ? .get : .off
        case "set":
            guard let every = words.every else { throw IngestError(ScheduleFault.noInterval) }
            var times = ScheduleTimes(minutes: try Self.minutes(every))
            times.window = try Self.window(words.from, words.to)
            times.night = try Self.night(words)
            if times.window != nil, times.night != nil {
                throw IngestError(ScheduleFault.nightWithinWindow)
            }
            if let length = words.length {
                let seconds = length.components.seconds
                guard seconds >= Int64(times.minutes) * 60, seconds <= Self.longest else {
                    throw IngestError(ScheduleFault.notALength)
                }
                times.length = length
            }
            self = .set(times)
        default:
            throw IngestError(ScheduleFault.unknownAction(action, known: ["get", "set", "off"]))
        }
    }

    private static func minutes(_ every: Duration) throws(IngestError) -> Int {
        let seconds = every.components.seconds
        guard seconds % 60 == 0, seconds >= 60 else {
            throw IngestError(ScheduleFault.notWholeMinutes)
        }
        return Int(clamping: seconds / 60)
    }

    private static func window(_ from: String?, _ to: String?) throws(IngestError) -> MonitoringPlan.Window? {
        guard from != nil || to != nil else { return nil }
        guard let from = from.flatMap(TimeWords.minuteOfDay), let to = to.flatMap(TimeWords.minuteOfDay),
            let window = MonitoringPlan.Window(from: from, to: to)
        else {
            throw IngestError(ScheduleFault.notAWindow)
        }
        return window
    }

    private static func night(_ words: Words) throws(IngestError) -> (MonitoringPlan.Window, minutes: Int)? {
        guard words.night != nil || words.everyNight != nil else { return nil }
        guard let text = words.night, let every = words.everyNight else {
            throw IngestError(ScheduleFault.halfANight)
        }
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map { TimeWords.minuteOfDay(String($0)) }
        guard ends.count == 2, let from = ends[0], let to = ends[1], let window = MonitoringPlan.Window(from: from, to: to)
        else {
            throw IngestError(ScheduleFault.notANight(text))
        }
        return (window, try minutes(every))
    }
}
