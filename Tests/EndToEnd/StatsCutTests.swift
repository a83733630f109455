import CuffCore
import CuffIngest
import Foundation
import Testing

@Suite struct StatsCutTests {
    private let scratch: Scratch
    private var database: String { scratch.path("bp.db") }
    init() throws { scratch = try Scratch() }

    private func cuff(_ arguments: String...) async throws -> CuffProcess {
        try await CuffProcess.run(arguments + ["--db", database, "--tz", "Europe/Berlin"])
    }

    private func add(_ time: String, _ systolic: Int, _ diastolic: Int, user: Int32? = nil) throws {
        let zone = try HostZone.named("Europe/Berlin")
        let entry = ManualEntry(.mmHg(systolic, diastolic, pulse: 70), at: try HostZone.instant(time, zone), user: user)
        _ = try HealthRuns.add(entry, zone: zone, to: database)
    }

    private func averages(_ run: CuffProcess) -> [Double] {
        run.objects("statistics").compactMap { (($0["systolic_mmHg"] as? [String: Any])?["avg"] as? NSNumber)?.doubleValue }
    }

    private func fill() throws {
        for (time, systolic) in [
            ("2026-05-04T06:59", 110), ("2026-05-04T07:00", 120), ("2026-05-04T12:59", 130), ("2026-05-04T13:00", 140),
            ("2026-05-10T23:00", 150),
        ] { try add(time, systolic, 80) }
    }

    @Test func free_IntervalsBeginAtTheirAnchor() async throws {
        try fill()
        let six = try await cuff("stats", "--by", "6h", "--anchor", "07:00", "--format", "jsonl")
        #expect(averages(six) == [110, 125, 140, 150])
        #expect(six.objects("statistics").map { $0["bucket"] as? String }.first == "2026-05-04T01:00+02:00")
        let days = try await cuff("stats", "--by", "3d", "--anchor", "2026-05-04", "--format", "jsonl")
        #expect(averages(days) == [125, 150])
        #expect(days.objects("statistics").map { $0["start"] as? String } == ["2026-05-04T00:00:00+02:00", "2026-05-10T00:00:00+02:00"])
        for wrong in [["--by", "0h"], ["--by", "6x"], ["--anchor", "07:00"], ["--by", "6h", "--anchor", "25:00"], ["--by", "10s"]] {
            let run = try await CuffProcess.run(["stats", "--db", database] + wrong)
            #expect(run.status == 64 && run.output.isEmpty, "\(wrong) \(run.errors)")
        }
    }

    @Test func over_IsOneBucketOfExactlyThatRange() async throws {
        try fill()
        // Not widened to whole days.
        let part = try await cuff("stats", "--over", "2026-05-04T07:00..2026-05-04T13:00", "--format", "jsonl")
        #expect(averages(part) == [125])
        #expect(part.objects("statistics").first?["by"] as? String == "range")
        #expect(try await averages(cuff("stats", "--over", "2026-05-04..2026-05-11", "--format", "jsonl")) == [130])
        let table = try await cuff("stats", "--over", "2026-05-04..2026-05-11", "--format", "table")
        #expect(table.lines.count == 3 && table.lines[1].contains("130.0"))
        for wrong in [
            ["--over", "x"], ["--over", "2026-05-05..2026-05-04"], ["--over", "1d", "--by", "day"], ["--over", "1d", "--since", "2d"],
        ] {
            #expect(try await CuffProcess.run(["stats", "--db", database] + wrong).status == 64, "\(wrong)")
        }
    }

    @Test func report_BeginsWithTheAverageOfEachPerson() async throws {
        for (user, more) in [(Int32(1), 0), (2, 10)] {
            for day in 4...8 {
                for (clock, systolic) in [("07:00", 134), ("07:02", 132), ("20:00", 130), ("20:02", 128)] {
                    try add("2026-05-0\(day)T\(clock)", systolic + more + (day == 4 ? 20 : 0), 80, user: user)
                }
            }
        }
        let run = try await cuff("report", "--rule", "nice-ng136", "--adult", "--paper", "letter", "--no-readings", "-o", "-")
        #expect(run.status == 0, "\(run.errors)")
        let page = run.output
        #expect(page.components(separatedBy: "<section class=\"box\">").count - 1 == 2)
        #expect(page.components(separatedBy: "<dt>Rule</dt><dd>NICE NG136, 2019").count - 1 == 2)
        // Without the first day, which is higher.
        #expect(page.contains("<small>Average</small><b>131/80</b>") && page.contains("<small>Average</small><b>141/80</b>"))
        #expect(page.components(separatedBy: "<dd>16 readings on 4 days").count - 1 == 2)
        #expect(
            page.contains("below stage 1 (read in the guideline)")
                && page.contains("in the range of stage 1 (read in the guideline; a stage needs the clinic"))
        #expect(page.contains("@page{size:letter;") && !page.contains("<h2>Readings"))
        let first = try #require(page.range(of: "class=\"box\"")?.lowerBound)
        #expect(page.range(of: "<figcaption>").map { first < $0.lowerBound } == true)
        let plain = try await cuff("report", "--user", "1", "-o", "-").output
        #expect(plain.contains("20 readings") && !plain.contains("stage 1") && plain.contains("<h2>Readings"))
        #expect(!plain.contains("size:letter"))
        #expect(try await cuff("report", "--asleep", "23:00", "--awake", "07:00", "-o", "-").status == 64)
    }

    @Test func report_HoldsTheDayAndTheNight() async throws {
        for index in 0..<48 {
            let hour = (10 + index / 2) % 24
            let clock = "\(hour < 10 ? "0" : "")\(hour):\(index % 2 == 0 ? "00" : "30")"
            try add("2026-06-0\(index < 28 ? 1 : 2)T\(clock)", (7..<23).contains(hour) ? 140 : 120, 80)
        }
        let run = try await cuff("report", "--ambulatory", "--asleep", "23:00", "--awake", "07:00", "-o", "-")
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("A day and a night: esc-2024") && run.output.contains("night shaded"))
        #expect(run.output.contains("<td>night</td><td>16</td><td>120.0</td>"))
        #expect(run.output.contains("14.3 % systolic: dipper, that night"))
    }
}
