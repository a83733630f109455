import Glibc

package enum TerminalSize {
    /// `$COLUMNS`, else the terminal's width, else 80; `nil` if it is not a terminal.
    package static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        if let said = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), said > 0 { return said }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
