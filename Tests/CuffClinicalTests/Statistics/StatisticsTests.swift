import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffClinical

/// 1,500 readings, or 100,000, over three years from three devices, reproducible.
private enum Generated {
    static let start = Timestamp(seconds: 1_704_063_600)  // 2024-01-01T00:00:00+01:00
    static let points: [(point: ReadingPoint, source: Int)] = {
        var random = SplitMix64(seed: 2026)
        func draw(_ range: UInt64) -> Double { Double(random.next() % range) }
        let triggers: [Reading.Trigger] = [.manual, .automatic, .unknown]
        return (0..<Effort.choose(1_500, exhaustive: 100_000)).map { index in
            let milliseconds = start.milliseconds + Int64(random.next() % (3 * 365 * 86400)) * 1000
            let diastolic = 55 + draw(50)
            let systolic = diastolic + 25 + draw(60)
            // Every fourth in tenths, as finer cuffs send.
            let tenth = index % 4 == 0 ? draw(10) / 10 : 0
            let id = Reading.ID(wallSeconds: milliseconds / 1000, hash: random.next())
            let point = ReadingPoint(
                id: id, time: Timestamp(milliseconds: milliseconds), systolic: systolic + tenth, diastolic: diastolic,
                mean: index % 3 == 0 ? diastolic + draw(20) : nil, pulse: index % 7 == 0 ? nil : 45 + draw(80),
                trigger: triggers[Int(random.next() % 3)])
            return (point, index % 3)
        }.sorted { ReadingPoint.isEarlier($0.point, $1.point) }
    }()

    /// The weeks around the time changes of 2024, for the finest cut.
    static let aroundChanges = points.filter { point, _ in
        [1_708_988_400...1_712_275_200, 1_729_382_400...1_731_024_000].contains { $0.contains(point.time.seconds) }
    }

    static let allText = text(points)

    static func text(_ points: [(point: ReadingPoint, source: Int)]) -> String {
        var lines = ""
        for (point, source) in points {
            let mean = point.mean.map { "\($0)" } ?? "-"
            let pulse = point.pulse.map { "\($0)" } ?? "-"
            lines +=
                "\(point.time.milliseconds) \(point.systolic) \(point.diastolic) \(mean) \(pulse) \(source) \(point.trigger.word?.description ?? "-") \(name(point.id))\n"
        }
        return lines
    }

    static func name(_ id: Reading.ID) -> String {
        var text = TextBuffer(capacity: 40)
        text.append(id)
        return text.string
    }
}

@Suite struct StatisticsTests {
    static let hasPython = FileManager.default.fileExists(atPath: "/usr/bin/python3")

    private func zone(_ name: String) -> ZoneTable {
        name == "Europe/Berlin" ? BucketingTests.berlin : BucketingTests.newYork
    }

    private func oracle(_ points: [(point: ReadingPoint, source: Int)], _ zone: String, _ bucketing: Bucketing) throws -> [String: [String]]
    {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("statistics_oracle.py")
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-statistics-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let input = folder.appendingPathComponent("readings")
        try (points.count == Generated.points.count ? Generated.allText : Generated.text(points)).write(
            to: input, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [script.path, zone, bucketing.rawValue]
        process.standardInput = try FileHandle(forReadingFrom: input)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").map { line in
                let fields = line.split(separator: " ").map(String.init)
                return (fields[0] + " " + fields[1], Array(fields.dropFirst(2)))
            })
    }

    private func fields(_ statistics: ReadingStatistics) -> [String] {
        var fields = ["\(statistics.count)", "\(statistics.manualCount)", "\(statistics.automaticCount)"]
        for quantity in [statistics.systolic, statistics.diastolic, statistics.mean, statistics.pulse] {
            guard let low = quantity.minimum, let high = quantity.maximum, let last = quantity.mostRecent else {
                fields.append("0")
                continue
            }
            fields += [
                "\(quantity.count)", "\(low.value)", Generated.name(low.reading), "\(high.value)", Generated.name(high.reading),
                "\(quantity.average() ?? .nan)", "\(quantity.average(.discreteTemporallyWeighted) ?? .nan)",
                quantity.standardDeviation.map { "\($0)" } ?? "-", Generated.name(last.reading),
            ]
        }
        return fields
    }

    /// Equal as numbers to one part in 10^9, others literally.
    private func agree(_ a: [String], _ b: [String]) -> Bool {
        a.count == b.count
            && zip(a, b).allSatisfy { a, b in
                if a == b { return true }
                guard let a = Double(a), let b = Double(b) else { return false }
                return abs(a - b) <= 1e-9 * max(1, abs(b))
            }
    }

    @Test(
        .enabled(if: hasPython, "python3 is not there to compute with"),
        arguments: ["Europe/Berlin", "America/New_York"], Bucketing.named)
    func statistics_AgreeWithPython(_ zoneName: String, _ bucketing: Bucketing) throws {
        var collection = StatisticsCollection(CalendarCut(bucketing, zone: zone(zoneName)), options: .bySource)
        let points = bucketing == .hour ? Generated.aroundChanges : Generated.points
        for (point, source) in points { collection.add(point, source: source) }
        var own: [String: [String]] = [:]
        for bucket in collection.buckets {
            let label = collection.cut.label(of: bucket.key)
            own[label + " -1"] = fields(bucket.merged)
            for (source, statistics) in bucket.sources { own["\(label) \(source)"] = fields(statistics) }
        }
        let other = try oracle(points, zoneName, bucketing)
        #expect(Set(own.keys) == Set(other.keys))
        let wrong = other.filter { !agree(own[$0.key] ?? [], $0.value) }.keys.sorted()
        #expect(
            wrong.isEmpty,
            "\(wrong.count) of \(other.count), e.g. \(wrong.prefix(1).map { "\($0): \(own[$0] ?? []) instead of \(other[$0] ?? [])" })")
    }

    /// An independent, simple implementation: boundaries by the rules of the European Union, lists instead of streams.
    @Test func days_AgreeWithAPlainSecondWay() {
        func lastSunday(_ month: Int, _ year: Int) -> Int64 {
            (25...31).map { DeviceTime.daysSince1970(year: year, month: month, day: $0) }.first { ($0 + 4) % 7 == 0 } ?? 0
        }
        let summers = (2024...2026).map { lastSunday(3, $0) * 86400 + 3600..<lastSunday(10, $0) * 86400 + 3600 }
        func berlinOffset(_ seconds: Int64) -> Int64 { summers.contains { $0.contains(seconds) } ? 7200 : 3600 }
        let days = Dictionary(grouping: Generated.points) { ($0.point.time.seconds + berlinOffset($0.point.time.seconds)) / 86400 }
        var collection = StatisticsCollection(CalendarCut(.day, zone: BucketingTests.berlin))
        for (point, _) in Generated.points { collection.add(point) }
        #expect(collection.buckets.map(\.key) == days.keys.sorted())
        for bucket in collection.buckets {
            let values = (days[bucket.key] ?? []).map(\.point.systolic)
            #expect(bucket.merged.count == values.count)
            #expect(bucket.merged.systolic.minimum?.value == values.min())
            #expect(bucket.merged.systolic.maximum?.value == values.max())
            #expect(abs((bucket.merged.systolic.average() ?? 0) - values.reduce(0, +) / Double(values.count)) < 1e-9)
        }
    }

    @Test func anyOrder_GivesTheSame_SaveTheWeightedAverage() {
        let cut = CalendarCut(.month, zone: BucketingTests.berlin)
        var forwards = StatisticsCollection(cut)
        var backwards = StatisticsCollection(cut)
        for (point, _) in Generated.points { forwards.add(point) }
        for (point, _) in Generated.points.reversed() { backwards.add(point) }
        for (a, b) in zip(forwards.buckets, backwards.buckets) {
            #expect(a.key == b.key)
            #expect(a.merged.systolic.minimum == b.merged.systolic.minimum)
            #expect(a.merged.systolic.maximum == b.merged.systolic.maximum)
            #expect(a.merged.systolic.mostRecent == b.merged.systolic.mostRecent)
            #expect(abs((a.merged.systolic.average() ?? 0) - (b.merged.systolic.average() ?? 1)) < 1e-9)
            #expect(b.merged.systolic.average(.discreteTemporallyWeighted) == nil)
        }
    }

    @Test func listedReadings_AreApartAndAscending() {
        var collection = StatisticsCollection(CalendarCut(.day, zone: BucketingTests.berlin), options: .readings)
        for (point, _) in Generated.points.shuffled() { collection.add(point) }
        for bucket in collection.buckets {
            for list in [bucket.manual, bucket.automatic, bucket.unknownTrigger] {
                #expect(zip(list, list.dropFirst()).allSatisfy(ReadingPoint.isEarlier))
            }
            #expect(bucket.manual.count == bucket.merged.manualCount)
            #expect(bucket.automatic.count == bucket.merged.automaticCount)
            #expect(bucket.manual.count + bucket.automatic.count + bucket.unknownTrigger.count == bucket.merged.count)
            #expect(bucket.manual.allSatisfy { $0.trigger == .manual })
        }
    }

    @Test func aWeightedAverage_CountsHowLongAValueHolds() {
        var quantity = QuantityStatistics()
        for (seconds, value) in [(0, 100.0), (60, 100), (120, 160)] {
            quantity.add(DatedValue(value, at: Timestamp(seconds: Int64(seconds)), from: .none))
        }
        #expect(quantity.average() == 120)
        #expect(quantity.average(.discreteTemporallyWeighted) == 115)
        #expect(quantity.average(.cumulative) == nil)
        #expect(quantity.sum == 360)
        #expect(QuantityStatistics().average() == nil)
    }

    /// Two measurements of two values each, an hour apart: the hour has no weight.
    @Test func aWeightedAverageWithinReadings_LeavesOutTheTimeBetweenThem() {
        let ids = [Reading.ID(wallSeconds: 0, hash: 1), Reading.ID(wallSeconds: 3600, hash: 2)]
        var (within, across) = (QuantityStatistics(), QuantityStatistics())
        for (seconds, value, id) in [(0, 100.0, 0), (10, 200, 0), (3600, 20, 1), (3610, 40, 1)] {
            let point = DatedValue(value, at: Timestamp(seconds: Int64(seconds)), from: ids[id])
            within.add(point, withinReading: true)
            across.add(point)
        }
        #expect(within.average(.discreteTemporallyWeighted) == 90)
        #expect(across.average(.discreteTemporallyWeighted) == 396_700.0 / 3610)
    }

    @Test(arguments: [
        (MeasurementFlags.implausible, Exclusion?.some(.implausible)), (.invalid, .invalid), (.testData, .notAPatient),
        (.ongoing, .provisional),
        (.bodyMovement, nil), (.irregularPulse, nil), (.noMeasurementCheck, nil),
    ])
    func flags_DecideWhatCounts(_ flags: MeasurementFlags, _ expected: Exclusion?) {
        var reading = Reading(.bloodPressure(.mmHg(120, 80)), driver: "x", flags: flags, origin: .push, raw: RawBytes([]))
        reading.received = Timestamp(seconds: 5)
        switch InclusionRule(zone: .utc).verdict(on: reading) {
        case .counts(let point): #expect(expected == nil && point.time.seconds == 5)
        case .excluded(let reason): #expect(reason == expected)
        }
    }

    @Test func aMemoryRecordWithoutATime_DoesNotCount() {
        var reading = Reading(.bloodPressure(.mmHg(120, 80)), driver: "x", clock: .unset, origin: .memory, raw: RawBytes([]))
        reading.received = Timestamp(seconds: 5)
        #expect(InclusionRule(zone: .utc).verdict(on: reading) == .excluded(.timeUnknown))
        reading.clock = .time(DeviceTime(year: 1970, month: 1, day: 1, hour: 1, minute: 0))
        guard case .counts(let point) = InclusionRule(zone: BucketingTests.berlin).verdict(on: reading) else {
            Issue.record("it has a time")
            return
        }
        #expect(point.time.seconds == 0)
        let moved = Reading(.bloodPressure(.mmHg(120, 80)), driver: "x", flags: .bodyMovement, origin: .push, raw: RawBytes([]))
        #expect(InclusionRule(zone: .utc, excludesDisturbed: true).verdict(on: moved) == .excluded(.disturbed))
    }
}
