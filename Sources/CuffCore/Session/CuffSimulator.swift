/// The cuff's side of a protocol as a state machine, for `cuff simulate`, tests and fuzzers.
public protocol CuffSimulator: Sendable {
    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction]
}

/// An input to a simulated cuff.
public enum SimulatorEvent: Sendable {
    case opened
    /// Bytes from the host. For HID: one report.
    case received([UInt8])
    case receivedFeature([UInt8])
    case timerFired(TimerID)
    case closed
}

/// An action of a simulated cuff.
public enum SimulatorAction: Sendable, Hashable {
    /// For HID: one report.
    case write([UInt8])
    case arm(TimerID, Duration)
    case disarm(TimerID)
    /// A message for the user of the simulator.
    case note(String)
    case finish
}

/// The content and behaviour of a simulated cuff.
public struct SimulatorScript: Sendable {
    /// The memory, oldest first; with `pushes`, also sent.
    public var records: [SimulatedRecord]
    /// Send the records unasked, one per `interval`, if the family supports it.
    public var pushes: Bool
    /// The time between two pushed records.
    public var interval: Duration
    /// The cuff's clock at the start; records lie before it.
    public var clock: DeviceTime
    /// Options of the family: `CuffDriver.options`, and those its simulator documents.
    public var options: [String: String]

    /// Default: three records, the same on every run. Without `clock`, it is the minute after the latest record.
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

extension SimulatorScript {
    /// The successful records: what most memories hold.
    var stored: [SimulatedRecord] { records.filter { $0.failure == nil } }
}

/// A simulated cuff that changes nothing in itself: it answers each report or write.
struct AnsweringSimulator: CuffSimulator {
    let answer: @Sendable ([UInt8]) -> [SimulatorAction]

    mutating func handle(_ event: SimulatorEvent) -> [SimulatorAction] {
        guard case .received(let bytes) = event else { return [] }
        return answer(bytes)
    }
}

extension [UInt8] {
    /// Removes the first `length` bytes that `isQuestion` accepts, and all before them; `nil` if more are needed.
    mutating func takeQuestion(of length: Int, where isQuestion: ([UInt8]) -> Bool) -> [UInt8]? {
        while count >= length {
            let question = Array(prefix(length))
            let isWhole = isQuestion(question)
            removeFirst(isWhole ? length : 1)
            if isWhole { return question }
        }
        return nil
    }
}

/// One measurement in a simulated memory. Values are in mmHg and beats per minute.
public struct SimulatedRecord: Sendable, Hashable {
    /// In mmHg and, for the pulse, beats per minute; not checked.
    public var systolic, diastolic, mean, pulse: Int
    /// The user slot, numbered as by the family.
    public var user: Int
    /// The cuff's clock at the measurement.
    public var time: DeviceTime
    /// Annotations of the measurement; sent as far as the protocol can.
    public var flags: MeasurementFlags
    /// The measurement failed; the values are not used.
    public var failure: FailureReason?

    /// Creates a record without checks.
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

    /// Systolic and diastolic pressure and pulse, a byte each.
    var bytes: [UInt8] { [systolic, diastolic, pulse].map { UInt8(clamping: $0) } }

    /// Measurements at least an hour apart, from 2026-05-05 07:31; reproducible by seed.
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

/// A small seeded generator (Steele, Lea, Flood 2014) for reproducible runs.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64
    /// Equal seeds give equal sequences.
    package init(seed: UInt64) { state = seed }
    /// The next 64 bits of the sequence. Not for secrets.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}

extension FrameReader {
    /// The frames that these bytes complete; other bytes are skipped.
    mutating func wholeFrames(of bytes: [UInt8]) -> [[UInt8]] {
        feed(bytes)
        var frames: [[UInt8]] = []
        while let step = next() { if case .frame(let range) = step { frames.append(Array(buffer[range])) } }
        return frames
    }
}
