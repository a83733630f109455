import CuffCore

/// A cuff's clock compared with the host's.
public struct DeviceClockReport: Sendable, Equatable {
    /// What the cuff's clock showed.
    public var time: DeviceTime
    /// Seconds by which the cuff's clock is behind the host's; negative when it is ahead.
    public var behind: Int64
    /// The host's own clock is not synchronised with any other, so that it is unknown which of the two is right.
    public var isHostUnsynchronised = false

    /// ISO 8601 without a zone.
    var timeText: String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        return text.string
    }

    /// The time and the difference, for a person.
    public var text: String {
        let drift = Plural.span(Int64(clamping: behind.magnitude))
        let comparison = behind == 0 ? "same as this computer" : "\(drift) \(behind > 0 ? "behind" : "ahead of") this computer"
        return "\(timeText), \(comparison)\(isHostUnsynchronised ? " (itself not NTP-synchronised)" : "")"
    }
}
