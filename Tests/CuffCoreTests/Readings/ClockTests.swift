import Testing

@testable import CuffCore

/// One rule places the cuff's time of a reading, everywhere.
@Suite struct ClockTests {
    private static func instant(_ text: String) -> Timestamp {
        guard let parsed = Timestamp.parse(text) else {
            Issue.record("\(text) is no instant")
            return Timestamp(milliseconds: 0)
        }
        return parsed.time
    }
    private static func wall(_ text: String) -> DeviceTime { DeviceTime.parse(text) ?? DeviceTime(year: 0, month: 0, day: 0) }

    private static func reading(_ text: String) -> Reading {
        Reading(
            .bloodPressure(.mmHg(120, 80)), driver: "and-std", clock: DeviceClock(wall(text)), origin: .memory, raw: RawBytes([1]))
    }

    /// PEP 495, fold=0: the first of two; a time that does not exist is read with the offset before the change.
    @Test(arguments: [
        (CalendarTests.berlin, "2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
        (CalendarTests.berlin, "2026-10-25T02:00", "2026-10-25T00:00:00Z"),
        (CalendarTests.berlin, "2026-10-25T02:59:59", "2026-10-25T00:59:59Z"),
        (CalendarTests.berlin, "2026-10-25T03:00", "2026-10-25T02:00:00Z"),
        (CalendarTests.berlin, "2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
        (CalendarTests.berlin, "2026-03-29T02:00", "2026-03-29T01:00:00Z"),
        (CalendarTests.berlin, "2026-03-29T02:30", "2026-03-29T01:30:00Z"),
        (CalendarTests.berlin, "2026-03-29T03:00", "2026-03-29T01:00:00Z"),
        (CalendarTests.newYork, "2026-11-01T01:30", "2026-11-01T05:30:00Z"),
        (CalendarTests.newYork, "2026-11-01T02:00", "2026-11-01T07:00:00Z"),
        (CalendarTests.newYork, "2026-03-08T02:30", "2026-03-08T07:30:00Z"),
        (CalendarTests.newYork, "2026-03-08T03:30", "2026-03-08T07:30:00Z"),
    ])
    func repeatedAndMissingHours_AreTheSameLiveAndInStatistics(_ zone: ZoneTable, _ text: String, _ expected: String) {
        var reading = Self.reading(text)
        #expect(reading.bestTime(in: zone) == Self.instant(expected))
        #expect(TimeWords.instant(text, now: Timestamp(seconds: 0), zone: zone) == Self.instant(expected))
        ClockCorrection(zone: zone).apply(to: &reading)
        #expect(reading.measured == Self.instant(expected))
        #expect(reading.rule == .deviceTime)
        #expect(Int(reading.measuredOffset) == zone.offset(at: Self.instant(expected).seconds) / 60)
    }

    /// 2026-05-05 was a Tuesday; 12:00 in Berlin is 10:00 UTC.
    @Test(arguments: [
        ("21:00", "2026-05-05T19:00:00Z"), ("7:12", "2026-05-05T05:12:00Z"), ("today 7:12", "2026-05-05T05:12:00Z"),
        ("yesterday 21:00", "2026-05-04T19:00:00Z"), ("Yesterday 00:00", "2026-05-03T22:00:00Z"), ("monday 8:00", "2026-05-04T06:00:00Z"),
        ("wednesday 8:00", "2026-04-29T06:00:00Z"), ("2026-05-01 7:30", "2026-05-01T05:30:00Z"), ("yesterday", "2026-05-03T22:00:00Z"),
        ("2026-05-01T07:30+03:00", "2026-05-01T04:30:00Z"), ("2026-05-01T07:30Z", "2026-05-01T07:30:00Z"),
    ])
    func aTimeOfDay_MayFollowADay(_ text: String, _ expected: String) {
        let now = Self.instant("2026-05-05T10:00:00Z")
        #expect(TimeWords.instant(text, now: now, zone: CalendarTests.berlin) == Self.instant(expected))
    }

    @Test(arguments: [
        "2026-05-01+02:00", "2026-05-01T07:30+0", "21:60", "24:00", "yesterday 24:00", "21", "someday 8:00", "today 8:00 9:00",
        "yesterday8:00", "2026-13-01 7:30",
    ])
    func otherTimes_AreRefused(_ text: String) {
        let now = Self.instant("2026-05-05T10:00:00Z")
        #expect(TimeWords.instant(text, now: now, zone: CalendarTests.berlin) == nil)
    }

    /// A missing hour keeps its order and its distances.
    @Test func aMissingHour_KeepsItsOrder() {
        let times = ["2026-03-29T02:05", "2026-03-29T02:20", "2026-03-29T02:50"]
            .map { Self.reading($0).bestTime(in: CalendarTests.berlin)?.seconds ?? 0 }
        #expect(times == times.sorted())
        #expect(zip(times, times.dropFirst()).map { $1 - $0 } == [900, 1800])
    }

    private static func corrected(_ shown: String, at now: String, _ text: String) -> Reading {
        var correction = ClockCorrection(zone: CalendarTests.berlin)
        correction.compare(wall(shown), at: instant(now))
        var reading = reading(text)
        correction.apply(to: &reading)
        return reading
    }

    /// Read in July: a clock set by the wall clock is equally slow in January.
    @Test func aSlowClock_IsSlowInWinterToo() {
        let winter = Self.corrected("2026-07-10T11:50:00", at: "2026-07-10T12:00:00+02:00", "2026-01-15T08:00:00")
        #expect(winter.measured == Self.instant("2026-01-15T08:10:00+01:00"))
        #expect(winter.measuredOffset == 60 && winter.rule == .corrected)
        let days = Self.corrected("2026-07-07T09:00:00", at: "2026-07-10T12:00:00+02:00", "2026-01-15T08:00:00")
        #expect(days.measured == Self.instant("2026-01-18T11:00:00+01:00"))
    }

    /// A cuff that was not switched is an hour off in one half of the year, and right in the other.
    @Test func aClockThatWasNotSwitched_MovesNoReadingOfTheOtherHalfYear() {
        let read = ("2026-07-10T11:00:00", "2026-07-10T12:00:00+02:00")
        let winter = Self.corrected(read.0, at: read.1, "2026-01-15T08:00:00")
        #expect(winter.measured == Self.instant("2026-01-15T08:00:00+01:00"))
        let summer = Self.corrected(read.0, at: read.1, "2026-07-09T08:00:00")
        #expect(summer.measured == Self.instant("2026-07-09T09:00:00+02:00"))
        #expect(summer.measuredOffset == 120)
        // Left on summer time, and read in winter.
        let left = ("2026-12-10T13:00:00", "2026-12-10T12:00:00+01:00")
        #expect(Self.corrected(left.0, at: left.1, "2026-08-01T08:00:00").measured == Self.instant("2026-08-01T08:00:00+02:00"))
        #expect(Self.corrected(left.0, at: left.1, "2026-12-09T08:00:00").measured == Self.instant("2026-12-09T07:00:00+01:00"))
        // Not switched and five minutes slow.
        let slow = Self.corrected("2026-07-10T10:55:00", at: "2026-07-10T12:00:00+02:00", "2026-01-15T08:00:00")
        #expect(slow.measured == Self.instant("2026-01-15T08:05:00+01:00"))
    }

    private static func received(_ text: String, at now: String, _ clock: ClockCorrection) -> Reading {
        var reading = reading(text)
        reading.received = instant(now)
        clock.apply(to: &reading)
        return reading
    }

    /// A frame dated 2030 that comes in 2026; the slack is for cuffs in the wall time of another zone.
    @Test func aTimeLaterThanItsReception_IsNoTime() {
        let clock = ClockCorrection(zone: .utc)
        for (text, isTime) in [("2030-01-01T00:00:00", false), ("2026-11-24T13:00:00", false), ("2026-11-24T11:00:00", true)] {
            let reading = Self.received(text, at: "2026-11-23T12:00:00Z", clock)
            #expect((reading.rule == .implausible) != isTime, "\(text)")
            #expect((reading.measured != nil) == isTime && (reading.bestTime(in: .utc) != nil) == isTime)
            #expect(reading.clock.time == Self.wall(text), "what the cuff said stays")
            #expect(reading.hasImplausibleTime(in: .utc) != isTime)
        }
        // Readings placed by an earlier program are judged when used.
        var old = Self.reading("2030-01-01T00:00:00")
        (old.measured, old.rule, old.received) = (Self.instant("2030-01-01T00:00:00Z"), .deviceTime, Self.instant("2026-11-23T12:00:00Z"))
        #expect(old.bestTime(in: .utc) == nil && old.hasImplausibleTime(in: .utc))
    }

    /// The clock restarted in 2015; the record is older, with another setting.
    @Test func aRecordLaterThanTheCuffsOwnClock_IsNotCorrected() {
        var clock = ClockCorrection(zone: .utc)
        clock.compare(Self.wall("2015-01-01T00:02:00"), at: Self.instant("2026-11-23T12:00:00Z"))
        let record = Self.received("2026-11-20T07:10:00", at: "2026-11-23T12:00:05Z", clock)
        #expect(record.rule == .implausible && record.measured == nil)
        let now = Self.received("2015-01-01T00:03:00", at: "2026-11-23T12:01:00Z", clock)
        #expect(now.rule == .corrected && now.measured == Self.instant("2026-11-23T12:01:00Z"))
        // The same without a usable host clock.
        var alone = ClockCorrection(zone: .utc)
        alone.compare(Self.wall("2015-01-01T00:02:00"), at: Self.instant("1970-01-01T00:01:00Z"))
        #expect(Self.received("2026-11-20T07:10:00", at: "1970-01-01T00:01:05Z", alone).rule == .implausible)
    }

    /// A small computer without a battery beside a cuff with the right time; and one not set by a time server.
    @Test(arguments: [("1970-01-01T00:05:00Z", false), ("2026-07-10T12:00:00Z", true), ("2025-12-31T23:59:59Z", false)])
    func aWrongHostClock_CorrectsNothing(_ now: String, isUnsynchronised: Bool) {
        var clock = ClockCorrection(zone: .utc)
        clock.compare(Self.wall("2026-07-10T09:00:00"), at: Self.instant(now), isHostClockUnsynchronised: isUnsynchronised)
        let reading = Self.received("2026-07-10T08:30:00", at: now, clock)
        #expect(reading.rule == .deviceTime && reading.measured == Self.instant("2026-07-10T08:30:00Z"))
        #expect(clock.shift != nil, "`cuff clock` still says what the two show")
    }

    @Test func anArrivalBeforeThisRelease_IsNoTime() {
        var reading = Reading(.bloodPressure(.mmHg(120, 80)), driver: "ampall-bp868f", origin: .push, raw: RawBytes([1]))
        reading.received = Timestamp(milliseconds: 300_000)
        ClockCorrection(zone: .utc).apply(to: &reading)
        #expect(reading.measured == nil && reading.rule == .implausible && reading.bestTime(in: .utc) == nil)
    }

    @Test func simulatedRecords_LieBeforeTheSimulatorsClock() {
        for count in [0, 1, 3, 100] {
            let script = SimulatorScript(records: SimulatedRecord.sample(count: count, seed: 1))
            #expect(script.records.allSatisfy { $0.time.wallSeconds < script.clock.wallSeconds })
        }
    }

    /// After a step of the host's clock, a reading with the cuff's own time keeps its time.
    @Test func aStepOfTheHostsClock_ChangesNothingThatTheCuffTold() {
        var ledger = ReadingLedger(device: "1", driver: "and-std")
        var readings = [Self.reading("2026-05-05T07:31:10"), Self.reading("2026-05-05T07:31:10")]
        #expect(ledger.admit(&readings[0], received: Self.instant("2026-05-05T08:00:00Z")))
        #expect(!ledger.admit(&readings[1], received: Self.instant("2020-01-01T00:00:00Z")))
        for index in readings.indices { ClockCorrection(zone: .utc).apply(to: &readings[index]) }
        #expect(readings[0].id == readings[1].id && readings[0].measured == readings[1].measured)
    }

    @Test func anImpossibleDate_IsNoTime() {
        let reading = Self.reading("2026-02-30T07:31")
        #expect(reading.clock.time == nil)
        var text = TextBuffer()
        ReadingLine().append(reading, device: "", to: &text)
        #expect(!text.string.contains("\"device_time\":") && text.string.contains("\"clock\":\"unset\""))
        #expect(reading.bestTime(in: .utc) == nil)
    }
}
