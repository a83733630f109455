import CuffCore

/// Tests whether a program follows the protocol of sources. Its readings are not stored.
package struct SourceCheck: Sendable {
    private let plan: SourcePlan
    private let patience: Duration

    /// Waits this long for readings, in each of two runs of the program.
    package init(_ plan: SourcePlan, patience: Duration) { (self.plan, self.patience) = (plan, patience) }

    /// Runs the program twice; in its first run nothing is acknowledged.
    package func run(_ stop: StopSignal = StopSignal()) -> [HelperFinding] {
        var findings: [HelperFinding] = []
        func note(_ rule: String, _ fault: String?) { findings.append(HelperFinding(rule: rule, fault: fault)) }
        let first: Heard, second: Heard
        do throws(CheckedHelper.Fault) {
            first = try heard(acknowledges: false, stop)
            note("it starts, and its first line within 10 s is `ready 1`", nil)
            let isLine = "every line is a reading, `later` or `fatal`"
            guard !first.readings.isEmpty else {
                note(isLine, first.faults.first)
                let why = first.fatal ?? "none came within \(patience.components.seconds) s"
                note("it sends readings", "\(why); the other rules need one")
                return findings
            }
            second = try heard(acknowledges: true, stop)
            note(isLine, first.faults.first ?? second.faults.first)
            note("an id names one measurement", first.double)
        } catch {
            note("it starts, and its first line within 10 s is `ready 1`", error.text)
            return findings
        }
        let missing = first.readings.first { second.readings[$0.key] == nil }
        note("readings without an answer are sent again by its next run", missing.map { "`\($0.key)` did not come again" })
        let changed = first.readings.first { id, reading in second.readings[id].map { $0.id != reading.id } ?? false }
        note("the same id has the same time, user and device", changed.map { "`\($0.key)` came again as another measurement" })
        note("an acknowledged reading is not sent again", second.repeated)
        note("it exits with 0 within 2 s after the end of its input", second.isClean ? nil : "it did not")
        return findings
    }

    private struct Heard {
        var readings: [String: Reading] = [:]
        var faults: [String] = []
        /// The line with `fatal`.
        var fatal: String?
        var double: String?
        var repeated: String?
        var isClean = false
    }

    private func heard(acknowledges: Bool, _ stop: StopSignal) throws(CheckedHelper.Fault) -> Heard {
        var heard = Heard()
        var helper = try CheckedHelper(plan.words, stop)
        let until = HostClock.monotonic() + patience.nanoseconds
        while heard.fatal == nil, let line = helper.line(within: .nanoseconds(max(0, until - HostClock.monotonic()))) {
            if let answer = take(line, &heard, acknowledges: acknowledges) { helper.send("\(answer)\n") }
        }
        if let fault = helper.partialLine { heard.faults.append(fault) }
        heard.isClean = helper.close()
        return heard
    }

    private func take(_ line: String, _ heard: inout Heard, acknowledges: Bool) -> String? {
        guard line.hasPrefix("{") else {
            let word = line.prefix { $0 != " " }
            if word == "fatal" { heard.fatal = "it wrote `\(TerminalText.clean(String(line.prefix(80))))`" }
            if word != "later" && word != "fatal" { heard.faults.append("a line is neither a reading nor `later` or `fatal`") }
            return nil
        }
        do throws(SourceLine.Refusal) {
            let bytes = Array(line.utf8)
            guard bytes.count <= SourceLine.longest else {
                throw SourceLine.Refusal(id: nil, text: "it has more than \(SourceLine.longest) bytes")
            }
            let read = try SourceLine(bytes, source: plan.name, received: HostClock.now())
            if let former = heard.readings[read.id] {
                let isSame = former.content == read.reading.content && former.id == read.reading.id
                if acknowledges { heard.repeated = heard.repeated ?? "`\(read.id)` came twice" }
                if !isSame && read.reading.revision == former.revision { heard.double = "`\(read.id)` came with different values" }
            }
            heard.readings[read.id] = read.reading
            return acknowledges ? "ok \(read.id)" : nil
        } catch {
            heard.faults.append((error.id.map { "`\($0)`: " } ?? "a line without an id: ") + error.text)
            return error.id.map { "refuse \($0) \(error.text)" }
        }
    }
}
