import CuffCore
import CuffIngest

/// Advice after a read in which the cuff sent nothing: the three likely causes for its driver, and the next command.
struct NoAnswer {
    let causes: [String]
    let next: String

    /// `nil` if something arrived, or the run ended for another reason. `line`: other settings than the driver's.
    init?(_ report: IngestReport, _ driver: CuffDriver, at address: String, line: LineSettings?) {
        guard report.counters.bytes == 0, [.unavailable, .timedOut].contains(report.status), report.fault == nil else { return nil }
        self.init(driver, at: address, line: line)
    }

    init(_ driver: CuffDriver, at address: String, line: LineSettings?) {
        var causes = ["the cuff is not ready (\(Self.preparation(driver)))"]
        if driver.medium == .tty, !address.contains("://") {
            let used = line ?? driver.line
            let others = ([driver.line] + driver.otherLines).filter { $0 != used }.map(\.text)
            let hint = others.isEmpty ? "" : "; also seen: \(others.joined(separator: ", "))"
            causes.append("its line has other settings than \(used.text) (--line\(hint))")
        } else {
            causes.append(
                driver.medium == .tty ? "the server at \(address) has another line or other settings" : "another program reads it as well")
        }
        causes.append(driver.isRecognised ? "the connection hangs (unplug it and plug it in again)" : "it is not a cuff of \(driver.id)")
        self.causes = causes
        next = driver.isRecognised ? "cuff doctor \(address)" : "cuff identify \(address)"
    }

    /// What to do at the cuff so that it answers.
    static func preparation(_ driver: CuffDriver) -> String {
        driver.preparation
            ?? (driver.capabilities.contains(.storedReadings) || !driver.capabilities.contains(.push)
                ? "switch it on and start its transfer" : "take a measurement")
    }

    func print() {
        let last = causes.last ?? ""
        Terminal.say("cuff: likely causes: \(causes.dropLast().joined(separator: "; ")); or \(last)\n  next: \(next)")
    }
}
