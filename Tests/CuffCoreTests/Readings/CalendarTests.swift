import CuffCore
import Foundation
import Testing

@Suite struct CalendarTests {
    static let berlin = ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", name: "Europe/Berlin") ?? .utc
    static let newYork = ZoneTable(rule: "EST5EDT,M3.2.0,M11.1.0", name: "America/New_York") ?? .utc

    private func instant(_ text: String) -> Int64 { Timestamp.parse(text)?.time.seconds ?? .min }

    @Test func rules_GiveTheOffsetsOfTheirYear() {
        #expect(Self.berlin.offset(at: instant("2026-03-29T00:59:59Z")) == 3600)
        #expect(Self.berlin.offset(at: instant("2026-03-29T01:00:00Z")) == 7200)
        #expect(Self.berlin.offset(at: instant("2026-10-25T00:59:59Z")) == 7200)
        #expect(Self.berlin.offset(at: instant("2026-10-25T01:00:00Z")) == 3600)
        #expect(Self.newYork.offset(at: instant("2026-03-08T06:59:59Z")) == -18000)
        #expect(Self.newYork.offset(at: instant("2026-03-08T07:00:00Z")) == -14400)
        #expect(ZoneTable(rule: "<+0530>-5:30")?.offset(at: 0) == 19800)
        // Southern summer begins late in the year.
        #expect(ZoneTable(rule: "AEST-10AEDT,M10.1.0,M4.1.0/3")?.offset(at: instant("2026-01-15T00:00:00Z")) == 39600)
    }

    @Test(arguments: ["", "CE-1", "CET", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "CET-200"])
    func brokenRules_AreNotZones(_ text: String) {
        #expect(ZoneTable(rule: text) == nil)
    }

    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Kolkata", "America/Sao_Paulo",
        "Africa/Casablanca", "UTC",
    ])
    func zoneFiles_AgreeWithTheSystem(_ name: String) throws {
        let url = URL(fileURLWithPath: "/usr/share/zoneinfo/\(name)")
        try #require(FileManager.default.fileExists(atPath: url.path), "this machine has no time zone data")
        let bytes = try Array(Data(contentsOf: url))
        let zone = try #require(ZoneTable(tzif: bytes, name: name))
        let system = try #require(TimeZone(identifier: name))
        var random = SplitMix64(seed: 11)
        let instants = (0..<2000).map { _ in Int64(random.next() % 3_000_000_000) }
        let wrong = instants.filter { zone.offset(at: $0) != system.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
        #expect(wrong.isEmpty)
        for cut in stride(from: 0, to: bytes.count, by: 7) { _ = ZoneTable(tzif: Array(bytes[..<cut]), name: name) }
    }

    @Test func zoneFiles_ThatAreDamaged_NeverTrap() {
        var random = SplitMix64(seed: 5)
        for length in 0..<600 {
            var bytes = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
            for _ in 0..<length { bytes.append(UInt8(truncatingIfNeeded: random.next()) & 3) }
            _ = ZoneTable(tzif: bytes, name: "x")
        }
        #expect(ZoneTable(tzif: Array("no zone".utf8), name: "x") == nil)
    }

    @Test func wallTimes_ThatComeTwiceOrNever_HaveOneInstant() {
        let twice = DeviceTime(year: 2026, month: 10, day: 25, hour: 2, minute: 30).wallSeconds
        #expect(Self.berlin.instant(ofWall: twice) == instant("2026-10-25T02:30:00+02:00"))
        let never = DeviceTime(year: 2026, month: 3, day: 29, hour: 2, minute: 30).wallSeconds
        #expect(Self.berlin.instant(ofWall: never) == instant("2026-03-29T01:30:00Z"))
        #expect(Self.berlin.firstInstant(fromWall: never) == instant("2026-03-29T01:00:00Z"))
        #expect(Self.berlin.instant(ofWall: 0) == -3600)
    }

    @Test(arguments: [
        ("2026-05-05T05:40:00.120Z", 1_777_959_600_120 as Int64?, 0 as Int16), ("2026-05-05T07:40:00+02:00", 1_777_959_600_000, 120),
        ("2026-05-05T02:10:00-03:30", 1_777_959_600_000, -210), ("2026-05-05T07:40:00", nil, 0), ("2026-05-05T07:40:00+0200", nil, 0),
        ("2026-02-30T07:40:00Z", nil, 0), ("2026-05-05T07:40:00Zx", nil, 0), ("2026-05-05T07:40:00.Z", nil, 0), ("", nil, 0),
        ("2026-05-05", nil, 0),
    ])
    func instants_AreReadBack(_ text: String, _ milliseconds: Int64?, _ offset: Int16) {
        let parsed = Timestamp.parse(text)
        #expect(parsed?.time.milliseconds == milliseconds)
        if milliseconds != nil { #expect(parsed?.offset == offset) }
    }

    @Test(arguments: ["2026-05-05", "2026-05-05T07:31", "2026-05-05T07:31:10", "2026-05-05T07:31:10.50"])
    func deviceTimes_AreReadBack(_ text: String) throws {
        var printed = TextBuffer()
        printed.append(try #require(DeviceTime.parse(text)))
        #expect(printed.string == text)
    }
}
