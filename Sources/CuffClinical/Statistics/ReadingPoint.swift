import CuffCore

/// One blood pressure for statistics, in mmHg and beats per minute.
public struct ReadingPoint: Sendable, Hashable {
    /// The id of the reading.
    public var id: Reading.ID
    /// Its time in the statistics.
    public var time: Timestamp
    /// The systolic pressure in mmHg, converted if the cuff sent kPa.
    public var systolic: Double
    /// The diastolic pressure in mmHg, converted if the cuff sent kPa.
    public var diastolic: Double
    /// The mean pressure in mmHg; `nil` if the cuff sent none.
    public var mean: Double?
    /// Beats per minute; `nil` if the cuff sent none.
    public var pulse: Double?
    /// What started the measurement.
    public var trigger: Reading.Trigger
    /// The flags of the reading.
    public var flags: MeasurementFlags

    /// Sets each property as given.
    public init(
        id: Reading.ID, time: Timestamp, systolic: Double, diastolic: Double, mean: Double? = nil, pulse: Double? = nil,
        trigger: Reading.Trigger = .unknown, flags: MeasurementFlags = []
    ) {
        self.id = id
        self.time = time
        self.systolic = systolic
        self.diastolic = diastolic
        self.mean = mean
        self.pulse = pulse
        self.trigger = trigger
        self.flags = flags
    }

    /// Ascending in time; within one instant by id.
    public static func isEarlier(_ a: ReadingPoint, _ b: ReadingPoint) -> Bool {
        a.time != b.time ? a.time < b.time : Reading.ID.precedes(a.id, b.id)
    }
}
