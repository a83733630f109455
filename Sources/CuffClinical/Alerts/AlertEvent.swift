import CuffCore

package enum AlertEvent: Sendable, Hashable {
    /// An alert was raised or cleared, by a reading of this cuff or a missing one.
    case changed(AlertNotice, driver: DriverID, device: String)
    /// A reading met the condition but was excluded. Reported once in a run for each rule, reason and driver.
    case leftOut(rule: String, Objection, driver: DriverID)

    /// Why a new reading is not evaluated.
    package enum Objection: Sendable, Hashable {
        /// These flags put its values in doubt.
        case remarks(MeasurementFlags)
        /// It is older than `AlertState.Limits.age`, or the cuff's clock is slow.
        case old
        /// The cuff's clock is fast.
        case ahead
        /// The cuff's clock is not set, or the reading has no time.
        case noTime
    }
}
