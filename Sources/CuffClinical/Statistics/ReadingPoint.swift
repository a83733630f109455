import CuffCore

/// One blood pressure for statistics, in mmHg and beats per minute.
package struct ReadingPoint: Sendable, Hashable {
    package var id: Reading.ID
    /// Its time in the statistics.
    package var time: Timestamp
    /// The systolic pressure in mmHg, converted if the cuff sent kPa.
    package var systolic: Double
    /// The diastolic pressure in mmHg, converted if the cuff sent kPa.
    package var diastolic: Double
    /// The mean pressure in mmHg; `nil` if the cuff sent none.
    package var mean: Double?
    /// Beats per minute; `nil` if the cuff sent none.
    package var pulse: Double?
    package var trigger: Reading.Trigger
    package var flags: MeasurementFlags

    package init(
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
    package static func isEarlier(_ a: ReadingPoint, _ b: ReadingPoint) -> Bool {
        a.time != b.time ? a.time < b.time : Reading.ID.precedes(a.id, b.id)
    }
}
