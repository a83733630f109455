import CuffCore
import Glibc
import Logging

/// Where the program's own words go: standard error. Under systemd each line begins with its priority, `<4>` for a warning,
/// and time and name are the journal's own; elsewhere it begins with `cuff: `.
///
/// At `notice` and above no line holds a reading, a record's bytes or a person's number; bytes are logged at `debug` only.
package struct StandardErrorLog: LogHandler {
    /// Metadata of the handler; it is not printed.
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level
    let isJournal: Bool
    private let descriptor: Int32

    /// Prints journal priorities where standard error leads to the journal.
    package init(level: Logger.Level = .notice) { self.init(level: level, isJournal: Self.leadsToJournal(STDERR_FILENO)) }

    init(level: Logger.Level, isJournal: Bool, descriptor: Int32 = STDERR_FILENO) {
        logLevel = level
        self.isJournal = isJournal
        self.descriptor = descriptor
    }

    /// A logger of this kind.
    package static func logger(_ level: Logger.Level = .notice) -> Logger { Logger(label: "cuff") { _ in StandardErrorLog(level: level) } }

    /// `$JOURNAL_STREAM` holds device and inode of the stream that leads to the journal (systemd.exec(5)).
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
        // One write for each message: lines of several threads do not mix.
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

    /// Without control characters: a name that a device or a file brought along must not command the terminal.
    package static func harmless(_ text: String) -> String {
        TerminalText.clean(text)
    }
}
