import CuffCore

extension AmbulatoryRecording {
    /// One line of the JSON vocabulary: `{"type":"ambulatory","schema":1,…}`. Loads and thresholds are printed only if a
    /// guideline is given, and compared only if `isAdult`.
    package func appendLine(person: Person?, _ guideline: PressureGuideline?, isAdult: Bool, to text: inout TextBuffer) {
        text.append("{\"type\":\"ambulatory\",\"schema\":1")
        text.append(key: "rule", rule.name)
        rule.document.appendFacts("rule_", to: &text)
        text.append(key: "rule_evidence", rule.evidence.rawValue)
        text.append(key: "rule_source", rule.document.citation)
        text.appendOwner(person)
        text.append(key: "zone", zone.name)
        if let span {
            text.append(key: "from", span.lowerBound.text(in: zone))
            text.append(key: "to", span.upperBound.text(in: zone))
        }
        text.append(key: "hours", plan.diary == nil ? "fixed" : "diary")
        text.append(key: "day", Self.clock(hours.day))
        text.append(key: "night", Self.clock(hours.night))
        if let waking { text.append(key: "waking", waking.text(in: zone)) }
        text.append(key: "expected", expected)
        text.append(key: "expected_by", hasPlan ? "plan" : "measurements")
        text.append(key: "valid", all.count)
        text.append(key: "failed", failed)
        text.append(key: "left_out", counts: leftOut.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 })
        text.append(key: "valid_recording", isValid)
        for (key, missing) in [("too_few", shortfalls), ("fewer_than_usual", fewerThanUsual)] where !missing.isEmpty {
            text.append(key: key)
            Shortfall.append(missing, least: key == "too_few" ? "least" : "usual", rule.evidence, to: &text)
        }
        for (name, sums, setting) in [
            ("mean_24h", all, PressureSetting.ambulatory24h), ("mean_day", day, .ambulatoryDay), ("mean_night", night, .ambulatoryNight),
        ] { append(name, sums, near: guideline?.thresholds[setting], to: &text) }
        appendIndices(to: &text)
        if let guideline { append(guideline, isAdult: isAdult, to: &text) }
        appendHours(to: &text)
        text.append("}\n")
    }

    private func append(_ name: String, _ sums: PressureSums, near threshold: PressureThreshold?, to text: inout TextBuffer) {
        guard let systolic = sums.systolic, let diastolic = sums.diastolic else { return }
        text.append(string: ",\"\(name)\":{\"readings\":\(sums.count)")
        append("systolic_mmHg", systolic, systolic.rounded(places: 2, near: threshold?.systolic), to: &text)
        append("diastolic_mmHg", diastolic, diastolic.rounded(places: 2, near: threshold?.diastolic), to: &text)
        if let pulse = sums.pulse { append("pulse_per_min", pulse, to: &text) }
        text.append("}")
    }

    private func append(_ name: String, _ number: Fraction?, _ printed: Decimals? = nil, places: Int = 2, to text: inout TextBuffer) {
        guard let number else { return }
        let printed = printed ?? number.rounded(places: places)
        text.append(string: ",\"\(name)\":{\"exact\":\"\(number.text)\",\"avg\":\(printed.text)}")
    }

    private func appendIndices(to text: inout TextBuffer) {
        if let byHours {
            text.append(string: ",\"mean_by_hours\":{\"day_h\":\(Self.hours(dayMinutes)),\"night_h\":\(Self.hours(nightMinutes))")
            append("systolic_mmHg", byHours.systolic, to: &text)
            append("diastolic_mmHg", byHours.diastolic, to: &text)
            text.append("}")
        }
        append("night_day_ratio", nightToDay, places: 4, to: &text)
        append("fall_percent", fallInPercent, fallInPercent?.rounded(places: 2) { Dipping(fallInPercent: $0) }, to: &text)
        if let dipping {
            text.append(key: "dipping", dipping.rawValue)
            text.append(key: "dipping_guideline", Dipping.document.id)
            text.append(key: "dipping_evidence", Dipping.evidence.rawValue)
        }
        if let surge {
            append("sleep_trough_surge_mmHg", surge.sleepTrough, to: &text)
            text.append(string: ",\"trough_mmHg\":[\(surge.trough.map { $0.rounded(places: 1).shortText }.joined(separator: ","))]")
            append("prewaking_surge_mmHg", surge.preWaking, to: &text)
        }
        append("systolic_variability", systolicDiffering, to: &text)
        append("diastolic_variability", diastolicDiffering, to: &text)
    }

    private func append(_ name: String, _ differing: Differing, to text: inout TextBuffer) {
        guard let all = differing.all else { return }
        text.append(string: ",\"\(name)\":{\"all\":")
        all.append(to: &text)
        for (part, variability) in [("day", differing.day), ("night", differing.night)] {
            guard let variability else { continue }
            text.append(string: ",\"\(part)\":")
            variability.append(to: &text)
        }
        if let weighted = differing.weightedDeviation { text.append(string: ",\"weighted_sd\":\(Variability.fourPlaces(weighted))") }
        append("arv_by_time", differing.averageRealByTime, to: &text)
        text.append("}")
    }

    private func append(_ guideline: PressureGuideline, isAdult: Bool, to text: inout TextBuffer) {
        text.append(key: "guideline", guideline.name)
        guideline.document.appendFacts("guideline_", to: &text)
        let loads = loads(guideline)
        let parts = loads.compactMap { load -> String? in
            guard let threshold = guideline.thresholds[load.setting] else { return nil }
            var part = "{\"setting\":\"\(load.setting.rawValue)\",\"evidence\":\"\(threshold.evidence.rawValue)\""
            part += ",\"systolic_mmHg\":\(threshold.systolic),\"diastolic_mmHg\":\(threshold.diastolic),\"readings\":\(load.readings)"
            part += ",\"systolic_at_or_above\":\(load.systolic),\"diastolic_at_or_above\":\(load.diastolic)"
            if load.readings > 0 {
                part += ",\"systolic_load_percent\":\(Self.percent(load.systolic, load.readings))"
                part += ",\"diastolic_load_percent\":\(Self.percent(load.diastolic, load.readings))"
            }
            if isAdult, let judgement = judgement(guideline, load.setting) {
                if let reached = judgement.reached {
                    part += ",\"systolic_reached\":\(reached.systolic),\"diastolic_reached\":\(reached.diastolic)"
                }
                var own = TextBuffer()
                judgement.appendClass(to: &own)
                part += own.string
            }
            return part + "}"
        }
        text.append(string: ",\"thresholds\":[\(parts.joined(separator: ","))]")
    }

    private func appendHours(to text: inout TextBuffer) {
        text.append(",\"hourly\":[")
        for (index, hour) in hourly.enumerated() {
            guard let systolic = hour.sums.systolic, let diastolic = hour.sums.diastolic else { continue }
            text.append(string: "\(index > 0 ? "," : "")")
            text.append(string: "{\"hour\":\"\(hour.start.text(in: zone))\",\"readings\":\(hour.sums.count)")
            text.append(string: ",\"systolic_mmHg\":\(systolic.rounded(places: 1).shortText)")
            text.append(string: ",\"diastolic_mmHg\":\(diastolic.rounded(places: 1).shortText)")
            if let isNight = hour.isNight { text.append(key: "night", isNight) }
            text.append("}")
        }
        text.append("]")
    }

    /// `95.8`, half up, and on the right side of `least`.
    package static func percent(_ part: Int, _ whole: Int, least: Int? = nil) -> String {
        Fraction(Int128(part) * 100, over: Int128(whole))?.rounded(places: 1, near: least).shortText ?? "0"
    }

    /// `23:00-07:00`.
    package static func clock(_ range: Range<Int>) -> String {
        "\(ClockText.clock(minute: range.lowerBound))-\(ClockText.clock(minute: range.upperBound))"
    }

    private static func hours(_ minutes: Int64) -> String {
        Fraction(Int128(minutes), over: 60)?.rounded(places: 2).shortText ?? "0"
    }
}
