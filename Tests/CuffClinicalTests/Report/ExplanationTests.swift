import CuffCore
import Foundation
import Testing

@testable import CuffClinical

/// Every printed average, recomputed from the ids that the appendix prints and the readings as they were added.
@Suite struct ExplanationTests {
    @Test(arguments: AveragingRule.all.map(\.name)) func everyAverage_CanBeRecomputed(_ name: String) throws {
        let rule = try #require(AveragingRule.named(name))
        let readings = HomeReadings.make(days: 9)
        var report = Report(zone: BucketingTests.berlin)
        for (reading, provenance) in readings { report.add(reading, from: provenance) }
        report.explains = true
        report.averages = [
            (
                "",
                HomeReadings.average(readings.map(\.reading), rule) {
                    report.explained.append(Report.Explained($0, $1, cuff: HomeReadings.cuff))
                }
            )
        ]
        let page = HomeReadings.page(report)
        let byID = Dictionary(readings.map { ($0.reading.id.description, $0.reading) }) { first, _ in first }
        // The rows of the appendix: id, time, part of the day, and whether it counts.
        let table = try #require(page.components(separatedBy: "<table class=\"text ids\">").last?.components(separatedBy: "</table>").first)
        let rows = table.components(separatedBy: "<tr>").dropFirst(2).map { row in
            row.components(separatedBy: "<td>").dropFirst().map { $0.components(separatedBy: "</td>")[0] }
        }
        let pressures = readings.count { $0.reading.bloodPressure != nil }
        #expect(rows.count == pressures && Set(rows.map { $0[0] }).count == pressures)
        for (name, part) in [("Average", String?.none), ("Morning", "Morning"), ("Evening", "Evening")] {
            let counted = rows.filter { $0.last == "counts" && (part == nil || $0[2] == part) }
            let own = try counted.map { try #require(byID[$0[0]]?.bloodPressure) }
            guard !own.isEmpty else { continue }
            // These readings are whole numbers, so their sum is exact. A rule may average sessions first.
            let count = Int64(own.count)
            let systolic = own.reduce(Int64(0)) { $0 + Int64($1.systolic.inMmHg) }
            let diastolic = own.reduce(Int64(0)) { $0 + Int64($1.diastolic.inMmHg) }
            let line = try #require(page.components(separatedBy: "<li>\(name). ").last?.components(separatedBy: "</li>").first)
            #expect(line.hasPrefix("Exact mean of \(count) readings: "), "\(rule.name) \(name): \(line)")
            func mean(_ sum: Int64) throws -> Fraction { try #require(Fraction(Int128(sum), over: Int128(count))) }
            let means =
                rule.averagesSessions ? try sessionMeans(counted, byID) : (try mean(systolic), try mean(diastolic))
            #expect(line.contains("Systolic \(means.0.text); Diastolic \(means.1.text);"), "\(rule.name) \(name): \(line)")
            // The box prints the same mean, rounded.
            let printed = "<small>\(name)</small><b>\(means.0.printed(near: 135))/\(means.1.printed(near: 85))</b>"
            #expect(page.contains(printed), "\(rule.name): \(printed)")
        }
    }

    /// The mean of the means of sessions: series of readings without a gap of more than ten minutes.
    private func sessionMeans(_ rows: [[String]], _ readings: [String: Reading]) throws -> (Fraction, Fraction) {
        var sessions: [[BloodPressure]] = []
        var latest: Int64 = 0
        for row in rows {
            let pressure = try #require(readings[row[0]]?.bloodPressure)
            let time = try #require(Timestamp.parse(row[1])).time.seconds
            if time - latest > 600 { sessions.append([]) }
            sessions[sessions.count - 1].append(pressure)
            latest = time
        }
        func mean(_ value: (BloodPressure) -> Double) throws -> Fraction {
            var sum = Fraction(0)
            for own in sessions {
                let total = own.reduce(Int64(0)) { $0 + Int64(value($1)) }
                let one = try #require(Fraction(Int128(total), over: Int128(own.count)))
                sum = try #require(sum.adding(one))
            }
            return try #require(sum.divided(by: Fraction(Int64(sessions.count))))
        }
        return (try mean { $0.systolic.inMmHg }, try mean { $0.diastolic.inMmHg })
    }

    /// The numbers of the rule come with their sources, and what was left out with its reason.
    @Test func theRule_AndWhatIsLeftOut_AreNamed() throws {
        let rule = try #require(AveragingRule.named("nice-ng136"))
        let readings = HomeReadings.make(days: 4)
        var report = Report(zone: BucketingTests.berlin)
        for (reading, provenance) in readings { report.add(reading, from: provenance) }
        report.explains = true
        report.averages = [
            (
                "",
                HomeReadings.average(readings.map(\.reading), rule) {
                    report.explained.append(Report.Explained($0, $1, cuff: HomeReadings.cuff))
                }
            )
        ]
        let page = HomeReadings.page(report)
        for words in [
            "NICE guideline NG136", "at least 4 days, ideally for 7 days", "the rule leaves out the first days", "its time is unknown",
            "the values are outside what an arm can have", "Computed with cuff 0.1. Read with: and-std (",
        ] { #expect(page.contains(words), "\(words)") }
        report.explains = false
        #expect(!HomeReadings.page(report).contains("Where the numbers come from"))
    }
}
