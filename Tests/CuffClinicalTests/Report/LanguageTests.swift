import CuffCore
import Foundation
import Testing

@testable import CuffClinical

@Suite struct LanguageTests {
    /// A missing key would be printed in English.
    @Test(arguments: Language.all.map(\.code)) func everyLanguage_HasEveryKey(_ code: String) throws {
        let language = try #require(Language.named(code))
        #expect(Set(language.phrases.keys) == Set(Phrase.allCases))
        #expect(Set(language.words.keys) == Set(Language.vocabulary.keys))
        #expect(language.months.count == 12 && language.weekdays.count == 7)
        for text in Array(language.phrases.values) + Array(language.words.values) { #expect(!text.isEmpty) }
    }

    /// A value that is missing, or a number for which there is no value, would be printed.
    @Test(arguments: Language.all.map(\.code)) func everyPhrase_HasTheValuesOfTheEnglishOne(_ code: String) throws {
        let language = try #require(Language.named(code))
        func places(_ text: String) -> Set<Character> {
            Set(zip(text, text.dropFirst()).filter { $0.0 == "%" && $0.1.isNumber }.map(\.1))
        }
        for (phrase, text) in language.phrases {
            let english = Language.english.phrases[phrase] ?? ""
            let forms = text.split(separator: "|").map(String.init)
            #expect(places(forms.last ?? "") == places(english.split(separator: "|").last.map(String.init) ?? ""), "\(phrase)")
            #expect(forms.count == english.split(separator: "|").count, "\(phrase)")
        }
    }

    /// The keys are those of the JSON vocabulary: a new flag, failure or reason needs its word in each language.
    @Test func theVocabulary_IsThatOfTheReadings() {
        let flags = MeasurementFlags.words.map { "flag.\($0)" }
        let failures = FailureReason.allCases.map { "failure.\($0.word)" }
        let reasons = Exclusion.allCases.map { "reason.\($0.rawValue)" }
        for key in flags + failures + reasons { #expect(Language.vocabulary[key] != nil, "\(key)") }
        #expect(Language.german.flags([.irregularPulse, .bodyMovement]) == "unregelmäßiger Puls, Bewegung")
        #expect(Language.english.flags([.irregularPulse, .cuffLoose]) == "irregular pulse, cuff loose")
    }

    /// RFC 9110, 12.5.4: the highest weight wins, 1 where none is given, and 0 is not acceptable.
    @Test(arguments: [
        ("da, en-gb;q=0.8, en;q=0.7", "en"), ("de-AT,en;q=0.5", "de"), ("en;q=0.5, de;q=0.9", "de"), ("fr", "en"), ("", "en"),
        ("de;q=0, en;q=0.1", "en"), ("de;q=0", "en"), (";;,,q=", "en"), ("DE", "de"),
    ])
    func theBrowsersLanguage_IsChosen(_ header: String, _ code: String) { #expect(Language.accepted(header).code == code) }

    /// 2026-05-05 is a Tuesday.
    @Test func dates_AndDecimals_FollowTheLanguage() throws {
        let time = try #require(DeviceTime.parse("2026-05-05T07:31")).wallSeconds
        let day = time / 86400
        #expect(Language.english.weekday(day) == "Tue 5 May" && Language.german.weekday(day) == "Di 5. Mai")
        #expect(Language.english.moment(time) == "5 May 2026, 07:31" && Language.german.moment(time) == "5. Mai 2026, 07:31")
        #expect(Language.english.moment(time, now: time + 3600) == "today 07:31")
        #expect(Language.german.moment(time, now: time + 86400) == "gestern 07:31")
        #expect(Language.english.moment(time, now: time + 3 * 86400) == "Tue 5 May, 07:31")
        #expect(Language.english.moment(time, now: time + 400 * 86400) == "5 May 2026, 07:31")
        // 23:59 of the day before is yesterday, though it was a minute ago.
        #expect(Language.english.moment(day * 86400 - 60, now: day * 86400) == "yesterday 23:59")
        #expect(Language.german.number("134.5/84") == "134,5/84" && Language.english.number("134.5") == "134.5")
    }

    @Test func phrases_TakeTheirValues_AndTheirNumber() {
        #expect(Language.english[.readings, 1] == "1 reading" && Language.english[.readings, 28] == "28 readings")
        #expect(Language.german[.onDays, 1] == "an 1 Tag" && Language.german[.onDays, 7] == "an 7 Tagen")
        // A value that looks like a place is no place.
        #expect(Language.english[.moment, "%2", "x"] == "%2, x")
        #expect(Language.english[.atOrAbove, 3, "4 readings", 75] == "3 of 4 readings (75 %) at or above it")
    }

    @Test func theReport_IsGerman() {
        var report = HomeReadings.report(days: 30)
        report.explains = true
        let page = HomeReadings.page(report, .german)
        #expect(page.contains("<html lang=\"de\">") && page.contains("<h1>Blutdruck</h1>") && page.contains("20. März 2026"))
        #expect(page.contains("content:\"Seite \" counter(page) \" von \" counter(pages)"))
        let body = page.components(separatedBy: "<body>")[1]
        for phrase in ["Average", "Morning", "Readings", "reading", "Measured", "Lowest", "irregular", "Rule", "not a medical device"] {
            #expect(!body.contains(phrase), "\(phrase)")
        }
    }
}
