import CuffClinical

package struct ShowOptions: Sendable {
    package var form = HealthRuns.Listing.plain
    /// Prints each value of a series on a line of its own.
    package var values = false
    /// Prints values by series, each with its reading, instead of merged by time.
    package var byOwner = false
    /// Also prints the previous values of edited readings.
    package var earlier = false
    /// JSON lines also hold the time in seconds since 1970.
    package var unixTimes = false
    /// Prints times in the zone of the selection, which the user named; else each as it was stored.
    package var placesTimes = false
    package var conditions: [SeriesCondition] = []
    /// From which pulse on an event is shown.
    package var limits = HeartRateLimits.usual

    package init() {}
}
