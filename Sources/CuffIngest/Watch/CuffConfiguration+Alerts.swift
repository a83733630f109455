import CuffClinical
import CuffCore

extension CuffConfiguration {
    package struct Alert: Sendable, Hashable {
        package var rule: AlertRule
        package var origin: String
        /// The file and line that name the person.
        var personOrigin: String
    }
}

/// Parses `[alert.NAME]`.
extension ConfigurationSection {
    private static let alertKeys = [
        "when", "clear", "repeated", "after", "within", "irregular", "silence", "person", "device", "driver", "accept", "again",
    ]
    /// The longest wait for a second reading or for a missed one.
    private static let longestWait = Duration.seconds(24 * 3600)

    func alert(_ drivers: [CuffDriver]) throws(IngestError) -> CuffConfiguration.Alert {
        try checkKeys(Self.alertKeys)
        guard name.utf8.count <= AlertNotice.longestName, name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw error(nil, .alert(.longName))
        }
        var rule = AlertRule(name: name, trigger: try trigger())
        rule.device = try string("device")
        rule.person = try string("person")
        rule.driver = try driver(drivers)?.id
        rule.accepted = try accepted()
        if let again = try time("again", in: .seconds(60) ... .seconds(604_800)) { rule.again = again }
        if case .silence = rule.trigger {
            for key in ["person", "accept", "again"] where table[key] != nil {
                throw error(key, .alert(.notOnSilence(key: key)))
            }
        }
        return CuffConfiguration.Alert(rule: rule, origin: origin(nil), personOrigin: origin("person"))
    }

    private func trigger() throws(IngestError) -> AlertRule.Trigger {
        let kinds = ["when", "irregular", "silence"].filter { table[$0] != nil }
        guard kinds.count == 1 else {
            throw error(kinds.last, .alert(.triggers(section: path, isNone: kinds.isEmpty)))
        }
        func refuse(_ keys: [String], _ why: String) throws(IngestError) {
            for key in keys where table[key] != nil {
                throw error(key, .alert(.noEffect(key: key, section: path, why: why)))
            }
        }
        let isRepeated = try flag("repeated") ?? false
        switch kinds[0] {
        case "when":
            if !isRepeated { try refuse(["after", "within"], "it is about a second reading, and `repeated` is not true") }
            return try values(isRepeated: isRepeated)
        case "irregular":
            try refuse(["clear", "repeated", "after"], "it is for `when`")
            return try irregular()
        default:
            try refuse(["clear", "repeated", "after", "within"], "it is for `when`")
            guard let limit = try time("silence", in: .seconds(60)...Self.longestWait) else {
                throw wrongType("silence", "a time such as \"30min\"")
            }
            return .silence(limit)
        }
    }

    private func values(isRepeated: Bool) throws(IngestError) -> AlertRule.Trigger {
        guard let condition = try self.condition("when") else { throw wrongType("when", "a text in quotes") }
        guard !condition.excludes(condition) else {
            throw error("when", .alert(.impossible(condition.text)))
        }
        let clear = try self.condition("clear")
        if let clear, clear.excludes(clear) { throw error("clear", .alert(.impossible(clear.text))) }
        if let clear, !clear.excludes(condition) {
            throw error("clear", .alert(.overlap))
        }
        var repeated: AlertRule.Repeated?
        if isRepeated {
            var times = AlertRule.Repeated.standard
            if let after = try time("after", in: .seconds(30)...Self.longestWait) { times.after = after }
            if let within = try time("within", in: .seconds(60)...Self.longestWait) { times.within = within }
            guard times.after < times.within else {
                throw error(table["within"] == nil ? "after" : "within", .alert(.withinNotAfter))
            }
            repeated = times
        }
        return .values(condition, clear: clear, repeated: repeated)
    }

    private func condition(_ key: String) throws(IngestError) -> AlertCondition? {
        guard let text = try string(key) else { return nil }
        guard text.utf8.count <= AlertNotice.longestCondition else {
            throw error(key, .alert(.longCondition(key: key)))
        }
        do throws(AlertCondition.Malformed) { return try AlertCondition(text) } catch {
            throw self.error(key, .alert(.notACondition(key: key, why: error.reason)))
        }
    }

    /// `2 of 3`
    private func irregular() throws(IngestError) -> AlertRule.Trigger {
        let words = try string("irregular")?.split(separator: " ") ?? []
        guard words.count == 3, words[1] == "of", let count = Int(words[0]), let all = Int(words[2]), count >= 1, all >= count,
            all <= AlertNotice.mostReadings
        else { throw wrongType("irregular", "a number of readings among the last ones, e.g. \"2 of 3\"") }
        let within = try time("within", in: .seconds(60) ... .seconds(604_800))
        return .irregularPulse(count: count, of: all, within: within ?? AlertRule.standardIrregularSpan)
    }

    private func time(
        _ key: String, in range: ClosedRange<Duration>
    ) throws(IngestError) -> Duration? {
        guard let text = try string(key) else { return nil }
        guard let time = Self.duration(text), range.contains(time) else {
            let ends = [range.lowerBound, range.upperBound].map { Plural.span($0.components.seconds) }
            throw wrongType(key, "a time from \(ends[0]) to \(ends[1]), e.g. \"15min\"")
        }
        return time
    }

    private func accepted() throws(IngestError) -> MeasurementFlags {
        guard let value = table["accept"] else { return [] }
        guard let list = value.array else { throw wrongType("accept", "a list of flags, e.g. [\"no_measurement_check\"]") }
        var flags: MeasurementFlags = []
        for entry in list {
            guard let flag = entry.string.flatMap(MeasurementFlags.named), AlertRule.acceptable.contains(flag) else {
                let words = AlertRule.acceptable.map { $0.text(separator: ", ") }
                throw wrongType("accept", "a list of these flags: \(words.joined(separator: ", "))")
            }
            flags.insert(flag)
        }
        return flags
    }
}

extension AlertRule {
    /// Everything but name and condition, for `cuff config show`.
    var settings: String {
        var parts: [String] = []
        switch trigger {
        case .values(_, let clear, let repeated):
            if let clear { parts.append("clear \(clear.text)") }
            if let repeated {
                let times = [repeated.after, repeated.within].map { Plural.span($0.components.seconds) }
                parts.append("repeated after \(times[0]) within \(times[1])")
            }
        case .irregularPulse(_, _, let within): parts.append("within \(Plural.span(within.components.seconds))")
        case .silence: break
        }
        if let driver { parts.append("driver \(driver)") }
        if let device { parts.append("device \(device)") }
        if let person { parts.append("person \(person)") }
        if !accepted.isEmpty { parts.append("accept \(accepted.text(separator: ","))") }
        return parts.joined(separator: "; ")
    }
}
