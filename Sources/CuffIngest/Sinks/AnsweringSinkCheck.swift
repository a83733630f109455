import CuffCore

/// Tests whether a program follows the protocol of sinks that answer, `exec+ack:`. The program really stores the readings of the test, which
/// are of the cuff `check`.
package struct AnsweringSinkCheck: Sendable {
    private let words: [String]
    private let count: Int
    private let patience: Duration

    /// `command` as after `exec+ack:`; `count` readings are sent at once, and answers have a time limit. Throws if it names no program.
    package init(_ command: String, count: Int = 1000, patience: Duration = .seconds(60)) throws(IngestError) {
        (self.count, self.patience) = (count, patience)
        words = try CommandPeer.words(command)
        guard CommandPeer.find(words[0]) != nil else { throw IngestError(SinkFault.noProgram("exec+ack:\(command)", program: words[0])) }
    }

    /// Runs the program four times.
    package func run(_ stop: StopSignal = StopSignal()) -> [HelperFinding] {
        var findings: [HelperFinding] = []
        func note(_ rule: String, _ fault: String?) { findings.append(HelperFinding(rule: rule, fault: fault)) }
        // Other readings each time.
        let start = HostClock.now().seconds
        let lines = (0..<count).map { Self.line(start &* 1000 &+ Int64($0)) }
        let starts = "it starts, and its first line within 10 s is `ready 1`"
        do throws(CheckedHelper.Fault) {
            var said = try talk(Array(lines.prefix(3)), stop)
            note(starts, nil)
            note("it answers for each reading once, with ok, refuse, later or fatal", said.fault)
            note("it accepts a reading", said.accepted > 0 ? nil : said.terminal ?? "it accepted none")
            note("it exits with 0 within 2 s after the end of its input", said.isClean ? nil : "it did not")
            guard said.fault == nil, said.terminal == nil else { return findings }
            said = try talk(Array(lines.prefix(3)), stop)
            note("readings that it has are accepted again", said.accepted == 3 ? nil : said.fault ?? "\(3 - said.accepted) were not")
            said = try talk(lines, stop)
            note("\(count) readings at once are answered within a minute", said.fault)
            var helper = try CheckedHelper(words, stop)
            helper.send(String(Self.line(start &* 1000 &- 1).text.prefix(60)))
            let word = helper.line(within: .seconds(1))
            note(
                "half of a line, as after a crash of cuff, is ignored",
                word != nil ? "it was answered" : helper.close() ? nil : "it did not exit with 0")
        } catch { note(starts, error.text) }
        return findings
    }

    private struct Line {
        let id: String
        let text: String
    }

    private static func line(_ number: Int64) -> Line {
        let hash = String(UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
        let id = "20260505T073110-" + String(repeating: "0", count: 16 - hash.count) + hash
        return Line(
            id: id,
            text:
                #"{"type":"blood_pressure","schema":1,"id":"\#(id)","driver":"and-std","device":"check","systolic_mmHg":128,"diastolic_mmHg":82,"#
                + #""pulse_per_min":71,"flags":["test_data"],"device_time":"2026-05-05T07:31","measured":"2026-05-05T07:31:00+02:00","#
                + #""clock":"device_time","origin":"memory"}"# + "\n")
    }

    private struct Said {
        var accepted = 0
        var fault: String?
        /// The line that began with `later` or `fatal`.
        var terminal: String?
        var isClean = false
    }

    private func talk(_ lines: [Line], _ stop: StopSignal) throws(CheckedHelper.Fault) -> Said {
        var said = Said()
        var helper = try CheckedHelper(words, stop)
        var open = Set(lines.map(\.id))
        helper.send(lines.map(\.text).joined())
        let until = HostClock.monotonic() + patience.nanoseconds
        while !open.isEmpty, said.fault == nil, said.terminal == nil {
            guard let line = helper.line(within: .nanoseconds(max(0, until - HostClock.monotonic()))) else {
                said.fault = helper.partialLine ?? (helper.isOver ? "it ended" : "\(open.count) have no answer")
                break
            }
            let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            switch words[0] {
            case "later", "fatal": said.terminal = TerminalText.clean(line)
            case "ok" where words.count == 3 && words[2] == "0", "refuse" where words.count > 2 && words[2] == "0":
                guard open.remove(words[1]) != nil else {
                    said.fault = "`\(TerminalText.clean(String(words[1].prefix(40))))` was answered twice, or was not sent"
                    break
                }
                if words[0] == "ok" { said.accepted += 1 }
            default: said.fault = "`\(TerminalText.clean(String(line.prefix(80))))` is not an answer"
            }
        }
        if open.isEmpty, let line = helper.line(within: .milliseconds(100)) {
            said.fault = "`\(TerminalText.clean(String(line.prefix(80))))` came after the last answer"
        }
        said.isClean = helper.close()
        return said
    }
}
