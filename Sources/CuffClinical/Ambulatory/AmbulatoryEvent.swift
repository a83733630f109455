import CuffCore

package struct AmbulatoryEvent: Sendable, Hashable {
    package enum Outcome: Sendable, Hashable {
        /// mmHg, and beats per minute where the cuff sent them.
        case reading(systolic: Double, diastolic: Double, pulse: Double?)
        case failed
        /// There are values, but they do not count.
        case leftOut(Exclusion)
    }

    package var time: Timestamp
    package var outcome: Outcome
    /// Those of a reading that counts.
    package var flags: MeasurementFlags?

    package init(_ outcome: Outcome, at time: Timestamp, flags: MeasurementFlags? = nil) {
        (self.time, self.outcome, self.flags) = (time, outcome, flags)
    }
}

/// The plan of the recording; `nil` means unknown.
package struct AmbulatoryPlan: Sendable, Hashable {
    /// The night of this person.
    package var diary: DayAndNight?
    /// Time between two planned measurements by day and at night, in whole minutes.
    package var dayMinutes: Int?, nightMinutes: Int?

    package init(diary: DayAndNight? = nil, dayMinutes: Int? = nil, nightMinutes: Int? = nil) {
        self.diary = diary
        self.dayMinutes = dayMinutes
        self.nightMinutes = nightMinutes
    }
}
