/// An agent's counting clock beside its calendar clock; with both, a stamp in ticks has a calendar time.
/// RelativeTime (098F now, 0991 stamp)   u32 ticks of 125 µs; wraps in 6.2 days                              documented [1]
/// HiRes (09E8 now, 09E9 stamp)          u64 microseconds                                                    documented [1]
/// event-time of a report                RelativeTime, if the agent has such a clock (Mds-Time-Info 2000)     documented [1]
/// Mds-Time-Info                         how many of these units pass with each step of the clock            documented [1]
/// A clock of coarse steps may count units or, as a NovoPen does, its steps (observed). Values that are not all multiples of a step are
/// taken as steps, otherwise as units. Policy. Without a calendar clock nothing is derived.
struct PHDRelativeClock: Sendable {
    /// The calendar clock in the same description of the agent.
    private let wall: DeviceTime
    private let ticks: UInt32?
    private let tickStep: UInt32
    private let microseconds: UInt64?
    private let microsecondStep: UInt64
    private let stampsEvents: Bool

    /// A stamp may be up to a minute younger than its reference: a measurement that ended in between. Policy.
    private static let tolerance: Int64 = 60 * 8000

    /// `nil` if the agent has no calendar time or no counter.
    init?(_ facts: PHDDeviceFacts) {
        guard let clock = facts.clock, facts.relativeNow != nil || facts.highResolutionNow != nil else { return nil }
        wall = clock
        ticks = facts.relativeNow
        tickStep = UInt32(facts.relativeStep ?? 0)
        microseconds = facts.highResolutionNow
        microsecondStep = UInt64(facts.highResolutionStep ?? 0)
        stampsEvents = (facts.timeCapability ?? 0) & PHDTimeCapability.relative != 0
    }

    /// The time of a stamp in an APDU; `absent` if uncertain. A pushed stamp counts back from the event-time of its report, a stored one
    /// also from the description, which it precedes.
    func clock(_ stamp: PHDStamp, _ apdu: Span<UInt8>, isStored: Bool) -> DeviceClock {
        switch stamp.kind {
        case .relative where stamp.isMatchable: return relative(UInt32(truncatingIfNeeded: stamp.bits), eventTime(apdu), isStored)
        case .highResolution: return highResolution(stamp.bits)
        case .none, .absolute, .baseOffset, .relative: return .absent
        }
    }

    private func eventTime(_ apdu: Span<UInt8>) -> UInt32? {
        let message = apdu.bigEndian16(8)
        guard stampsEvents, message == PHDMessage.eventReport || message == PHDMessage.confirmedEventReport,
            let time = apdu.bigEndian32(14), time != 0, time != 0xFFFF_FFFF
        else { return nil }
        return time
    }

    private func relative(_ stamp: UInt32, _ event: UInt32?, _ isStored: Bool) -> DeviceClock {
        guard let ticks, let reference = event ?? (isStored ? ticks : nil) else { return .absent }
        let isUnits = tickStep < 2 || ticks % tickStep == 0 && stamp % tickStep == 0
        let scale = isUnits ? 1 : Int64(tickStep)
        let ahead = Int64(stamp &- reference) * scale
        let age = ahead <= Self.tolerance ? -ahead : Int64(reference &- stamp) * scale
        let elapsed = Int64(Int32(bitPattern: reference &- ticks)) * scale
        return derived(hundredths: Self.floor(elapsed - age, by: 80))
    }

    private func highResolution(_ stamp: UInt64) -> DeviceClock {
        guard let microseconds else { return .absent }
        let isUnits = microsecondStep < 2 || microseconds % microsecondStep == 0 && stamp % microsecondStep == 0
        let (units, isOver) = Int64(bitPattern: stamp &- microseconds).multipliedReportingOverflow(by: isUnits ? 1 : Int64(microsecondStep))
        return isOver ? .absent : derived(hundredths: Self.floor(units, by: 10000))
    }

    private func derived(hundredths: Int64) -> DeviceClock {
        let all = wall.wallSeconds * 100 + Int64(wall.hundredths) + hundredths
        // Some 30,000 years to both sides: DeviceTime's years have 16 bits.
        guard all.magnitude < 100_000_000_000_000 else { return .absent }
        var time = DeviceTime(wallSeconds: Self.floor(all, by: 100))
        time.utcOffset = wall.utcOffset
        return time.isPossible && time.year >= 1900 ? .derived(time) : .absent
    }

    private static func floor(_ value: Int64, by divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }
}

struct PHDArrival: Sendable {
    var origin: Reading.Origin
    var sequence: UInt32?
    var clock: DeviceClock
}
