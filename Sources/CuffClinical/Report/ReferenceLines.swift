/// The threshold that is drawn in a page or a picture: a guideline's threshold of hypertension for averages. Nothing is diagnosed.
package struct ReferenceLines: Sendable, Hashable {
    /// The systolic and the diastolic pressure of the lines, in mmHg.
    package let systolic: Double, diastolic: Double
    package let document: GuidelineDocument
    package let setting: PressureSetting
    package let evidence: Evidence

    /// The threshold of a guideline; that of `PressureGuideline.usual` if none is given or it has none for this setting.
    package init(_ guideline: PressureGuideline?, _ setting: PressureSetting) {
        let usual = PressureGuideline.usual
        let own = guideline?.thresholds[setting]
        let threshold = own ?? usual.thresholds[setting] ?? PressureThreshold(135, 85, .unverified)
        (systolic, diastolic, evidence) = (Double(threshold.systolic), Double(threshold.diastolic), threshold.evidence)
        document = own == nil ? usual.document : guideline?.document ?? usual.document
        self.setting = setting
    }

    package static let home = ReferenceLines(nil, .home)

    /// `135/85`.
    var numbers: String { "\(Int(systolic))/\(Int(diastolic))" }
    /// `esc-2024: guideline's text`.
    func shortOrigin(_ language: Language) -> String { "\(document.id): \(language.word("short", evidence.rawValue))" }
    /// `European Society of Cardiology, 2024, at home; read in the guideline`.
    func origin(_ language: Language) -> String {
        "\(document.society)\(document.year.map { ", \($0)" } ?? ""), \(language.word("setting", setting.rawValue)); "
            + language.word("grade", evidence.rawValue)
    }
}
