import CuffCore

/// Writes readings as a table for spreadsheets and statistics programs: the columns of `CSVTable`, then further columns. One row per
/// reading, always a header.
struct CSVExport: Sendable {
    var table = CSVTable()
    /// The zone of `time` and `local_time`.
    let zone: ZoneTable
    /// Whether the zone was chosen by the user: otherwise a cuff's time without a zone is written without one.
    var isZoneChosen = true
    var partsOfAverages: Set<Reading.ID> = []

    /// The columns after those of `CSVTable`. Columns may be added at the end.
    private static let further: [(name: StaticString, meaning: StaticString)] = [
        (
            "time",
            "`measured`, or the best known instant where that is empty, in the zone of the export; without an offset where the cuff's clock has no zone and --tz names none"
        ),
        ("local_time", "the same without offset, as spreadsheets like it"),
        ("excluded", "why it does not count in averages; empty where it counts"),
        ("model", "make and model of the cuff"),
        ("note", "a note, as a person entered it"),
        ("medication", "medication, as a person entered it"),
        ("posture", "sitting, lying down, standing or semi-recumbent, as a person said"),
        ("arm", "left or right, as a person said"),
        ("duration_s", "how long it lasted, in seconds, where a person said so"),
        ("person", "name of the person, where the configuration or a person says it"),
        ("decoder", "the program and the driver that decoded it, each with its version"),
    ]

    /// Every column with its meaning, in order. An empty cell means unknown.
    static let columns = CSVTable.columns + further

    func appendHeader(to text: inout TextBuffer) {
        table.appendHeader(to: &text)
        for column in Self.further {
            text.append(table.separator)
            text.append(column.name)
        }
        text.append("\r\n")
    }

    func append(
        _ reading: Reading, from provenance: Provenance, excluded: Exclusion? = nil, to text: inout TextBuffer
    ) {
        table.append(reading, device: provenance.device, hasRaw: false, to: &text)
        text.append(table.separator)
        if let time = reading.bestTime(in: zone) {
            let offset = zone.offset(at: time.seconds) / 60
            if reading.isFloating, !isZoneChosen, let own = reading.clock.time {
                text.append(own)
            } else {
                text.append(local: time, offset: offset)
            }
            text.append(table.separator)
            text.append(dateAndTime: DeviceTime(wallSeconds: time.seconds + Int64(offset) * 60))
        } else {
            text.append(table.separator)
        }
        text.append(table.separator)
        if let excluded { table.append(cell: excluded.rawValue, to: &text) }
        text.append(table.separator)
        let identity = provenance.identity
        table.append(cell: [identity.manufacturer, identity.model].compactMap { $0 }.joined(separator: " "), to: &text)
        for key in Remarks.Key.allCases {
            text.append(table.separator)
            if let words = reading.remarks?[key] { table.append(cell: words, to: &text) }
        }
        text.append(table.separator)
        if let duration = reading.duration { text.append(decimal: duration.components.seconds) }
        text.append(table.separator)
        if let person = reading.person { table.append(cell: person, to: &text) }
        text.append(table.separator)
        if let decoder = reading.decoder { table.append(cell: decoder, to: &text) }
        text.append("\r\n")
    }

    /// A row for a deleted reading: its type, its id, and the highest revision.
    func append(deleted id: Reading.ID, to text: inout TextBuffer) -> Bool {
        text.append(each: Self.columns, separator: table.separator) { column, text in
            switch column.name.description {
            case "type": text.append("deleted")
            case "id": text.append(id)
            case "revision": text.append("255")
            default: break
            }
        }
        text.append("\r\n")
        return true
    }
}
