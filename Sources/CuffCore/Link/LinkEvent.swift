/// When something happened to a link.
public struct LinkTime: Sendable, Hashable {
    /// Time since a fixed beginning that never runs backwards: the host's monotonic clock, or a capture's own time.
    public var elapsed: Duration
    /// The wall clock; `nil` for recorded bytes without a known time.
    public var wall: Timestamp?
    /// The host's clock was not synchronised with any other at that moment.
    public var isHostClockUnsynchronised: Bool

    /// Sets each property as given.
    public init(elapsed: Duration, wall: Timestamp? = nil, isHostClockUnsynchronised: Bool = false) {
        self.elapsed = elapsed
        self.wall = wall
        self.isHostClockUnsynchronised = isHostClockUnsynchronised
    }

    /// A cuff's clock may be compared with this one, and readings be placed by it.
    var isHostClockRight: Bool { !isHostClockUnsynchronised && wall.map { $0 >= .release } ?? false }
}

/// What happens to a link. Whoever drives a `LinkState` hands these over, one at a time.
public enum LinkEvent: Sendable {
    /// The transport is open.
    case opened
    /// Bytes from the cuff, in any chunking. For HID: one report.
    case received([UInt8])
    /// Bytes that went to the cuff, one write each.
    case sent([UInt8])
    /// The time of `LinkState.deadline` has come.
    case timePassed
    /// The first `through` readings of this link are on disk in every required sink (`LinkBatch.through`).
    case committed(through: Int)
    /// The first `through` readings were written by every sink, none of which is durable. They must not be acknowledged to a cuff.
    case passedOn(through: Int)
    /// The sinks are full, or take readings again.
    case sinksFull(Bool)
    /// Live samples of this link that were left out because a sink was slow.
    case thinned(samples: Int)
    /// Something more to do at once, within the conversation under way, e.g. `.information`.
    case command(SessionCommand)
    /// Measure now, where the link only listens (`LinkState.isListening`), and listen again afterwards.
    case measureNow(Reading.Trigger)
    /// Stop the measurement that runs, and leave the link open. Without a measurement nothing happens.
    case stopMeasurement
    /// End in order: stop a measurement, let the session write its closing messages, then close. At most this long.
    case stop(within: Duration)
    /// Damage on the line that the hardware counted.
    case line(CaptureEvent)
    /// The transport ended; nothing follows. `reason` is `nil` where this side closed it.
    case closed(reason: String?)
}

/// What is to be done for a link, in this order.
public enum LinkEffect: Sendable {
    case write([UInt8])
    /// A HID feature report.
    case writeFeature([UInt8])
    /// Read nothing more from the cuff until `resumeReading`.
    case pauseReading
    case resumeReading
    indirect case submit(LinkBatch)
    /// To be kept for later links with any cuff of this driver.
    case remember(key: String, value: [UInt8])
    /// To be stored for the next link with this cuff, before the effects that follow: with `durably` so that it survives a
    /// power failure, otherwise so that it survives this process.
    case keep(OutstandingRecords, device: String, durably: Bool)
    case tell(LinkNotice)
    /// Close the transport. The link is over.
    case close

    /// The bytes that this effect writes to the cuff.
    var written: [UInt8]? {
        switch self {
        case .write(let bytes), .writeFeature(let bytes): bytes
        case .pauseReading, .resumeReading, .submit, .remember, .keep, .tell, .close: nil
        }
    }
}

/// Consecutive entries of one link, with who the cuff is.
public struct LinkBatch: Sendable {
    /// The key under which the cuff's readings are kept: what it told, else what the host knows; empty when unknown.
    public var device: String
    /// What the cuff told about itself.
    public var identity: DeviceIdentity?
    /// The readings and live events of this batch, in the order in which the cuff sent them.
    public var entries: Entries
    /// How many readings the link had emitted at the end of this batch, duplicates included.
    public var through: Int

    /// Sets each property as given.
    public init(device: String = "", identity: DeviceIdentity? = nil, entries: Entries = Entries(), through: Int = 0) {
        self.device = device
        self.identity = identity
        self.entries = entries
        self.through = through
    }
}

/// What a link reports while it works.
public enum LinkNotice: Sendable {
    indirect case identified(DeviceIdentity)
    case diagnostic(Diagnostic)
    /// What the cuff's clock showed, and how far it is behind the host's, in seconds.
    case clock(DeviceTime, behind: Int64)
    /// The minutes between the cuff's automatic measurements; 0: they are off.
    case cycle(minutes: Int)
    /// The life of a measurement that was commanded: `started` or `notStarted`, `live`, `ended`, and no other effect; the
    /// time is that since its start.
    indirect case measurement(Measurement.Effect, elapsed: Duration)
    /// The session under this command ended. The link goes on to the next command, if there is one.
    case finished(SessionCommand, Outcome)
    /// The link is over; nothing follows.
    case ended(Outcome)
}

/// What went through a link, counted.
public struct LinkCounters: Sendable, Equatable {
    /// Whole frames from the cuff.
    public var frames = 0
    /// Frames whose check did not hold, as far as gaps began with one.
    public var badChecks = 0
    /// Bytes from the cuff.
    public var bytes = 0
    /// Of these, bytes that belong to no frame.
    public var skippedBytes = 0
    /// Readings admitted, failed measurements included, duplicates and filtered ones not.
    public var readings = 0
    /// Of the readings, measurements that failed.
    public var failures = 0
    /// Live events emitted to the sinks.
    public var liveEvents = 0
    /// Live samples left out because a sink was slow.
    public var thinned = 0
    /// Readings that had come before in the same conversation.
    public var duplicates = 0
    /// Readings outside of what was asked for; they stay in the cuff.
    public var filtered = 0
    /// How often, and for how long, the link waited for the sinks.
    public var pauses = 0
    /// The total time of the pauses.
    public var paused = Duration.zero

    /// Every count is zero.
    public init() {}

    /// Adds each count of `b` to that of `a`.
    public static func += (a: inout LinkCounters, b: LinkCounters) {
        a.frames += b.frames
        a.badChecks += b.badChecks
        a.bytes += b.bytes
        a.skippedBytes += b.skippedBytes
        a.readings += b.readings
        a.failures += b.failures
        a.liveEvents += b.liveEvents
        a.thinned += b.thinned
        a.duplicates += b.duplicates
        a.filtered += b.filtered
        a.pauses += b.pauses
        a.paused += b.paused
    }
}
