import CuffClinical
import CuffCore
import CuffIngest
import Glibc

enum Terminal {
    static func say(_ text: String) {
        draw(StandardErrorLog.harmless(text) + "\n")
    }

    /// On standard error as it is.
    static func draw(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }

    /// Prints data. A closed pipe ends the program silently; a full disk with an error. `hasColor`: the text contains this
    /// program's escape sequences, and no foreign text.
    static func put(_ text: String, hasColor: Bool = false) {
        do throws(IngestError) { try OutputFile.put(hasColor ? text : TerminalText.clean(text)) } catch {
            if error.status != .done { StandardErrorLog.logger().error("\(error.text)") }
            exit(error.status.code)
        }
    }

    /// Folds lines that are wider than the terminal.
    static func show(_ text: String) { put(TextTable.folded(text, width: outputWidth)) }

    /// Tab-separated lines for a program, and columns at a terminal.
    static func list(
        _ head: [String], _ rows: [[String]], wrapping: Int, rightAligned: Set<Int> = [], optional: [Int] = []
    ) {
        guard outputIsTerminal else { return put(rows.map { $0.joined(separator: "\t") + "\n" }.joined()) }
        put(TextTable(head, rows, wrapping: wrapping, rightAligned: rightAligned, optional: optional).text(width: outputWidth))
    }

    /// Whether a question is answered with this word, on the command line or at a terminal.
    static func isConfirmed(_ word: String, given: String, _ question: String) -> Bool {
        (given.isEmpty ? ask(question) : given) == word
    }

    /// Reads one line; `nil` if standard input is not a terminal.
    static func ask(_ question: String) -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        draw(TerminalText.clean(question))
        return readLine().map { Household.trimmed($0) }
    }

    /// The terminal's width, and whether it supports Unicode and colour.
    static var plotStyle: RangePlot.Style {
        var size = winsize()
        let isKnown = outputIsTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        let width = DriverMemory.variable("COLUMNS").flatMap { Int($0) } ?? (isKnown ? Int(size.ws_col) : 80)
        let hasColor = outputIsTerminal && DriverMemory.variable("NO_COLOR") == nil && DriverMemory.variable("TERM") != "dumb"
        return RangePlot.Style(
            width: width, height: isKnown ? min(24, max(10, Int(size.ws_row) - 6)) : 18,
            isUnicode: isUnicode, hasColor: hasColor || DriverMemory.variable("FORCE_COLOR") != nil)
    }

    /// `nil` if standard output is not a terminal.
    static var outputWidth: Int? { TerminalSize.columns(of: STDOUT_FILENO) }

    static var errorWidth: Int {
        var size = winsize()
        return errorIsTerminal && ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    static var isUnicode: Bool {
        (["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap(DriverMemory.variable).first ?? "").lowercased().contains("utf")
    }

    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorIsTerminal = isatty(STDERR_FILENO) == 1
}
