import CuffCore

enum DateWords {
    static let months: [StaticString] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    static let weekdays: [StaticString] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

    /// `5 May`.
    static func dayAndMonth(_ day: Int64) -> String {
        let date = DeviceTime(wallSeconds: day * 86400)
        return "\(date.day) \(months[Int(date.month) - 1])"
    }

    /// `Tue 5 May`.
    static func weekday(_ day: Int64) -> String {
        let weekday = Int(day + 3 - WallTime.floor(day + 3, 7) * 7)
        return "\(weekdays[weekday]) \(dayAndMonth(day))"
    }

    /// `5 May 2026`.
    static func full(_ day: Int64) -> String { "\(dayAndMonth(day)) \(DeviceTime(wallSeconds: day * 86400).year)" }

    static func month(_ day: Int64) -> String {
        let date = DeviceTime(wallSeconds: day * 86400)
        return "\(months[Int(date.month) - 1]) \(date.year)"
    }

    /// `07:31`, of seconds after midnight.
    static func clock(_ seconds: Int64) -> String { ClockText.clock(minute: Int(seconds / 60)) }
}
