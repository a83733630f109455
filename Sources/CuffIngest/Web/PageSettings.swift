import CuffClinical

/// What the configuration sets for the live page.
struct PageSettings: Sendable, Hashable {
    var household = Household()
    /// The rule, the guideline and the language; `nil` as language: the browser's.
    var report = ReportSettings()
    /// Why sections of the configuration were left out.
    var skipped: [String] = []

    /// `config.toml:6: …`: a page does not show the folder, which may contain a user's name.
    static func words(_ fault: IngestError) -> String {
        let text = fault.description
        let place = text.prefix { $0 != ":" }
        return "\(place.split(separator: "/").last ?? "")\(text[place.endIndex...])"
    }
}
