import CuffClinical
import CuffCore

/// The rule, the guideline and the language of pages, as the configuration sets them.
package struct ReportSettings: Sendable, Hashable {
    package var rule = AveragingRule.everything
    /// `nil`: that of the rule.
    package var guideline: PressureGuideline?
    /// `nil`: the reader's, or English.
    package var language: Language?

    /// The request of the live page and of its downloads.
    func request(_ language: Language, generator: String) -> ReportRequest {
        var request = ReportRequest(AverageRequest(rule))
        (request.guideline, request.language, request.generator) = (chosenGuideline, language, generator)
        return request
    }

    /// The guideline with which the page compares.
    var chosenGuideline: PressureGuideline? { guideline ?? rule.guideline.flatMap { PressureGuideline.named($0) } }
}

package struct ReportRequest: Sendable {
    package var average: AverageRequest
    package var guideline: PressureGuideline?
    package var setting = PressureSetting.home
    package var isAdult = false
    /// The name to print; empty for none.
    package var person = ""
    package var language = Language.english
    package var paper = ReportPage.Paper.a4
    package var generator = "cuff"
    package var listsReadings = true
    package var explains = false

    package init(_ average: AverageRequest) { self.average = average }

    func empty(_ zone: ZoneTable) -> Report {
        var report = Report(
            person: person, zone: zone, windows: average.windows, lines: ReferenceLines(guideline, setting),
            excludesDisturbed: average.excludesDisturbed)
        (report.guideline, report.isAdult, report.listsReadings) = (guideline, isAdult, listsReadings)
        report.explains = explains
        return report
    }
}
