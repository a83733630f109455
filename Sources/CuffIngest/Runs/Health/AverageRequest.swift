import CuffClinical
import CuffCore

package struct AverageRequest: Sendable {
    package var rule: AveragingRule
    package var windows = DayWindows.usual
    /// Excludes readings with movement, a loose cuff or a wrong position.
    package var excludesDisturbed = false

    package init(_ rule: AveragingRule) { self.rule = rule }
}

package struct AverageRun: Sendable {
    /// By person and cuff; an owner's source is an index into `sources`.
    package let averages: HomeAverages
    package let sources: [Provenance]
}
