import CuffCore

/// Finds the window and the day of each reading's session, as `ProtocolAverage` does: a reading within ten minutes of another of the same
/// cuff is in the same session.
struct SessionPlaces: Sendable {
    let windows: DayWindows
    private var latest: [Int: (end: Timestamp, window: DayWindow, day: Int64)] = [:]
    private var firstDay: Int64?
    /// Whether no reading is earlier than one of the same cuff before it, or of a day before the first; otherwise its place may be wrong.
    private(set) var isInOrder = true

    init(_ windows: DayWindows) { self.windows = windows }

    /// The readings must be in the order of time: those of each cuff, and the first of all.
    mutating func place(_ time: Timestamp, source: Int, zone: ZoneTable) -> (window: DayWindow, day: Int64) {
        if let session = latest[source] {
            let pause = time.milliseconds - session.end.milliseconds
            if (0...ProtocolAverage.pause).contains(pause) {
                latest[source] = (time, session.window, session.day)
                return (session.window, session.day)
            }
            if pause < 0 { isInOrder = false }
        }
        let wall = zone.wall(at: time.seconds)
        var (window, day) = windows.place(ofWall: wall)
        let civil = WallTime.floor(wall, 86400)
        let first = firstDay ?? civil
        if civil < first { isInOrder = false }
        firstDay = first
        day = max(day, first)
        latest[source] = (time, window, day)
        return (window, day)
    }
}
