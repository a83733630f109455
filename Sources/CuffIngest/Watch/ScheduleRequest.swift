import CuffCore

package enum ScheduleRequest: Sendable, Hashable {
    case get
    case off
    case set(Times)

    package struct Times: Sendable, Hashable {
        package var minutes: Int
        package var window: MonitoringPlan.Window?
        package var night: (MonitoringPlan.Window, minutes: Int)? {
            get { nightWindow.flatMap { window in nightMinutes.map { (window, $0) } } }
            set { (nightWindow, nightMinutes) = (newValue?.0, newValue?.minutes) }
        }
        private var nightWindow: MonitoringPlan.Window?
        private var nightMinutes: Int?
        /// `nil`: unlimited.
        package var length: Duration?

        package init(minutes: Int) { self.minutes = minutes }
    }
}
