import CuffCore
import Foundation
import Testing

@testable import CuffClinical

/// Reproducible home readings of a person: two in the morning, one or two in the evening.
enum HomeReadings {
    static let cuff = Provenance(driver: "and-std", device: "A1", identity: DeviceIdentity(manufacturer: "A&D", model: "TM-2657P"))
    static let other = Provenance(driver: "manual")

    static func make(days: Int, from first: String = "2026-03-20", seed: UInt64 = 4) -> [(reading: Reading, provenance: Provenance)] {
        var random = SplitMix64(seed: seed)
        func draw(_ spread: Int) -> Int { Int(random.next() % UInt64(2 * spread + 1)) - spread }
        var all: [(Reading, Provenance)] = []
        let start = (DeviceTime.parse(first)?.wallSeconds ?? 0) / 86400
        for day in 0..<Int64(days) {
            let trend = -Int(day * 12) / max(1, days)
            for (hour, lift) in [(7, 4), (7, 1), (13, -2), (20, 0), (23, -6)] {
                if hour == 13 && day % 5 != 0 || hour == 23 && day % 9 != 0 || day % 11 == 6 { continue }
                let minute = 20 + draw(19)
                let instant = BucketingTests.berlin.instant(ofWall: (start + day) * 86400 + Int64(hour * 3600 + minute * 60))
                let systolic = 136 + trend + lift + draw(9)
                let diastolic = 84 + trend / 2 + lift / 2 + draw(6)
                var flags: MeasurementFlags = []
                if draw(20) == 7 { flags.insert(.irregularPulse) }
                if draw(15) == 3 { flags.insert(.bodyMovement) }
                var reading = Reading(
                    .bloodPressure(.mmHg(systolic, diastolic, pulse: 68 + lift + draw(8))), driver: "and-std", user: 1, flags: flags,
                    origin: .memory,
                    raw: RawBytes([UInt8(truncatingIfNeeded: day), UInt8(hour)]))
                reading.measured = Timestamp(seconds: instant)
                reading.rule = day % 10 == 0 ? .receiveTime : .corrected
                let isTyped = hour == 13 && day % 10 == 0
                if isTyped { reading.origin = .entered }
                reading.id = Reading.ID(wallSeconds: instant, hash: random.next())
                all.append((reading, isTyped ? other : cuff))
            }
        }
        func odd(_ content: Reading.Content, _ hours: Int64?, _ flags: MeasurementFlags = []) {
            var reading = Reading(content, driver: "and-std", flags: flags, origin: .memory, raw: RawBytes([9]))
            reading.measured = hours.map { Timestamp(seconds: start * 86400 + $0 * 3600) }
            reading.id = Reading.ID(wallSeconds: start * 86400, hash: random.next())
            all.append((reading, cuff))
        }
        odd(.failure(.init(.cuffLoose, code: "E04")), 55)
        odd(.failure(.init(.movement)), 130)
        odd(.bloodPressure(.mmHg(82, 128)), 200)
        odd(.bloodPressure(.mmHg(131, 79)), nil)
        return all
    }

    static func report(days: Int, person: String = "M. Example, born 1961-04-02") -> Report {
        var report = Report(person: person, zone: BucketingTests.berlin)
        for (reading, provenance) in make(days: days) { report.add(reading, from: provenance) }
        report.averages = [("", average(make(days: days).map(\.reading), .everything))]
        return report
    }

    /// The average by a rule, and what became of each reading.
    static func average(
        _ readings: [Reading], _ rule: AveragingRule, tell: (HomeReading, ReadingFate) -> Void = { _, _ in }
    ) -> ProtocolAverage {
        var average = ProtocolAverage(rule, zone: BucketingTests.berlin)
        let inclusion = InclusionRule(zone: BucketingTests.berlin)
        let points = readings.compactMap { reading -> HomeReading? in
            guard let pressure = reading.bloodPressure else { return nil }
            var found = HomeReading(
                id: reading.id, time: reading.measured, systolic: pressure.systolic.inMmHg, diastolic: pressure.diastolic.inMmHg,
                pulse: pressure.pulse?.digits.value, flags: reading.flags)
            if case .excluded(let reason) = inclusion.verdict(on: reading) { found.exclusion = reason }
            return found
        }
        for point in points.sorted(by: { ($0.time?.milliseconds ?? 0) < ($1.time?.milliseconds ?? 0) }) { average.add(point, tell: tell) }
        average.finish(tell: tell)
        return average
    }

    static func page(_ report: Report, _ language: Language = .english) -> String {
        var text = TextBuffer()
        ReportPage(report, generator: "cuff 0.1", language: language).append(generated: Timestamp(seconds: 1_777_959_600), to: &text)
        return text.string
    }

    static func days(_ count: Int) -> StatisticsCollection {
        var collection = StatisticsCollection(CalendarCut(.day, zone: BucketingTests.berlin))
        let rule = InclusionRule(zone: BucketingTests.berlin)
        for (reading, _) in make(days: count) {
            switch rule.verdict(on: reading) {
            case .counts(let point): collection.add(point)
            case .excluded(let reason): collection.exclude(reason)
            }
        }
        return collection
    }
}

@Suite struct ReportTests {
    @Test func thresholds_AreOneForThePage() throws {
        let guideline = try #require(PressureGuideline.named("acc-aha-2025"))
        let entries = HomeReadings.report(days: 30).entries
        for (lines, numbers, words) in [
            (ReferenceLines(guideline, .home), "130/80", "American Heart Association and American College of Cardiology, 2025, at home"),
            (ReferenceLines(guideline, .office), "130/80", "American Heart Association and American College of Cardiology, 2025, office"),
            (ReferenceLines(nil, .office), "140/90", "European Society of Cardiology, 2024, office"),
            (ReferenceLines(nil, .home), "135/85", "European Society of Cardiology, 2024, at home"),
        ] {
            var report = Report(zone: BucketingTests.berlin, lines: lines)
            for (reading, provenance) in HomeReadings.make(days: 30) { report.add(reading, from: provenance) }
            let page = HomeReadings.page(report)
            let reached = entries.count { $0.point.systolic >= lines.systolic || $0.point.diastolic >= lines.diastolic }
            let marks = entries.reduce(0) {
                $0 + ($1.point.systolic >= lines.systolic ? 1 : 0) + ($1.point.diastolic >= lines.diastolic ? 1 : 0)
            }
            // One more explains the mark.
            #expect(page.components(separatedBy: "▲").count - 2 == marks, "\(numbers)")
            #expect(page.contains("\(numbers) mmHg: \(reached) of \(entries.count) readings ("))
            #expect(page.contains("Dashed lines: \(numbers) mmHg.") && page.components(separatedBy: numbers).count == 3)
            #expect(page.components(separatedBy: "\(words); read in the guideline").count == 2, "\(numbers)")
            for other in ["130/80", "135/85", "140/90"] where other != numbers { #expect(!page.contains("\(other) mmHg"), "\(numbers)") }
        }
        // A weaker grade is printed, too.
        let old = ReferenceLines(.named("esh-2021"), .office)
        #expect(
            old.origin(.english).hasSuffix("from memory, not checked against the guideline")
                && old.shortOrigin(.english) == "esh-2021: from memory")
    }

    /// The tables of the page use the same mornings and evenings as its average.
    @Test func mornings_AreOneForThePage() throws {
        let windows = try #require(DayWindows(morning: (5 * 60, 11 * 60), evening: (17 * 60, 2 * 60)))
        var report = Report(zone: .utc, windows: windows)
        var average = ProtocolAverage(.everything, zone: .utc, windows: windows)
        // Sessions across the end of the morning and across midnight; one after midnight; one in between.
        for (day, clock) in [
            (5, "10:58"), (5, "11:00"), (5, "13:00"), (5, "23:58"), (6, "00:01"), (6, "01:30"), (6, "02:00"), (6, "05:00"),
        ] {
            let time = try #require(Timestamp.parse("2026-05-0\(day)T\(clock):00Z")?.time)
            report.add(
                Report.Entry(ReadingPoint(id: .none, time: time, systolic: 120, diastolic: 80), isEntered: false, basis: .synced, source: 0)
            )
            average.add(HomeReading(time: time, systolic: 120, diastolic: 80))
        }
        average.finish()
        let parts = report.tally.parts
        #expect(parts[.morning]?.count == average.morning.count && average.morning.count == 3)
        #expect(parts[.evening]?.count == average.evening.count && average.evening.count == 3)
        #expect(parts[.other]?.count == 2 && report.tally.days.count == average.days.count && average.days.count == 2)
        let page = HomeReadings.page(report)
        for words in ["05:00–11:00", "17:00–02:00", "Other times"] { #expect(page.contains(words), "\(words)") }
        #expect(!page.contains("Afternoon") && !page.contains("22–06"))
    }

    /// A mean below a threshold is not printed like one at it.
    @Test func averages_KeepTheirSide() {
        #expect(Decimals.whole(134.96, near: 135) == "134.96" && Decimals.whole(134.4, near: 135) == "134")
        #expect(Decimals.whole(135.4, near: 135) == "135" && Decimals.whole(134.5, near: 135) == "134.5")
        #expect(Decimals.whole(134.999_99, near: 135) == "134.9999")
    }

    @Test func thePage_NeedsNothingFromOutside() {
        let page = HomeReadings.page(HomeReadings.report(days: 30))
        for word in ["<script", "http://", "https://", "url(", "@import", "<link", "<img", "src="] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("prefers-color-scheme:dark"))
        #expect(page.contains("@page{size:A4"))
    }

    @Test func hostileText_IsEscaped() {
        var report = Report(person: "<script>alert(1)</script>\u{1B}", zone: BucketingTests.berlin)
        let evil = Provenance(driver: "x", device: "d", identity: DeviceIdentity(manufacturer: "\"><b>", model: "</style>"))
        for (reading, _) in HomeReadings.make(days: 3) { report.add(reading, from: evil) }
        let page = HomeReadings.page(report)
        #expect(!page.contains("<script>"))
        #expect(!page.contains("\"><b>"))
        #expect(page.components(separatedBy: "</style>").count == 2)
        #expect(!page.unicodeScalars.contains("\u{1B}"))
    }

    @Test func numbers_AreThoseOfTheReadings() throws {
        let report = HomeReadings.report(days: 30)
        let page = HomeReadings.page(report)
        let counted = report.entries
        let average = counted.reduce(0) { $0 + $1.point.systolic } / Double(counted.count)
        let low = counted.reduce(0) { $0 + $1.point.diastolic } / Double(counted.count)
        #expect(page.contains("<b>\(Int(average.rounded()))/\(Int(low.rounded()))</b>"))
        let reached = counted.count { $0.point.systolic >= 135 || $0.point.diastolic >= 85 }
        #expect(page.contains("\(reached) of \(counted.count) readings ("))
        // Each counted reading is in the diary once; excluded ones are counted by reason, and listed on request.
        #expect(page.components(separatedBy: "<span class=\"r\">").count - 1 == counted.count)
        #expect(report.leftOut.count == 4)
        for words in ["2 measurements failed; 1: its time is unknown", "1: the values are outside what an arm can have"] {
            #expect(page.contains(words), "\(words)")
        }
        #expect(!page.contains("E04"))
        var explaining = report
        explaining.explains = true
        let explained = HomeReadings.page(explaining)
        for words in ["failed: cuff loose (E04)", "failed: movement"] { #expect(explained.contains(words), "\(words)") }
        #expect(page.contains("typed in"))
    }

    @Test func aDay_AndYears_ChooseTheirCut() {
        #expect(HomeReadings.page(HomeReadings.report(days: 2)).contains("By hour:"))
        #expect(HomeReadings.page(HomeReadings.report(days: 90)).contains("By day:"))
        #expect(HomeReadings.page(HomeReadings.report(days: 200)).contains("By week:"))
        #expect(HomeReadings.page(HomeReadings.report(days: 1100)).contains("By month:"))
    }

    /// Every sum of the page over three years, compared with the single readings.
    @Test func longTimes_KeepNoReadings_AndLoseNone() throws {
        let report = HomeReadings.report(days: 1100)
        let rule = InclusionRule(zone: BucketingTests.berlin)
        let points = HomeReadings.make(days: 1100).compactMap { one -> ReadingPoint? in
            if case .counts(let point) = rule.verdict(on: one.reading) { point } else { nil }
        }
        #expect(report.entries.isEmpty && report.count == points.count && report.leftOutCount == 4)
        let tally = report.tally
        #expect(tally.days.count == Set(points.map { WallTime.floor(BucketingTests.berlin.wall(at: $0.time.seconds), 86400) }).count)
        #expect(tally.reached == points.count { $0.systolic >= 135 || $0.diastolic >= 85 })
        #expect(tally.parts.values.reduce(0) { $0 + $1.count } == points.count)
        #expect(
            tally.bySource.values.reduce(0, +) == points.count
                && Report.Entry.TimeBasis.allCases.reduce(0) { $0 + tally.count($1) } == points.count)
        // Merged sums against sums of one piece.
        var whole = ReadingStatistics()
        for point in points { whole.add(point) }
        let merged = tally.all
        for (one, other) in [(merged.systolic, whole.systolic), (merged.diastolic, whole.diastolic), (merged.pulse, whole.pulse)] {
            #expect(one.count == other.count && one.sum == other.sum)
            #expect(one.minimum == other.minimum && one.maximum == other.maximum && one.mostRecent == other.mostRecent)
            #expect(abs((one.standardDeviation ?? 0) - (other.standardDeviation ?? 1)) < 1e-9)
            #expect(one.average(.discreteTemporallyWeighted) == nil, "the order is lost")
        }
        let table = try #require(tally.table)
        #expect(table.cut.bucketing == .month)
        let months = Dictionary(grouping: points) { point in
            String(point.time.text(in: BucketingTests.berlin).prefix(7))
        }
        #expect(table.buckets.map { $0.merged.count } == months.sorted { $0.key < $1.key }.map { $0.value.count })
        for bucket in table.buckets {
            let parts = try #require(table.parts.first { $0.key == bucket.key }?.value)
            #expect(parts.values.reduce(0) { $0 + $1.count } == bucket.merged.count)
        }
    }

    @Test func tooManyForAList_BecomeAverages() {
        var report = Report(zone: .utc)
        let cuff = report.place(of: HomeReadings.cuff)
        for index in 0...Report.mostListed {
            let point = ReadingPoint(id: .none, time: Timestamp(seconds: Int64(index) * 60), systolic: 120, diastolic: 80)
            report.add(Report.Entry(point, isEntered: false, basis: .synced, source: cuff))
        }
        #expect(report.entries.isEmpty && report.count == Report.mostListed + 1)
        let page = HomeReadings.page(report)
        #expect(page.contains("<h2>Averages") && page.contains("<th>Day</th>"))
    }

    @Test func theLatestOfWhatIsLeftOut_AreListed() {
        var report = Report(zone: .utc)
        for index in [5, 3, 9] + Array(100..<200).shuffled() {
            report.add(
                Report.LeftOut(
                    time: Timestamp(seconds: Int64(index)), content: .failure(.init(.movement)), reason: .notABloodPressure))
        }
        #expect(report.leftOutCount == 103)
        #expect(report.leftOut.map { $0.time?.seconds } == (140..<200).map { Int64($0) })
        #expect(HomeReadings.page(report).contains("103 measurements failed"))
    }

    @Test func everyPageOfPaper_SaysWhose_InWordsThatStyleCannotBreak() {
        let page = HomeReadings.page(HomeReadings.report(days: 3, person: "Zoë \"}<b> O'Neil"))
        #expect(page.contains("content:\"Blood pressure · Zo\\eb  \\22 \\7d \\3c b\\3e  O\\27 Neil\""))
        #expect(page.contains("content:\"page \" counter(page) \" of \" counter(pages)"))
        #expect(page.contains("<section class=\"person p0\">"))
    }

    @Test func whatIsAtTheThreshold_IsMarked_AndRemarksAreBesideIt() throws {
        var report = Report(zone: .utc)
        let values = [(120, 80), (140, 80), (120, 90), (150, 95)]
        for (index, (systolic, diastolic)) in values.enumerated() {
            var reading = Reading(.bloodPressure(.mmHg(systolic, diastolic)), driver: "manual", origin: .entered, raw: RawBytes([1]))
            reading.measured = Timestamp(seconds: 1_777_960_800 + Int64(index) * 60)
            if index == 3 {
                var remarks = Remarks()
                try remarks.set(.note, "<cold>")
                reading.remarks = remarks
            }
            report.add(reading, from: HomeReadings.other)
        }
        let page = HomeReadings.page(report)
        for pair in ["<b>120/80", "<b>▲140/80", "<b>120/▲90", "<b>▲150/▲95"] {
            #expect(page.components(separatedBy: pair + "</b>").count == 2, "\(pair)")
        }
        #expect(page.contains("“&lt;cold&gt;”"))
        // All are entered by a person, so the footer says it once.
        #expect(page.components(separatedBy: "typed in").count - 1 == 2 && page.contains("4 as typed in"))
    }

    @Test func noReadings_IsAPageToo() {
        #expect(HomeReadings.page(Report(zone: .utc)).contains("There are no readings"))
    }

    @Test func markup_IsWellFormed() throws {
        // The page is XHTML except for the doctype and the void elements of the head.
        var page = HomeReadings.page(HomeReadings.report(days: 30))
        page = page.replacingOccurrences(of: "<!DOCTYPE html>\n", with: "")
        page = page.replacingOccurrences(of: #"<meta ([^>]*)>"#, with: "<meta $1/>", options: .regularExpression)
        let parser = XMLParserCheck(page)
        #expect(parser.isWellFormed, "\(parser.complaint)")
    }

    /// Pictures of the page: `CUFF_ARTEFACTS=folder swift test --filter pictures`.
    @Test(
        .enabled(
            if: ProcessInfo.processInfo.environment["CUFF_ARTEFACTS"] != nil && FileManager.default.fileExists(atPath: "/usr/bin/chromium"),
            "pictures are for looking at: CUFF_ARTEFACTS=FOLDER, with chromium installed")
    )
    func pictures_AreTaken() throws {
        let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["CUFF_ARTEFACTS"] ?? ".")
        for days in [2, 30, 200] {
            let file = folder.appendingPathComponent("report-\(days).html")
            try HomeReadings.page(HomeReadings.report(days: days)).write(to: file, atomically: false, encoding: .utf8)
            let common = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-pdf-header-footer"]
            for (name, options) in [
                ("light", ["--screenshot=\(folder.path)/report-\(days)-light.png", "--window-size=900,1500"]),
                (
                    "dark",
                    [
                        "--screenshot=\(folder.path)/report-\(days)-dark.png", "--window-size=900,1500",
                        "--blink-settings=preferredColorScheme=0",
                    ]
                ),
                ("narrow", ["--screenshot=\(folder.path)/report-\(days)-narrow.png", "--window-size=500,1500"]),
                ("print", ["--print-to-pdf=\(folder.path)/report-\(days).pdf"]),
            ] {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/chromium")
                process.arguments = common + options + [file.absoluteString]
                process.standardError = FileHandle.nullDevice
                process.standardOutput = FileHandle.nullDevice
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0, "\(name)")
            }
        }
    }
}

/// Well-formedness by `xmllint`, if installed.
struct XMLParserCheck {
    var isWellFormed = true
    var complaint = ""

    init(_ text: String) {
        guard FileManager.default.fileExists(atPath: "/usr/bin/xmllint") else { return }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/xmllint")
        process.arguments = ["--noout", "--nonet", file.path]
        let errors = Pipe()
        process.standardError = errors
        do {
            try text.write(to: file, atomically: false, encoding: .utf8)
            try process.run()
        } catch {
            complaint = "\(error)"
            isWellFormed = false
            return
        }
        complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile().prefix(400), as: UTF8.self)
        process.waitUntilExit()
        isWellFormed = process.terminationStatus == 0
    }
}

@Suite struct RangePlotTests {
    @Test func theReport_KeepsTheLinesOfAPicture() {
        var block = ReportBlock("A day")
        block.plot = "120 | <\n 80 | *\n"
        var text = TextBuffer()
        block.appendMarkup(to: &text)
        #expect(text.string.contains("<pre>120 | &lt;\n 80 | *\n</pre>"))
    }

    private func plot(_ days: Int, _ style: RangePlot.Style) -> [String] {
        var text = TextBuffer()
        RangePlot(HomeReadings.days(days), style: style).append(to: &text)
        return text.string.split(separator: "\n").map(String.init)
    }

    @Test(arguments: [40, 60, 80, 200], [1, 30, 400])
    func theWidth_IsKept(_ width: Int, _ days: Int) {
        for line in plot(days, RangePlot.Style(width: width)).dropLast() { #expect(line.count <= width, "\(line)") }
        #expect(plot(days, RangePlot.Style(width: width, height: 12)).count <= 12 + 4)
    }

    @Test func ascii_IsAscii_AndColourIsOptional() {
        let plain = plot(30, RangePlot.Style(isUnicode: false))
        #expect(plain.joined().utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F })
        let colored = plot(30, RangePlot.Style(isUnicode: false, hasColor: true)).joined(separator: "\n")
        let stripped = colored.replacingOccurrences(of: "\u{1B}\\[[0-9;]*m", with: "", options: .regularExpression)
        #expect(stripped == plain.joined(separator: "\n"))
    }

    /// Two days by hand: 120/80 alone, then 130/70 and 150/90 with the averages 140/80.
    @Test func aSmallPlot_IsThis() {
        var collection = StatisticsCollection(CalendarCut(.day, zone: .utc))
        for (day, systolic, diastolic) in [(0, 120.0, 80.0), (1, 130, 70), (1, 150, 90)] {
            collection.add(
                ReadingPoint(id: .none, time: Timestamp(seconds: Int64(day) * 86400 + 40000), systolic: systolic, diastolic: diastolic))
        }
        var text = TextBuffer()
        RangePlot(collection, style: RangePlot.Style(width: 60, height: 10, isUnicode: false)).append(to: &text)
        #expect(
            text.string == """
                mmHg   1 Jan 1970 - 2 Jan 1970, UTC, 3 readings
                     |        |
                 140 +        S
                     |........|...
                 120 +  S
                     |
                 100 +
                     |        :
                  80 +..d.....d...
                     |        :
                     +--+---------
                        1 Jan
                      |S systolic range and average   :d diastolic
                      . 135/85 at home   esc-2024: guideline's text

                """)
    }

    @Test func nothing_SaysSo() {
        var text = TextBuffer()
        RangePlot(StatisticsCollection(CalendarCut(.day, zone: .utc))).append(to: &text)
        #expect(text.string == "no readings to draw\n")
    }

    @Test func theStatisticsTable_IsAligned_AndItsLinesAreObjects() throws {
        var collection = StatisticsCollection(CalendarCut(.day, zone: BucketingTests.berlin), options: [.bySource, .readings])
        let rule = InclusionRule(zone: BucketingTests.berlin)
        for (index, (reading, _)) in HomeReadings.make(days: 12).enumerated() {
            if case .counts(let point) = rule.verdict(on: reading) { collection.add(point, source: index % 2) }
        }
        collection.exclude(.implausible)
        let table = StatisticsTable(sources: [HomeReadings.cuff, HomeReadings.other])
        var text = TextBuffer()
        table.appendTable(collection, to: &text)
        let rows = text.string.split(separator: "\n")
        #expect(Set(rows.dropLast().map(\.count)).count == 1)
        #expect(rows.last == "zone Europe/Berlin; 1 left out: the values are outside what an arm can have")
        text.removeAll()
        table.appendLines(collection, to: &text)
        for line in text.string.split(separator: "\n") {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["type"] as? String == "statistics")
            let systolic = try #require(object["systolic_mmHg"] as? [String: Any])
            let (low, average, high) = (systolic["min"] as? Double ?? 0, systolic["avg"] as? Double ?? 0, systolic["max"] as? Double ?? 0)
            #expect(low <= average && average <= high)
            #expect((systolic["min_id"] as? String)?.count == 32)
        }
    }
}
