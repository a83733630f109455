import CuffCore
import CuffIngest

enum ImportText {
    /// The most rows; the counts below the table include all.
    private static let mostRows = 40

    /// New readings, revisions, suspects, and refused records.
    static func table(_ summary: ImportSummary) -> String {
        var text = ""
        for line in summary.lines.prefix(mostRows) { text += row(line) + "\n" }
        let more = summary.new + summary.revised + summary.suspects - min(summary.lines.count, mostRows)
        if more > 0 { text += "… and \(Plural.text(more, "more reading"))\n" }
        for line in complaints(summary) { text += line + "\n" }
        return text
    }

    private static func row(_ line: ImportSummary.Line) -> String {
        var text = TextBuffer(capacity: 160)
        text.append(string: line.word.padded(to: 10))
        if case .time(let time) = line.reading.clock {
            text.append(time)
        } else if let measured = line.reading.measured {
            text.append(local: measured, offset: Int(line.reading.measuredOffset))
        }
        if let pressure = line.reading.bloodPressure {
            text.append("  ")
            text.append(pressure.systolic.digits)
            text.append(0x2F)
            text.append(pressure.diastolic.digits)
            if pressure.systolic.unit == .kPa { text.append(" kPa") }
            if let pulse = pressure.pulse {
                text.append("  pulse ")
                text.append(pulse.digits)
            }
        }
        switch line.reading.content {
        case .quantity(let quantity):
            text.append("  ")
            ReadingTable.appendQuantity(quantity, line.reading.text, to: &text)
        case .pulseRate(let pulse):
            text.append("  pulse ")
            text.append(pulse.digits)
        case .bloodPressure, .failure: break
        }
        if let user = line.reading.user { text.append(string: "  user \(user)") }
        if let other = line.other { text.append(string: "  may be \(other)") }
        text.append(string: "  (\(line.place))")
        return text.string
    }

    static func complaints(_ summary: ImportSummary) -> [String] {
        var lines = summary.complaints.prefix(mostRows).map { complaint in
            "\(complaint.reason.isLoss ? "refused" : "skipped"): \(complaint.place): \(complaint.reason)"
        }
        let more = summary.refused + summary.skipped - lines.count
        if more > 0 { lines.append("… and \(Plural.text(more, "more record"))") }
        return lines
    }

    static func preview(_ summary: ImportSummary) -> String {
        "\(summary.file) (\(summary.layouts.joined(separator: ", "))): \(counts(summary, "new", suspect: "suspect"))"
    }

    static func done(_ summary: ImportSummary) -> String {
        let name = summary.name.map { "; `cuff db undo-import \(Shell.quoted($0))` removes them" } ?? ""
        let suspect = summary.includesSuspects ? "suspect and imported" : "suspect and left out"
        return "\(summary.file): \(counts(summary, "imported", suspect: suspect))\(name)"
    }

    /// Without the counts that are 0.
    private static func counts(_ summary: ImportSummary, _ new: String, suspect: String) -> String {
        let further: [(Int, String)] = [
            (summary.revised, "revised"), (summary.known, "already there"), (summary.duplicates, "delivered by a cuff or another import"),
            (summary.suspects, suspect), (summary.deleted, "deleted here before"), (summary.refused, "refused"),
            (summary.skipped, "skipped"),
        ]
        let parts = further.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return (["\(summary.read) read", "\(summary.new) \(new)"] + parts).joined(separator: ", ")
    }

    static func json(_ summary: ImportSummary, isDone: Bool) -> String {
        JSONOutput.line(
            "import", ("file", .text(summary.file)), ("layout", .text(summary.layouts.joined(separator: ","))), ("applied", .bool(isDone)),
            ("name", summary.name.map { .text($0) }), ("read", .number(summary.read)), ("new", .number(summary.new)),
            ("revised", .number(summary.revised)), ("known", .number(summary.known)), ("duplicates", .number(summary.duplicates)),
            ("suspects", .number(summary.suspects)), ("deleted", .number(summary.deleted)), ("refused", .number(summary.refused)),
            ("skipped", .number(summary.skipped)))
    }
}
