import CuffCore

/// The language of the report and of the live page: phrases, words of flags and reasons, dates and decimal marks. A further language is a
/// file beside `Language+German.swift` and an entry of `all`.
package struct Language: Sendable, Hashable {
    /// The code of ISO 639-1, as in HTML and in the configuration.
    package let code: String
    let decimalMark: String
    /// `%1` is the day, `%2` the name of the month.
    let dateForm: String
    /// January first; Monday first.
    let months: [String], weekdays: [String]
    let phrases: [Phrase: String]
    /// The words of `Language.vocabulary`, by its keys.
    let words: [String: String]

    /// Every language; the first is the default.
    package static let all = [english, german]

    /// The language of that code, or `nil`.
    package static func named(_ code: String) -> Language? { all.first { $0.code == code.lowercased() } }

    /// The best of a browser's header `Accept-Language` (RFC 9110, 12.5.4): `de-DE,de;q=0.9,en;q=0.8`.
    package static func accepted(_ header: String) -> Language {
        var best: (language: Language, weight: Double)?
        for item in header.split(separator: ",") {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            let code = parts.first?.split(separator: "-").first.map(String.init) ?? ""
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if let language = named(code), weight > best?.weight ?? 0 { best = (language, weight) }
        }
        return best?.language ?? english
    }

    /// A phrase with its values.
    subscript(phrase: Phrase, values: any CustomStringConvertible...) -> String {
        var form = Substring(phrases[phrase] ?? Self.english.phrases[phrase] ?? phrase.rawValue)
        if let bar = form.firstIndex(of: "|") {
            form = values.first?.description == "1" ? form[..<bar] : form[form.index(after: bar)...]
        }
        return Self.filled(form, values.map(\.description))
    }

    private static func filled(_ form: some StringProtocol, _ values: [String]) -> String {
        var text = ""
        var isPlace = false
        for character in form {
            if isPlace, let number = character.wholeNumberValue, values.indices.contains(number - 1) {
                text += values[number - 1]
            } else if isPlace || character != "%" {
                text += isPlace ? "%\(character)" : "\(character)"
            }
            isPlace = !isPlace && character == "%"
        }
        return isPlace ? text + "%" : text
    }

    /// The word for an entry of the vocabulary; an entry that is missing is printed in English.
    func word(_ kind: String, _ word: some CustomStringConvertible) -> String {
        let key = "\(kind).\(word)"
        return words[key] ?? Self.vocabulary[key] ?? word.description.replacing("_", with: " ")
    }

    /// The flags of a reading in words.
    func flags(_ flags: MeasurementFlags) -> String {
        flags.list.map { word("flag", $0) }.joined(separator: ", ")
    }

    /// The remarks of a reading, the note last; a medicine with a mark in `medicines` as that mark.
    func remarks(_ remarks: Remarks, medicines: [String: String] = [:]) -> String {
        remarks.all.sorted { ($0.key == .note ? 1 : 0) < ($1.key == .note ? 1 : 0) }.map { key, text in
            switch key {
            case .note: "“\(text)”"
            case .medication: medicines[text] ?? self[.medication, text]
            case .posture, .arm: word(key.rawValue, text)
            }
        }.joined(separator: ", ")
    }

    /// The heading of one person's part, as `Persons.heading`; empty for the only person, unless that one has a name.
    package func heading(_ person: Person, among persons: Persons) -> String {
        guard persons.neededHeading(person) != nil else { return "" }
        switch person {
        case .named(let name): return name
        case .unnamed(let slot, let cuff):
            guard persons.namesCuffs, let cuff else { return slot.map { self[.user, $0] } ?? self[.withoutUser] }
            let isTyped = cuff == Household.typedIn
            guard let slot else { return isTyped ? self[.typedInWithoutUser] : cuff }
            return isTyped ? self[.userTypedIn, slot] : self[.userOf, slot, cuff]
        }
    }

    /// A decimal number as this program prints it, with the mark of the language.
    func number(_ text: String) -> String { decimalMark == "." ? text : text.replacing(".", with: decimalMark) }

    // MARK: Dates, in days since 1970

    /// `5 May`.
    func dayAndMonth(_ day: Int64) -> String {
        let date = DeviceTime(wallSeconds: day * 86400)
        return Self.filled(dateForm, ["\(date.day)", months[Int(date.month) - 1]])
    }

    /// `Tue 5 May`.
    func weekday(_ day: Int64) -> String { "\(weekdays[Int(day + 3 - WallTime.floor(day + 3, 7) * 7)]) \(dayAndMonth(day))" }

    /// `5 May 2026`.
    func full(_ day: Int64) -> String { "\(dayAndMonth(day)) \(DeviceTime(wallSeconds: day * 86400).year)" }

    /// `May 2026`.
    func month(_ day: Int64) -> String {
        let date = DeviceTime(wallSeconds: day * 86400)
        return "\(months[Int(date.month) - 1]) \(date.year)"
    }

    /// `5 May 2026, 07:31`, of seconds on the wall clock.
    func moment(_ wall: Int64) -> String { self[.moment, full(WallTime.floor(wall, 86400)), Self.clock(wall)] }

    /// `today 07:31`, `yesterday 07:31`, `Tue 5 May, 07:31`, or with the year if it is another one.
    func moment(_ wall: Int64, now: Int64) -> String {
        let (day, today) = (WallTime.floor(wall, 86400), WallTime.floor(now, 86400))
        switch today - day {
        case 0: return self[.today, Self.clock(wall)]
        case 1: return self[.yesterday, Self.clock(wall)]
        default:
            let isThisYear = DeviceTime(wallSeconds: wall).year == DeviceTime(wallSeconds: now).year
            return isThisYear ? self[.shortMoment, weekday(day), Self.clock(wall)] : moment(wall)
        }
    }

    /// `07:31`, of seconds on the wall clock.
    static func clock(_ wall: Int64) -> String { ClockText.clock(minute: Int((wall - WallTime.floor(wall, 86400) * 86400) / 60)) }
}

extension Language {
    /// The English words of flags, failures, reasons, grades, settings, times and remarks, by kind and JSON word.
    static let vocabulary: [String: String] = {
        var words: [String: String] = [:]
        func add(_ kind: String, _ word: some CustomStringConvertible, _ text: (some CustomStringConvertible)?) {
            words["\(kind).\(word)"] = text?.description ?? word.description.replacing("_", with: " ")
        }
        for word in MeasurementFlags.words { add("flag", word, String?.none) }
        for reason in FailureReason.allCases { add("failure", reason.word, String?.none) }
        for reason in LeavingOut.all { add("reason", reason.word, reason.sentence) }
        for grade in Evidence.allCases {
            add("grade", grade.rawValue, grade.words)
            add("short", grade.rawValue, grade.shortWords)
        }
        for guideline in PressureGuideline.all {
            for table in guideline.classes.values {
                add("class", table.lowest, table.lowest)
                for one in table.classes {
                    add("class", one.name, one.name)
                    if !one.condition.isEmpty { add("condition", one.condition, one.condition) }
                }
            }
        }
        for dipping in AmbulatoryRecording.Dipping.allCases { add("dipping", dipping.rawValue, String?.none) }
        for setting in PressureSetting.allCases { add("setting", setting.rawValue, setting.words) }
        for number in RuleNumber.allCases { add("rule", number.rawValue, String?.none) }
        for basis in Report.Entry.TimeBasis.allCases { add("time", basis.rawValue, basis.words) }
        for posture in Remarks.Key.posture.words { add("posture", posture, posture) }
        for arm in Remarks.Key.arm.words { add("arm", arm, "\(arm) arm") }
        return words
    }()
}
