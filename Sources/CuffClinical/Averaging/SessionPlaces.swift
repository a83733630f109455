import CuffCore

/// Finds the window and the day of each reading's session, as `ProtocolAverage` does: a reading within ten minutes of another of the same
/// cuff is in the same session.
struct SessionPlaces: Sendable {
    let windows: DayWindows
    private var latest: [Int: (end: Timestamp, window: DayWindow, day: Int64)] = [:]
    private var firstDay: Int64?

    init(_ windows: DayWindows) { self.windows = windows }

    /// The readings of each cuff must be in the order of time.
    mutating func place(_ time: Timestamp, source: Int, zone: ZoneTable) -> (window: DayWindow, day: Int64) {
        if let session = latest[source], (0...ProtocolAverage.pause).contains(time.milliseconds - session.end.milliseconds) {
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
