enum ClockText {
    /// `07:31`, of minutes after midnight; minutes beyond 24 hours are of the next day.
    static func clock(minute: Int) -> String { "\(two(minute / 60 % 24)):\(two(minute % 60))" }

    static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
