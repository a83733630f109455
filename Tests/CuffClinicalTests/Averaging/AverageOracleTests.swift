import CuffCore
import Foundation
import TestSupport
import Testing

@testable import CuffClinical

/// 4,000 readings of more than forty persons, or 100,000, reproducible: plans of eight to twelve days, many across a time change;
/// sessions of one to four readings at any hour, also over midnight, with pauses of ten minutes and slightly more; invalid
/// readings, averages of cuffs with their inflations, readings without a time.
private enum Plans {
    static let count = Effort.choose(4_000, exhaustive: 100_000)
    static let changes: [Int64] = [1_711_846_800, 1_729_990_800, 1_710_054_000, 1_730_613_600]

    static let readings: [HomeReading] = {
        var random = SplitMix64(seed: 19)
        func draw(_ bound: UInt64) -> Int64 { Int64(random.next() % bound) }
        let remarks: [MeasurementFlags] = [
            [.invalid], [.testData], [.averaged], [.averaged], [.irregularPulse], [.implausible], [.ongoing],
            [.questionable, .bodyMovement],
            [.notAvailable, .averaged], [.demoData], [.calibrationOngoing], [.earlyIndication],
        ]
        var found: [HomeReading] = []
        var user = 0
        while found.count < count {
            user += 1
            let start = changes[Int(draw(4))] - 86400 * draw(9) + (draw(3) == 0 ? 86400 * draw(300) : 0)
            for day in 0..<(8 + draw(5)) {
                for _ in 0..<draw(5) {
                    // More often near midnight and the ends of the windows.
                    let hour = [0, 2, 3, 4, 7, 8, 11, 12, 15, 16, 20, 21, 22, 23][Int(draw(14))]
                    var milliseconds = (start + day * 86400 + Int64(hour) * 3600 + draw(3600)) * 1000 + (draw(4) == 0 ? draw(1000) : 0)
                    for _ in 0..<(1 + draw(4)) {
                        let flags = draw(5) == 0 ? remarks[Int(draw(UInt64(remarks.count)))] : []
                        let time = draw(100) == 0 ? nil : Timestamp(milliseconds: milliseconds)
                        let diastolic = 60 + draw(45)
                        var reading = HomeReading(
                            time: time, systolic: Double(diastolic + 20 + draw(60)) + Double(draw(10) == 0 ? draw(10) : 0) / 10,
                            diastolic: Double(diastolic), flags: flags, person: .unnamed(slot: user, cuff: "x"))
                        reading.exclusion = InclusionRule(zone: .utc).reason(flags) ?? (time == nil ? .timeUnknown : nil)
                        found.append(reading)
                        milliseconds += [60_000, 90_000, 120_000, 599_999, 600_000, 600_001, 0][Int(draw(7))]
                    }
                }
            }
        }
        return found.sorted { ($0.time?.milliseconds ?? 0) < ($1.time?.milliseconds ?? 0) }
    }()

    static let text = readings.map { one in
        let time = one.time.map { "\($0.milliseconds)" } ?? "-"
        let flags = one.flags.isEmpty ? "-" : one.flags.text(separator: ",")
        return "\(time) \(one.systolic) \(one.diastolic) \(flags) \(one.person.slot ?? 0)\n"
    }.joined()
}

@Suite struct AverageOracleTests {
    static let hasPython = FileManager.default.fileExists(atPath: "/usr/bin/python3")

    @Test(.enabled(if: hasPython, "there is no /usr/bin/python3"), arguments: ["Europe/Berlin", "America/New_York"])
    func rules_AreWhatPythonComputes(_ name: String) throws {
        let expected = try Oracle.lines("average_oracle.py", [name], input: Plans.text)
        let zone = name == "Europe/Berlin" ? BucketingTests.berlin : BucketingTests.newYork
        var found: [String: [String]] = [:]
        for rule in AveragingRule.all {
            var averages = HomeAverages(rule, zone: zone)
            for reading in Plans.readings { averages.add(reading) }
            averages.finish()
            for (owner, average) in averages.each { found["\(rule.name) \(owner.person.slot ?? 0)"] = Self.fields(average) }
        }
        #expect(expected.count == found.count && expected.count > AveragingRule.all.count * Plans.count / 100)
        var differing = 0
        for line in expected {
            let cells = line.split(separator: " ").map(String.init)
            let own = try #require(found["\(cells[0]) \(cells[1])"], "\(cells[0]) \(cells[1])")
            let isSame = own.dropLast() == cells.dropFirst(2).dropLast() && Self.isNear(own.last, cells.last)
            if !isSame { differing += 1 }
            if !isSame, differing < 4 { Issue.record("\(line)\n\(own)") }
        }
        #expect(differing == 0)
    }

    private static func isNear(_ own: String?, _ other: String?) -> Bool {
        guard let own, let other, let first = Double(own), let second = Double(other) else { return own == other }
        return (first - second).magnitude < 1e-9
    }

    private static func fields(_ average: ProtocolAverage) -> [String] {
        let few = average.shortfalls.map { "\($0.measure):\($0.found)/\($0.least)" }
        let left = average.leftOut.map { "\($0.key.word):\($0.value)" }.sorted()
        var fields = [
            "\(average.all.count)", "\(average.readingsMeasured)", "\(average.days.count)", "\(average.daysMeasured)",
            "\(average.sessions)", "\(average.singleSessions)",
            few.isEmpty ? "-" : few.joined(separator: ","), left.isEmpty ? "-" : left.joined(separator: ","),
        ]
        for sums: PressureMean in [average.all, average.morning, average.evening] {
            fields += ["\(sums.count)", sums.systolic?.text ?? "-", sums.diastolic?.text ?? "-"]
        }
        let differing = average.dayToDay?.systolic
        return fields + [differing?.averageReal?.text ?? "-", differing.map { "\($0.standardDeviation)" } ?? "-"]
    }
}

enum Oracle {
    static func lines(_ script: String, _ arguments: [String], input: String) throws -> [String] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(script).path
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cuff-oracle-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("input")
        try input.write(to: file, atomically: false, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [path] + arguments
        process.standardInput = try FileHandle(forReadingFrom: file)
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return text.split(separator: "\n").map(String.init)
    }
}
