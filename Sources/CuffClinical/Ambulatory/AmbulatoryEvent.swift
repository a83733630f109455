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

    package init(_ outcome: Outcome, at time: Timestamp) {
        self.time = time
        self.outcome = outcome
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
