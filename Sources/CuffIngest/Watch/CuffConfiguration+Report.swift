import CuffClinical

/// `[report]`
extension CuffConfiguration {
    mutating func readReport(_ section: ConfigurationSection) throws(IngestError) {
        try section.checkKeys(["rule", "guideline", "lang"])
        func known<Value>(
            _ key: String, _ names: [String], _ find: (String) -> Value?, _ set: (inout ReportSettings, Value) -> Void
        ) throws(IngestError) {
            guard let name = try section.string(key) else { return }
            guard let value = find(name) else { throw section.wrongType(key, "one of \(names.joined(separator: ", "))") }
            set(&report, value)
            reportLines[key] = "report \(key)\t\(name)\t\t\(section.origin(key))"
        }
        try known("rule", AveragingRule.all.map(\.name), AveragingRule.named) { $0.rule = $1 }
        try known("guideline", PressureGuideline.all.map(\.name), PressureGuideline.named) { $0.guideline = $1 }
        try known("lang", Language.all.map(\.code), Language.named) { $0.language = $1 }
    }
}
