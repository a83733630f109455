/// An instant of the host's clock: milliseconds since 1970-01-01T00:00:00Z. It is not what a cuff's clock said.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public var milliseconds: Int64
    /// The instant so many milliseconds after 1970-01-01T00:00:00Z.
    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// The earlier instant is the smaller.
    @inlinable
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}

extension Timestamp {
    /// `2026-05-05T05:40:00.120Z`.
    public var utcText: String {
        var text = TextBuffer(capacity: 32)
        text.append(utc: self)
        return text.string
    }

    /// `2026-05-05T07:40:00+02:00`, on the zone's own wall clock.
    public func text(in zone: ZoneTable) -> String {
        var text = TextBuffer(capacity: 40)
        text.append(local: self, offset: zone.offset(at: seconds) / 60)
        return text.string
    }
}

/// Which time `Reading.measured` rests on.
public enum ClockRule: UInt8, Sendable, Hashable {
    /// No rule was applied; there is no `measured`.
    case none
    /// The cuff's clock, which agreed with the host's.
    case synced
    /// The cuff's clock, moved by the offset that was measured against the host's.
    case corrected
    /// The cuff's clock as it is; it could not be compared.
    case deviceTime
    /// The moment the reading arrived.
    case receiveTime
    /// The cuff's clock was never set or impossible, and the reading came from memory: when is unknown.
    case unset
    /// The cuff's time is later than the reception, so it is none; there is no `measured`.
    case implausible

    /// The value of `clock` in JSON; `nil` for `none`.
    public var word: StaticString? {
        switch self {
        case .none: nil
        case .synced: "synced"
        case .corrected: "corrected"
        case .deviceTime: "device_time"
        case .receiveTime: "receive_time"
        case .unset: "unset"
        case .implausible: "implausible"
        }
    }
}
