import CuffCore

/// Gives each reading the window and the day of its session, as an average places it: a reading that follows another of the same cuff
/// within ten minutes is of that one's session.
struct SessionPlaces: Sendable {
    let windows: DayWindows
    private var latest: [Int: (end: Timestamp, window: DayWindow, day: Int64)] = [:]
    private var firstDay: Int64?

    init(_ windows: DayWindows) { self.windows = windows }

    /// The place of a reading; of each cuff they come in the order of their times.
    mutating func place(_ time: Timestamp, source: Int, zone: ZoneTable) -> (window: DayWindow, day: Int64) {
        let pause = ProtocolAverage.longestPause.components.seconds * 1000
        if let session = latest[source], (0...pause).contains(time.milliseconds - session.end.milliseconds) {
            latest[source] = (time, session.window, session.day)
            return (session.window, session.day)
        }
        let wall = zone.wall(at: time.seconds)
        var (window, day) = windows.place(ofWall: wall)
        let first = firstDay ?? WallTime.floor(wall, 86400)
        firstDay = first
        day = max(day, first)
        latest[source] = (time, window, day)
        return (window, day)
    }
}
