import CuffClinical
import CuffCore

/// One reading as tab-separated cells: time (empty if unknown or implausible), systolic, diastolic, mean, pulse, user (a name or a
/// number), flags, driver, device, id; for a quantity also name, value and unit.
enum PlainLine {
    static func append(_ reading: Reading, _ provenance: Provenance, zone: ZoneTable, to text: inout TextBuffer) {
        if reading.bestTime(in: zone) == nil {
            // Neither the reception nor a wrong clock says when it was measured.
        } else if let measured = reading.measured {
            text.append(local: measured, offset: Int(reading.measuredOffset))
        } else if let time = reading.clock.time {
            text.append(time)
        } else if let received = reading.received {
            text.append(utc: received)
        }
        let pressure = reading.bloodPressure
        for one in [pressure?.systolic, pressure?.diastolic, pressure?.mean] {
            text.append(0x09)
            if let one { text.append(rounded: one.inMmHg) }
        }
        text.append(0x09)
        var pulse = pressure?.pulse
        if case .pulseRate(let rate) = reading.content { pulse = rate }
        if let pulse { text.append(pulse.digits) }
        let whose = reading.person ?? reading.user.map { "\($0)" } ?? ""
        for cell in [whose, reading.flags.text(separator: ","), provenance.driver, provenance.device] {
            text.append(0x09)
            for byte in cell.utf8 { text.append(byte < 0x20 ? 0x20 : byte) }
        }
        text.append(0x09)
        text.append(reading.id)
        if case .quantity(let quantity) = reading.content {
            text.append(0x09)
            ReadingTable.appendQuantity(quantity, reading.text, to: &text)
        }
        text.append(0x0A)
    }
}
