import Glibc

package enum TerminalSize {
    /// Its columns, `$COLUMNS` before what the terminal says, and 80 where neither does; `nil` where it is no terminal.
    package static func columns(of descriptor: Int32) -> Int? {
        guard isatty(descriptor) == 1 else { return nil }
        if let said = getenv("COLUMNS").flatMap({ Int(String(cString: $0)) }), said > 0 { return said }
        var size = winsize()
        return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}
