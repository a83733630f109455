/// The tables of one guideline, for adults. It is applied only on request.
public struct PressureGuideline: Sendable, Hashable {
    /// The source of the tables.
    package var document: GuidelineDocument
    /// The thresholds of hypertension.
    public var thresholds: [PressureSetting: PressureThreshold]
    package var classes: [PressureSetting: PressureClasses]
    /// Whether at home the means of mornings and evenings are compared, rather than the mean of all readings.
    public var comparesMorningAndEvening = false

    /// What it compares in an office, where that was found: not the mean of all readings.
    package enum OfficeValue: String, Sendable, Hashable {
        case meanOfLastTwo = "mean_of_last_two"
        case lowerOfLastTwo = "lower_of_last_two"
    }
    package var officeValue: OfficeValue?

    /// The name on the command line, with its year.
    public var name: String { document.id }
    /// The society, or societies.
    public var title: String { document.society }
    /// The year of the document.
    public var year: Int { document.year ?? 0 }
    /// The citation.
    public var source: String { document.citation + (document.doi.isEmpty ? "" : ", doi \(document.doi)") }

    /// The guideline of that name, or of another name of its document, or `nil`.
    public static func named(_ name: String) -> PressureGuideline? { all.first { $0.document.isNamed(name) } }

    /// The default for pages and pictures: every number was read in the guideline.
    public static let usual = esc2024
}
