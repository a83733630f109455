import CuffCore

/// Writes readings as JSON Lines in the vocabulary of `ReadingLine`, with their events and series. UTF-8, one object a line, `\n`
/// after every line.
struct JSONLinesExport: Sendable {
    /// The zone in which a reading without a known instant is dated.
    let zone: ZoneTable
    /// Whether the user chose it: otherwise a reading whose clock has no zone makes no events, which need an instant.
    var isZoneChosen = true
    /// `nil` writes no events.
    var limits: HeartRateLimits? = .usual
    var line = ReadingLine()

    /// Every key with its meaning. An absent key means unknown; keys may be added; readers skip unknown types.
    static let keys: [(type: StaticString, name: StaticString, meaning: StaticString)] = [
        (
            "*", "type",
            "blood_pressure, pulse_rate, quantity, measurement (a failed one), event, deleted, quantity_series, heartbeat_series"
        ),
        ("*", "schema", "1; a change that is not an addition gets another number"),
        ("*", "id", "name of the reading; sorts by the cuff's own time"),
        ("*", "driver", "which driver read it"),
        ("*", "device", "identity of the cuff"),
        ("blood_pressure", "systolic_mmHg", "systolic pressure; with systolic_kPa beside it where the cuff sent kPa"),
        ("blood_pressure", "diastolic_mmHg", "diastolic pressure"),
        ("blood_pressure", "mean_mmHg", "mean pressure, only where the cuff sent one"),
        ("blood_pressure", "pulse_per_min", "pulse rate"),
        ("blood_pressure", "mean_absent, pulse_absent", "why a value the cuff could have sent is missing"),
        ("*", "user", "user slot of the cuff"),
        ("*", "person", "name of the person, where the configuration or a person says it"),
        ("*", "flags", "words of the cuff and of this program"),
        ("*", "device_time", "what the cuff's clock showed, without zone"),
        ("*", "measured", "best known time of the measurement, with offset"),
        ("*", "clock", "what `measured` rests on: synced, corrected, device_time, receive_time, unset, implausible"),
        ("*", "received", "when this program received it, UTC"),
        ("*", "origin", "memory, push, measurement, entered for values typed in by a person, or import for those of another program"),
        ("*", "trigger", "manual or automatic, where the cuff says so"),
        ("*", "sequence, revision, raw", "the cuff's number of the record; higher revisions replace lower; the record's bytes"),
        ("*", "note, medication, posture, arm", "what a person said beside it; a change of it raises `revision`"),
        ("*", "duration_s", "how long it lasted, in seconds, where a person said so"),
        ("measurement", "event, reason, code", "failed; why, in this program's words; the cuff's own code"),
        ("quantity", "code, mdc, value, unit", "name and number in the nomenclature; the value as sent, a string; its unit"),
        ("deleted", "id", "a reading that an earlier export of the same --new wrote, and that is deleted"),
        ("event", "event, reading", "irregular_pulse, high_heart_rate or low_heart_rate; the id of its reading"),
        ("event", "time, pulse_per_min, limit_per_min", "when; the pulse; the limit that was met, absent where the cuff said so"),
        ("quantity_series", "code, unit, start, end, count", "type of the values, their unit, the time they cover, how many"),
        ("quantity_series", "min, max, avg, last, samples", "of all values; then each as [seconds since start, value]"),
        ("heartbeat_series", "beats, gaps, sdnn_ms", "seconds since start; places of beats after a gap; standard deviation"),
    ]

    /// Appends the line of one reading and the lines of its events, as selected by `parts`.
    func append(_ reading: Reading, from provenance: Provenance, parts: ExportParts, to text: inout TextBuffer) {
        if parts.contains(.values) { line.append(reading, device: provenance.device, to: &text) }
        guard parts.contains(.events), let limits, isZoneChosen || !reading.isFloating, let time = reading.bestTime(in: zone)
        else { return }
        for event in HeartEvent.events(of: reading, at: time, limits: limits) {
            event.append(to: &text, driver: provenance.driver, device: provenance.device, zone: zone)
        }
    }
}
