/// Thresholds, classes and grades in words.
extension Language {
    /// The grade of evidence, after its fact.
    package func mark(_ evidence: Evidence) -> String { "; \(word("grade", evidence.rawValue))" }

    /// The mandatory remark on an unverified number; empty for others.
    package func remark(_ evidence: Evidence) -> String { evidence.needsRemark ? " (\(word("grade", evidence.rawValue)))" : "" }

    package func superseded(_ document: GuidelineDocument) -> String? {
        document.successor.map { self[.supersededBy, document.id, "\($0.id) (\($0.society), \($0.date)): \($0.citation)"] }
    }

    /// `135/85 mmHg (at home, European Society of Cardiology, 2024; read in the guideline)`.
    package func threshold(_ threshold: PressureThreshold, _ guideline: PressureGuideline, _ setting: PressureSetting) -> String {
        "\(threshold.systolic)/\(threshold.diastolic) mmHg (\(word("setting", setting.rawValue)), "
            + "\(guideline.title), \(guideline.year)\(mark(threshold.evidence)))"
    }

    /// `grade 1, isolated systolic`.
    func className(_ judgement: Judgement) -> String? {
        guard let name = judgement.className else { return nil }
        let isolated = judgement.isolated.map {
            ", \(self[$0.isSystolic ? .isolatedSystolic : .isolatedDiastolic])\(remark($0.evidence))"
        }
        return word("class", name) + isolated.joined()
    }

    /// What the class requires in addition to the mean, after its fact; may be empty.
    func condition(_ judgement: Judgement) -> String {
        judgement.condition.isEmpty ? "" : "; \(word("condition", judgement.condition))"
    }

    /// The class of a mean, of a part of the day.
    package func classFact(_ judgement: Judgement, _ part: String = "") -> ReportBlock.Fact? {
        guard let name = className(judgement), let evidence = judgement.classEvidence else { return nil }
        let guideline = judgement.guideline
        return .init(
            self[.className], "\(part)\(name) (\(guideline.title), \(guideline.year)\(mark(evidence))\(condition(judgement)))")
    }

    package func reached(_ isReached: Bool) -> String { self[isReached ? .reached : .below] }

    package func oneDecimal(_ value: Double) -> String {
        number(Decimals(units: Int64((value * 10 + 0.5).rounded(.down)), places: 1).text)
    }
}

extension Language {
    /// How an office's value differs from the mean of all readings; `nil` where that is not known, and in other settings.
    package func officeValue(_ guideline: PressureGuideline, _ setting: PressureSetting) -> String? {
        guard setting == .office, let value = guideline.officeValue else { return nil }
        return self[value == .meanOfLastTwo ? .officeMeanOfLastTwo : .officeLowerOfLastTwo]
    }

    package var bothArms: String { self[.bothArms] }
}
