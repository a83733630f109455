/// Readings as lines for a terminal: fixed columns, no colour. Programs use `ReadingLine`.
package enum ReadingTable {
    /// The column names, with a line feed.
    package static let header = "WHEN                   SYS/DIA  MEAN  PULSE  USER  NOTES\n"

    /// Appends one line. Pressures are in mmHg; original kPa values are in NOTES.
    package static func append(_ entry: BatchEntry, to text: inout TextBuffer) {
        switch entry {
        case .reading(let reading): append(reading, to: &text)
        case .live(let event, _, let elapsed): append(event, elapsed, to: &text)
        }
    }

    /// Appends the line of one reading, unless pending; with `showsOffset` its time has the offset from UTC, `+0900`.
    package static func append(_ reading: borrowing Reading, showsOffset: Bool = false, to text: inout TextBuffer) {
        guard !reading.isPending else { return }
        var line = TextBuffer(capacity: 160)
        appendTime(reading, showsOffset, to: &line)
        pad(&line, to: 23)
        switch reading.content {
        case .bloodPressure(let pressure):
            appendPressures(pressure, to: &line)
        case .pulseRate(let pulse):
            pad(&line, to: 31)
            appendRight(whole(pulse.digits), endingAt: 44, to: &line)
        case .failure(let failure):
            if failure.reason != .withdrawn { line.append("failed: ") }
            line.append(string: words(failure.reason.word))
            if !failure.code.isEmpty {
                line.append(string: " (\(failure.code))")
            }
        case .quantity(let quantity): appendQuantity(quantity, reading.text, to: &line)
        }
        var notes = 52
        if let name = reading.person ?? reading.user.map({ "\($0)" }) {
            // Columns are counted in characters, the line in bytes.
            let more = name.utf8.count - name.count
            pad(&line, to: 44)
            appendRight(name, endingAt: 50 + more, to: &line)
            notes = max(notes + more, line.count + 1)
        }
        appendNotes(reading, from: notes, to: &line)
        text.append(bytes: line.array.span)
        text.append(0x0A)
    }

    private static func append(_ event: LiveEvent, _ elapsed: Duration?, to text: inout TextBuffer) {
        func mmHg(_ pressure: Pressure) -> String { TextBuffer.text { $0.append(rounded: pressure.inMmHg) } + " mmHg" }
        let sentence =
            switch event {
            case .cuffPressure(let pressure): "cuff \(mmHg(pressure))"
            case .beat(let pressure, _, let isAfterGap):
                "beat \(whole(pressure.systolic.digits))/\(whole(pressure.diastolic.digits))"
                    + (isAfterGap ? ", beats before it were lost" : "")
            case .oscillation(let pressure, let amplitude): "oscillation at \(mmHg(pressure)): \(amplitude)"
            case .waveform(let waveform):
                "\(waveform.samples.count) samples of "
                    + (Nomenclature.name(partition: waveform.partition, term: waveform.term)?.description ?? "MDC \(waveform.mdc)")
            case .started: "the cuff measures"
            case .ended: "the cuff has measured"
            case .aborted: "the measurement was stopped"
            case .recovered(let former): "a measurement that process \(former.process.map { "\($0)" } ?? "?") had left was stopped"
            case .failed(let failure): "the measurement failed: \(words(failure.reason.word))"
            case .alert(let alert): "alert: \(alert.text)"
            }
        text.append(string: "  \(sentence)\n")
    }

    private static func appendTime(_ reading: borrowing Reading, _ showsOffset: Bool, to line: inout TextBuffer) {
        if let measured = reading.measured {
            let offset = Int(reading.measuredOffset)
            let text = TextBuffer.text { $0.append(local: measured, offset: offset) }
            line.append(string: String(text.prefix(16)).replacing("T", with: " "))
            // Without the colon, it fits before the widest pressures.
            if showsOffset { line.append(string: " " + text.suffix(6).replacing(":", with: "")) }
        } else if let time = reading.clock.time {
            line.append(string: String(TextBuffer.text { $0.append(time) }.prefix(16)).replacing("T", with: " "))
        } else {
            line.append("(time unknown)")
        }
    }

    private static func appendPressures(_ pressure: BloodPressure, to line: inout TextBuffer) {
        appendRight("\(rounded(pressure.systolic))/\(rounded(pressure.diastolic))", endingAt: 30, to: &line)
        if let mean = pressure.mean { appendRight("\(rounded(mean))", endingAt: 36, to: &line) }
        if let pulse = pressure.pulse { appendRight(whole(pulse.digits), endingAt: 43, to: &line) }
    }

    /// Appends the quantity's name, value (or words) and unit.
    package static func appendQuantity(_ quantity: Quantity, _ words: String?, to line: inout TextBuffer) {
        if let name = Nomenclature.name(partition: quantity.partition, term: quantity.term) {
            line.append(name)
        } else {
            line.append("MDC ")
            line.append(decimal: Int64(quantity.mdc))
        }
        line.append(0x20)
        if let words {
            line.append(string: words)
        } else if let value = quantity.value {
            line.append(value)
        } else if let bits = quantity.bits {
            line.append(decimal: Int64(bits))
        }
        if let unit = Nomenclature.unitText(quantity) {
            line.append(0x20)
            line.append(string: unit)
        }
    }

    private static func appendNotes(_ reading: borrowing Reading, from column: Int, to line: inout TextBuffer) {
        var isFirst = true
        func note(_ words: String, _ line: inout TextBuffer) {
            if isFirst { pad(&line, to: column) } else { line.append(", ") }
            isFirst = false
            line.append(string: words)
        }
        for word in reading.flags.list { note(words(word), &line) }
        switch reading.clock {
        case .unset: note("clock never set", &line)
        case .impossible: note("clock impossible", &line)
        case .absent, .time, .derived: if reading.rule == .implausible { note("clock implausible", &line) }
        }
        if case .bloodPressure(let pressure) = reading.content, pressure.systolic.unit == .kPa {
            note("\(pressure.systolic.digits.text)/\(pressure.diastolic.text)", &line)
        }
        if let remarks = reading.remarks?.sentence, !remarks.isEmpty { note(remarks, &line) }
    }

    /// A word of the vocabulary with blanks for underscores.
    private static func words(_ word: StaticString) -> String { word.description.replacing("_", with: " ") }

    private static func rounded(_ pressure: Pressure) -> Int { Int(pressure.inMmHg.rounded()) }
    private static func whole(_ digits: Digits) -> String { digits.exponent == 0 ? "\(digits.mantissa)" : "\(Int(digits.value.rounded()))" }

    private static func pad(_ line: inout TextBuffer, to column: Int) {
        while line.count < column { line.append(0x20) }
    }

    private static func appendRight(_ text: String, endingAt column: Int, to line: inout TextBuffer) {
        pad(&line, to: column - text.utf8.count)
        line.append(string: text)
    }
}
