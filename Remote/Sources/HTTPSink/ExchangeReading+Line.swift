import CuffClinical
import RemoteSink

import struct CuffCore.Remarks

extension ExchangeReading {
    init(_ line: ReadingLine) {
        self.init()
        id = line.id
        revision = line.revision
        type = line.type
        isPending = line.isPending
        driver = line.driver
        device = line.device
        user = line.user
        person = line.person
        decoder = line["decoder"]?.string
        flags = line.flags
        // A copy has the origin `import` and keeps the driver.
        isEntered = line["origin"]?.string == "entered" || line.driver == "manual"
        remarks = Remarks(stored: { line[$0.rawValue]?.string })
        hasMetadata = line["metadata"] != nil
        if let instant = line.measured.flatMap(Instant.init) {
            time = Time(milliseconds: instant.milliseconds, text: instant.text, clockCheck: Self.clockCheck(line, instant))
        }
        pressures.systolic = Self.pressure(line, "systolic")
        pressures.diastolic = Self.pressure(line, "diastolic")
        pressures.mean = Self.pressure(line, "mean")
        pulse = line["pulse_per_min"]?.digits
        if line.isFailure {
            failure = Failure(event: line["event"]?.string, reason: line["reason"]?.string, code: line["code"]?.string)
        } else {
            quantity.code = line["code"]?.string
        }
        quantity.mdc = line["mdc"]?.digits
        // The `value` of a quantity is a string, so that JSON readers keep its digits.
        quantity.value = (line["value"]?.string ?? line["value"]?.digits).flatMap { JSONValue(parsing: Array($0.utf8))?.digits }
        quantity.absence = line["value_absent"]?.string
        quantity.unit = line["unit"]?.string
        quantity.unitCode = line["unit_mdc"]?.digits
    }

    private static func pressure(_ line: ReadingLine, _ stem: String) -> Pressure {
        Pressure(
            mmHg: line["\(stem)_mmHg"]?.digits, kPa: line["\(stem)_kPa"]?.digits, absence: line["\(stem)_absent"]?.string)
    }

    /// The state of the cuff's clock, from the line's device time, corrected time and receive time.
    private static func clockCheck(_ line: ReadingLine, _ measured: Instant) -> ClockCheck? {
        guard let received = line["received"]?.string.flatMap(Instant.init) else { return nil }
        switch line["clock"]?.string {
        case "unset": return ClockCheck(unsetAt: received.milliseconds, offset: measured.offset)
        case "corrected":
            // A device time without a zone is in the zone of `measured`.
            guard let text = line["device_time"]?.string, let device = Instant(text) ?? Instant(text + measured.zone) else { return nil }
            return ClockCheck(
                device: device.milliseconds, measured: measured.milliseconds, received: received.milliseconds, offset: measured.offset)
        default: return nil
        }
    }
}
