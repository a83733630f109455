import CuffClinical
import CuffCore
import Testing

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

    @Test(arguments: Bucketing.allCases.filter(\.isInterval))
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
        #expect(DayParts.usual.part(ofHour: 5) == .night)
        #expect(DayParts.usual.part(ofHour: 6) == .morning)
        #expect(DayParts.usual.part(ofHour: 17) == .afternoon)
        #expect(DayParts.usual.part(ofHour: 21) == .evening)
        #expect(DayParts.usual.part(ofHour: 22) == .night)
        #expect(DayParts(morning: 12, afternoon: 6, evening: 18, night: 22) == nil)
        #expect(DayParts.usual.hours(of: .night) == (22, 6))
    }
}
