import CuffCore

/// Rules and guidelines as JSON lines of type `rule` and `guideline`: each number with its grade, its quotation and its source.
package enum RuleLines {
    /// One line for each rule of averages, each rule of recordings and each guideline.
    package static func append(to text: inout TextBuffer) {
        for rule in AveragingRule.all { append("average", rule.name, rule.document, rule.guideline, rule.numbers, rule.grounds, to: &text) }
        for rule in AmbulatoryRule.all {
            append("ambulatory", rule.name, rule.document, rule.guideline, rule.numbers, rule.grounds, to: &text)
        }
        for guideline in PressureGuideline.all { append(guideline, to: &text) }
    }

    private static func append(
        _ kind: String, _ name: String, _ document: GuidelineDocument?, _ guideline: String?, _ numbers: [(number: RuleNumber, value: Int)],
        _ grounds: [Ground], to text: inout TextBuffer
    ) {
        text.append("{\"type\":\"rule\",\"schema\":1")
        text.append(key: "kind", kind)
        text.append(key: "name", name)
        append(document, to: &text)
        if let guideline { text.append(key: "guideline", guideline) }
        text.append(key: "numbers")
        text.append(list: numbers) { one, text in
            text.append(string: "{\"number\":\"\(one.number.rawValue)\",\"value\":\(one.value)")
            if let ground = grounds.first(where: { $0.number == one.number }) {
                append(ground.evidence, ground.quotation, ground.source, to: &text)
            }
            text.append("}")
        }
        text.append("}\n")
    }

    private static func append(_ guideline: PressureGuideline, to text: inout TextBuffer) {
        text.append("{\"type\":\"guideline\",\"schema\":1")
        text.append(key: "name", guideline.name)
        append(guideline.document, to: &text)
        text.append(key: "compares", guideline.comparesMorningAndEvening ? "morning_or_evening" : "all")
        let settings = PressureSetting.allCases
        text.append(key: "thresholds")
        text.append(list: settings.filter { guideline.thresholds[$0] != nil }) { setting, text in
            text.append(string: "{\"setting\":\"\(setting.rawValue)\"")
            if let one = guideline.thresholds[setting] {
                text.append(string: ",\"systolic_mmHg\":\(one.systolic),\"diastolic_mmHg\":\(one.diastolic)")
                append(one.evidence, one.quotation, one.source, to: &text)
            }
            text.append("}")
        }
        text.append(key: "classes")
        text.append(list: settings.filter { guideline.classes[$0] != nil }) { setting, text in
            text.append(string: "{\"setting\":\"\(setting.rawValue)\"")
            if let table = guideline.classes[setting] {
                append(table.evidence, "", table.source, to: &text)
                text.append(key: "ranges")
                text.append(list: Array(0...table.classes.count)) { append(table, $0, to: &$1) }
            }
            text.append("}")
        }
        text.append("}\n")
    }

    private static func append(_ table: PressureClasses, _ rank: Int, to text: inout TextBuffer) {
        text.append("{\"name\":")
        text.append(jsonString: table.name(rank))
        if rank > 0 {
            let one = table.classes[rank - 1]
            if let value = one.systolic { text.append(key: "systolic_from_mmHg", value) }
            if let value = one.diastolic { text.append(key: "diastolic_from_mmHg", value) }
            if !one.condition.isEmpty { text.append(key: "condition", one.condition) }
        }
        text.append(key: "evidence", table.evidence(rank).rawValue)
        text.append("}")
    }

    private static func append(_ document: GuidelineDocument?, to text: inout TextBuffer) {
        guard let document else { return }
        text.append(key: "society", document.society)
        document.appendFacts("", to: &text)
        text.append(key: "source", document.citation)
    }

    private static func append(_ evidence: Evidence, _ quotation: String, _ source: String, to text: inout TextBuffer) {
        text.append(key: "evidence", evidence.rawValue)
        if !quotation.isEmpty { text.append(key: "quotation", quotation) }
        if !source.isEmpty { text.append(key: "at", source) }
    }
}
