import CuffCore

/// A cuff's clock compared with the host's.
public struct DeviceClockReport: Sendable, Equatable {
    /// The time of the cuff's clock.
    public var time: DeviceTime
    /// Seconds by which the cuff's clock is behind the host's; negative if it is ahead.
    public var behind: Int64
    /// The host's clock is not synchronised, so it is unknown which of the two is right.
    public var isHostUnsynchronised = false

    /// ISO 8601 without a zone.
    var timeText: String {
        var text = TextBuffer(capacity: 32)
        text.append(time)
        return text.string
    }

    /// The time and the difference as a sentence.
    public var text: String {
        let drift = Plural.span(Int64(clamping: behind.magnitude))
        let comparison = behind == 0 ? "same as this computer" : "\(drift) \(behind > 0 ? "behind" : "ahead of") this computer"
        return "\(timeText), \(comparison)\(isHostUnsynchronised ? " (itself not NTP-synchronised)" : "")"
    }
}
