import CuffClinical
import CuffCore

package struct ShowOptions: Sendable {
    package var form = HealthRuns.Listing.plain
    /// Prints each value of a series on a line of its own.
    package var values = false
    /// Prints values by series, each with its reading, instead of merged by time.
    package var byOwner = false
    /// Also prints the previous values of edited readings.
    package var earlier = false
    package var conditions: [SeriesCondition] = []
    /// From which pulse on an event is shown.
    package var limits = HeartRateLimits.usual

    package init() {}
}
