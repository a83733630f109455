import CuffCore
import Testing

@testable import CuffClinical

@Suite struct BucketingTests {
    static let berlin = ZoneTable(rule: "CET-1CEST,M3.5.0,M10.5.0/3", name: "Europe/Berlin") ?? .utc
    static let newYork = ZoneTable(rule: "EST5EDT,M3.2.0,M11.1.0", name: "America/New_York") ?? .utc

    private func instant(_ text: String) -> Int64 { Timestamp.parse(text)?.time.seconds ?? .min }

    @Test func days_OfAChange_AreLongerAndShorter() throws {
        let cut = CalendarCut(.day, zone: Self.berlin)
        func hours(_ text: String) throws -> Int64 {
            let day = try #require(cut.interval(of: cut.key(at: Timestamp(seconds: instant(text)))))
            return (day.upperBound.seconds - day.lowerBound.seconds) / 3600
        }
        #expect(try hours("2026-03-29T12:00:00Z") == 23)
        #expect(try hours("2026-10-25T12:00:00Z") == 25)
        #expect(try hours("2026-10-26T12:00:00Z") == 24)
    }

    @Test(arguments: [
        (Bucketing.day, "2026-05-05"), (.week, "2026-W19"), (.month, "2026-05"), (.hour, "2026-05-05T07:00+02:00"), (.daypart, "morning"),
        (.hourOfDay, "07"),
    ])
    func labels_ReadWell(_ bucketing: Bucketing, _ expected: String) {
        let cut = CalendarCut(bucketing, zone: Self.berlin)
        #expect(cut.label(of: cut.key(at: Timestamp(seconds: instant("2026-05-05T07:33:00+02:00")))) == expected)
    }

    @Test func weeks_BelongToTheYearOfTheirThursday() {
        let cut = CalendarCut(.week, zone: .utc)
        for (day, label) in [
            ("2027-01-03", "2026-W53"), ("2027-01-04", "2027-W01"), ("2024-12-30", "2025-W01"), ("2021-01-03", "2020-W53"),
            ("1969-12-29", "1970-W01"),
        ] {
            #expect(cut.label(of: cut.key(at: Timestamp(seconds: instant("\(day)T12:00:00Z")))) == label)
        }
    }

    @Test(arguments: Bucketing.named.filter { $0 != .daypart && $0 != .hourOfDay })
    func everyInstant_LiesInItsBucket(_ bucketing: Bucketing) throws {
        for zone in [Self.berlin, Self.newYork, try #require(ZoneTable(rule: "LHST-10:30LHDT-11,M10.1.0,M4.1.0"))] {
            let cut = CalendarCut(bucketing, zone: zone)
            for start in [
                "2026-03-08T05:00:00Z", "2026-03-28T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-03T12:00:00Z", "2026-04-04T12:00:00Z",
            ] {
                for minute in stride(from: Int64(0), to: 600, by: 29) {
                    let time = Timestamp(seconds: instant(start) + minute * 60)
                    let interval = try #require(cut.interval(of: cut.key(at: time)))
                    #expect(interval.contains(time))
                    #expect(cut.key(at: interval.lowerBound) == cut.key(at: time))
                    #expect(cut.key(at: Timestamp(milliseconds: interval.upperBound.milliseconds - 1)) == cut.key(at: time))
                    #expect(cut.key(at: interval.upperBound) > cut.key(at: time))
                }
            }
        }
    }

    @Test func theRepeatedHour_IsTwoBuckets() {
        let cut = CalendarCut(.hour, zone: Self.berlin)
        let first = cut.key(at: Timestamp(seconds: instant("2026-10-25T02:30:00+02:00")))
        let second = cut.key(at: Timestamp(seconds: instant("2026-10-25T02:30:00+01:00")))
        #expect(cut.label(of: first) == "2026-10-25T02:00+02:00")
        #expect(cut.label(of: second) == "2026-10-25T02:00+01:00")
    }

    @Test func dayParts_CutTheDay() {
        #expect(DayPart(hour: 5) == .night)
        #expect(DayPart(hour: 6) == .morning)
        #expect(DayPart(hour: 17) == .afternoon)
        #expect(DayPart(hour: 21) == .evening)
        #expect(DayPart(hour: 22) == .night)
    }

    @Test func intervals_BeginAtTheirAnchor() throws {
        let cut = try #require(CalendarCut(every: 6 * 3600, anchor: 7 * 3600, zone: Self.berlin))
        func label(_ text: String) -> String { cut.label(of: cut.key(at: Timestamp(seconds: instant(text)))) }
        #expect(label("2026-05-05T07:00:00+02:00") == "2026-05-05T07:00+02:00")
        #expect(label("2026-05-05T06:59:59+02:00") == "2026-05-05T01:00+02:00")
        #expect(label("2026-05-05T00:30:00+02:00") == "2026-05-04T19:00+02:00")
        func hours(_ text: String) throws -> Int64 {
            let bounds = try #require(cut.interval(of: cut.key(at: Timestamp(seconds: instant(text)))))
            return (bounds.upperBound.seconds - bounds.lowerBound.seconds) / 3600
        }
        // 01:00 to 07:00 in the nights of the changes.
        #expect(try hours("2026-03-29T04:00:00+02:00") == 5)
        #expect(try hours("2026-10-25T02:30:00+01:00") == 7 && hours("2026-10-25T02:30:00+02:00") == 7)
        #expect(try hours("2026-10-26T02:30:00+01:00") == 6)
        let tenDays = try #require(
            CalendarCut(every: 10 * 86400, anchor: DeviceTime.daysSince1970(year: 2026, month: 5, day: 4) * 86400, zone: Self.berlin))
        #expect(tenDays.label(of: tenDays.key(at: Timestamp(seconds: instant("2026-05-13T23:59:59+02:00")))) == "2026-05-04")
        #expect(tenDays.label(of: tenDays.key(at: Timestamp(seconds: instant("2026-05-14T00:00:00+02:00")))) == "2026-05-14")
        #expect(CalendarCut(every: 59, anchor: 0, zone: .utc) == nil && CalendarCut(every: .max, anchor: 0, zone: .utc) == nil)
    }

    /// Even if an hour is repeated or skipped, each instant is in one interval, without gaps.
    @Test(arguments: [600, 1800, 2700, 7200, 18_000]) func intervals_HaveNoGapAtAChange(_ length: Int64) throws {
        let cut = try #require(CalendarCut(every: length, anchor: 0, zone: Self.berlin))
        for change in ["2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z"] {
            var latest: (key: Int64, end: Timestamp)?
            for minute in -300..<300 {
                let time = Timestamp(seconds: instant(change) + Int64(minute) * 60)
                let key = cut.key(at: time)
                let bounds = try #require(cut.interval(of: key))
                #expect(bounds.contains(time), "\(time.utcText) \(length)")
                if let latest, latest.key != key { #expect(key > latest.key && bounds.lowerBound == latest.end) }
                latest = (key, bounds.upperBound)
            }
        }
    }

    @Test func aRange_IsOneBucket() {
        let (since, until) = (
            Timestamp(seconds: instant("2026-05-04T00:00:00+02:00")), Timestamp(seconds: instant("2026-05-11T00:00:00+02:00"))
        )
        let cut = CalendarCut(since: since, until: until, zone: Self.berlin)
        #expect(cut.key(at: since) == cut.key(at: until) && cut.interval(of: 0) == since..<until)
        #expect(cut.label(of: 0) == "2026-05-04T00:00+02:00/2026-05-11T00:00+02:00")
    }
}
