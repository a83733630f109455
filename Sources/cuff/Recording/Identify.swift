import ArgumentParser
import CuffCore
import CuffIngest

struct Identify: ParsableCommand {
    static let configuration = CommandConfiguration(
        verb: "identify", "Names the driver of a device or a recording; nothing is sent to the device.",
        """
        A device with a cuff's own USB ids is named by them, without being opened. Any other port is listened to: only cuffs that send by \
        themselves can be recognised there; the others wait for requests, and none is sent. Readings that arrive meanwhile are stored in this user's database, because such a \
        cuff does not repeat them, if the driver is certain: it alone reads them, and with a check. Otherwise a message says that they \
        were not stored. \
        Of a capture the header counts first; then, and for raw bytes, the drivers that can read something in it. Nothing of a file \
        is stored.
        """,
        examples: [
            "cuff identify /dev/ttyUSB0 --for 60s": "Take a measurement on the cuff meanwhile, or press its memory key.",
            "cuff identify night.capture": "Which drivers understand a recording.",
        ])

    @Argument(help: "A device, a capture, or raw bytes; `-` reads standard input.", completion: .file()) var source: String = "-"
    @Option(help: ArgumentHelp("Line settings to listen with (default: 9600 8N1).", valueName: "settings")) var line: String?
    @Option(name: .customLong("for"), help: ArgumentHelp("How long to listen to a port.", valueName: "time")) var limit = Span.seconds(10)
    @Flag(help: "One JSON object for each driver that fits.") var json = false
    @Flag(help: "Do not store readings that a device sends meanwhile (default: in this user's database).") var noStore = false

    func run() throws {
        let stop = StopSignal()
        stop.watch()
        let report = try Identifying.run(source, line: try LineChoice.settings(line), limit: limit.duration, stop: stop)
        // Before anything is printed, because a closed or full output ends the program.
        let saved = Result { try save(report) }
        if json { Terminal.put(report.jsonLines) } else { Terminal.show(report.text) }
        try saved.get()
        if report.ending != .done { throw ExitCode(report.ending) }
        if report.isEmpty { throw ExitCode(.no) }
    }

    /// Stores what was received, because a cuff that only sends does not repeat it.
    private func save(_ report: Identifying.Report) throws {
        guard report.readingsHeard > 0, !noStore else { return }
        let count = Plural.text(report.readingsHeard, "reading")
        guard report.certain != nil else {
            return Terminal.say(
                "cuff: \(count) received but not stored, because the driver is not certain: name it with `cuff read --follow --driver`")
        }
        var options = IngestOptions()
        options.program = Cuff.program
        options.keepPassingReadings()
        options.explain = { $0.text }
        let log = StandardErrorLog.logger()
        options.diagnostics = { if case .warning = $0 { log.warning("\($0.sentence)") } }
        let kept = try Ingest.save(report, options: options)
        for sink in kept.sinks where sink.stored > 0 {
            Terminal.say("cuff: \(Plural.text(sink.stored, "reading")) received and stored in \(sink.label)")
        }
        if kept.status != .done { throw ExitCode(kept.status) }
    }
}

extension Identifying.Word {
    var reason: String {
        switch self {
        case .header(_, true): "the capture's header says so"
        case .header(_, false): "the capture's header says so, and this program has no such driver"
        case .claim(_, let sentence): sentence
        }
    }
}

extension Identifying.Report {
    var text: String {
        guard !isEmpty else {
            let place = line.map { " at \($0.text)" } ?? ""
            if bytes > 0 { return "\(bytes) bytes fit no family\(place)\(line == nil ? "" : ": try other settings (--line)")\n" }
            return line == nil
                ? "it holds no bytes of a cuff\n"
                : "nothing was received\(place): the cuff may send only on request, or need other settings (--line)\n"
        }
        let named = word.map { word in
            let own = candidates.first { $0.driver.description == word.driver }
            let found = own.map { evidence($0) } ?? (bytes > 0 ? "its bytes show nothing of it" : "")
            return "\(StandardErrorLog.harmless(word.driver))  \(word.reason)\(found.isEmpty ? "" : "; \(found)")\n"
        }
        return (named ?? "") + others.map { "\($0.driver)  \(evidence($0))\n" }.joined()
    }

    /// With other evidence, only likely contradictions.
    private var others: [Identification.Candidate] {
        guard let word else { return candidates }
        return candidates.filter { $0.driver.description != word.driver && $0.isLikely }
    }

    private func evidence(_ candidate: Identification.Candidate) -> String {
        var parts: [String] = []
        if candidate.readings > 0 { parts.append(Plural.text(candidate.readings, "reading")) }
        if candidate.frames > 0 {
            parts.append(Plural.text(candidate.frames, "frame") + (candidate.isChecked ? " (checked)" : ""))
        }
        parts.append("\(candidate.bytes) of \(bytes) bytes explained (\(bytes == 0 ? 0 : 100 * candidate.bytes / bytes) %)")
        var against = candidate.objections.map(\.words)
        if !candidate.isLikely { against.append("so it may be chance") }
        if !against.isEmpty { parts[parts.count - 1] += "; against it: \(against.joined(separator: ", "))" }
        let lines = line == nil ? "" : candidate.lines.map(\.text).joined(separator: ", ")
        return parts.joined(separator: ", ") + (lines.isEmpty ? "" : "; line \(lines)")
    }

    /// One JSON object for each family. `by` is the evidence: `header`, `claim` or `bytes`.
    var jsonLines: String {
        var lines: [String] = []
        if let word {
            let own = candidates.first { $0.driver.description == word.driver }
            let by = if case .header = word { "header" } else { "claim" }
            lines.append(json(word.driver, by: by, own))
        }
        return (lines + others.map { json($0.driver.description, by: "bytes", $0) }).joined()
    }

    private func json(_ driver: String, by: String, _ candidate: Identification.Candidate?) -> String {
        JSONOutput.line(
            "candidate", ("driver", .text(StandardErrorLog.harmless(driver))), ("by", .text(by)), ("bytes", .number(bytes)),
            ("frames", candidate.map { .number($0.frames) }), ("frame_bytes", candidate.map { .number($0.bytes) }),
            ("readings", candidate.map { .number($0.readings) }), ("checked", candidate.map { .bool($0.isChecked) }),
            ("likely", candidate.map { .bool($0.isLikely) }),
            ("against", candidate.map { .list($0.objections.map { .text($0.rawValue) }) }),
            ("lines", line == nil ? nil : candidate.map { .list($0.lines.map { .text($0.text) }) }))
    }
}

extension Identification.Objection {
    fileprivate var words: String {
        switch self {
        case .mostUnexplained: "most bytes belong to no frame"
        case .someUnexplained: "the other bytes belong to no frame"
        case .noCheck: "no check"
        case .noReading: "no reading"
        }
    }
}
