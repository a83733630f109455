/// An instant of the host's clock, in milliseconds; not a cuff's time.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970-01-01T00:00:00Z, without leap seconds; negative before.
    public var milliseconds: Int64
    /// The instant `milliseconds` after 1970-01-01T00:00:00Z.
    @inlinable
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Chronological order.
    @inlinable
    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }
}

extension Timestamp {
    /// `2026-05-05T05:40:00.120Z`.
    public var utcText: String { TextBuffer.text { $0.append(utc: self) } }

    /// `2026-05-05T07:40:00+02:00`, in the zone's wall time.
    public func text(in zone: ZoneTable) -> String {
        TextBuffer.text { $0.append(local: self, offset: zone.offset(at: seconds) / 60) }
    }
}

/// The origin of `Reading.measured`.
public enum ClockRule: UInt8, Sendable, Hashable {
    /// No rule applied; no `measured`.
    case none
    /// The cuff's clock, in agreement with the host's.
    case synced
    /// The cuff's clock, corrected by its difference from the host's.
    case corrected
    /// The cuff's clock, which could not be compared.
    case deviceTime
    case receiveTime
    /// The cuff's clock was unset or impossible, and the reading stored: unknown.
    case unset
    /// The cuff's time is later than the reception; no `measured`.
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
