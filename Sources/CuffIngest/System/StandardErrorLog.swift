import CuffCore
import Glibc
import Logging

/// Logs to standard error. Under systemd, lines start with a priority, `<4>` for a warning, and the journal adds time and name;
/// otherwise they start with `cuff: `.
///
/// At `notice` and above no line contains a reading, a record's bytes or a patient's number; bytes are logged at `debug` only.
package struct StandardErrorLog: LogHandler {
    /// Not printed.
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    let isJournal: Bool
    private let descriptor: Int32

    /// Prints journal priorities if standard error is connected to the journal.
    package init(level: Logger.Level = .notice) { self.init(level: level, isJournal: Self.leadsToJournal(STDERR_FILENO)) }

    init(level: Logger.Level, isJournal: Bool, descriptor: Int32 = STDERR_FILENO) {
        logLevel = level
        self.isJournal = isJournal
        self.descriptor = descriptor
    }

    package static func logger(_ level: Logger.Level = .notice) -> Logger { Logger(label: "cuff") { _ in StandardErrorLog(level: level) } }

    /// `$JOURNAL_STREAM` contains device and inode of the journal's stream (systemd.exec(5)).
    static func leadsToJournal(_ descriptor: Int32, _ variable: String? = getenv("JOURNAL_STREAM").map { String(cString: $0) }) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) { write(event.level, event.message.description) }

    package func log(
        level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String, function: String, line: UInt
    ) {
        write(level, message.description)
    }

    private func write(_ level: Logger.Level, _ message: String) {
        var bytes: [UInt8] = []
        for (index, line) in message.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if isJournal { bytes += "<\(Self.priority(level))>".utf8 } else if index == 0 { bytes += "cuff: ".utf8 }
            bytes += Self.harmless(String(line)).utf8
            bytes.append(0x0A)
        }
        // A single write, so that lines of several threads do not mix.
        _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    }

    /// sd-daemon(3).
    static func priority(_ level: Logger.Level) -> Int {
        switch level {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }

    /// Removes control characters: a name from a device or a file must not control the terminal.
    package static func harmless(_ text: String) -> String {
        TerminalText.clean(text)
    }
}
