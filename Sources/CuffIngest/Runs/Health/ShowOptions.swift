import CuffClinical
import CuffCore

package struct ShowOptions: Sendable {
    package var form = HealthRuns.Listing.plain
    /// Each value of a series on a line of its own.
    package var values = false
    /// Values series by series, each with the reading that owns it, instead of by time over all series.
    package var byOwner = false
    /// Also what edited readings said before.
    package var earlier = false
    /// What the values of series must be.
    package var conditions: [SeriesCondition] = []
    /// From which pulse on an event is shown.
    package var limits = HeartRateLimits.usual

    package init() {}
}
