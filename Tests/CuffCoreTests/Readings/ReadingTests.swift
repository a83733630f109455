import CuffCore
import Testing

@Suite struct ReadingTests {
    private func printed(_ build: (inout TextBuffer) -> Void) -> String {
        var text = TextBuffer(capacity: 1)
        build(&text)
        return text.string
    }

    @Test(arguments: [
        (Digits(mantissa: 600, exponent: -1), "60.0"), (Digits(120), "120"), (Digits(mantissa: -2048, exponent: -1), "-204.8"),
        (Digits(mantissa: 1, exponent: 7), "10000000"), (Digits(mantissa: 5, exponent: -3), "0.005"),
        (Digits(mantissa: 0, exponent: 3), "0"), (Digits(mantissa: 8_388_605, exponent: 127), "8388605e127"),
        (Digits(mantissa: -7, exponent: -128), "-7e-128"), (Digits(mantissa: .max), "9223372036854775807"),
        (Digits(mantissa: .min), "-9223372036854775808"), (Digits(999), "999"), (Digits(1000), "1000"),
    ])
    func digits_PrintAsSent(_ digits: Digits, _ expected: String) {
        #expect(printed { $0.append(digits) } == expected)
    }

    @Test func deviceTime_RoundTripsThroughWallSeconds() {
        for seconds in stride(from: Int64(-3_000_000_000), through: 5_000_000_000, by: 86_399 * 97) {
            #expect(DeviceTime(wallSeconds: seconds).wallSeconds == seconds)
            #expect(DeviceTime(wallSeconds: seconds).isPossible)
        }
        #expect(DeviceTime(year: 2000, month: 2, day: 29).wallSeconds == 951_782_400)
    }

    /// Every day of eight centuries, counted from a known one.
    @Test func wallSeconds_FollowTheCalendarDayByDay() {
        var (year, month, day) = (1599, 12, 31)
        var seconds: Int64 = -11_676_182_400
        // One expectation for all: nearly three hundred thousand of them take a minute.
        var wrong: DeviceTime?
        while year < 2400, wrong == nil {
            let time = DeviceTime(wallSeconds: seconds + 86_399)
            if time != DeviceTime(year: year, month: month, day: day, hour: 23, minute: 59, second: 59) { wrong = time }
            seconds += 86_400
            day += 1
            if day > DeviceTime.days(inMonth: month, of: year) { (month, day) = (month + 1, 1) }
            if month > 12 { (year, month) = (year + 1, 1) }
        }
        #expect(wrong == nil)
        #expect(year == 2400)
    }

    @Test(arguments: [
        DeviceTime(year: 2026, month: 13, day: 1), DeviceTime(year: 2025, month: 2, day: 29), DeviceTime(year: 1900, month: 2, day: 29),
        DeviceTime(year: 2026, month: 4, day: 31), DeviceTime(year: 2026, month: 1, day: 1, hour: 24),
        DeviceTime(year: 0, month: 1, day: 1),
        DeviceTime(year: 2026, month: 1, day: 1, hour: 1, minute: 60), DeviceTime(year: 2026, month: 0, day: 1),
    ])
    func impossibleTimes_AreNotTimes(_ time: DeviceTime) {
        #expect(!time.isPossible)
        #expect(DeviceClock(time) == .impossible(time))
    }

    @Test func times_PrintToTheirPrecision() {
        #expect(printed { $0.append(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)) } == "2026-05-05T07:31")
        #expect(printed { $0.append(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 9)) } == "2026-05-05T07:31:09")
        #expect(
            printed { $0.append(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 9, hundredths: 50)) }
                == "2026-05-05T07:31:09.50")
        #expect(printed { $0.append(utc: Timestamp(milliseconds: 1_777_959_600_120)) } == "2026-05-05T05:40:00.120Z")
        #expect(printed { $0.append(local: Timestamp(milliseconds: 1_777_959_600_120), offset: 120) } == "2026-05-05T07:40:00+02:00")
        #expect(printed { $0.append(local: Timestamp(milliseconds: 1_777_959_600_120), offset: -210) } == "2026-05-05T02:10:00-03:30")
        #expect(printed { $0.append(utc: Timestamp(milliseconds: -1)) } == "1969-12-31T23:59:59.999Z")
    }

    @Test func aLine_CarriesTheVocabulary() {
        var reading = Reading(
            .bloodPressure(.mmHg(128, 82, mean: 97, pulse: 71)), driver: "and-std", user: 1, flags: [.irregularPulse],
            clock: .time(DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31, second: 10)), origin: .memory,
            trigger: .manual, raw: RawBytes([1, 2]))
        reading.id = Reading.ID(wallSeconds: 1_777_966_270, hash: 0x9F0C_61D2_A4B7_E3F0)
        reading.received = Timestamp(milliseconds: 1_777_959_600_120)
        reading.measured = Timestamp(milliseconds: 1_777_959_180_000)
        reading.measuredOffset = 120
        reading.rule = .corrected
        #expect(
            printed { ReadingLine(includesRaw: true).append(reading, device: "A\"1\u{1B}", to: &$0) }
                == #"{"type":"blood_pressure","schema":1,"id":"20260505T073110-9f0c61d2a4b7e3f0","driver":"and-std","device":"A\"1\u001b","systolic_mmHg":128,"diastolic_mmHg":82,"mean_mmHg":97,"pulse_per_min":71,"user":1,"flags":["irregular_pulse"],"device_time":"2026-05-05T07:31:10","measured":"2026-05-05T07:33:00+02:00","clock":"corrected","received":"2026-05-05T05:40:00.120Z","origin":"memory","trigger":"manual","raw":"0102"}"#
                + "\n")
    }

    @Test func kilopascals_ArePrintedBesideTheirConversion() {
        let pressure = BloodPressure(
            systolic: Pressure(Digits(mantissa: 157, exponent: -1), .kPa), diastolic: Pressure(Digits(mantissa: 101, exponent: -1), .kPa))
        let reading = Reading(.bloodPressure(pressure), driver: "phd", clock: .unset, origin: .push, raw: RawBytes([]))
        #expect(
            printed { ReadingLine().append(reading, device: "", to: &$0) }
                == #"{"type":"blood_pressure","schema":1,"id":"00000000T000000-0000000000000000","driver":"phd","systolic_kPa":15.7,"systolic_mmHg":117.76,"diastolic_kPa":10.1,"diastolic_mmHg":75.76,"clock":"unset","origin":"push"}"#
                + "\n")
    }

    @Test(arguments: [(82, 128), (128, 0), (301, 80), (120, 120)])
    func implausibleValues_AreFlagged_NotDropped(_ systolic: Int, _ diastolic: Int) {
        let reading = Reading(.bloodPressure(.mmHg(systolic, diastolic)), driver: "x", origin: .push, raw: RawBytes([]))
        #expect(reading.flags.contains(.implausible))
        #expect(reading.bloodPressure?.systolic == .mmHg(systolic))
    }

    @Test(arguments: [(16, true), (81, true), (82, false), (97, false), (128, false), (129, true), (250, true), (512, true)])
    func aMeanOutsideItsPressures_IsFlagged_NotDropped(_ mean: Int, isFlagged: Bool) {
        let reading = Reading(.bloodPressure(.mmHg(128, 82, mean: mean)), driver: "x", origin: .push, raw: RawBytes([]))
        #expect(reading.flags.contains(.implausible) == isFlagged)
        #expect(reading.bloodPressure?.mean == .mmHg(mean))
    }

    @Test(arguments: [(1089, true), (1090, false), (1330, false), (1707, false), (1708, true)])
    func aMeanOutsideItsPressures_IsFlagged_AlsoInKilopascalsAndWithDecimals(_ hundredths: Int64, isFlagged: Bool) {
        func pressure(_ mantissa: Int64, _ exponent: Int8) -> Pressure { Pressure(Digits(mantissa: mantissa, exponent: exponent), .kPa) }
        let mean = pressure(hundredths, -2)
        #expect(BloodPressure(systolic: pressure(1707, -2), diastolic: pressure(109, -1), mean: mean).isPlausible != isFlagged)
    }

    @Test func everyFlag_HasAWord() {
        #expect(MeasurementFlags.joined.rawValue == 1 << UInt32(MeasurementFlags.words.count - 1))
        #expect(Set(MeasurementFlags.words.map(\.description)).count == MeasurementFlags.words.count)
    }

    @Test func shortText_KeepsPrintableAsciiOnly() {
        #expect(ShortText("E44").description == "E44")
        #expect(ShortText("a\u{1B}[31m").description == "a?[31m")
        #expect(ShortText("0123456789abcdefXYZ").description == "0123456789abcde")
        #expect(DeviceIdentity.text([0x20, 0x41, 0x1B, 0xFF, 0x42, 0x20, 0x00]) == "A??B")
    }

    @Test func rawBytes_KeepLongRecords() {
        for count in [0, 1, 63, 64, 65, 1000] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            #expect(RawBytes(bytes).array == bytes)
            #expect(RawBytes(bytes).count == count)
        }
    }
}

@Suite struct ReadingLedgerTests {
    private func reading(_ systolic: Int, clock: DeviceClock, origin: Reading.Origin, user: Int32? = nil) -> Reading {
        Reading(
            .bloodPressure(.mmHg(systolic, 80)), driver: "x", user: user, clock: clock, origin: origin, raw: RawBytes([UInt8(systolic)]))
    }
    private let noon = DeviceClock.time(DeviceTime(year: 2026, month: 5, day: 5, hour: 12, minute: 0))

    @Test func theSameMemoryTwice_GivesTheSameIds() {
        var first = ReadingLedger(device: "A", driver: "x")
        var second = ReadingLedger(device: "A", driver: "x")
        var other = ReadingLedger(device: "B", driver: "x")
        var (a, b, c) = (
            reading(120, clock: noon, origin: .memory), reading(120, clock: noon, origin: .memory),
            reading(120, clock: noon, origin: .memory)
        )
        #expect(first.admit(&a, received: Timestamp(milliseconds: 1)))
        #expect(second.admit(&b, received: Timestamp(milliseconds: 999)))
        #expect(a.id == b.id)
        #expect(other.admit(&c, received: nil))
        #expect(c.id != a.id)
        #expect(!first.admit(&b, received: nil))
        #expect(first.duplicates == 1)
    }

    @Test func usersAndOccurrences_Differ() {
        var ledger = ReadingLedger(device: "A", driver: "x")
        var occurrences = DumpOccurrences()
        var ids: Set<Reading.ID> = []
        for user in [Int32(1), 1, 2, 2] {
            var record = reading(120, clock: .absent, origin: .memory, user: user)
            occurrences.mark(&record)
            #expect(ledger.admit(&record, received: nil))
            ids.insert(record.id)
        }
        #expect(ids.count == 4)
    }

    @Test func clocklessPushes_AreToldApartByWhenTheyCame() {
        var ledger = ReadingLedger(device: "A", driver: "x")
        var (a, b) = (reading(120, clock: .absent, origin: .push), reading(120, clock: .absent, origin: .push))
        #expect(ledger.admit(&a, received: Timestamp(milliseconds: 1000)))
        #expect(ledger.admit(&b, received: Timestamp(milliseconds: 2000)))
        #expect(a.id != b.id)
        #expect(a.id.wallSeconds == 1)
    }

    @Test func aCompletedReading_KeepsItsId_AndIsAdmitted() {
        var ledger = ReadingLedger(device: "A", driver: "x")
        var pending = reading(120, clock: noon, origin: .push)
        pending.isPending = true
        #expect(ledger.admit(&pending, received: nil))
        var whole = reading(120, clock: noon, origin: .push)
        whole.revision = 1
        #expect(ledger.admit(&whole, received: nil))
        #expect(whole.id == pending.id)
        #expect(!ledger.admit(&whole, received: nil))
    }

    @Test func recognition_ReachesBackOverAWholeMemory() {
        var ledger = ReadingLedger(device: "A", driver: "x")
        for round in 0..<2 {
            for index in 0..<2000 {
                var record = Reading(
                    .bloodPressure(.mmHg(120, 80)), driver: "x", clock: .time(DeviceTime(wallSeconds: Int64(index) * 60)), origin: .memory,
                    raw: RawBytes([UInt8(index & 255), UInt8(index >> 8)]))
                #expect(ledger.admit(&record, received: nil) == (round == 0))
            }
        }
    }

    /// 1731 is kilogram; 1234 is in no table of this program, and 4 × 65536 + 1234 = 263378 identifies the unit.
    @Test func unitCode_IsKept_WhetherItHasANameOrNot() {
        var quantity = Quantity(partition: 2, term: 57664, value: Digits(70), unit: 1731)
        #expect(quantity.unitCode == 263_875 && Nomenclature.unitText(quantity) == "kg")
        quantity.unitCode = 263_378
        #expect(quantity.unit == 1234 && Nomenclature.unitText(quantity) == "MDC 263378")
        quantity.unitCode = nil
        #expect(quantity.unit == 0 && quantity.unitCode == nil && Nomenclature.unitText(quantity) == nil)
    }

    @Test func quantity_PrintsItsText_AndAnUnknownUnit() {
        var reading = Reading(
            .quantity(Quantity(partition: 2, term: 57664, value: nil, unit: 1234)), driver: "phd", origin: .push, raw: RawBytes([1]))
        reading.text = "after \"meal\""
        var text = TextBuffer(capacity: 1)
        ReadingLine().append(reading, device: "", to: &text)
        #expect(text.string.contains(#""unit_mdc":263378"#))
        #expect(text.string.contains(#","text":"after \"meal\"","#))
    }

    /// Hertz is a separate unit: 2496, beside 2720 per minute.
    @Test func hertz_IsNotPerMinute() {
        #expect(Nomenclature.unit(2496)?.description == "Hz")
        #expect(Nomenclature.unitTerm("Hz") == 2496 && Nomenclature.unitTerm("/min") == 2720)
    }
}
