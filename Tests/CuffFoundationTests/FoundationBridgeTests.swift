import CuffClinical
import CuffCore
import CuffFoundation
import Foundation
import Testing

/// The same values on Foundation's side.
@Suite struct FoundationBridgeTests {
    @Test func dates_KeepTheirMilliseconds() throws {
        // 2026-05-05T05:40:00.120Z by ISO8601DateFormatter.
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        let date = try #require(formatter.date(from: "2026-05-05T05:40:00.120Z"))
        let timestamp = try #require(Timestamp(date))
        #expect(timestamp.utcText == "2026-05-05T05:40:00.120Z")
        #expect(formatter.string(from: timestamp.date) == "2026-05-05T05:40:00.120Z")
        #expect(Timestamp(milliseconds: -1).date == Date(timeIntervalSince1970: -0.001))
        #expect(Timestamp(Date(timeIntervalSince1970: .infinity)) == nil)
        #expect(Timestamp(Date(timeIntervalSince1970: 1e300)) == nil)
    }

    @Test func aReading_HasADate_OnlyIfItsTimeIsKnown() {
        var reading = Reading(
            .bloodPressure(.mmHg(120, 80)), driver: "x", clock: .time(DeviceTime(year: 2026, month: 5, day: 5)), origin: .memory,
            raw: RawBytes([1]))
        #expect(reading.date == nil, "the cuff's own clock is not corrected")
        reading.measured = Timestamp(milliseconds: 1500)
        #expect(reading.date == Date(timeIntervalSince1970: 1.5))
    }

    @Test func componentsOfACuffsTime_HaveItsPrecision() {
        var time = DeviceTime(year: 2026, month: 5, day: 5, hour: 7, minute: 31)
        time.precision = .minute
        #expect(time.dateComponents == DateComponents(year: 2026, month: 5, day: 5, hour: 7, minute: 31))
        (time.precision, time.second, time.utcOffset) = (.second, 10, 120)
        let whole = time.dateComponents
        #expect(whole.second == 10 && whole.timeZone?.secondsFromGMT() == 7200 && whole.nanosecond == nil)
        time.precision = .day
        #expect(time.dateComponents.hour == nil)
    }

    /// 1 kPa is 7.50061683 mmHg (ISO 80000-4: 133.322387415 Pa a mmHg).
    @Test func pressures_KeepTheirUnit() throws {
        let kilopascals = Pressure(Digits(mantissa: 171, exponent: -1), .kPa).measurement
        #expect(kilopascals == Foundation.Measurement(value: 17.1, unit: .kilopascals))
        #expect(Pressure(kilopascals) == Pressure(Digits(mantissa: 171, exponent: -1), .kPa))
        #expect(Pressure(Foundation.Measurement(value: 120, unit: UnitPressure.millimetersOfMercury)) == .mmHg(120))
        #expect(Pressure(Foundation.Measurement(value: .nan, unit: UnitPressure.kilopascals)) == nil)
    }

    @Test func quantities_AreConverted() throws {
        let mass = HealthQuantity(160, .pound)
        #expect(abs(try #require(mass.measurement(in: UnitMass.kilograms)).value - 72.5747792) < 1e-9)
        #expect(mass.measurement(in: UnitLength.meters) == nil)
        #expect(mass.measurement(in: UnitMass.carats) == nil, "a unit that this program does not have")
        let fever = try #require(HealthQuantity(Foundation.Measurement(value: 102.2, unit: UnitTemperature.fahrenheit)))
        #expect(abs(try #require(fever.value(in: .celsius)) - 39) < 1e-9)
        #expect(HealthQuantity(Foundation.Measurement(value: 1, unit: UnitArea.acres)) == nil)
    }

    @Test(arguments: [("en_US", "128.5/82.0 mmHg"), ("de_DE", "128,5/82,0 mmHg"), ("fr_FR", "128,5/82,0 mmHg")])
    func numbers_AreWrittenAsALocaleDoes(_ locale: String, _ text: String) {
        let pressure = BloodPressure(
            systolic: Pressure(Digits(mantissa: 1285, exponent: -1), .mmHg), diastolic: Pressure(Digits(mantissa: 820, exponent: -1), .mmHg)
        )
        #expect(pressure.formatted(Locale(identifier: locale)) == text)
        #expect(Pressure.mmHg(1280).formatted(Locale(identifier: locale)) == "1280 mmHg")
    }
}
