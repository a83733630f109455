/// The cuff's side of a protocol, as pure as the driver's: it serves `cuff simulate`, the tests and the fuzzers.
public protocol CuffSimulator: Sendable {
    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction]
}

/// What happens to a simulated cuff.
public enum SimulatorEvent: Sendable {
    case opened
    /// Bytes from the host. For HID: one report.
    case received([UInt8])
    /// A HID feature report from the host.
    case receivedFeature([UInt8])
    case timerFired(TimerID)
    case closed
}

/// What a simulated cuff does.
public enum SimulatorAction: Sendable, Hashable {
    /// For HID: one report.
    case write([UInt8])
    case arm(TimerID, Duration)
    case disarm(TimerID)
    /// A message for the user of the simulator.
    case note(String)
    case finish
}

/// What a simulated cuff holds and how it behaves.
public struct SimulatorScript: Sendable {
    /// The memory, oldest first; where `pushes` is set, also what is sent.
    public var records: [SimulatedRecord]
    /// Send the records unasked, one per `interval`, where the family can.
    public var pushes: Bool
    /// The time between two pushed records.
    public var interval: Duration
    /// What the cuff's clock shows at the start. Records lie before it, as in any memory.
    public var clock: DeviceTime
    /// Options of the family, the same as `CuffDriver.options` plus what its simulator documents.
    public var options: [String: String]

    /// The defaults give three records, the same on every run. Without a `clock` it shows the minute after the latest record.
    public init(
        records: [SimulatedRecord] = SimulatedRecord.sample(count: 3, seed: 1), pushes: Bool = true,
        interval: Duration = .seconds(1),
        clock: DeviceTime? = nil,
        options: [String: String] = [:]
    ) {
        self.records = records
        self.pushes = pushes
        self.interval = interval
        let latest = records.map(\.time.wallSeconds).max() ?? DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31).wallSeconds
        self.clock = clock ?? DeviceTime(wallSeconds: latest + 60)
        self.options = options
    }
}

/// One measurement in a simulated memory. Values are in mmHg and beats per minute.
public struct SimulatedRecord: Sendable, Hashable {
    /// The four values, in mmHg and, for the pulse, beats per minute. They are not checked.
    public var systolic, diastolic, mean, pulse: Int
    /// The user slot as the family counts.
    public var user: Int
    /// What the cuff's clock showed at the measurement.
    public var time: DeviceTime
    /// What the cuff notes beside the values; families send what their protocol can.
    public var flags: MeasurementFlags
    /// The measurement failed; the values do not count.
    public var failure: FailureReason?

    /// Sets each property as given; nothing is checked.
    public init(
        _ systolic: Int, _ diastolic: Int, mean: Int, pulse: Int, user: Int = 1, time: DeviceTime,
        flags: MeasurementFlags = [], failure: FailureReason? = nil
    ) {
        self.systolic = systolic
        self.diastolic = diastolic
        self.mean = mean
        self.pulse = pulse
        self.user = user
        self.time = time
        self.flags = flags
        self.failure = failure
    }

    /// Measurements an hour and some minutes apart from 2026-05-05 07:31 on, the same for the same seed.
    public static func sample(count: Int, seed: UInt64) -> [SimulatedRecord] {
        var random = SplitMix64(seed: seed)
        let start = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10).wallSeconds
        var seconds = start
        return (0..<count).map { index in
            let diastolic = 62 + Int(random.next() % 34)
            let systolic = diastolic + 32 + Int(random.next() % 38)
            let mean = diastolic + (systolic - diastolic) / 3
            let pulse = 54 + Int(random.next() % 44)
            defer { seconds += 3600 + Int64(random.next() % 3600) }
            return SimulatedRecord(
                systolic, diastolic, mean: mean, pulse: pulse, user: index % 2 + 1,
                time: DeviceTime(wallSeconds: seconds))
        }
    }
}

/// A small seeded generator (Steele, Lea, Flood 2014), so that every run is reproducible.
public struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64
    /// Equal seeds give equal sequences.
    public init(seed: UInt64) { state = seed }
    /// The next 64 bits of the sequence. Not for secrets.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

extension FrameReader {
    /// The frames that these bytes complete; bytes that belong to none are passed over.
    mutating func wholeFrames(of bytes: [UInt8]) -> [[UInt8]] {
        feed(bytes)
        var frames: [[UInt8]] = []
        while let step = next() { if case .frame(let range) = step { frames.append(Array(buffer[range])) } }
        return frames
    }
}
