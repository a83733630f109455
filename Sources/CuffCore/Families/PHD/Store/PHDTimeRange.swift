/// The wanted time range of stored segments: options `from` and `to`, on the agent's own clock.
struct PHDTimeRange: Sendable, Hashable {
    var from: DeviceTime
    var to: DeviceTime

    /// Neither option is set, both are valid, or one is not a date and time.
    enum Wish: Sendable, Hashable {
        case none
        case range(PHDTimeRange)
        case malformed(String)
    }

    /// `2026-05-05`, `2026-05-05T07:31` or `2026-05-05T07:31:10`; a missing bound is the limit of AbsoluteTime.
    static func wish(_ options: [String: String]) -> Wish {
        guard options["from"] != nil || options["to"] != nil else { return .none }
        let first = options["from"] ?? "1900-01-01"
        let last = options["to"] ?? "2099-12-31T23:59:59"
        guard let from = time(first, isEnd: false) else { return .malformed(first) }
        guard let to = time(last, isEnd: true), from.wallSeconds <= to.wallSeconds else { return .malformed(last) }
        return .range(PHDTimeRange(from: from, to: to))
    }

    private static func time(_ text: String, isEnd: Bool) -> DeviceTime? {
        let parts = text.split(separator: "T", omittingEmptySubsequences: false)
        let day = parts.first?.split(separator: "-").map { Int($0) ?? -1 } ?? []
        let clock = parts.count == 2 ? parts[1].split(separator: ":").map { Int($0) ?? -1 } : []
        guard parts.count <= 2, day.count == 3, parts.count == 1 || clock.count == 2 || clock.count == 3,
            day.allSatisfy({ $0 > 0 && $0 < 10000 }),
            clock.allSatisfy({ $0 >= 0 && $0 < 60 })
        else { return nil }
        let isDay = parts.count == 1
        let time = DeviceTime(
            year: day[0], month: day[1], day: day[2], hour: isDay ? isEnd ? 23 : 0 : clock[0], minute: isDay ? isEnd ? 59 : 0 : clock[1],
            second: clock.count == 3 ? clock[2] : isEnd ? 59 : 0)
        return time.isPossible ? time : nil
    }
}
