import CuffCore

/// One stored blood pressure for a home average.
public struct HomeReading: Sendable, Hashable {
    /// The id of the reading; `Reading.ID.none` if single readings are not needed.
    public var id: Reading.ID
    /// When it was measured; `nil` if unknown.
    public var time: Timestamp?
    /// The systolic pressure in mmHg.
    public var systolic: Double
    /// The diastolic pressure in mmHg.
    public var diastolic: Double
    /// Beats per minute; `nil` if the cuff sent none.
    public var pulse: Double?
    /// The flags of the reading.
    public var flags: MeasurementFlags
    /// Whose it is.
    public var person: Person
    /// The caller's number of the cuff.
    public var source: Int
    /// Whether it was measured at the left arm, or at the right; `nil` if the arm was not noted.
    public var isLeftArm: Bool?
    /// Why no average may count it; `nil` if it may be counted.
    public var exclusion: Exclusion?

    /// Sets each property as given.
    public init(
        id: Reading.ID = .none, time: Timestamp?, systolic: Double, diastolic: Double, pulse: Double? = nil,
        flags: MeasurementFlags = [], person: Person = .unnamed(slot: nil, cuff: nil), source: Int = 0, exclusion: Exclusion? = nil
    ) {
        self.id = id
        self.time = time
        self.systolic = systolic
        self.diastolic = diastolic
        self.pulse = pulse
        self.flags = flags
        self.person = person
        self.source = source
        self.exclusion = exclusion
    }
}
