import CuffCore
import Glibc

/// Tests whether a program follows the protocol of sources. Its readings are not stored.
public struct SourceCheck: Sendable {
    /// One rule, and whether the program kept it.
    public struct Finding: Sendable, Hashable {
        /// The rule.
        public var rule: String
        /// What was wrong; `nil` if the rule was kept.
        public var fault: String?
    }

    private let plan: SourcePlan
    private let patience: Duration

    /// Waits this long for readings, in each of two runs of the program.
    public init(_ plan: SourcePlan, patience: Duration) { (self.plan, self.patience) = (plan, patience) }

    /// Runs the program twice: the first time it is killed before anything is acknowledged.
    public func run(_ stop: StopSignal = StopSignal()) -> [Finding] {
        var findings: [Finding] = []
        func note(_ rule: String, _ fault: String?) { findings.append(Finding(rule: rule, fault: fault)) }
        let first = heard(acknowledges: false, stop)
        note("it starts, and its first line within 10 s is `ready 1`", first.greeting)
        guard first.greeting == nil else { return findings }
        note("every line is a reading, `later` or `fatal`", first.faults.first)
        guard !first.readings.isEmpty else {
            note("it sends readings", "none came within \(patience.components.seconds) s; the other rules need one")
            return findings
        }
        note("an id names one measurement", first.double)
        let second = heard(acknowledges: true, stop)
        let missing = first.readings.first { second.readings[$0.key] == nil }
        note("readings without an answer are sent again by its next run", missing.map { "`\($0.key)` did not come again" })
        let changed = first.readings.first { id, reading in second.readings[id].map { $0.id != reading.id } ?? false }
        note("the same id has the same time, user and device", changed.map { "`\($0.key)` came again as another measurement" })
        note("an acknowledged reading is not sent again", second.repeated)
        note("it ends within 2 s after the end of its input, with 0", second.isClean ? nil : "it did not")
        return findings
    }

    private struct Heard {
        var greeting: String?
        var readings: [String: Reading] = [:]
        var faults: [String] = []
        var double: String?
        var repeated: String?
        var isClean = false
    }

    private func heard(acknowledges: Bool, _ stop: StopSignal) -> Heard {
        var heard = Heard()
        let peer = CommandPeer(plan.words, name: plan.description, isAnswering: true, setting: nil)
        do throws(IngestError) { try peer.open(stop) } catch {
            heard.greeting = "\(error)"
            return heard
        }
        var buffer: [UInt8] = []
        var isGreeted = false
        var until = HostClock.monotonic() + 10_000_000_000
        while let ends = peer.ends, HostClock.monotonic() < until, !stop.isRaised {
            let left = Int32(clamping: (until - HostClock.monotonic()) / 1_000_000 + 1)
            guard LineStream.wait(ends.input, POLLIN, stop, milliseconds: left) else { break }
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            let count = chunk.withUnsafeMutableBytes { read(ends.input, $0.baseAddress, $0.count) }
            if count < 0 && (errno == EAGAIN || errno == EINTR) { continue }
            guard count > 0 else { break }
            buffer += chunk[..<count]
            while let end = buffer.firstIndex(of: 0x0A) {
                let line = Array(buffer[..<end])
                buffer.removeFirst(end + 1)
                guard isGreeted else {
                    guard line.starts(with: Array("ready 1".utf8)) else {
                        heard.greeting = "it was `\(TerminalText.clean(String(decoding: line.prefix(80), as: UTF8.self)))`"
                        peer.close()
                        return heard
                    }
                    isGreeted = true
                    until = HostClock.monotonic() + patience.nanoseconds
                    continue
                }
                if let answer = take(line, &heard, acknowledges: acknowledges) {
                    _ = try? peer.send(Array("\(answer)\n".utf8), stop)
                }
            }
            if buffer.count > SourceLine.longest {
                heard.faults.append("a line has more than \(SourceLine.longest) bytes")
                break
            }
        }
        if !isGreeted { heard.greeting = "it did not come" }
        heard.isClean = peer.close()
        return heard
    }

    /// Returns the answer.
    private func take(_ line: [UInt8], _ heard: inout Heard, acknowledges: Bool) -> String? {
        guard line.first == 0x7B else {
            let word = String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
            if word != "later" && word != "fatal" { heard.faults.append("a line is neither a reading nor `later` or `fatal`") }
            return nil
        }
        do throws(SourceLine.Refusal) {
            let read = try SourceLine(line, source: plan.name, received: HostClock.now())
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
