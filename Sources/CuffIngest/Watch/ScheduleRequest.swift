import CuffCore

/// What is asked of automatic measurements.
package enum ScheduleRequest: Sendable, Hashable {
    case get
    case off
    case set(ScheduleTimes)
}

/// When a cuff shall measure automatically.
public struct ScheduleTimes: Sendable, Hashable {
    /// Minutes between measurements: a cycle of the cuff's own, or 5 to 1,440 where a watch measures.
    public var minutes: Int
    /// A part of the day; `nil`: all of it.
    package var window: MonitoringPlan.Window?
    /// A part of the day with another interval; not beside `window`.
    package var night: (MonitoringPlan.Window, minutes: Int)? {
        get { nightWindow.flatMap { window in nightMinutes.map { (window, $0) } } }
        set { (nightWindow, nightMinutes) = (newValue?.0, newValue?.minutes) }
    }
    private var nightWindow: MonitoringPlan.Window?
    private var nightMinutes: Int?
    /// From now on, in whole seconds; `nil`: unlimited.
    public var length: Duration?

    /// All day, without an end.
    public init(minutes: Int) { self.minutes = minutes }
}
